#!/usr/bin/env bash
# Two hosts, each in a network namespace of its own, train one model over a virtual cable; the result is compared with
# that of one process. Needs root and iproute2. What it makes, it takes away again.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" != 0 ] || ! command -v ip > /dev/null || ! ip netns list > /dev/null 2>&1; then
    echo "LEFT OUT: two hosts need root and iproute2 (Debian: apt-get install iproute2)." >&2
    exit 77
fi
place=$(mktemp -d)
name=gf$$
python=$PWD/.venv/bin/python
asked=(train classify negation:300 --steps 12 --threads 1 --quiet --set dropout=0 --set word_dropout=0 --set precision=float32)
cleanup() {
    ip netns delete "$name-a" 2> /dev/null || true
    ip netns delete "$name-b" 2> /dev/null || true
    rm -rf "$place"
}
trap cleanup EXIT
for host in a b; do
    ip netns add "$name-$host"
    ip -n "$name-$host" link set lo up
done
ip link add "v$$a" netns "$name-a" type veth peer name "v$$b" netns "$name-b"
for host in a b; do
    [ $host = a ] && address=10.77.0.1 || address=10.77.0.2
    ip -n "$name-$host" address add $address/24 dev "v$$$host"
    ip -n "$name-$host" link set "v$$$host" up
done
on_host() { # host, rank: what a user types on each of two machines
    cd "$place" && mkdir -p "$1" && cd "$1"
    ip netns exec "$name-$1" env GLOO_SOCKET_IFNAME="v$$$1" OMP_NUM_THREADS=1 \
        "$python" -m torch.distributed.run --nnodes 2 --nproc-per-node 1 --node-rank "$2" \
        --master-addr 10.77.0.1 --master-port 29511 -m glassformer "${asked[@]}" --out two
}
(on_host b 1) &
(on_host a 0)
wait $!
(cd "$place" && OMP_NUM_THREADS=1 "$python" -m glassformer "${asked[@]}" --out one)
"$python" - "$place" << 'COMPARE'
import json, sys
from pathlib import Path

place = Path(sys.argv[1])


def losses(run: Path) -> list[float]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["loss"] for line in lines if line["event"] == "judged"]


one, two = losses(place / "one"), losses(place / "a" / "two")
apart = max(abs(a - b) for a, b in zip(one, two, strict=True))
print(f"Two hosts, {len(one)} validation losses: at most {apart:.1e} from those of one process.")
assert apart <= 1e-5
assert not (place / "b" / "two").exists(), "only the host of process 0 writes"
COMPARE

"""What the server does when many ask: requests per second of 64 clients against one at a time, what happens beyond the
queue, when clients vanish, and to its memory over many requests. Clients and server are processes on this machine, over
loopback. Prints Markdown.

    python bench/serving.py [--run RUN] [--requests N] [--clients N] [--engine auto] [--endurance N] [--overload S]

`--overload S` asks instead, with 256 clients for so many seconds, a server that writes two texts at once and lets 32
wait: every answer must be 200, or 503 with Retry-After.
"""

import argparse
import asyncio
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

HANG = 60.0  # seconds after which nobody would wait any more
PROMPTS = ("ROMEO:", "JULIET:", "First Citizen:\n", "To be, or not to be", "What", "My lord,", "O", "Enter the king")


async def ask(port: int, content: dict[str, Any], *, stay: bool = True) -> tuple[int, float, Any]:
    """One request over a connection of its own: its status, its seconds, its answer."""
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps(content).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()
    if not stay:
        await asyncio.sleep(0.05)
        writer.close()
        return 0, time.perf_counter() - begun, None
    answer = await reader.read()
    writer.close()
    head_, _, rest = answer.partition(b"\r\n\r\n")
    return int(head_.split()[1]), time.perf_counter() - begun, json.loads(rest)


def wanted(i: int, tokens: int) -> dict[str, Any]:
    """A request; the same number always asks for the same."""
    return {"prompt": PROMPTS[i % len(PROMPTS)], "max_tokens": tokens, "temperature": 0}


def worked(pid: int) -> float:
    """Seconds of processor time that a process has had, all of its threads together."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


async def load(port: int, clients: int, requests: int, tokens: int) -> tuple[float, list[float]]:
    """Requests per second with so many clients at once, and the seconds of each request."""
    left, times = iter(range(requests)), list[float]()

    async def client() -> None:
        for i in left:
            status, seconds, _ = await ask(port, wanted(i, tokens))
            assert status == 200
            times.append(seconds)

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return requests / (time.perf_counter() - begun), times


async def overload(port: int, clients: int) -> dict[int, int]:
    """How many of many requests at once got which status."""
    found = await asyncio.gather(*(ask(port, wanted(i, 32)) for i in range(clients)))
    statuses = [status for status, _, _ in found]
    return {status: statuses.count(status) for status in sorted({*statuses})}


async def vanishing(port: int, clients: int) -> tuple[int, int]:
    """Half of the clients leave; how many of the others were answered as they would be alone, and how many at all."""
    alone = {i: (await ask(port, wanted(i, 24)))[2]["choices"][0]["text"] for i in range(len(PROMPTS))}
    asked = [ask(port, wanted(i, 24 if i % 2 else 2000), stay=bool(i % 2)) for i in range(clients)]
    found = await asyncio.gather(*asked)
    stayed = [(i, answer) for i, (status, _, answer) in enumerate(found) if status == 200]
    exact = sum(answer["choices"][0]["text"] == alone[i % len(PROMPTS)] for i, answer in stayed)
    return exact, len(stayed)


def healthy(port: int, done: threading.Event) -> list[float]:
    """How long /healthz takes, asked over and over until all is done, by a thread of its own."""
    times = list[float]()
    while not done.is_set():
        begun = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port), timeout=HANG) as there:
            there.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            assert b" 200 " in there.recv(65536).partition(b"\r\n")[0]
        times.append(time.perf_counter() - begun)
        done.wait(0.05)
    return times


class Answers:
    """What became of the requests of an overload."""

    def __init__(self) -> None:
        self.by_kind: dict[str, int] = {}
        self.times: dict[str, list[float]] = {}

    def add(self, kind: str, seconds: float) -> None:
        """One more of a kind."""
        self.by_kind[kind] = self.by_kind.get(kind, 0) + 1
        self.times.setdefault(kind, []).append(seconds)


async def kind_of(port: int, content: dict[str, Any]) -> str:
    """How one request ended: its status, `reset`, `hang`, or what was wrong with the answer."""
    body = json.dumps(content).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    try:
        async with asyncio.timeout(HANG):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            told, _, rest = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
    except TimeoutError:
        return "hang"
    except OSError:
        return "reset"
    if not told:
        return "reset"
    status = int(told.split()[1])
    if status == 503 and b"\r\nretry-after:" not in told.lower():
        return "503 without Retry-After"
    json.loads(rest)  # cut off in the midst, it is no document
    return str(status)


async def overloaded(port: int, pid: int, seconds: float) -> None:
    """256 clients who ask again at once, whatever they were told; the last quarter beside the first, in memory."""
    answers, end, done = Answers(), time.monotonic() + seconds, threading.Event()

    async def client(i: int) -> None:
        while time.monotonic() < end:
            begun = time.perf_counter()
            answers.add(await kind_of(port, wanted(i, 32)), time.perf_counter() - begun)

    await load(port, 2, 50, 32)
    watch = asyncio.create_task(asyncio.to_thread(healthy, port, done))
    crowd = asyncio.gather(*(client(i) for i in range(256)))
    await asyncio.sleep(seconds / 10)
    before, worked_before = resident(pid), worked(pid)
    await crowd
    done.set()
    times, after = await watch, resident(pid)
    total = sum(answers.by_kind.values())
    print(f"256 clients for {seconds:.0f} s, two texts written at once, 32 may wait: {total:,} requests.")
    for kind, found in sorted(answers.times.items()):
        print(f"- {kind}: {len(found):,}, the slowest after {max(found):.2f} s")
    print(f"- memory {before:.0f} MB after a tenth of it, {after:.0f} MB at its end ({after / before - 1:+.1%})")
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
    print(f"- /healthz, asked {len(times):,} times meanwhile: p50 {p50:.3f} s, p99 {p99:.3f} s")
    share = (worked(pid) - worked_before) / (0.9 * seconds)
    print(f"- the server had {share:.2f} of a core; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def endurance(port: int, pid: int, requests: int, clients: int) -> None:
    """Its memory before and after many requests, of which every tenth is cut off by its client."""
    left, statuses, done = iter(range(requests)), dict[int, int](), threading.Event()

    async def client() -> None:
        for i in left:
            status, _, _ = await ask(port, wanted(i, 2 if i % 10 else 500), stay=bool(i % 10))
            statuses[status] = statuses.get(status, 0) + 1

    await load(port, clients, 500, 2)
    before, watch = resident(pid), asyncio.create_task(asyncio.to_thread(healthy, port, done))
    await asyncio.gather(*(client() for _ in range(clients)))
    done.set()
    times, after = await watch, resident(pid)
    print(f"\n{requests:,} requests, by status (0: the client left): {dict(sorted(statuses.items()))}.")
    print(f"Memory {before:.0f} MB before, {after:.0f} MB after ({after / before - 1:+.1%}).")
    print(
        f"/healthz meanwhile: p50 {statistics.median(times):.3f} s, p99 {statistics.quantiles(times, n=100)[98]:.3f} s."
    )


async def measure(port: int, pid: int, asked: argparse.Namespace) -> None:
    """All of it, as Markdown."""
    await load(port, 4, 8, asked.tokens)  # warm
    rows = []
    for clients, requests in ((1, max(8, asked.requests // 4)), (asked.clients, asked.requests)):
        begun = worked(pid)
        rate, times = await load(port, clients, requests, asked.tokens)
        rows.append((clients, rate, times, 1000 * (worked(pid) - begun) / requests))
    print("| clients | requests/s | p50, s | p99, s | the server's processor time for one, ms |")
    print("|---:|---:|---:|---:|---:|")
    for clients, rate, times, cost in rows:
        p99 = statistics.quantiles(times, n=100)[98]
        print(f"| {clients} | {rate:.1f} | {statistics.median(times):.3f} | {p99:.3f} | {cost:.1f} |")
    (_, one, _, alone), (_, many, _, together) = rows
    print(
        f"\n{asked.clients} clients: {many / one:.1f} times the requests of one at a time by the clock, which others "
        f"and the clients share; {alone / together:.1f} times by the server's processor time."
    )
    print(f"400 at once: {await overload(port, 400)} by status.")
    exact, of = await vanishing(port, 200)
    print(f"200 clients, of which 100 vanish: of the others {of} were answered, {exact} exactly as alone.")
    if asked.endurance:
        await endurance(port, pid, asked.endurance, 32)
    print(f"\n{platform.machine()}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, shared by all.")


def main() -> None:
    """Starts a server, measures, stops it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", default="shakespeare")
    parser.add_argument("--requests", type=int, default=256)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--endurance", type=int, default=0, help="so many requests, with an eye on memory")
    parser.add_argument("--overload", type=float, default=0.0, help="so many seconds of 256 clients, and nothing else")
    asked = parser.parse_args()
    words = [sys.executable, "-m", "glassformer", "serve", asked.run, "--port", "0", "--engine", asked.engine]
    words += ["--queue", "32", "--slots", "2"] if asked.overload else ["--queue", "200"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            line = next(each for each in server.stderr if each.startswith("Serving at"))
            port = int(line.split("/v1")[0].rpartition(":")[2])
            if asked.overload:
                asyncio.run(overloaded(port, server.pid, asked.overload))
            else:
                asyncio.run(measure(port, server.pid, asked))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()

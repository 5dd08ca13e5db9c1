"""The page of architectures, docs/architectures.md, made of what bench/zoo.py has measured: a line for each. No more.

python bench/zoo.py --maps base causal pairs --out zoo.jsonl
python bench/architectures.py zoo.jsonl > docs/architectures.md
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MAPS = {"base": "base", "causal": "writes on", "pairs": "text to text"}
SIGNS = {"all seen": "", "some not seen": " !", "cannot tell": " ?"}
HEAD = """# Architectures that were watched

Made by `bench/zoo.py` and `bench/architectures.py`; what it means is told in
[Watch, measured](measured/watch.md#architectures). A number is how many attentions were rebuilt in a tiny model with
random weights, by either implementation of attention where it has two (eager / sdpa). Without a sign the verdict is
`all seen`; `!` is `some not seen`, `?` is `cannot tell`.
A dot: not in this mapping, not measured again, or it does not build or run so small.

"""


def cell(found: Iterable[Mapping[str, Any]]) -> str:
    """What one architecture came to in one mapping."""
    told = [f"{each['caught']}{SIGNS[each['verdict']]}" for each in found if not each["left_out"]]
    return " / ".join(dict.fromkeys(told)) or "·"


def page(lines: Iterable[str]) -> str:
    """All of it, in Markdown."""
    told = (json.loads(line) for line in lines)
    found = list({(each["kind"], each["mapping"], each["how"]): each for each in told}.values())  # the last word counts
    ran = [each for each in found if not each["left_out"]]
    total = Counter(each["verdict"] for each in ran)
    counts = ", ".join(f"{total[verdict]} `{verdict}`" for verdict in SIGNS)
    maps = [name for name in MAPS if any(each["mapping"] == name for each in ran)]
    kinds = sorted({each["kind"] for each in ran})
    left = sorted({each["kind"] for each in found} - set(kinds))
    rows = [f"| architecture | {' | '.join(MAPS[name] for name in maps)} |", f"|---|{'---|' * len(maps)}"]
    for kind in kinds:
        of_it = [each for each in ran if each["kind"] == kind]
        cells = [cell(each for each in of_it if each["mapping"] == name) for name in maps]
        rows.append(f"| `{kind}` | {' | '.join(cells)} |")
    said = f"{len(kinds)} architectures, {len(ran)} pairs of model and implementation: {counts}."
    names = ", ".join(f"`{kind}`" for kind in left)
    return f"{HEAD}{said}\n\n" + "\n".join(rows) + f"\n\nLeft out, {len(left)}: {names}.\n"


def main() -> None:
    """Prints the page."""
    lines = [line for name in sys.argv[1:] for line in Path(name).read_text().splitlines()]
    print(page(lines), end="")


if __name__ == "__main__":
    main()

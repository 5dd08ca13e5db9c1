"""Lots of strangers' documents and what a person said of each finding at first sight: how often `check` was right.

    python tests/survey/judged_lots.py [FILE.json]

Prints two tables in Markdown, by lot and by ground. A lot is `{"lot": "1", "documents": 40, "authors": 25, "checked":
251, "results": 576, "findings": […]}`, a finding `{"path": …, "line": 12, "printed": "0.24", "right": "0.024", "level":
"wrong", "ground": …, "judged": "right", "why": …}`. Findings in one printed matrix stand once. *Right*: the author
would say that it is wrong; *partly*: the line does not hold, but another number of it is wrong than the one named.
Counts what was judged; judges nothing.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

JUDGEMENTS = ("right", "partly", "false")
LEVELS = ("wrong", "look again", "rounding")
LOTS = Path(__file__).with_name("judged_lots.json")

Lot = dict[str, Any]


def read_lots(path: Path) -> list[Lot]:
    """The lots of a file; an unknown level or judgement is an error."""
    lots: list[Lot] = json.loads(path.read_text(encoding="utf-8"))["lots"]
    for finding in (each for lot in lots for each in lot["findings"]):
        if finding["level"] not in LEVELS or finding["judged"] not in JUDGEMENTS:
            where = f"{finding['path']}:{finding['line']}"
            raise ValueError(f"{where}: level or judgement is none of {LEVELS}, {JUDGEMENTS}")
    return lots


def by_lot(lots: list[Lot]) -> str:
    """One row for each lot, and one for all."""
    heading = ["lot", "documents; authors", *(f"{each}: right, partly, false" for each in LEVELS), "results checked"]
    return _table(heading, [*(_lot_row(lot["lot"], [lot]) for lot in lots), _lot_row("all", lots)])


def _lot_row(name: str, lots: list[Lot]) -> list[str]:
    findings = [each for lot in lots for each in lot["findings"]]
    cells = [_counts(each for each in findings if each["level"] == level) for level in LEVELS]
    documents, authors, checked, results = (
        sum(lot[key] for lot in lots) for key in ("documents", "authors", "checked", "results")
    )
    share = f"{round(100 * checked / results)} %" if results else "–"
    return [name, f"{documents}; {authors}", *cells, share]


def by_ground(lots: list[Lot]) -> str:
    """What the grounds of findings are worth, rounding apart."""
    findings = [each for lot in lots for each in lot["findings"] if each["level"] != "rounding"]
    grounds = sorted({each["ground"] for each in findings})
    rows = [[ground, _counts(each for each in findings if each["ground"] == ground)] for ground in grounds]
    return _table(["ground", "right, partly, false"], rows)


def _counts(findings: Iterable[dict[str, Any]]) -> str:
    counted = Counter(each["judged"] for each in findings)
    return ", ".join(str(counted[each]) for each in JUDGEMENTS) if counted else "–"


def _table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(arguments: list[str]) -> None:
    """Prints the tables of the file named, or of the project's own."""
    lots = read_lots(Path(arguments[0]) if arguments else LOTS)
    print(by_lot(lots), by_ground(lots), sep="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])

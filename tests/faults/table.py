"""Every fault, as often as promised: writes the table of docs/reliability.md.

python tests/faults/table.py                 all of it, about an hour and a half of one core
python tests/faults/table.py "kill -9"       the rows of that name
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from faults.apart import alone

PAGE = Path(__file__).parent.parent.parent / "docs" / "reliability.md"
ROW = re.compile(r"^\| (?P<name>[^|]+?) \|.*$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A row: its name, what counts as sound, who tries it, and how: in the tests, and for the table."""

    name: str
    sound: str
    module: str
    few: tuple[Any, ...]
    all: tuple[Any, ...]


FAULTS = (
    Fault("kill -9 while training", "nothing unreadable, nothing left behind, the same model in the end", "killed_runs",
          ("kills", 3), ("kills", 200)),
    Fault("kill -9 between two steps of writing", "the same", "killed_runs",
          ("between files", 2), ("between files", 60)),
    Fault("Ctrl-C and SIGTERM, once and twice", "gone within 5 seconds, exit 130 or 143, the same model in the end",
          "killed_runs", ("signals", 2), ("signals", 20)),
    Fault("stopped and resumed, 20 steps of each task", "the same validations and the same model, to the bit",
          "killed_runs", ("resumes", 1), ("resumes", 20)),
    Fault("a disk of 8 MB that fills up", "a sentence, no half file, the same model once there is room", "hard_places",
          ("full disk", 1), ("full disk", 20)),
    Fault("a place that cannot be written", "a sentence, and what was there is still there", "hard_places",
          ("no place", 1), ("no place", 1)),
    Fault("little memory (RLIMIT_AS)", "a sentence, or the work is done", "hard_places",
          ("little memory", 1), ("little memory", 8)),
    Fault("bytes flipped, cut and added in every file of a run",
          "noticed under a manifest; elsewhere noticed or harmless", "changed_bytes", (60,), (10_000,)),
    Fault("bad files through every reader and command", "a sentence or counted skips, read = kept + skipped",
          "bad_data", (40,), (1,)),
    Fault("inputs of seven kinds, spoilt by lot", "a sentence or an answer, within 20 seconds of processor time",
          "fuzzed", (150,), (5000,)),
    Fault("sound models of every kind, certified", "no promise is said to be broken", "certified_models",
          ("sound", 3), ("sound", 224)),
    Fault("breaks planted into trained models", "the certificate notices each", "certified_models",
          ("broken", 2), ("broken", 28)),
)  # fmt: skip


def line(fault: Fault, found: dict[str, Any]) -> str:
    """A row of the table."""
    return f"| {fault.name} | {fault.sound} | {found['tried']:,} | {len(found['wrong'])} |"


def main(words: Sequence[str]) -> int:
    """Tries the faults whose names begin so, and puts each row in place of what the page had."""
    wrong = 0
    for fault in FAULTS:
        if not any(fault.name.startswith(word) for word in words or [""]):
            continue
        found = alone(fault.module, *fault.all)
        print(line(fault, found), {name: value for name, value in found.items() if name != "tried"}, flush=True)
        page = PAGE.read_text(encoding="utf-8")
        row = next(match for match in ROW.finditer(page) if match["name"] == fault.name)
        PAGE.write_text(page.replace(row[0], line(fault, found)), encoding="utf-8")
        wrong += len(found["wrong"])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Every fault, as often as promised: writes the table of docs/reliability.md.

python tests/faults/table.py                        all of it, about an hour and a half of one core
python tests/faults/table.py "kill -9"              the rows whose names begin so
python tests/faults/table.py --kept parts.jsonl     what was done and is kept in this file is not done again

Long rows are done in parts of a few minutes, each another draw; a row is written when all of its parts are done.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from faults.apart import alone

PAGE = Path(__file__).parent.parent.parent / "docs" / "reliability.md"
Found = dict[str, Any]
ROW = re.compile(r"^\| (?P<name>[^|]+?) \|.*$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A row: its name, what counts as sound, who tries it, and how: in the tests, and for the table, in parts."""

    name: str
    sound: str
    module: str
    few: tuple[Any, ...]
    all: tuple[Any, ...]  # of one part
    parts: int = 1

    def part(self, number: int) -> tuple[Any, ...]:
        """What a part is asked for."""
        return (*self.all, number) if self.parts > 1 else self.all


FAULTS = (
    Fault("kill -9 while training", "nothing unreadable, nothing left behind, the same model in the end", "killed_runs",
          ("kills", 3), ("kills", 20), 10),
    Fault("kill -9 between two steps of writing", "the same", "killed_runs",
          ("between files", 2), ("between files", 60)),
    Fault("the power is cut while training", "what was said to be saved is there, the same model in the end",
          "power_cuts", (2,), (20,), 3),
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
          "noticed under a manifest; elsewhere noticed or harmless", "changed_bytes", (60,), (1000,), 10),
    Fault("bad files through every reader and command", "a sentence or counted skips, read = kept + skipped",
          "bad_data", (40,), (16,), 16),
    Fault("inputs of seven kinds, damaged at random", "a sentence or an answer, within 20 seconds of processor time",
          "fuzzed", (150,), (500,), 10),
    Fault("sound models of every kind, certified", "no promise is said to be broken", "certified_models",
          ("sound", 3), ("sound", 14), 16),
    Fault("the studio killed, or ended, while it trains",
          "its training saves and leaves; the next studio has the run, and goes on with it", "studio_faults",
          ("gone", 1), ("gone", 4), 5),
    Fault("the studio on a disk that fills up", "the page says so; it goes on once there is room", "studio_faults",
          ("full disk", 1), ("full disk", 5), 2),
    Fault("the studio with a run that is damaged", "an answer or a sentence, and the other runs are there",
          "studio_faults", ("damaged", 1), ("damaged", 5), 4),
    Fault("breaks planted into trained models", "the certificate notices each", "certified_models",
          ("broken", 2), ("broken", 7), 4),
)  # fmt: skip


def line(fault: Fault, parts: Sequence[Found]) -> str:
    """A row of the table."""
    tried, wrong = sum(each["tried"] for each in parts), sum(len(each["wrong"]) for each in parts)
    return f"| {fault.name} | {fault.sound} | {tried:,} | {wrong} |"


def parts_of(fault: Fault, kept: Path | None) -> list[Found]:
    """All parts of a row, tried now or found in the file, where each is put as soon as it is done."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    done = {(each["row"], each["part"]): each for each in map(json.loads, lines)}
    for number in range(fault.parts):
        if (fault.name, number) in done:
            continue
        found = {"row": fault.name, "part": number, **alone(fault.module, *fault.part(number))}
        print(json.dumps(found), flush=True)
        done[fault.name, number] = found
        if kept:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
    return [done[fault.name, number] for number in range(fault.parts)]


def main() -> int:
    """Tries the faults that were asked for, and puts each row in place of what the page had."""
    options = argparse.ArgumentParser()
    options.add_argument("words", nargs="*", default=[""])
    options.add_argument("--kept", type=Path)
    chosen = options.parse_args()
    wrong = 0
    for fault in FAULTS:
        if not any(fault.name.startswith(word) for word in chosen.words):
            continue
        parts = parts_of(fault, chosen.kept)
        page = PAGE.read_text(encoding="utf-8")
        row = next(match for match in ROW.finditer(page) if match["name"] == fault.name)
        PAGE.write_text(page.replace(row[0], line(fault, parts)), encoding="utf-8")
        wrong += sum(len(each["wrong"]) for each in parts)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

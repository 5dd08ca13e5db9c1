"""How much of what is wrong is found: one digit changed in a result of somebody's notes, a place at a time.

    python tests/survey/planted_digits.py FOLDER [--places 150] [--each 6] [--seed 1]

Draws by chance among the numbers of two digits or more that stand after = or ≈ with arithmetic before them on the same
line, in files whose lines are those of the report (not web pages). What looks like a result is told here by signs
alone, apart from the checker, so that the share recognised means something. A place is recognised if the checker counts
it among the results it checked. Prints figures; asserts nothing; does not know whether the number was right before.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.reading import files_in, open_bytes

TEXTS = frozenset({".md", ".markdown", ".txt", ".tex", ".rst", ".qmd", ".rmd"})
RESULT = re.compile(r"(?:=|≈|\\approx)[\s$&{}*]{0,6}(?P<number>[-−]?\d+(?:\.\d+)?)(?![\d.]*\s*(?:[-+*/×·÷^(_\w%]|\\))")
WORKED = re.compile(r"\d[\s})\]]*(?:[-+*/×·÷^−]|\\(?:cdot|times|div)|\}\s*\{)[\s({\[\\a-z]*\d")
LEVELS = ("wrong", "look again", "rounding")


@dataclass(frozen=True)
class Place:
    """A number in a text that looks like a result."""

    start: int
    printed: str
    line: int


def places(text: str) -> Iterator[Place]:
    """The numbers that may be changed: two digits or more that count, arithmetic before them on their line."""
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        for match in RESULT.finditer(line):
            printed = match["number"]
            if len(re.sub(r"\D", "", printed).lstrip("0")) >= 2 and WORKED.search(line[: match.start()]):
                yield Place(offset + match.start("number"), printed, number)
        offset += len(line) + 1


def planted(text: str, place: Place, draw: random.Random) -> str:
    """The text with one digit of the number changed; never the sign, never the noughts in front."""
    at = draw.choice([i for i, sign in enumerate(place.printed) if sign.isdigit() and i >= _first(place.printed)])
    digit = draw.choice([each for each in "123456789" if each != place.printed[at]])
    changed = place.printed[:at] + digit + place.printed[at + 1 :]
    return text[: place.start] + changed + text[place.start + len(place.printed) :]


def _first(printed: str) -> int:
    return next(i for i, sign in enumerate(printed) if sign in "123456789")


def is_recognised(text: str, place: Place, before: Report, suffix: str) -> bool:
    """Whether it counts as a result, and is not among those that were not checked."""
    erased = text[: place.start] + "unknown" + text[place.start + len(place.printed) :]
    fewer = _answer(erased, suffix).coverage.look_like_results < before.coverage.look_like_results
    bare = place.printed.lstrip("-−")
    left_out = any(each.line == place.line and bare in each.printed for each in before.coverage.unchecked)
    return fewer and not left_out


def outcome(place: Place, before: Report, after: Report) -> str:
    """`wrong`, `look again` or `rounding` if the line is named as it was not before; `elsewhere`, or `missed`."""
    old = {(each.line, each.printed) for each in before.findings}
    new = [each for each in after.findings if (each.line, each.printed) not in old]
    here = {each.level for each in new if each.line == place.line}
    if here:
        return next(level for level in LEVELS if level in here)
    return "elsewhere" if any(not each.is_mild for each in new) else "missed"


def _answer(text: str, suffix: str) -> Report:
    return check_document(open_bytes(text.encode(), f"planted{suffix}", suffix, ""))


def trial(files: list[Path], draw: random.Random, limit: int, each: int) -> Counter[str]:
    """Outcomes, each also among those recognised (`wrong, recognised`)."""
    drawn = [(path, place) for path in files for place in _drawn(path, draw, each)]
    draw.shuffle(drawn)
    counts: Counter[str] = Counter()
    answers: dict[Path, Report] = {}
    for path, place in drawn[:limit]:
        text, suffix = _text(path), path.suffix.lower()
        before = answers[path] if path in answers else answers.setdefault(path, _answer(text, suffix))
        said = outcome(place, before, _answer(planted(text, place, draw), suffix))
        counts[said] += 1
        if is_recognised(text, place, before, suffix):
            counts[f"{said}, recognised"] += 1
    return counts


def _drawn(path: Path, draw: random.Random, most: int) -> list[Place]:
    if path.suffix.lower() not in TEXTS:
        return []
    found = list(places(_text(path)))
    return draw.sample(found, min(most, len(found)))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")


def summary(counts: Counter[str]) -> str:
    """The figures in words."""
    known = sum(number for key, number in counts.items() if key.endswith(", recognised"))
    total = sum(counts.values()) - known
    found = counts["wrong"] + counts["look again"]
    found_known = counts["wrong, recognised"] + counts["look again, recognised"]
    recognised = f"{known} recognised ({_percent(known, total)}), {found_known} of these found"
    parts = ", ".join(f"{counts[each]} {each}" for each in (*LEVELS, "elsewhere", "missed"))
    everywhere = f"{found} of all found ({_percent(found, total)})"
    return f"{total} places: {recognised} ({_percent(found_known, known)}); {everywhere}. {parts}."


def _percent(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} %" if whole else "none"


def main(arguments: list[str]) -> None:
    """Plants in the folders named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--places", type=int, default=150)
    parser.add_argument("--each", type=int, default=6, help="at most so many in one document")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    files = [path for folder in asked.folders for path in files_in(folder)]
    print(summary(trial(files, random.Random(asked.seed), asked.places, asked.each)))


if __name__ == "__main__":
    main(sys.argv[1:])

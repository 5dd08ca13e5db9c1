"""How long it takes to check notes: a long document of 2,000 claims, a page of notes, and the start of the command.

    python bench/check.py [--json]

The document is made up of workings with a slip in every tenth. Prints Markdown.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from glassformer.by_hand.check import check_text
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.by_hand.exercises.writing import STYLES, write

CLAIMS = 2000


def long_notes(claims: int) -> tuple[str, int, int]:
    """Notes with at least so many claims, how many workings they hold, and how many slips."""
    parts: list[str] = []
    counted = slips = seed = 0
    while counted < claims:
        working = make_working(seed, VARIANTS[seed % len(VARIANTS)], tokens=3, width=3)
        if seed % 10 == 0:
            working, planted = plant(working, seed)
            slips += len(planted)
        parts.append(write(working, STYLES[seed % len(STYLES)], f"Example {seed + 1}"))
        counted += check_text(parts[-1]).claims
        seed += 1
    return "\n".join(parts), seed, slips


def seconds(text: str, rounds: int = 3) -> float:
    """The middle of a few runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        check_text(text)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def command_seconds(text: str) -> float:
    """The whole command, from start to exit."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.md"
        notes.write_text(text, encoding="utf-8")
        command = [
            sys.executable,
            "-c",
            "from glassformer.commands.main import main; main()",
            "check",
            "--quiet",
            str(notes),
        ]
        times = []
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    options = parser.parse_args()
    text, workings, slips = long_notes(CLAIMS)
    report = check_text(text)
    page = write(make_working(1, "masked"))
    figures = {
        "claims": report.claims,
        "numbers": report.numbers,
        "lines": text.count("\n"),
        "workings": workings,
        "slips": slips,
        "slips_found": len({finding.quote for finding in report.findings if not finding.is_mild}),
        "seconds": round(seconds(text), 2),
        "page_seconds": round(seconds(page), 4),
        "command_seconds": round(command_seconds(page), 2),
        "python": platform.python_version(),
    }
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print("| notes | claims | numbers | time |\n|---|---|---|---|")
    notes = f"{figures['lines']:,} lines, {workings} workings"
    print(f"| {notes} | {report.claims:,} | {report.numbers:,} | {figures['seconds']} s |")
    print(f"| one page | {check_text(page).claims} | {check_text(page).numbers} | {figures['page_seconds']} s |")
    print(f"| one page, the whole command | | | {figures['command_seconds']} s |")
    print(f"\n{figures['slips_found']} of {slips} slips found. Python {figures['python']}.")


if __name__ == "__main__":
    main()

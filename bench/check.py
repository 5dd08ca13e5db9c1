"""How long it takes to check notes: 2,000 claims, short products, 50 pages of LaTeX, one page, and the whole command.

    python bench/check.py [--json]

The first is made up of workings with a slip in every tenth. Prints Markdown. Times are those of the processor, but for
the whole command.
"""

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from glassformer.by_hand.check import check_text
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.by_hand.exercises.writing import STYLES, write

CLAIMS = 2000
PRODUCTS = 170_000  # characters
PAGES, PAGE = 50, 3000  # of LaTeX; characters of one


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


def short_products(size: int) -> str:
    """A line for each: as many claims as so many characters can hold."""
    draw = random.Random(1)
    factors = (draw.randint(11, 99) for _ in range(size))
    lines = (f"{a / 10} · {b / 10} = {a * b / 100:.2f}\n" for a, b in zip(factors, factors, strict=False))
    return "".join(islice(lines, size // 17))


def latex_pages(pages: int) -> str:
    """Workings in LaTeX, each under a heading of its own."""
    parts: list[str] = []
    while sum(map(len, parts)) < pages * PAGE:
        working = make_working(len(parts), VARIANTS[len(parts) % len(VARIANTS)], tokens=3, width=3)
        parts.append(write(working, "latex", f"Example {len(parts) + 1}"))
    return "\n".join(parts)


def seconds(text: str, rounds: int = 3, suffix: str = ".md") -> float:
    """The middle of a few runs, in processor time."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        check_text(text, suffix=suffix)
        times.append(time.process_time() - start)
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
    products, latex = short_products(PRODUCTS), latex_pages(PAGES)
    figures = {
        "claims": report.claims,
        "numbers": report.numbers,
        "lines": text.count("\n"),
        "workings": workings,
        "slips": slips,
        "slips_found": len({finding.quote for finding in report.findings if not finding.is_mild}),
        "seconds": round(seconds(text), 2),
        "products_seconds": round(seconds(products, 1), 1),
        "latex_seconds": round(seconds(latex, 1, ".tex"), 1),
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
    print(f"| {len(products) // 1000} kB of short products | | | {figures['products_seconds']} s |")
    print(f"| {PAGES} pages of LaTeX | | | {figures['latex_seconds']} s |")
    print(f"| one page | {check_text(page).claims} | {check_text(page).numbers} | {figures['page_seconds']} s |")
    print(f"| one page, the whole command | | | {figures['command_seconds']} s |")
    print(f"\n{figures['slips_found']} of {slips} slips found. Python {figures['python']}.")


if __name__ == "__main__":
    main()

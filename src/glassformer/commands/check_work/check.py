"""`glassformer check`: finds the first wrong number in notes. It reads options and picks the form of the answer."""

import json as json_format
import sys
from inspect import signature
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.by_hand.reports.mending import write_mended
from glassformer.commands.pages.check_page import show_lines, show_report
from glassformer.errors import InputError, nearest


def check(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    json: bool = False,
    markdown: bool = False,
    html: Path | None = None,
    fix: bool = False,
    strict: bool = False,
    exact: bool = False,
    digits: int | None = None,
    quiet: bool = False,
    code: str | None = None,
    example: str = "two-tokens",
) -> int:
    """Find the first wrong number in worked matrices, and why it is wrong.

    Ends with 0 if all is right, 1 if something is wrong, 2 if nothing could be read.

    Parameters
    ----------
    files
        Notes (.md .txt .tex .ipynb .csv .xlsx .toml .yaml), folders of notes, or - for standard input.
    json
        Print one JSON document.
    markdown
        Print the notes with remarks in the margin.
    html
        Write the marked notes as one HTML file.
    fix
        Write a corrected copy beside each file (notes.corrected.md), never over it.
    strict
        Digits cut off and doubtful numbers count as wrong.
    exact
        Take the given numbers as exact: not one of them was rounded.
    digits
        Judge results to so many decimals only.
    quiet
        One line per finding, and none if all is right: for use as a gate.
    code
        Check a function instead of notes, as my_attention.py::attend. This runs the file.
    example
        With --code: which worked example to try it on.
    """
    if code is not None:
        from glassformer.commands.check_work.check_code import check_code  # needs torch: only when asked

        return check_code(code, example=example, json=json)
    options = [word for word in files if word.startswith("-") and word != "-"]
    if options:
        raise InputError(f"There is no option {options[0]}; {nearest(options[0], _options())}")
    if not files:
        raise InputError("Which notes? Give a file, a folder, or - for standard input: glassformer check notes.md")
    if digits is not None and not 0 <= digits <= 15:
        raise InputError(f"--digits {digits} is not a number of decimals; choose 0 to 15.")
    report = _checked(files, exact, digits)
    if html is not None:
        html.write_text(to_html(report), encoding="utf-8")
        print(f"Wrote {html}", file=sys.stderr)
    if fix:
        for path in write_mended(report, strict=strict) or []:
            print(f"Wrote {path}", file=sys.stderr)
    if json:
        print(json_format.dumps(report.to_dict(), ensure_ascii=False, indent=2))
    elif markdown:
        print(to_markdown(report), end="")
    elif quiet:
        show_lines(report, strict=strict)
    else:
        show_report(report, strict=strict)
    return report.exit_code(strict=strict)


def _options() -> list[str]:
    """The options of this command, as its signature has them."""
    return [f"--{name}" for name, each in signature(check).parameters.items() if each.kind is each.KEYWORD_ONLY]


def _checked(files: tuple[str, ...], exact: bool, digits: int | None) -> Report:
    report = Report()
    for file in files:
        if file == "-":
            document = open_bytes(sys.stdin.buffer.read(), "standard input")
            report.add(check_document(document, exact=exact, digits=digits))
        else:
            report.add(check_files(file, exact=exact, digits=digits))
    return report

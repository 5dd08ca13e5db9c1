"""`glassformer check`: finds the first wrong number in notes. It reads options and picks the form of the answer."""

import json as json_format
import sys
from inspect import signature
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Remark, Report
from glassformer.by_hand.notes.reading import files_in, open_bytes
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.by_hand.reports.mending import Mended, mended_copies, write_copies
from glassformer.commands.pages.check_page import show_lines, show_report
from glassformer.drawing.terminal import terminal
from glassformer.errors import GlassformerError, InputError, nearest, visible
from glassformer.storage import write_file


def check(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    json: bool = False,
    markdown: bool = False,
    html: Path | None = None,
    fix: bool = False,
    out: Path | None = None,
    strict: bool = False,
    coverage: float | None = None,
    exact: bool = False,
    digits: int | None = None,
    quiet: bool = False,
    code: str | None = None,
    example: str = "two-tokens",
) -> int:
    """Find the first wrong number in worked matrices, and why it is wrong.

    Ends with 0 if something was checked and all of it is right, 1 if a number is wrong, 4 if nothing (or less than
    --coverage asks for) could be checked, 2 for wrong usage, 3 if the checker itself broke down.

    Parameters
    ----------
    files
        Notes (.md .txt .tex .ipynb .html .docx .pdf .rst .qmd .Rmd .csv .tsv .xlsx .toml .yaml), folders of
        notes, or - for standard input.
    json
        Print one JSON document.
    markdown
        Print the notes with remarks in the margin.
    html
        Write the marked notes as one HTML file.
    fix
        Show what a correction of the certain errors would change; with --out, write it.
    out
        With --fix: where the corrected copy goes (a folder for several notes); never over a file.
    strict
        Digits cut off, doubtful numbers and those to be looked at again count as wrong.
    coverage
        Also fail if less than this percentage of the numbers that look like results could be checked.
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
    least = _usage(files, fix=fix, out=out, digits=digits, coverage=coverage)
    report = _checked(files, exact, digits)
    copies = mended_copies(report) if fix else []
    if html is not None:
        write_file(html, to_html(report).encode())
        print(f"Wrote {html}", file=sys.stderr)
    if json:
        whole = report.to_dict() | ({"fix": [{"file": c.file, "diff": c.diff} for c in copies]} if fix else {})
        print(json_format.dumps(whole, ensure_ascii=False, indent=2))
    elif markdown:
        print(to_markdown(report), end="")
    elif quiet:
        show_lines(report, strict=strict, least=least)
    else:
        show_report(report, strict=strict, least=least)
    if fix:
        _fix(copies, out, shown=not json)
    return report.exit_code(strict=strict, least=least)


def _usage(files: tuple[str, ...], *, fix: bool, out: Path | None, digits: int | None, coverage: float | None) -> float:
    """Refuses what cannot be meant; gives the share of results that has to be checked."""
    options = [word for word in files if word.startswith("-") and word != "-"]
    if options:
        raise InputError(f"There is no option {options[0]}; {nearest(options[0], _options())}")
    if not files:
        raise InputError("Which notes? Give a file, a folder, or - for standard input: glassformer check notes.md")
    if digits is not None and not 0 <= digits <= 15:
        raise InputError(f"--digits {digits} is not a number of decimals; choose 0 to 15.")
    if coverage is not None and not 0 <= coverage <= 100:
        raise InputError(f"--coverage {coverage:g} is not a percentage; choose 0 to 100.")
    if out is not None and not fix:
        raise InputError(f"--out {out} says where --fix writes; give --fix, too.")
    return 0.0 if coverage is None else coverage / 100


def _options() -> list[str]:
    """The options of this command, as its signature has them."""
    return [f"--{name}" for name, each in signature(check).parameters.items() if each.kind is each.KEYWORD_ONLY]


def _checked(files: tuple[str, ...], exact: bool, digits: int | None) -> Report:
    """All files; where there are several, one at which the checker breaks down does not take the others with it."""
    paths = [path for file in files for path in ([None] if file == "-" else files_in(Path(file)))]
    report = Report()
    for path in paths:
        try:
            if path is None:
                document = open_bytes(sys.stdin.buffer.read(), "standard input")
                report.add(check_document(document, exact=exact, digits=digits))
            else:
                report.add(check_files(path, exact=exact, digits=digits))
        except GlassformerError:
            raise
        except Exception as error:
            if len(paths) == 1:
                raise
            why = f"the checker broke down ({type(error).__name__}); glassformer check --debug {path} shows where"
            report.add(Report([str(path)], faults=[Remark(str(path), 1, why)]))
    return report


def _fix(copies: list[Mended], out: Path | None, *, shown: bool) -> None:
    """The diff on standard output first; then the copy, if it was said where."""
    if shown:
        console = terminal()
        for line in (line for copy in copies for line in copy.diff.splitlines()):
            colour = {"+": "green", "-": "red"}.get(line[:1], "dim")
            console.print(Text(visible(line), style=colour), soft_wrap=True)
    if not copies:
        print("There is nothing certain to correct.", file=sys.stderr)
    elif out is None:
        print("Nothing was written; --out PATH writes the corrected copy.", file=sys.stderr)
    else:
        for path in write_copies(copies, out):
            print(f"Wrote {path}", file=sys.stderr)

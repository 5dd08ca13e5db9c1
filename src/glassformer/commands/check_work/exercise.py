"""`glassformer exercise`: writes a worksheet and its solution, or marks a class. It reads options, makes no numbers."""

import json as json_format
import sys
from pathlib import Path

from glassformer.by_hand.exercises.exercise_sheets import SUFFIXES, Exercise, make_exercise
from glassformer.by_hand.exercises.hand_ins import hand_ins
from glassformer.by_hand.exercises.marking import Key, answer_key, mark_file
from glassformer.by_hand.reports.class_table import class_sentence, class_to_html, student_row, to_csv
from glassformer.commands.pages.class_page import show_marks
from glassformer.errors import InputError
from glassformer.storage import write_file


def exercise(
    *,
    variant: str = "plain",
    seed: int = 0,
    tokens: int = 3,
    width: int = 2,
    digits: int = 2,
    blank: tuple[str, ...] = (),
    latex: bool = False,
    text: bool = False,
    solution: bool = False,
    out: Path | None = None,
    json: bool = False,
    mark: Path | None = None,
    key: Path | None = None,
    csv: Path | None = None,
    html: Path | None = None,
) -> int:
    """Make a worksheet to be worked by hand, or mark what a class filled in.

    Parameters
    ----------
    variant
        plain, masked, cross, two-heads or sigmoid.
    seed
        Which numbers; the same seed gives the same sheet.
    tokens
        How many tokens (3).
    width
        How many numbers per token (2).
    digits
        Decimals to round to (2).
    blank
        A step to be filled in, by letter or stage (A, weights); may be given several times. All by default.
    latex
        Write LaTeX instead of Markdown.
    text
        Write plain text instead of Markdown.
    solution
        Print the solution instead of the sheet.
    out
        Write the sheet here and its solution beside it, instead of printing one.
    json
        Print sheet and solution, or the marks, as one JSON document.
    mark
        Mark every file in this folder; the sheet is the one that the other options make, or the one of --key.
    key
        With --mark: the sheet as written by --out, with its solution beside it (sheet.md and sheet.solution.md).
    csv
        With --mark: write the table here.
    html
        With --mark: write the table here as a page.
    """
    if latex and text:
        raise InputError("--latex and --text are two ways to write one sheet; choose one of them.")
    if mark is None:
        for name, value in (("--key", key), ("--csv", csv), ("--html", html)):
            if value is not None:
                raise InputError(f"{name} {value} goes with --mark FOLDER; give the folder, too.")
    form = "latex" if latex else "text" if text else "markdown"
    made = make_exercise(seed, variant, tokens=tokens, width=width, decimals=digits, blank=blank, form=form)
    if mark is not None:
        title, answers = (made.title, _own_key(made)) if key is None else (key.stem, _written_key(key))
        return _mark(mark, title, answers, json=json, csv=csv, html=html)
    if json:
        content = {"variant": variant, "seed": seed, "blanks": made.blanks}
        content |= {"sheet": made.sheet, "solution": made.solution}
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    elif out is not None:
        write_file(out, made.sheet.encode())
        write_file(_solution_of(out), made.solution.encode())
        print(f"Wrote {out} and {_solution_of(out)}", file=sys.stderr)
    else:
        print(made.solution if solution else made.sheet, end="")
    return 0


def _solution_of(sheet: Path) -> Path:
    return sheet.with_name(f"{sheet.stem}.solution{sheet.suffix}")


def _own_key(made: Exercise) -> Key:
    return answer_key(made.sheet, made.solution, SUFFIXES[made.form])


def _written_key(sheet: Path) -> Key:
    texts = []
    for path in (sheet, _solution_of(sheet)):
        if not path.is_file():
            raise InputError(
                f"There is no file {path}; --key takes the sheet that --out wrote, its solution beside it."
            )
        texts.append(path.read_text(encoding="utf-8-sig"))
    return answer_key(texts[0], texts[1], sheet.suffix.lower() or ".md")


def _mark(folder: Path, title: str, answers: Key, *, json: bool, csv: Path | None, html: Path | None) -> int:
    written = frozenset(path.resolve() for path in (csv, html) if path is not None)
    marks = [mark_file(path, name, answers) for path, name in hand_ins(folder, written)]
    for path, content in ((csv, to_csv), (html, lambda marks: class_to_html(title, marks))):
        if path is not None:
            write_file(path, content(marks).encode())
            print(f"Wrote {path}", file=sys.stderr)
    if json:
        whole = {"sheet": title, "summary": class_sentence(marks), "marks": [student_row(mark) for mark in marks]}
        print(json_format.dumps(whole, ensure_ascii=False, indent=2))
    else:
        show_marks(title, marks)
    return 0 if any(mark.outcome not in ("not readable", "another sheet") for mark in marks) else 4

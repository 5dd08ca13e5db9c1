"""`glassformer predict RUN TABLE`: the rows of a table with an answer beside each, as a table. The run predicts."""

import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import InputError, counted, nearest, visible
from glassformer.runs.batch_predictor import BatchPredictor
from glassformer.storage import HALF, write_file
from glassformer.text.files.tables import FORMATS, Row, Table, format_of, read_table
from glassformer.text.files.text_files import STDIN

USUAL = ("text", "source", "sentence", "review", "message", "prompt")  # columns that are taken if none is named


def is_table(words: Sequence[str]) -> bool:
    """Whether one table is meant, and no text."""
    if len(words) != 1 or words[0] == str(STDIN) or not words[0].strip():
        return False
    form = format_of(Path(words[0]))
    try:
        return form in FORMATS and form != ".txt" and Path(words[0]).is_file()
    except OSError:  # a text too long to be a name
        return False


def answer_table(run: Path, path: Path, column: str, out: Path | None, how: Mapping[str, Any]) -> None:
    """Every row of a table, with `prediction` and how sure it is beside it: to a file, or as CSV to standard output.
    The first row names the columns. `how`: engine, device and how it writes."""
    if out is not None and format_of(out) not in (".csv", ".tsv", ".jsonl"):
        raise InputError(f"The answers are written as .csv, .tsv or .jsonl; {out} is none of them.")
    if out is not None and out.exists():
        raise InputError(f"{out} is there already, and would be lost; choose another --out, or remove it.")
    table = read_table(path, lambda cells: True)
    rows = [row.values for row in table.rows if isinstance(row, Row)]
    for skip in [row for row in table.rows if not isinstance(row, Row)][:3]:
        print(visible(f"Not read: line {skip.line:,} of {skip.file}: {skip.reason}."), file=sys.stderr)
    if len(rows) < len(table.rows):
        print(f"{counted(len(table.rows) - len(rows), 'row')} of the table could not be read.", file=sys.stderr)
    if not rows:
        raise InputError(f"{path} has no rows.")
    for note in table.notes:
        print(visible(note), file=sys.stderr)
    taken = _column(table, column, path)
    batch = {name: np.array([row.get(name) for row in rows], dtype=object) for name in table.names}
    readable = np.array([None if _is_broken(text) else text for text in batch[taken]], dtype=object)
    if broken := sum(map(_is_broken, batch[taken])):
        said = f"{counted(broken, 'text')} of '{taken}' with bytes that are no UTF-8, or with half a character"
        print(f"{said}: no prediction, and \N{REPLACEMENT CHARACTER} stands there.", file=sys.stderr)
    found = {**BatchPredictor(run, taken, **how)({**batch, taken: readable}), taken: batch[taken]}
    written = HALF.sub("\N{REPLACEMENT CHARACTER}", _written(found, format_of(out) if out else ".csv"))
    if out is None:
        sys.stdout.write(written)
        return
    write_file(out, written.encode("utf-8"))
    print(f"Wrote {out}: {counted(len(rows), 'row')}, {_answered(found, len(rows))} for '{taken}'.")


def _answered(found: Mapping[str, np.ndarray[Any, Any]], rows: int) -> str:
    """How many rows have a prediction; one without a text has none."""
    without = sum(each is None for each in found["prediction"])
    if not without:
        return "each with its prediction"
    empty = f"{counted(without, 'row')} {'is' if without == 1 else 'are'} without a text that can be read"
    return f"{rows - without:,} of them with a prediction ({empty}, and so without one)"


def _column(table: Table, column: str, path: Path) -> str:
    if column:
        if column not in table.names:
            raise InputError(f"{path} has no column {column!r}; {nearest(column, table.names)}")
        return column
    usual = [name for name in table.names if name.lower() in USUAL]
    if len(usual) != 1:
        raise InputError(
            f"{path} is a table; say which column holds the texts (--column), of: {', '.join(table.names)}. The first "
            "row names the columns."
        )
    return usual[0]


def _written(found: Mapping[str, np.ndarray[Any, Any]], form: str) -> str:
    """The columns as lines of a file; nothing stands where there is no answer."""
    names = list(found)
    rows = [[_cell(found[name][i]) for name in names] for i in range(len(found[names[0]]))]
    if form == ".jsonl":
        objects = [_plain(dict(zip(names, row, strict=True))) for row in rows]
        return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
    file = io.StringIO()
    writer = csv.writer(file, delimiter="\t" if form == ".tsv" else ",", lineterminator="\n")
    writer.writerows([names, *rows])
    return file.getvalue()


def _is_broken(text: Any) -> bool:
    return isinstance(text, str) and HALF.search(text) is not None


def _plain(value: Any) -> Any:
    """As JSON has it: times, amounts and bytes in words, and nothing for what is no number."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _cell(value: Any) -> Any:
    """As it stands in a file: plain, and nothing for what is no number."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value

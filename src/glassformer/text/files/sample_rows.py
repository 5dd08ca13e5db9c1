"""From the rows of files to samples, each row that cannot be one counted with its line and reason. Splits nothing."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from glassformer.errors import InputError, counted
from glassformer.text.files.columns import Columns, choose, unread
from glassformer.text.files.folders import Files
from glassformer.text.files.tables import Row, Skip, Table, format_of, read_table
from glassformer.text.files.text_files import BROKEN, lines, read_text
from glassformer.text.samples import Labelled, Pair, Plain, Sample

MOST_SKIPS_KEPT = 1000  # of each skip the reason is counted; the first so many are kept with their lines
# How programs write that there is no value.
MISSING = ("None", "nan", "NaN", "null", "NULL", "<NA>")
_POWER = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?[eE][+-]?[0-9]{1,9}")  # a number as programs write it: 1e400


@dataclass
class Tally:
    """What is counted while reading."""

    read: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def skip(self, skip: Skip) -> None:
        """Counts a row that cannot be used."""
        self.reasons[skip.reason] += 1
        if len(self.skips) < MOST_SKIPS_KEPT:
            self.skips.append(skip)


def read_part(files: Sequence[Files], task: str, columns: Columns, encoding: str | None, tally: Tally) -> list[Sample]:
    """The samples of some files; what became of each row goes into the tally."""
    samples: list[Sample] = []
    for each in files:
        table = _table(each, columns, encoding)
        tally.encodings[table.file] = table.encoding
        tally.notes += table.notes
        found = [sample for sample in _samples(table, each, task, columns, tally) if sample is not None]
        tally.kept += len(found)
        samples += found
    return samples


def _table(files: Files, columns: Columns, encoding: str | None) -> Table:
    path = files.paths[0]
    if files.kind == "table":
        return read_table(path, columns.in_header, encoding)
    if files.kind == "parallel":
        return _side_by_side(files, encoding)
    file = read_text(path, encoding)
    if files.kind == "lines":
        rows: list[Row | Skip] = [Row(number, {"text": line}) for number, line in enumerate(lines(file.text), 1)]
        return Table(file.name, ("text",), rows, file.encoding, file.notes)
    text = BROKEN.sub("\N{REPLACEMENT CHARACTER}", file.text).replace("\r\n", "\n").replace("\r", "\n")
    values = {"text": text, "label": files.label} if files.label else {"text": text}
    plain = () if format_of(path) == ".txt" else (f"{file.name}: read as plain text, as it stands.",)
    return Table(file.name, tuple(values), [Row(1, values)], file.encoding, (*file.notes, *plain))


def _side_by_side(files: Files, encoding: str | None) -> Table:
    first, second = (read_text(path, encoding) for path in files.paths)
    left, right = lines(first.text), lines(second.text)
    if len(left) != len(right):
        raise InputError(
            f"{first.name} has {counted(len(left), 'line')} and {second.name} {len(right):,}: "
            "parallel files need as many lines each."
        )
    rows: list[Row | Skip] = [
        Row(number, {"source": source, "target": target})
        for number, (source, target) in enumerate(zip(left, right, strict=True), 1)
    ]
    name = f"{first.name} + {second.name}"
    return Table(name, ("source", "target"), rows, first.encoding, first.notes + second.notes)


def _samples(table: Table, files: Files, task: str, columns: Columns, tally: Tally) -> Iterator[Sample | None]:
    """The samples of a table; a row that cannot be one is counted and gives None."""
    if not table.rows or not table.names:
        tally.read += len(table.rows)
        for row in table.rows:
            if isinstance(row, Skip):
                tally.skip(row)
        return
    chosen = choose(table, task, columns if files.kind == "table" else Columns())
    if files.kind == "table":
        tally.columns.append(chosen.why)
        tally.notes += unread(table, chosen.roles)
    for row in table.rows:
        tally.read += 1
        try:
            if isinstance(row, Skip):
                raise _UnusableError(row.reason)
            yield _sample({role: row.values.get(name) for role, name in chosen.roles.items()})
        except _UnusableError as error:
            tally.skip(Skip(table.file, row.line, str(error)))
            yield None


class _UnusableError(Exception):
    """Why a row cannot be a sample."""


def _sample(values: Mapping[str, Any]) -> Sample:
    if "source" in values:
        return Pair(_text(values["source"], "source").strip(), _text(values["target"], "target").strip())
    text = _text(values["text"], "text")
    if "label" in values:
        return Labelled(text.strip(), _label(values["label"]))
    return Plain(text)


def _text(value: Any, role: str) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise _UnusableError(f"the {role} is empty")
    if not isinstance(value, str):
        raise _UnusableError(f"the {role} is {_kind(value)}, not text")
    if "\0" in value:
        raise _UnusableError(f"the {role} holds a NUL character")
    if BROKEN.search(value):
        raise _UnusableError(f"the {role} holds bytes that are not UTF-8")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise _UnusableError(f"the {role} holds half a character") from error
    return value


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isnan(value):
        raise _UnusableError("the label is empty")
    if isinstance(value, float) and math.isinf(value):
        raise _UnusableError("the label is a number too large to be one")
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else str(value)
    label = _text(value, "label").strip()
    if label in MISSING:
        raise _UnusableError(f"the label is '{label}', which is how programs write that there is none")
    if _POWER.fullmatch(label) and math.isinf(float(label)):
        raise _UnusableError("the label is a number too large to be one")
    return label


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", dict: "an object", list: "a list"}
    return names.get(type(value), f"a {type(value).__name__}")

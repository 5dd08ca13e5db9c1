"""Tables: CSV, TSV, JSONL and Parquet as rows with line numbers; what cannot be read is named, never dropped.

Knows CSV, TSV, JSON lines and Parquet; does not know which column means what.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from glassformer.errors import InputError, counted
from glassformer.text.files.headers import may_be_names, named, why_header
from glassformer.text.files.text_files import LARGEST, lines, read_text

FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".ndjson", ".parquet", ".txt")
PACKED = (".gz", ".xz")
NAME_ONE = "If it names the columns, name one as it stands there (--text, --label, --source or --target)."
MOST_ROWS = 20_000_000  # of a Parquet file, which packs equal rows into nothing
InHeader = Callable[[Sequence[str]], bool]


@dataclass(frozen=True)
class Row:
    """One row: the line it begins in (in Parquet and JSON arrays its number) and its values by column."""

    line: int
    values: dict[str, Any]


@dataclass(frozen=True)
class Skip:
    """A row that could not be used, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True)
class Table:
    """The rows of a file, its columns in order, and what a person should know about how it was read."""

    file: str
    names: tuple[str, ...]
    rows: Sequence[Row | Skip]
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()
    delimited: bool = True  # whether something stands between columns, as a tab does, and not between names


def format_of(path: Path) -> str:
    """The ending that says how a file is to be read, without .gz or .xz; any other is given as it is."""
    endings = [ending.lower() for ending in path.suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def read_table(path: Path, in_header: InHeader, encoding: str | None = None) -> Table:
    """The rows of one file; `in_header` says of its first cells whether they name the columns."""
    form = format_of(path)
    if form == ".parquet":
        return _parquet(path)
    file = read_text(path, encoding)
    if not file.text.strip():
        raise InputError(f"{path} is empty; expected rows of text.")
    if path.name == "-":
        form = _form_of(file.text)
    if form in (".jsonl", ".json", ".ndjson"):
        names, rows, notes = json_rows(file.text, file.name)
        return Table(file.name, names, rows, file.encoding, (*file.notes, *notes), delimited=False)
    if form in (".tsv", ".txt"):
        cells, notes = _tabbed(file.text), file.notes
        if _in_quotes(cells):
            cells = list(quoted_cells(file.text, "\t", file.name))
            notes = (*notes, f"{path}: cells that hold quotes stand in quotes themselves, which are taken off.")
    elif form == ".csv":
        first = next(line for line in lines(file.text) if line.strip())
        comma = max(",;\t|", key=first.count)
        cells = list(quoted_cells(file.text, comma, file.name))
        notes = file.notes if comma == "," else (*file.notes, f"{path}: columns are parted by {comma!r}.")
    else:
        raise InputError(
            f"{path} cannot be read as rows: expected a name ending in {', '.join(FORMATS)} (or .gz). "
            "Two parallel files are named one after the other."
        )
    names, rows, why = _under_header(cells, in_header, file.name)
    return Table(file.name, names, rows, file.encoding, (*notes, *why))


def _form_of(text: str) -> str:
    """What standard input holds, judged by how it begins."""
    beginning = text.lstrip()
    if beginning.startswith(("{", "[")):
        return ".jsonl"
    return ".tsv" if "\t" in lines(beginning)[0] else ".csv"


# --- cells parted by commas or tabs -----------------------------------------------------------------------------

Cells = tuple[int, list[str]]  # line number, cells
FEW_QUOTED = 3  # cells in quotes may be so by chance
UNCLOSED = 'the quote that opens in this line is not closed before a comma or a line end (inside one, write "" for ")'


def _tabbed(text: str) -> list[Cells | Skip]:
    """Rows with tabs between their cells. A quote means nothing here: it belongs to the text."""
    return [(number, line.split("\t")) for number, line in enumerate(lines(text), 1)]


_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)++"')  # with a quote inside, doubled


def _in_quotes(rows: Iterable[Cells | Skip]) -> bool:
    """Whether cells with tabs between are written as those with commas are, a quote doubled and all in quotes: so are
    nearly all that begin with one. Where quotes belong to the text, hardly any is."""
    opening = [cell for row in rows if not isinstance(row, Skip) for cell in row[1] if cell.startswith('"')]
    doubled = sum(_QUOTED.fullmatch(cell) is not None for cell in opening)
    return doubled >= FEW_QUOTED and 20 * doubled >= 19 * len(opening)


def quoted_cells(text: str, comma: str, file: str) -> Iterator[Cells | Skip]:
    """Rows with commas between their cells; a cell in quotes may hold commas and line ends.

    Where a quote is never closed, its line is skipped and reading goes on with the next: nothing is swallowed.
    """
    reader, line_end = _RowReader(text, comma), re.compile(r"\r\n|\r|\n")
    place, line, width = 0, 1, 0
    while place < len(text):
        end = line_end.search(text, place)
        line_over = end.end() if end else len(text)
        cells, after = reader.row(place, line_over, width)
        width = width or len(cells)
        if after:
            yield line, cells
            line += 1 if after == line_over else len(line_end.findall(text, place, after))
        else:
            yield Skip(file, line, UNCLOSED)
            line += 1
        place = after or line_over


class _RowReader:
    """Reads one row after the other. Each cell of a row that is refused is remembered by its place: many lines with an
    open quote lead to the same cells, which are read once."""

    def __init__(self, text: str, comma: str) -> None:
        apart = re.escape(comma)
        self.text, self.comma = text, comma
        self.cell = re.compile(
            rf'(?:"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"|(?P<bare>(?!")[^{apart}\r\n]*+))(?P<end>{apart}|\r\n|\r|\n|\Z)'
        )
        self.refused: dict[int, tuple[int, int]] = {}  # place: cells from there on, where the row ends (0: nowhere)

    def row(self, begin: int, line_over: int, width: int) -> tuple[list[str], int]:
        """The cells of the row that begins here, and where it ends: 0 if a quote is not closed, or if the row goes on
        after its first line and has not as many cells as the others (no matter how many, if `width` is 0)."""
        cells: list[str] = []
        places: list[int] = []
        place, after = begin, 0
        while not after:
            if place in self.refused and not self._fits(place, len(cells), line_over, width):
                break
            match = self.cell.match(self.text, place)
            places.append(place)
            if match is None:
                break
            quoted, bare = match["quoted"], match["bare"]
            cells.append(quoted.replace('""', '"') if quoted is not None else bare)
            place = match.end()
            if match["end"] != self.comma:
                after = place
        if after and (after == line_over or not width or len(cells) == width):
            return cells, after
        rest, end = self.refused.get(place, (0, after))
        for number, each in enumerate(places):
            self.refused[each] = (len(cells) - number + rest, end)
        return cells, 0

    def _fits(self, place: int, before: int, line_over: int, width: int) -> bool:
        rest, end = self.refused[place]
        return end > 0 and (end == line_over or before + rest == width)


def _under_header(
    cells: Sequence[Cells | Skip], in_header: InHeader, file: str
) -> tuple[tuple[str, ...], list[Row | Skip], tuple[str, ...]]:
    """Rows by column name: those of the header or, without one, "1", "2", …; and where names do not say so, why it is a
    header, or that it may be one."""
    first = next((each for each in cells if not isinstance(each, Skip) and any(each[1])), None)
    if first is None:
        raise InputError(f"{file} has no row that can be read; the first line: {_first_reason(cells)}.")
    names, told = named(first[1]), ""
    if not in_header(names):
        below = [each[1] for each in cells if not isinstance(each, Skip) and each is not first]
        called = f"{file}: its first line, {' and '.join(map(repr, names))}, is read as"
        if why := why_header(names, below) if len(names) > 1 else "":
            told = f"{called} names of columns: {why}."
        else:
            told = f"{called} a row like the others. {NAME_ONE}" * may_be_names(names, below)
            names, first = tuple(str(number) for number in range(1, len(names) + 1)), None
    if first is not None:
        again, count = Counter(name for name in names if name).most_common(1)[0]
        if count > 1:
            raise InputError(f"{file} names the column '{again}' twice; give each column a name of its own.")
    rows: list[Row | Skip] = []
    for each in cells:
        if isinstance(each, Skip):
            rows.append(each)
        elif each is not first:
            rows.append(_row(each, names, file))
    return names, rows, (told,) if told else ()


def _row(cells: Cells, names: Sequence[str], file: str) -> Row | Skip:
    line, values = cells
    if not any(value.strip() for value in values):
        return Skip(file, line, "the line is blank" if len(values) == 1 else "every column is empty")
    if len(values) < len(names) or any(values[len(names) :]):  # a comma too many at the end does no harm
        return Skip(file, line, f"{counted(len(values), 'column')} instead of {len(names)}")
    return Row(line, dict(zip(names, values, strict=False)))


def _first_reason(cells: Sequence[Cells | Skip]) -> str:
    return next((each.reason for each in cells if isinstance(each, Skip)), "blank")


# --- JSON -------------------------------------------------------------------------------------------------------


class _NotJsonError(ValueError):
    """A value that some write and JSON does not have."""


def _no_constant(name: str) -> Any:
    raise _NotJsonError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        again = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise _NotJsonError(f"'{again}' is given twice")
    return values


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except RecursionError as error:
        raise _NotJsonError("nested too deeply") from error


def json_rows(text: str, file: str) -> tuple[tuple[str, ...], list[Row | Skip], tuple[str, ...]]:
    """One JSON object a line, one array of objects, or one object that holds such an array; and what to know of it."""
    rows: list[Row | Skip] = []
    whole = _one_object(text, file)
    within, items = _array_in(whole, file) if whole is not None else ("", _items(text, file))
    for number, item in items:
        if isinstance(item, Skip):
            rows.append(item)
        elif isinstance(item, dict):
            rows.append(Row(number, _flat(item)))
        else:
            rows.append(Skip(file, number, 'expected an object such as {"text": "…", "label": "…"}'))
    names = dict.fromkeys(name for row in rows if isinstance(row, Row) for name in row.values)
    return tuple(names), rows, (f"{file}: its rows are those of '{within}'.",) if within else ()


def _one_object(text: str, file: str) -> dict[str, Any] | None:
    """The object that a file is, if it is one and not a row in each line."""
    first, _, rest = text.strip().partition("\n")
    if not first.startswith("{") or (first.rstrip().endswith("}") and (rest or not file.endswith(".json"))):
        return None
    try:
        whole = _json(text)
    except ValueError:
        return None
    return whole if isinstance(whole, dict) else None


def _array_in(whole: dict[str, Any], file: str) -> tuple[str, Iterator[tuple[int, Any]]]:
    """The one array of objects in an object, and its name."""
    found = [name for name, value in whole.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(found) != 1:
        keys = ", ".join(f"'{name:.40}'" for name in list(whole)[:5]) or "nothing in it"
        raise InputError(
            f"{file} is one JSON object, with {keys}{', …' if len(whole) > 5 else ''}, not rows: expected an array of "
            "objects, or one object on each line."
        )
    return found[0], enumerate(whole[found[0]], 1)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """A row with its languages as columns; the hub writes pairs as {"translation": {"en": "…", "de": "…"}}."""
    nested = values.get("translation")
    return {**values, **nested} if isinstance(nested, dict) else values


def _items(text: str, file: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            items = _json(text)
        except ValueError as error:
            raise InputError(f"{file} begins as a JSON array but is none: {error}.") from error
        yield from enumerate(items, 1)
        return
    for number, line in enumerate(lines(text), 1):
        if not line.strip():
            yield number, Skip(file, number, "the line is blank")
            continue
        try:
            yield number, _json(line)
        except json.JSONDecodeError as error:
            what = error.msg.partition(":")[0]
            yield number, Skip(file, number, f"not JSON: {what[:1].lower()}{what[1:]} at character {error.pos + 1:,}")
        except ValueError as error:  # of ours, or a number with thousands of digits
            yield number, Skip(file, number, str(error))


# --- Parquet ----------------------------------------------------------------------------------------------------


def _check_room(path: Path, told: Any) -> None:
    """Refuses, by what the file says of itself, what would not fit into memory."""
    unpacked = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
    if unpacked > LARGEST or told.num_rows > MOST_ROWS:
        raise InputError(
            f"{path} has {told.num_rows:,} rows of {unpacked:,} bytes in all; at most {MOST_ROWS:,} rows and "
            f"{LARGEST:,} bytes can be read. Split it into several files."
        )


def _parquet(path: Path) -> Table:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise InputError(
            f"{path}: Parquet files need pyarrow; install it with pip install 'glassformer[data]'."
        ) from error
    if not path.is_file():
        raise InputError(f"{path} cannot be read: there is no such file.")
    try:
        _check_room(path, parquet.read_metadata(path))
        items = parquet.read_table(path).to_pylist()
    except InputError:
        raise
    except (OSError, ValueError) as error:  # pyarrow's own errors are both
        raise InputError(f"{path} is not a Parquet file: {' '.join(str(error).split())}") from error
    rows = [Row(number, _flat(values)) for number, values in enumerate(items, 1)]
    return Table(str(path), tuple(rows[0].values) if rows else (), rows, "parquet", delimited=False)

"""Corpora: files, folders and named sets to samples in three parts, and a report that accounts for every row.

read = kept + skipped, each skip with its file, line and reason. Knows no tokens and no model.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import InputError, asked_back, counted, nearest
from glassformer.text.doubts import doubts
from glassformer.text.files.columns import Columns, choose
from glassformer.text.files.folders import Files, files_of_parts
from glassformer.text.files.named_sets import NAMED, NamedSet, find_named, from_hub
from glassformer.text.files.tables import Row, Skip, Table, read_table
from glassformer.text.files.text_files import BROKEN, lines, read_text
from glassformer.text.files.token_files import TokenFolder
from glassformer.text.made_sets import MADE, make
from glassformer.text.samples import (
    SPLIT_OFF,
    Labelled,
    Pair,
    Plain,
    Sample,
    contradicted,
    cut,
    overlap,
    repeated,
    split_off,
    thinned,
    without_text,
)
from glassformer.text.tasks import TASKS

MOST_SKIPS_KEPT = 1000  # of each skip the reason is counted; the first so many are kept with their lines
MOST_REASONS_SAID = 5
# How programs write that there is no value.
MISSING = ("None", "nan", "NaN", "null", "NULL", "<NA>")
_MEMORY = "both in training and in test: the score on these shows memory, not skill."
FEW = 30  # samples to evaluate on deserve a word


@dataclass(frozen=True)
class ReadReport:
    """What was read, what was kept, and what a person should know before trusting a score."""

    read: int
    kept: int
    skipped: int
    reasons: Mapping[str, int]  # how many rows were skipped for each reason
    skips: tuple[Skip, ...]  # the first of them
    encodings: Mapping[str, str]  # of each file
    columns: tuple[str, ...]  # which were taken, and why
    labels: Mapping[str, int]
    duplicates: int  # rows of the training part whose text came before
    contradictions: int  # texts with more than one label
    overlap: int  # different texts that stand in training and test
    notes: tuple[str, ...]

    def sentences(self) -> list[str]:
        """The report for a person, the usual left out."""
        said = [f"{counted(self.read, 'row')} read, {self.kept:,} kept, {self.skipped:,} skipped."]
        said += [self._skipped(reason) for reason in list(self.reasons)[:MOST_REASONS_SAID]]
        rest = list(self.reasons.values())[MOST_REASONS_SAID:]
        said += [f"Skipped for other reasons: {counted(sum(rest), 'row')}."] if rest else []
        said += list(self.columns)
        warned = (
            (self.duplicates, "training row repeats", "training rows repeat", "an earlier text."),
            (self.contradictions, "text carries", "texts carry", "more than one label."),
            (self.overlap, "text stands", "texts stand", _MEMORY),
        )
        said += [f"{counted(count, one, many)} {what}" for count, one, many, what in warned if count]
        return said + list(self.notes)

    def _skipped(self, reason: str) -> str:
        """A reason once, with how many rows it cost and where the first of them stand."""
        first = [skip for skip in self.skips if skip.reason == reason]
        first = [skip for skip in first if skip.file == first[0].file][:3]
        count = self.reasons[reason]
        if not first:
            return f"Skipped {counted(count, 'row')}: {reason}."
        lines = ", ".join(f"{skip.line:,}" for skip in first) + (", …" if count > len(first) else "")
        where = f"{'line' if count == 1 else 'lines'} {lines} of {first[0].file}"
        return f"Skipped {where}: {reason}." if count == 1 else f"Skipped {count:,} rows: {reason} ({where})."


@dataclass(frozen=True)
class Corpus:
    """Samples for training, validation and test; all of one kind.

    Where a corpus for `generate` holds pairs, the source is the prompt and the target the answer to be learnt.
    """

    name: str
    task: str
    train: Sequence[Sample]
    valid: Sequence[Sample]
    test: Sequence[Sample]
    labels: tuple[str, ...]
    report: ReadReport
    kept: TokenFolder | None = (
        None  # the training part, where it is too large for memory: `train` is then its beginning
    )


@dataclass
class _Tally:
    """What is counted while reading."""

    read: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def skip(self, skip: Skip) -> None:
        self.reasons[skip.reason] += 1
        if len(self.skips) < MOST_SKIPS_KEPT:
            self.skips.append(skip)


Samples = dict[str, list[Sample]]


def read(
    source: str | Path | Sequence[Path],
    task: str,
    *,
    columns: Columns | None = None,
    valid: str | Path | None = None,
    test: str | Path | None = None,
    encoding: str | None = None,
    seed: int = 0,
    limit: int | None = None,
    without: Sequence[str] = (),
) -> Corpus:
    """Reads a corpus for a task: classify, translate or generate.

    source      a named or made set ("imdb", "dates", "dates:5000"), a file, a folder, "-", or two parallel files
                ("a.en,a.de")
    columns     which columns to take; what is not named is found
    valid, test files for these parts; a part that is not given is split off from the training part
    encoding    of the files, if it is not what their bytes speak for
    seed        of what is split off, made or thinned
    limit       at most this many samples in each part
    without     texts that must not be learnt from: samples of the training part that hold one of them are left out
    """
    _ = TASKS[task]  # or it is refused here
    columns, tally = columns or Columns(), _Tally()
    if isinstance(source, str) and "," in source and not Path(source).exists():
        source = [_existing(each) for each in source.split(",")]
    named = find_named(source) if isinstance(source, str) else None
    if named is not None:
        parts = _named(named, task, tally)
    elif isinstance(source, str) and source.partition(":")[0] in MADE:
        parts = {"train": _made(source, task, seed, tally)}
    else:
        files = files_of_parts(_existing(source) if isinstance(source, str) else source, task, columns)
        parts = {part: _read_part(each, task, columns, encoding, tally) for part, each in files.items()}
    for part, given in (("valid", valid), ("test", test)):
        if given is not None:
            files = files_of_parts(Path(given), task, columns)
            parts[part] = _read_part(files["train"], task, columns, encoding, tally)
    for text in without:
        kept = without_text(parts["train"], text)
        tally.notes.append(f"Left out of training, for “{text}”: {counted(len(parts['train']) - len(kept), 'row')}.")
        parts["train"] = kept
    counts = (repeated(parts["train"]), contradicted(parts["train"]), overlap(parts["train"], parts.get("test", [])))
    everything = [sample for samples in parts.values() for sample in samples]
    labels = Counter(sample.label for sample in everything if isinstance(sample, Labelled))
    _check(parts["train"], labels, task, tally)
    _split(parts, seed, named)
    if limit is not None:
        parts = {part: thinned(samples, limit, seed) for part, samples in parts.items()}
        tally.notes.append(f"At most {limit:,} samples of each part are used.")
    tried = parts["test"] or parts["valid"]
    if len(tried) < FEW and not isinstance(tried[0] if tried else None, Plain):
        tally.notes.append(f"Samples to evaluate on: only {len(tried)}. The confidence interval will be wide.")
    name = ",".join(map(str, source)) if isinstance(source, Sequence) and not isinstance(source, str) else str(source)
    report = ReadReport(
        tally.read, tally.kept, tally.reasons.total(), dict(tally.reasons.most_common()), tuple(tally.skips),
        tally.encodings, tuple(tally.columns), dict(sorted(labels.items())), *counts, tuple(tally.notes),
    )  # fmt: skip
    return Corpus(name, task, parts["train"], parts["valid"], parts["test"], tuple(sorted(labels)), report)


def read_kept(folder: TokenFolder, limit: int = 0) -> Corpus:
    """A corpus that stays on the disk; a text of its own is there to validate on. It has no samples to `limit`."""
    count, files, broken = len(folder), int(folder.facts["files"]), int(folder.facts["broken"])
    notes = [f"{count:,} tokens of {folder.bytes / 1e9:.3g} GB of text are read from {folder.path} as they are needed."]
    notes += [f"{counted(broken, 'place was', 'places were')} no UTF-8, and became �."] if broken else []
    notes += ["It is one long text, which --limit does not shorten."] if limit else []
    beginning = folder.tokens.decode(folder.at(np.array([0]), min(count, 1000))[0])
    report = ReadReport(files, files, 0, {}, (), {}, (), {}, 0, 0, 0, tuple(notes))
    return Corpus(str(folder.path), "generate", [Plain(beginning)], [Plain(folder.valid)], [], (), report, folder)


# --- where samples come from ------------------------------------------------------------------------------------


def _existing(source: str) -> Path:
    path = Path(source)
    if source == "-" or path.exists():
        return path
    if path.suffix or len(path.parts) > 1:  # no set is called so
        raise InputError(_missing(path))
    raise InputError(f"There is no file, folder or set called '{source}'; {nearest(source, [*MADE, *NAMED])}")


def _missing(path: Path) -> str:
    """That a file is not there, where it was looked for, and what is there of nearly the same name."""
    folder = path.parent
    if not folder.is_dir():
        return f"There is no file {path}, for there is no folder {folder}; check how it is written."
    similar = asked_back(path.name, [each.name for each in folder.iterdir() if not each.name.startswith(".")])
    return f"There is no file {path.name} in {folder.resolve()}; {similar or 'check its name and its folder.'}"


def _made(source: str, task: str, seed: int, tally: _Tally) -> list[Sample]:
    name, _, size = source.partition(":")
    if size and not size.isdecimal():
        raise InputError(f"After '{name}:' stands how many samples to make, such as {name}:5000; it is '{size}'.")
    samples = make(name, int(size) if size else None, seed)
    if not isinstance(samples[0], TASKS[task].samples):
        raise InputError(f"'{name}' is a set to {MADE[name].task}, not to {task}.")
    tally.read = tally.kept = len(samples)
    return samples


def _named(named: NamedSet, task: str, tally: _Tally) -> Samples:
    if task not in named.tasks:
        raise InputError(f"'{named.name}' is a set to {' or to '.join(named.tasks)}, not to {task}.")
    files = named.files()
    if files is None:
        parts = from_hub(named, task)
        tally.read = tally.kept = sum(len(samples) for samples in parts.values())
        tally.notes.append(f"{named.name}: loaded through the Hugging Face hub, {named.hub}.")
    else:
        parts = {part: _read_part(each, task, Columns(), None, tally) for part, each in files.items()}
    return {part: [named.renamed(sample) for sample in samples] for part, samples in parts.items()}


# --- files to samples -------------------------------------------------------------------------------------------


def _read_part(
    files: Sequence[Files], task: str, columns: Columns, encoding: str | None, tally: _Tally
) -> list[Sample]:
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
    return Table(file.name, tuple(values), [Row(1, values)], file.encoding, file.notes)


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


def _samples(table: Table, files: Files, task: str, columns: Columns, tally: _Tally) -> Iterator[Sample | None]:
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
    return label


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", dict: "an object", list: "a list"}
    return names.get(type(value), f"a {type(value).__name__}")


# --- all of them together ---------------------------------------------------------------------------------------


def _check(samples: Sequence[Sample], labels: Counter[str], task: str, tally: _Tally) -> None:
    if not samples:
        why = _first_reasons(tally) or "there is nothing, or only a header"
        raise InputError(f"No row can be used ({tally.read:,} read). {why[0].upper()}{why[1:]}.")
    if not TASKS[task].has_labels:
        return
    if len(labels) < 2:
        reasons = tally.reasons.most_common(3)
        skipped = "".join(f" {counted(number, 'row was', 'rows were')} skipped: {why}." for why, number in reasons)
        raise InputError(
            f"Every sample has the label '{next(iter(labels))}'; to classify takes two labels or more.{skipped}"
        )
    if len(labels) > 2 and max(labels.values()) == 1:
        raise InputError(f"Each of the {len(labels):,} samples has a label of its own; is it the right column?")
    tally.notes += doubts(samples, labels)


def _first_reasons(tally: _Tally) -> str:
    """The first three reasons for a skip, each with the line it came up first and how many more it cost."""
    first = {skip.reason: skip.line for skip in reversed(tally.skips)}
    said = [
        f"line {line}{f' and {more:,} more' if (more := tally.reasons[reason] - 1) else ''}: {reason}"
        for reason, line in sorted(first.items(), key=lambda each: each[1])[:3]
    ]
    return "; ".join(said)


def _split(parts: Samples, seed: int, named: NamedSet | None) -> None:
    """Holds out the parts that were not given. One long document is cut instead, and its end is the only trial."""
    train = parts["train"]
    if len(train) == 1 and isinstance(train[0], Plain):
        if "valid" not in parts:
            beginning, end = cut(train[0])
            parts.update(train=[beginning], valid=[end])
        parts.setdefault("test", [])
    if named is not None and not named.test_made:
        parts.setdefault("test", [])
    if "test" not in parts:
        parts["train"], parts["test"] = split_off(parts["train"], seed)
    if "valid" not in parts:
        share = SPLIT_OFF if named is None else named.valid_share
        parts["train"], parts["valid"] = split_off(parts["train"], seed, share)

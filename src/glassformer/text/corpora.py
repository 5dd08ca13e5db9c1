"""Corpora: files, folders and named sets to samples in three parts, and a report that accounts for every row.

read = kept + skipped, each skip with its file, line and reason. Knows no tokens and no model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from glassformer.errors import InputError, asked_back, counted, nearest
from glassformer.text.doubts import doubts, doubts_of_pairs, doubts_of_texts
from glassformer.text.files.columns import Columns
from glassformer.text.files.folders import files_of_parts
from glassformer.text.files.named_sets import NAMED, NamedSet, find_named, from_hub
from glassformer.text.files.sample_rows import Tally, read_part
from glassformer.text.files.tables import Skip
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
    folded,
    overlap,
    repeated,
    split_off,
    thinned,
    without_text,
)
from glassformer.text.tasks import TASKS

MOST_LABELS = 2000  # 4 million pairs of a label and another: 32 MB in each of several tables
MOST_REASONS_SAID = 5
_MEMORY = "both in training and in test: the score on these shows memory, not skill."
MOST_DIGITS = 19  # of a number that somebody writes: Python refuses to read very long ones
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
    duplicates: int  # rows that are learnt from and whose text, or pair of texts, came before
    contradictions: int  # texts with more than one label
    overlap: int  # different texts that stand in training and test
    notes: tuple[str, ...]
    pairs: bool = False  # whether a row is a pair of texts

    def sentences(self) -> list[str]:
        """The report for a person, the usual left out."""
        said = [f"{counted(self.read, 'row')} read, {self.kept:,} kept, {self.skipped:,} skipped."]
        said += [*self.skipped_rows(), *self.columns]
        warned = (
            (
                self.duplicates,
                "training row repeats",
                "training rows repeat",
                f"an earlier {'pair' if self.pairs else 'text'}.",
            ),
            (self.contradictions, "text carries", "texts carry", "more than one label."),
            (self.overlap, "text stands", "texts stand", _MEMORY),
        )
        said += [f"{counted(count, one, many)} {what}" for count, one, many, what in warned if count]
        return said + list(self.notes)

    def skipped_rows(self) -> list[str]:
        """The reasons for which rows were skipped, the most frequent first."""
        said = [self._skipped(reason) for reason in list(self.reasons)[:MOST_REASONS_SAID]]
        rest = list(self.reasons.values())[MOST_REASONS_SAID:]
        return said + ([f"Skipped for other reasons: {counted(sum(rest), 'row')}."] if rest else [])

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
    more: Sequence[str] = (),
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
    more        further sources, each as `source`, of which the training part is learnt from as well; validation and
                test come from `source` alone, and what stands in them is left out of the rest
    """
    _ = TASKS[task]  # or it is refused here
    columns, tally = columns or Columns(), Tally()
    if isinstance(source, str) and "," in source:
        source = _several(source)
    named = find_named(source) if isinstance(source, str) else None
    parts = _parts(source, task, (columns, encoding, seed), tally)
    for part, given in (("valid", valid), ("test", test)):
        if given is not None:
            files = files_of_parts(Path(given), task, columns)
            parts[part] = read_part(files["train"], task, columns, encoding, tally)
    parts["train"] = _left_out(parts["train"], without, tally)
    strange = (contradicted(parts["train"]), overlap(parts["train"], parts.get("test", [])))
    everything = [sample for samples in parts.values() for sample in samples]
    labels = Counter(sample.label for sample in everything if isinstance(sample, Labelled))
    _check(parts["train"], labels, task, tally)
    _split(parts, seed, named)
    for each in more:
        parts["train"] = parts["train"] + _further(each, task, (columns, encoding, seed), without, parts, tally)
    again = repeated(parts["train"])
    if limit is not None:
        parts = {part: thinned(samples, limit, seed) for part, samples in parts.items()}
        tally.notes.append(f"At most {limit:,} samples of each part are used.")
    tried = parts["test"] or parts["valid"]
    if len(tried) < FEW and not isinstance(tried[0] if tried else None, Plain):
        tally.notes.append(f"Samples to evaluate on: only {len(tried)}. The confidence interval will be wide.")
    report = replace(_report(tally, labels, again, *strange), pairs=isinstance(parts["train"][0], Pair))
    learnt, held, last = (parts[part] for part in ("train", "valid", "test"))
    return Corpus(_called(source), task, learnt, held, last, tuple(sorted(labels)), report)


def _called(source: str | Path | Sequence[Path]) -> str:
    """The source as it is named on a command line."""
    return str(source) if isinstance(source, str | Path) else ",".join(map(str, source))


def read_whole(source: str | Path, task: str, *, columns: Columns | None = None) -> Corpus:
    """All that files hold, in the test part: samples to evaluate on, of which nothing is split off and of which one is
    enough. The source is as in `read`, without sets."""
    tally, files = Tally(), _several(source)
    parts = _parts(files, task, (columns or Columns(), None, 0), tally)
    samples = [sample for part in parts.values() for sample in part]
    _check_any(samples, tally)
    labels = Counter(sample.label for sample in samples if isinstance(sample, Labelled))
    return Corpus(str(source), task, [], [], samples, tuple(sorted(labels)), _report(tally, labels))


def _report(tally: Tally, labels: Counter[str], repeats: int = 0, contradictions: int = 0, both: int = 0) -> ReadReport:
    return ReadReport(
        tally.read, tally.kept, tally.reasons.total(), dict(tally.reasons.most_common()), tuple(tally.skips),
        tally.encodings, tuple(tally.columns), dict(sorted(labels.items())), repeats, contradictions, both,
        tuple(tally.notes),
    )  # fmt: skip


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


Reading = tuple[Columns, str | None, int]  # columns, encoding, seed


def _parts(
    source: str | Path | Sequence[Path], task: str, reading: Reading, tally: Tally, *, all_parts: bool = True
) -> Samples:
    """The samples of each part that a source has, or of its training part alone."""
    columns, encoding, seed = reading
    named = find_named(source) if isinstance(source, str) else None
    if named is not None:
        return _named(named if all_parts else named.to_learn_from(), task, tally)
    if isinstance(source, str) and source.partition(":")[0] in MADE:
        return {"train": _made(source, task, seed, tally)}
    files = files_of_parts(_existing(source) if isinstance(source, str) else source, task, columns)
    wanted = files if all_parts else {"train": files["train"]}
    return {part: read_part(each, task, columns, encoding, tally) for part, each in wanted.items()}


def _several(source: str | Path) -> Path | list[Path]:
    """The file, folder or standard input that is meant, or several files with commas between."""
    if "," in str(source) and not Path(source).exists():
        return [_existing(each) for each in str(source).split(",")]
    return _existing(str(source))


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
    visible = [each for each in folder.iterdir() if not each.name.startswith(".")]
    similar = asked_back(path.name, [each.name for each in visible if asked_back(path.stem, [each.stem])])
    return f"There is no file {path.name} in {folder.resolve()}; {similar or 'check its name and its folder.'}"


def _made(source: str, task: str, seed: int, tally: Tally) -> list[Sample]:
    name, _, size = source.partition(":")
    if size and not (size.isdecimal() and len(size) < MOST_DIGITS):
        raise InputError(f"After '{name}:' stands how many samples to make, such as {name}:5000; it is '{size:.40}'.")
    samples = make(name, int(size) if size else None, seed)
    if not isinstance(samples[0], TASKS[task].samples):
        raise InputError(f"'{name}' is a set to {MADE[name].task}, not to {task}.")
    tally.read, tally.kept = tally.read + len(samples), tally.kept + len(samples)
    return samples


def _named(named: NamedSet, task: str, tally: Tally) -> Samples:
    if task not in named.tasks:
        raise InputError(f"'{named.name}' is a set to {' or to '.join(named.tasks)}, not to {task}.")
    files = named.files()
    if files is None:
        parts = from_hub(named, task)
        count = sum(len(samples) for samples in parts.values())
        tally.read, tally.kept = tally.read + count, tally.kept + count
        tally.notes.append(f"{named.name}: loaded through the Hugging Face hub, {named.hub}.")
    else:
        parts = {part: read_part(each, task, Columns(), None, tally) for part, each in files.items()}
    return {part: [named.mended(sample) for sample in samples] for part, samples in parts.items()}


# --- further samples, to learn from -----------------------------------------------------------------------------

IN_A_PART = "the text stands in the validation or the test part as well, and must not be learnt from"


def _further(
    source: str, task: str, reading: Reading, without: Sequence[str], parts: Samples, tally: Tally
) -> list[Sample]:  # fmt: skip
    """The training part of a further source, without what the parts of the first are validated and tested on."""
    found = _parts(source, task, reading, tally, all_parts=False)["train"]
    found = _left_out(found, without, tally)
    _check_fits(source, found, parts)
    held = {folded(sample) for part in ("valid", "test") for sample in parts[part]}
    kept = [sample for sample in found if folded(sample) not in held]
    if len(kept) < len(found):
        tally.reasons[IN_A_PART] += len(found) - len(kept)
        tally.kept -= len(found) - len(kept)
    tally.notes.append(f"Only to learn from, of {source}: {counted(len(kept), 'row')}.")
    return kept


def _check_fits(source: str, found: Sequence[Sample], parts: Samples) -> None:
    """Refuses what cannot be learnt from beside the first source."""
    kind = type(parts["train"][0])
    if any(type(sample) is not kind for sample in found):
        raise InputError(f"{source} holds samples of another kind than the data it is added to; leave it out (--more).")
    known = {sample.label for part in parts.values() for sample in part if isinstance(sample, Labelled)}
    strange = sorted({sample.label for sample in found if isinstance(sample, Labelled)} - known)
    if strange:
        raise InputError(
            f"{source} has the label '{strange[0]}', and the data it is added to only {', '.join(sorted(known))}; "
            "call the same thing by the same name in both."
        )


def _left_out(samples: list[Sample], without: Sequence[str], tally: Tally) -> list[Sample]:
    for text in without:
        kept = without_text(samples, text)
        tally.notes.append(f"Left out of training, for “{text}”: {counted(len(samples) - len(kept), 'row')}.")
        samples = kept
    return samples


# --- all of them together ---------------------------------------------------------------------------------------


def _check_any(samples: Sequence[Sample], tally: Tally) -> None:
    if not samples:
        why = _first_reasons(tally) or "there is nothing, or only a header"
        raise InputError(f"No row can be used ({tally.read:,} read). {why[0].upper()}{why[1:]}.{_taken(tally)}")


def _check(samples: Sequence[Sample], labels: Counter[str], task: str, tally: Tally) -> None:
    _check_any(samples, tally)
    if tally.reasons.total() > tally.kept:
        tally.notes.append("More rows were skipped than kept: is it the kind of file that it was taken for?")
    if TASKS[task].has_only_pairs:
        tally.notes += doubts_of_pairs(samples)
    tally.notes += doubts_of_texts(samples)
    if not TASKS[task].has_labels:
        return
    if len(labels) < 2:
        reasons = tally.reasons.most_common(3)
        skipped = "".join(f" {counted(number, 'row was', 'rows were')} skipped: {why}." for why, number in reasons)
        raise InputError(
            f"Every sample has the label '{next(iter(labels))}'; to classify takes two labels or more.{skipped}"
            f"{_taken(tally)}"
        )
    if len(labels) > 2 and max(labels.values()) == 1:
        raise InputError(
            f"Each of the {len(labels):,} samples has a label of its own; is it the right column?{_taken(tally)}"
        )
    if len(labels) > MOST_LABELS:
        raise InputError(
            f"There are {len(labels):,} different labels; at most {MOST_LABELS:,} can be told apart, for scores hold a "
            f"table of each by each. Is it the right column?{_taken(tally)}"
        )
    tally.notes += doubts(samples, labels)


def _taken(tally: Tally) -> str:
    """Which columns were read of the first file, where a refusal is due to them."""
    return "".join(f" {each}." for each in tally.columns[:1])


def _first_reasons(tally: Tally) -> str:
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

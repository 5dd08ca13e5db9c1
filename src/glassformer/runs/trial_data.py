"""Which samples a run is scored on, of its own data, split as in training, or of others; and whether it has learnt from
them. It knows files, no scores.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.models.card import Card
from glassformer.objectives.table import objective_of
from glassformer.runs.folder import RunFolder
from glassformer.text.corpora import Corpus, read, read_whole
from glassformer.text.files.columns import Columns
from glassformer.text.files.folders import files_of_parts
from glassformer.text.files.text_files import STDIN
from glassformer.text.samples import Plain, Sample, folded, seen_before, text_of, thinned
from glassformer.text.tokens import Tokens

PARTS = ("train", "valid", "test")
WHOLE = "all"  # of files that have no parts
PIECE = 200  # characters of a document that is compared on piece by piece


class TrialData(NamedTuple):
    """The name of the data, the part, its samples, what the run learnt from, if that is at hand, and what is to be
    said of the reading."""

    name: str
    part: str
    samples: Sequence[Sample]
    train: Sequence[Sample] | None = None
    notes: tuple[str, ...] = ()

    def learnt_from(self, samples: Sequence[Sample]) -> int | None:
        """How many of the samples show a text that the run has learnt from; None where nobody can tell."""
        if self.train is None:
            return None
        if isinstance(samples[0], Plain) and 1 in (len(samples), len(self.train)):  # a long text, or a piece of it
            texts = [folded(each) for each in self.train]
            return sum(any(one in each or each in one for each in texts) for one in map(folded, samples))
        return seen_before(samples, self.train)


def trial(
    card: Card, folder: Path | None, data: str | Path | None, part: str, columns: dict[str, str] | None = None
) -> TrialData:
    """What a run is scored on: a part of its own data, or of others; see `Run.evaluate`."""
    if part not in PARTS:
        raise InputError(f"There is no part called '{part}'; {nearest(part, PARTS)}")
    settings = RunFolder(folder).settings.get("data", {}) if folder else {}
    about = (RunFolder(folder).read_about() if folder else None) or {}
    own = _Own(card, settings, about.get("samples", {}).get("train"))
    found = own.part(part) if data is None else _other(own, data, part, columns)
    if not found.samples:
        raise InputError(f"The {found.part} part of {found.name} is empty; choose another part, or name a file.")
    return found


def texts_to_compare(card: Card, folder: Path | None, tokens: Tokens, count: int) -> tuple[list[str], str]:
    """Texts that two forms of one model are compared on, and where they come from: of the run's own data, if they are
    at hand; else made of random tokens."""
    try:
        name, part, samples, *_ = trial(card, folder, None, "test")
    except GlassformerError:
        draw = np.random.default_rng(card.seed)
        rows = [draw.integers(0, len(tokens), size=draw.integers(1, 24)) for _ in range(count)]
        made = [tokens.decode(row) for row in rows]
        return [text for text in made if text.strip()], "random tokens, since the data of the run are not at hand"
    texts = [text_of(sample) for sample in thinned(samples, count, card.seed)]
    if len(texts) == 1:  # one document: pieces of it
        step = max(1, len(texts[0]) // count)
        texts = [piece for i in range(count) if (piece := texts[0][i * step : i * step + PIECE]).strip()]
    return texts, f"the {part} part of {name}"


class _Own(NamedTuple):
    """What a run was trained on: its card, the [data] table of its settings, how many samples it learnt from."""

    card: Card
    settings: dict[str, Any]
    learnt: int | None

    def part(self, part: str) -> TrialData:
        """A part of it, read and split as it was then; what was only learnt from besides (`more`) is in none."""
        settings = {name: value for name, value in self.settings.items() if name != "more"}
        corpus = _read(self.card, **{"source": self.card.data, **settings})
        train = corpus.train if "more" in self.settings or self._as_then(corpus) else None
        return _part(corpus, part)._replace(train=train)

    def train(self) -> Sequence[Sample] | None:
        """All that it learnt from; None if that is not at hand, or not as it was then."""
        try:
            corpus = _read(self.card, **{"source": self.card.data, **self.settings})
        except GlassformerError:
            return None
        return corpus.train if self._as_then(corpus) else None

    def _as_then(self, corpus: Corpus) -> bool:
        return self.learnt in (None, len(corpus.train))


def _other(own: _Own, data: str | Path, part: str, columns: dict[str, str] | None) -> TrialData:
    """A part of other data; of files that have no such part, all."""
    columns = columns or own.settings.get("columns")
    files = [Path(data)] if Path(data).exists() else [Path(each) for each in str(data).split(",")]
    there = all(file.exists() or file == STDIN for file in files)  # else it is the name of a set
    task, taken = objective_of(own.card).reads or own.card.task, Columns(**columns or {})
    if there and part not in files_of_parts(files[0] if len(files) == 1 else files, task, taken):
        corpus = read_whole(data, task, columns=taken)
        found = TrialData(corpus.name, WHOLE, corpus.test)
    else:
        corpus = _read(own.card, data, columns)
        found = _part(corpus, part)
    report = corpus.report
    notes = [*report.skipped_rows(), *report.columns, *report.notes] if there else []
    return found._replace(train=own.train(), notes=tuple(notes))


def _read(card: Card, source: str | Path, columns: dict[str, str] | None = None, **choices: Any) -> Corpus:
    """The same corpus for the same words: as training reads it, from the [data] table of its settings."""
    task = objective_of(card).reads or card.task
    return read(source, task, columns=Columns(**columns or {}), **{"seed": card.seed, **choices})


def _part(corpus: Corpus, part: str) -> TrialData:
    parts = {"train": corpus.train, "valid": corpus.valid, "test": corpus.test}
    found = "valid" if part == "test" and not corpus.test else part
    return TrialData(corpus.name, found, parts[found])

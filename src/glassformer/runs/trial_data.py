"""Which samples a run is scored on: of its own data, split as in training, or of others. It knows files, no scores."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.models.card import Card
from glassformer.objectives.table import objective_of
from glassformer.runs.folder import RunFolder
from glassformer.text.corpora import Corpus, read
from glassformer.text.files.columns import Columns
from glassformer.text.files.folders import files_of_parts
from glassformer.text.files.text_files import STDIN
from glassformer.text.samples import Plain, Sample, text_of, thinned
from glassformer.text.tokens import Tokens

PARTS = ("train", "valid", "test")
PIECE = 200  # characters of a document that is compared on piece by piece

Trial = tuple[str, str, Sequence[Sample]]  # the name of the data, the part, its samples


def trial(
    card: Card, folder: Path | None, data: str | Path | None, part: str, columns: dict[str, str] | None = None
) -> Trial:
    """What a run is scored on: a part of its own data, or of others; see `Run.evaluate`."""
    if part not in PARTS:
        raise InputError(f"There is no part called '{part}'; {nearest(part, PARTS)}")
    settings = RunFolder(folder).settings.get("data", {}) if folder else {}
    name, part, samples = _own(card, settings, part) if data is None else _other(card, settings, data, part, columns)
    if not samples:
        raise InputError(f"The {part} part of {name} is empty; choose another part, or name a file.")
    return name, part, samples


def texts_to_compare(card: Card, folder: Path | None, tokens: Tokens, count: int) -> tuple[list[str], str]:
    """Texts that two forms of one model are compared on, and where they come from: of the run's own data, if they are
    at hand; else made of random tokens."""
    try:
        name, part, samples = trial(card, folder, None, "test")
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


def _own(card: Card, settings: dict[str, Any], part: str) -> Trial:
    """A part of what the run was trained on, read and split as it was then; what was only learnt from besides (`more`)
    is in none of its parts."""
    settings = {name: value for name, value in settings.items() if name != "more"}
    return _part(_read(card, **{"source": card.data, **settings}), part)


def _other(
    card: Card, settings: dict[str, Any], data: str | Path, part: str, columns: dict[str, str] | None
) -> Trial:  # fmt: skip
    """A part of other data; of files that have no such part, all."""
    columns = columns or settings.get("columns")
    corpus = _read(card, data, columns)
    files = [Path(data)] if Path(data).exists() else [Path(each) for each in str(data).split(",")]
    if not all(file.exists() or file == STDIN for file in files):  # the name of a set
        return _part(corpus, part)
    if part in files_of_parts(files[0] if len(files) == 1 else files, card.task, Columns(**columns or {})):
        return _part(corpus, part)
    if not corpus.test and len(corpus.train) == 1:  # one document, which was cut in two
        return corpus.name, "all", [Plain("".join(text_of(each) for each in (*corpus.train, *corpus.valid)))]
    return corpus.name, "all", [*corpus.train, *corpus.valid, *corpus.test]


def _read(card: Card, source: str | Path, columns: dict[str, str] | None = None, **choices: Any) -> Corpus:
    """The same corpus for the same words: as training reads it, from the [data] table of its settings."""
    task = objective_of(card).reads or card.task
    return read(source, task, columns=Columns(**columns or {}), **{"seed": card.seed, **choices})


def _part(corpus: Corpus, part: str) -> Trial:
    parts = {"train": corpus.train, "valid": corpus.valid, "test": corpus.test}
    found = "valid" if part == "test" and not corpus.test else part
    return corpus.name, found, parts[found]

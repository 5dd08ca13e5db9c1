"""A trained model with all that belongs to it: the one object behind every face. It says, writes, scores, is looked at.

run = load("runs/reviews")
run.predict(["a warm and clever film"])[0].label
run.evaluate()["accuracy"]
run.look("a warm and clever film").save("page.html")
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from torch import nn

from glassformer.errors import InputError, nearest
from glassformer.inside.look_at_text import look_at
from glassformer.inside.looks import Writes
from glassformer.inside.shown import Shown
from glassformer.models.card import Card
from glassformer.models.registry import MODELS, build
from glassformer.objectives.objective import Scores, Trained
from glassformer.objectives.predictions import Prediction, Writing, pieces, room
from glassformer.objectives.table import evaluate, objective_of
from glassformer.runs.certificate.certificate import Certificate, certify
from glassformer.runs.folder import RunFolder
from glassformer.text.corpora import Corpus, read
from glassformer.text.files.columns import Columns
from glassformer.text.files.folders import parts_of
from glassformer.text.files.text_files import STDIN
from glassformer.text.samples import Plain, Sample, text_of, thinned
from glassformer.text.tasks import TASKS
from glassformer.text.tokens import UNKNOWN, Tokens

PARTS = ("train", "valid", "test")


class Run:
    """A model at rest, its card and its tokens; `folder` is where they came from, if from anywhere."""

    def __init__(self, model: nn.Module, card: Card, tokens: Tokens, folder: Path | None = None) -> None:
        self.model, self.card, self.tokens, self.folder = model.eval(), card, tokens, folder
        self.objective, self.task = objective_of(card), TASKS[card.task]

    def predict(self, texts: Sequence[str], **how: Any) -> list[Prediction]:
        """What the model says of each text. `how` it writes: see `Writing` (longest, temperature, beam, seed, …)."""
        if isinstance(texts, str):
            raise InputError(f"`texts` is a list of texts; for one text write [{texts[:40]!r}].")
        for i, text in enumerate(texts):
            if not self.task.open_ended and not text.strip():
                raise InputError(f"Text {i + 1} of {len(texts)} is empty: there is nothing to {self.card.task} in it.")
        writing = Writing(**how)
        if self.objective.predict is None:
            raise InputError(
                f"This model has only learnt to {self.objective.learns}; finetune it (--from) to {self.card.task}."
            )
        return list(self.objective.predict(Trained(self.model, self.card, self.tokens), texts, writing))

    def doubts(self, texts: Sequence[str]) -> list[str]:
        """A sentence on each text that is not read as it stands: it is too long, or none of its pieces is known."""
        said, most = [], room(self.card)
        for i, row in enumerate(self.tokens.encode_many(texts)):
            if not self.task.open_ended and len(row) > most:
                said.append(f"Text {i + 1} has {len(row):,} pieces; only the first {most:,} are read.")
            if (row == UNKNOWN).all() and texts[i].strip():
                said.append(f"Nothing in text {i + 1} is known to this model: its answer is a guess.")
        return said

    def stream(self, text: str, **how: Any) -> Iterator[str]:
        """What a language model writes to a text, piece by piece as it is made."""
        if self.objective.family != "language model":
            raise InputError(f"Only language models write piece by piece; this one was trained to {self.card.task}.")
        prompt = self.objective.prompt(self.tokens, text)
        return pieces(self.model, self.tokens, prompt, Writing(**how), goes_on=self.objective.goes_on)

    def look(
        self, text: str, *, target: str | None = None, longest: int | None = None, write: Writes | None = None
    ) -> Shown:
        """A look inside while the model reads a text: every stage, to be read, saved as a page, shown in a notebook.

        target    a translation to lead a translator along, beside what it writes by itself
        longest   tokens that are written at most: a language model goes on from the text; with 0 it only reads
        write     stages to put in place while it runs, by their addresses: tensors, or functions of them
        """
        look = look_at(self.model, self.card, self.tokens, text, target=target, longest=longest, write=write)
        return Shown(replace(look, title=self.folder.resolve().name if self.folder else "", about=self._about()))

    def _about(self) -> str:
        weights = sum(each.numel() for each in self.model.parameters())
        return f"{self.card.model}, {weights:,} weights, trained to {self.card.task} {self.card.data}"

    def evaluate(
        self,
        data: str | Path | None = None,
        *,
        part: str = "test",
        columns: dict[str, str] | None = None,
        limit: int | None = None,
        seed: int = 0,
        **how: Any,
    ) -> Scores:
        """The scores on a part of some data: of the run's own, split as in training, if no other is named.

        Where there is no part for testing, the one for validation is used, and the scores say so. A file that has no
        parts is used in whole. Its `columns` are those of training, if nothing else is said.
        """
        if part not in PARTS:
            raise InputError(f"There is no part called '{part}'; {nearest(part, PARTS)}")
        name, part, samples = self._own(part) if data is None else self._other(data, part, columns)
        if not samples:
            raise InputError(f"The {part} part of {name} is empty; choose another part, or name a file.")
        some = samples if limit is None else thinned(samples, limit, seed)
        scores = evaluate(self.model, self.card, self.tokens, some, how=Writing(**how), seed=seed)
        return {"data": name, "part": part, **scores}

    @property
    def scores(self) -> Scores:
        """The scores that training left; empty if there are none."""
        return (RunFolder(self.folder).read_scores() if self.folder else None) or {}

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate that training left; empty if there is none."""
        return (RunFolder(self.folder).read_certificate() if self.folder else None) or {}

    def certify(self, seed: int = 0) -> Certificate:
        """Every promise, tried on this model."""
        return certify(
            self.model,
            MODELS[self.card.model].family,
            rebuild=lambda: build(self.card.model, self.card.settings),
            seed=seed,
        )

    def _own(self, part: str) -> tuple[str, str, Sequence[Sample]]:
        """A part of what the run was trained on, read and split as it was then."""
        return _part(self._read(**{"source": self.card.data, **self._data()}), part)

    def _other(self, data: str | Path, part: str, columns: dict[str, str] | None) -> tuple[str, str, Sequence[Sample]]:
        """A part of other data; of files that have no such part, all."""
        columns = columns or self._data().get("columns")
        corpus = self._read(data, columns)
        files = [Path(data)] if Path(data).exists() else [Path(each) for each in str(data).split(",")]
        if not all(file.exists() or file == STDIN for file in files):  # the name of a set
            return _part(corpus, part)
        if part in parts_of(files[0] if len(files) == 1 else files, self.card.task, Columns(**columns or {})):
            return _part(corpus, part)
        if not corpus.test and len(corpus.train) == 1:  # one document, which was cut in two
            return corpus.name, "all", [Plain("".join(text_of(each) for each in (*corpus.train, *corpus.valid)))]
        return corpus.name, "all", [*corpus.train, *corpus.valid, *corpus.test]

    def _data(self) -> dict[str, Any]:
        """What training said of its data."""
        return RunFolder(self.folder).settings.get("data", {}) if self.folder else {}

    def _read(self, source: str | Path, columns: dict[str, str] | None = None, **choices: Any) -> Corpus:
        """The same corpus for the same words: as training reads it, from the [data] table of its settings."""
        return read(
            source,
            self.objective.reads or self.card.task,
            columns=Columns(**columns or {}),
            **{"seed": self.card.seed, **choices},
        )

    def __repr__(self) -> str:
        return f"Run({self.card.model} to {self.card.task}, {self.folder or 'not on the disk'})"


def _part(corpus: Corpus, part: str) -> tuple[str, str, Sequence[Sample]]:
    parts = {"train": corpus.train, "valid": corpus.valid, "test": corpus.test}
    found = "valid" if part == "test" and not corpus.test else part
    return corpus.name, found, parts[found]


def load(folder: str | Path) -> Run:
    """The model of a run folder, or one that came with the package, by its name. Nothing in it is run, and every
    byte is checked."""
    run = RunFolder.open(find(folder))
    card, state, tokens = run.load_model()
    model = build(card.model, card.settings)
    model.load_state_dict(state)
    return Run(model, card, tokens, run.path)


def find(name: str | Path) -> Path:
    """The folder that is meant: one on the disk, or that of a model that came with the package."""
    pocket = {path.name: path for path in pocket_folders()}
    if Path(name).exists() or not pocket:
        return Path(name)
    if str(name) not in pocket:
        raise InputError(f"{name} is no folder, and no model called so came along; {nearest(str(name), pocket)}")
    return pocket[str(name)]


def pocket_folders() -> list[Path]:
    """The run folders of the models that came with the package."""
    return sorted(path.parent for path in _pocket().glob("*/model"))


def pocket_races() -> list[Path]:
    """The races that came with the package."""
    return sorted(path.parent for path in _pocket().glob("*/race.json"))


def _pocket() -> Path:
    return Path(str(resources.files("glassformer.runs"))) / "pocket"

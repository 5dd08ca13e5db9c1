"""A trained model as an object: it predicts, writes, scores, is certified and looked at. Its files are folder.py's.

run = load("runs/reviews")
run.predict(["a warm and clever film"])[0].label
run.evaluate()["accuracy"]
run.look("a warm and clever film").save("page.html")
run.why("a warm and clever film").words
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from glassformer.errors import InputError, nearest
from glassformer.layers.devices import device_called
from glassformer.models.card import Card
from glassformer.models.registry import MODELS, build
from glassformer.models.sampling import ENDLESS
from glassformer.objectives.objective import Scores, Trained
from glassformer.objectives.predictions import Prediction, Writing, room
from glassformer.objectives.table import evaluate, objective_of
from glassformer.runs.folder import RunFolder
from glassformer.text.tasks import TASKS
from glassformer.text.tokens import Ids, Tokens

MOST_NAMED = 3  # texts that get a sentence each

if TYPE_CHECKING:  # what only some methods need is imported there: to predict loads no view, no reader, no metric
    from glassformer.engines.choosing import Engine
    from glassformer.exchange.parity import Parity
    from glassformer.inside.looks import Writes
    from glassformer.inside.shown import Shown
    from glassformer.inside.why.telling.why_page import Why
    from glassformer.runs.certificate.certificate import Certificate
    from glassformer.runs.learnt import Learnt
    from glassformer.text.pipeline import Pipeline


class Run:
    """A model at rest, its card and its tokens; `folder` is where they came from, if from anywhere."""

    def __init__(self, model: nn.Module, card: Card, tokens: Tokens, folder: Path | None = None) -> None:
        self.model, self.card, self.tokens, self.folder = model.eval(), card, tokens, folder
        self._engine: nn.Module | None = None
        self.objective, self.task = objective_of(card), TASKS[card.task]

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.model.parameters()).device

    def predict(self, texts: Sequence[str], **how: Any) -> list[Prediction]:
        """The prediction for each text; one in which there is nothing to read is refused, and none is answered.
        `how` it writes: see `Writing` (longest, temperature, beam, seed, …)."""
        if isinstance(texts, str):
            raise InputError(f"`texts` is a list of texts; for one text write [{texts[:40]!r}].")
        for i, text in enumerate(texts):
            if not self.task.open_ended and not text.strip():
                where = f"Text {i + 1} of {len(texts)}"
                raise InputError(f"{where} is empty: there is nothing to {self.card.task} in it; leave it out.")
        writing = Writing(**how)
        if self.objective.predict is None:
            raise InputError(f"{self._unable}; finetune it (--from) to {self.card.task}.")
        return list(self.objective.predict(Trained(self.worker, self.card, self.tokens), texts, writing))

    @property
    def _unable(self) -> str:
        """Why it answers nothing yet."""
        if self.folder is not None and "imported" in RunFolder(self.folder).settings:
            return "This model was brought in without a head to answer with"
        return f"This model has only learnt to {self.objective.learns}"

    @property
    def worker(self) -> nn.Module:
        """What predicts: an engine that was chosen, or the quickest that needs nothing more and gives the same bits."""
        if self._engine is None:
            self._engine = _without_detours(self.model)
        return self._engine

    def use(self, engine: str = "auto", *, lasting: bool = True) -> "Engine":
        """Predicts and evaluates from now on with an engine: torch, onnx, int8, or auto for the quickest exact one at
        hand; if little is to be done (not `lasting`), nothing is converted for it. Looking stays with our own model."""
        from glassformer.runs.engine_files import engine_for

        found = engine_for(
            self.model, None if self.folder in pocket_folders() else self.folder, engine, lasting=lasting
        )
        self._engine = found.model
        return found

    @property
    def converted(self) -> bool:
        """Whether an engine of its own was kept in its folder."""
        return self.folder is not None and (self.folder / "engines").is_dir()

    def warnings(self, texts: Sequence[str]) -> list[str]:
        """What is said of texts that are not read as they stand: they are too long, or no word of them is known; a
        sentence for each, and one for all of a kind where there are many. And of those that a bundled model
        has learnt from."""
        return self._read_before(texts) + self.warnings_of(self.tokens.encode_many(texts))

    def warnings_of(self, rows: Sequence[Ids]) -> list[str]:
        """The same of texts that are known by their ids; empty ones are passed over."""
        goes_on = self.objective.goes_on
        most, end = (self.card.settings.length, "last") if goes_on else (room(self.card), "first")
        bounded = goes_on or not self.task.open_ended
        long = [(i, len(row)) for i, row in enumerate(rows, 1) if bounded and len(row) > most]
        unknown = [i for i, row in enumerate(rows, 1) if len(row) and not self._knows_any(row)]
        said = [f"Text {i} has {count:,} tokens; only the {end} {most:,} are read." for i, count in long]
        if len(long) > MOST_NAMED:
            named = ", ".join(str(i) for i, _ in long[:MOST_NAMED])
            said = [f"{len(long):,} texts have more than {most:,} tokens, of which only the {end} are read: {named}, …"]
        guesses = [f"No word of text {i} is known to this model: its answer is a guess." for i in unknown]
        if len(unknown) > MOST_NAMED:
            named = ", ".join(map(str, unknown[:MOST_NAMED]))
            guesses = [f"Of {len(unknown):,} texts no word is known to this model: answers to {named}, … are guesses."]
        return said + guesses

    def _read_before(self, texts: Sequence[str]) -> list[str]:
        if not self.card.labels or self.folder not in pocket_folders():
            return []
        from glassformer.runs.texts_to_try import READ_BEFORE
        from glassformer.text.samples import Plain, folded

        known = {folded(Plain(text)) for text in READ_BEFORE.get(self.folder.name, ("", ()))[1]}
        places = [str(i + 1) for i, text in enumerate(texts) if folded(Plain(text)) in known]
        if not places:
            return []
        which = f"Text {places[0]} is" if len(places) == 1 else f"Texts {', '.join(places[:-1])} and {places[-1]} are"
        return [f"{which} among those it learnt from: the answer shows memory, not skill."]

    def _knows_any(self, row: Ids) -> bool:
        """Whether one word of a text is known; of a text without words, one sign."""
        if self.tokens.unknown is None:
            return True
        known = self.tokens.decode(row[row != self.tokens.unknown])
        return any(sign.isalnum() for sign in known) or bool(known and self.tokens.unknown not in row)

    @property
    def doubt(self) -> str:
        """A sentence where its own test, as its certificate has it, does not show that it has learnt anything; nothing
        otherwise."""
        return _doubt(self.certificate.get("learnt"))

    def tokenize(self, texts: Sequence[str]) -> "Pipeline":
        """The way of some texts into this model: standardised, tokens, ids, padded batch, embedding rows."""
        from glassformer.text.pipeline import pipeline

        most = ENDLESS if self.task.open_ended else room(self.card)
        found = pipeline(self.tokens, texts, longest=most, prompt=self.objective.prompt)
        table = getattr(self.model, "embedding", None)
        if table is None:  # what counts words has no rows for them
            return found
        with torch.inference_mode():
            return found.with_rows(table(torch.from_numpy(found.ids).to(self.device)).float().cpu().numpy())

    def stream(self, text: str, **how: Any) -> Iterator[str]:
        """What a language model writes to a text, bit by bit as it is made."""
        from glassformer.objectives.writing import streamed

        if self.objective.family != "language model":
            raise InputError(f"Only language models can stream; this one was trained to {self.card.task}.")
        prompt = self.objective.prompt(self.tokens, text)
        return streamed(self.worker, self.tokens, prompt, Writing(**how), goes_on=self.objective.goes_on)

    def look(
        self, text: str, *, target: str | None = None, longest: int | None = None, write: "Writes | None" = None
    ) -> "Shown":
        """A look inside while the model reads a text: every stage, to be read, saved as a page, shown in a notebook.

        target    a translation for teacher forcing, beside what a translator writes by itself
        longest   new tokens at most: a language model goes on from the text; with 0 it only reads
        write     stages to put in place while it runs, by their addresses: tensors, or functions of them
        """
        from glassformer.inside.look_at_text import look_at
        from glassformer.inside.shown import Shown

        look = look_at(self.model, self.card, self.tokens, text, target=target, longest=longest, write=write)
        return Shown(replace(look, title=self.folder.resolve().name if self.folder else "", about=self._about()))

    def why(
        self,
        text: str,
        *,
        rival: str | int | None = None,
        instead: str | None = None,
        at: int | None = 1,
        answer: str | None = None,
        target: str | None = None,
        points: int | None = None,
    ) -> "Why":
        """Why it answers so to a text: its margin over a rival, shared out over the words, by blocks and heads.

        rival     the class or token that the answer is compared with, by its name or its id; by default the next best
        instead   a twin text: does the answer turn, and where?
        at        of a model that writes: which token is asked about, counted from 1; None for the one that a translator
                  is least certain of
        answer    another class or token than the one it chose
        target    a translation for teacher forcing, as in `look`
        points    where slopes are taken at most; by default as many as a second allows
        """
        from glassformer.inside.why.question import Which
        from glassformer.inside.why.reasons import reasons
        from glassformer.inside.why.telling.why_page import Why

        learnt = None if "learnt" in self.certificate else self.learnt
        known = self.doubt or (_doubt(learnt.to_dict()) if learnt else "")
        asking = Which(answer=answer, rival=rival, at=at, target=target)
        return Why(
            reasons(self.model, self.card, self.tokens, text, asking, instead=instead, points=points, known=known)
        )

    def _about(self) -> str:
        parameters = sum(each.numel() for each in self.model.parameters())
        return f"{self.card.model}, {parameters:,} parameters, trained to {self.card.task} {self.card.data}"

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

        Where there is no test part, the validation part is used, and the scores say so. A file that has no
        parts is used in whole. Its `columns` are those of training, if nothing else is said. `in_training` counts the
        samples that the run has learnt from; it is None where the training data are not at hand as they were.
        """
        from glassformer.runs.trial_data import trial
        from glassformer.text.samples import thinned

        found = trial(self.card, self.folder, data, part, columns)
        some = found.samples if limit is None else thinned(found.samples, limit, seed)
        scores = evaluate(self.worker, self.card, self.tokens, some, how=Writing(**how), seed=seed)
        known, notes = found.learnt_from(some), {"notes": list(found.notes)} if found.notes else {}
        return {"data": found.name, "part": found.part, **scores, "in_training": known, **notes}

    @property
    def scores(self) -> Scores:
        """The scores that training left; empty if there are none."""
        return (RunFolder(self.folder).read_scores() if self.folder else None) or {}

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate that training left; empty if there is none."""
        return (RunFolder(self.folder).read_certificate() if self.folder else None) or {}

    @property
    def learnt(self) -> "Learnt | None":
        """Whether it is better than baselines, by the scores that training left; None if that is not known."""
        from glassformer.runs.learnt import learnt

        return learnt(RunFolder(self.folder), self.card) if self.folder else None

    def certify(self, seed: int = 0) -> "Certificate":
        """Every promise, tried on this model."""
        from glassformer.runs.certificate.certificate import certify

        return certify(
            self.model,
            MODELS[self.card.model].family,
            rebuild=lambda: build(self.card.model, self.card.settings),
            seed=seed,
        )

    def export(self, to: str, out: str | Path, *, samples: int = 100) -> "Parity":
        """Writes the model into a new folder for another tool (see `exchange.export.TARGETS`), opens it there, and
        compares the two on some samples of its own data."""
        from glassformer.exchange.export import export_model
        from glassformer.runs.trial_data import texts_to_compare

        texts, where = texts_to_compare(self.card, self.folder, self.tokens, samples)
        here = self.model if self.device.type == "cpu" else copy.deepcopy(self.model).cpu()  # no file has a device
        return export_model(Trained(here, self.card, self.tokens), to, Path(out), texts, where)

    def __repr__(self) -> str:
        return f"Run({self.card.model} to {self.card.task}, {self.folder or 'not on the disk'})"


def _without_detours(model: nn.Module) -> nn.Module:
    """The model as it writes when nobody looks; one that only reads, as it is."""
    if not hasattr(model, "new_cache"):
        return model
    from glassformer.engines.torch_steps import quick

    return quick(model)


def load(folder: str | Path, device: str = "auto") -> Run:
    """The model of a run folder, or one that came with the package, by its name. Nothing in it is run, and every
    byte is checked. It computes on a `device` (auto, cpu, cuda, cuda:1, mps), wherever it was trained."""
    place = device_called(device)
    run = RunFolder.open(find(folder))
    card, state, tokens = run.load_model()
    model = build(card.model, card.settings)
    model.load_state_dict(state)
    return Run(model.to(place), card, tokens, run.path)


def find(name: str | Path) -> Path:
    """The folder that is meant: one on the disk, or that of a model that came with the package."""
    pocket = {path.name: path for path in pocket_folders()}
    if Path(name).exists() or not pocket:
        return Path(name)
    if str(name) not in pocket:
        raise InputError(f"{name} is no folder, and no bundled model is called so; {nearest(str(name), pocket)}")
    return pocket[str(name)]


def pocket_folders() -> list[Path]:
    """The run folders of the models that came with the package."""
    return sorted(path.parent for path in _pocket().glob("*/model"))


def pocket_races() -> list[Path]:
    """The races that came with the package."""
    return sorted(path.parent for path in _pocket().glob("*/race.json"))


def _pocket() -> Path:
    return Path(str(resources.files("glassformer.runs"))) / "pocket"


def _doubt(learnt: Mapping[str, Any] | None) -> str:
    """A sentence on what a certificate says of learning, where that is not good news."""
    if not learnt or learnt["better_than_majority"]:
        return ""
    if learnt["undecided"]:
        return "Its own test has too few samples to tell whether it has learnt."
    return f"By its own test this model is {learnt['verdict']}."

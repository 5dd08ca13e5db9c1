"""The models that are served: what each can do, and the workshop that does it. It knows nothing of HTTP."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.models.classifiers import EncoderClassifier
from glassformer.objectives.classes import text_vectors
from glassformer.objectives.objective import Trained
from glassformer.runs.run import Run
from glassformer.serving.metrics import Gauge
from glassformer.serving.work.batches import Batches
from glassformer.serving.work.slots import Slots
from glassformer.serving.work.workshop import Workshop

ABILITIES = {  # what is asked, and in words what a model must be for it
    "completions": "a language model",
    "classify": "a classifier",
    "translate": "a translator",
    "embeddings": "a classifier that attends (an encoder)",
    "trace": "a model",
    "why": "a model",
}


class UnknownModelError(GlassformerError):
    """No model of that name, or none that can do what is asked."""


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """How much is worked at once, and how much may wait.

    slots     texts that a language model writes side by side
    waiting   requests in the queue of each model; of a language model, texts
    """

    slots: int = 32
    waiting: int = 128

    def __post_init__(self) -> None:
        if not 1 <= self.slots <= 1024 or not 1 <= self.waiting <= 100_000:
            raise InputError(
                f"slots is from 1 to 1,024 and the queue from 1 to 100,000; they are {self.slots} and {self.waiting}."
            )


class ServedModel:
    """One run with its workshop."""

    def __init__(self, name: str, run: Run, capacity: Capacity) -> None:
        self.name, self.run = name, run
        predicts, family = run.objective.predict is not None, run.objective.family
        self.encoder = isinstance(run.model, EncoderClassifier)
        self.abilities = [
            *(["completions"] if predicts and family == "language model" else []),
            *(["classify"] if predicts and family == "classifier" else []),
            *(["translate"] if predicts and family == "translator" else []),
            *(["embeddings"] if self.encoder else []),
            *(["trace", "why"] if predicts else []),
        ]
        self.slots = Slots(run.worker, run.tokens, capacity.slots) if "completions" in self.abilities else None
        self.workshop = Workshop(name, self.slots or Batches(self._answers), capacity.waiting)

    @property
    def trained(self) -> Trained:
        """Our own model, which can be looked into, and what must be known to use it."""
        return Trained(self.run.model, self.run.card, self.run.tokens)

    def _answers(self, what: Any, texts: Sequence[str]) -> Sequence[Any]:
        kind, options = what
        if kind == "embeddings":
            return text_vectors(replace(self.trained, model=self.run.worker), texts).tolist()  # type: ignore[no-any-return]
        return self.run.predict(texts, **dict(options))

    def about(self) -> dict[str, Any]:
        """What is said of it in the list of models."""
        card, folder = self.run.card, self.run.folder
        created = int(folder.stat().st_mtime) if folder and folder.exists() else 0
        return {
            "id": self.name,
            "object": "model",
            "created": created,
            "owned_by": "glassformer",
            "task": card.task,
            "kind": card.model,
            "abilities": self.abilities,
            "labels": list(card.labels),
            "parameters": sum(weight.numel() for weight in self.run.model.parameters()),
        }


class Roster:
    """All models that are served, by their names, and one workshop for looking inside them, which `look` does."""

    def __init__(self, runs: Mapping[str, Run], capacity: Capacity, look: Callable[[Any, str], Any]) -> None:
        self.models = {name: ServedModel(name, run, capacity) for name, run in runs.items()}
        self.looking = Workshop("trace", Batches(lambda what, texts: [look(what, text) for text in texts]), 16)

    def find(self, name: str | None, ability: str) -> ServedModel:
        """The model that is meant; without a name, the only one that can do it."""
        able = [each for each in self.models.values() if ability in each.abilities]
        if name is None:
            if len(able) == 1:
                return able[0]
            known = ", ".join(each.name for each in able) or "none"
            raise UnknownModelError(f"Name the model: this needs {ABILITIES[ability]}, and there are: {known}.")
        if name not in self.models:
            raise UnknownModelError(f"There is no model called '{name[:80]}' here; {nearest(name[:80], self.models)}")
        model = self.models[name]
        if ability not in model.abilities:
            can = ", ".join(model.abilities) or "nothing yet; finetune it first"
            raise UnknownModelError(f"'{name}' cannot do this, which needs {ABILITIES[ability]}. It can do: {can}.")
        return model

    def gauges(self) -> list[Gauge]:
        """What the workshops hold."""

        def by_model(value: Any) -> Any:
            return {(("model", each.name),): value(each) for each in self.models.values()}

        writing = [each for each in self.models.values() if each.slots]
        return [
            ("glassformer_waiting", "gauge", "Jobs in the queue.", by_model(lambda each: each.workshop.waiting)),
            ("glassformer_turns_total", "counter", "Batches or steps.", by_model(lambda each: each.workshop.turns)),
            ("glassformer_working", "gauge", "Texts being written.",
             {(("model", each.name),): each.slots.taken for each in writing if each.slots}),
            ("glassformer_tokens_total", "counter", "Tokens that were written.",
             {(("model", each.name),): each.slots.written for each in writing if each.slots}),
        ]  # fmt: skip

    def close(self) -> None:
        """Finishes what was asked, and ends."""
        for each in (*(model.workshop for model in self.models.values()), self.looking):
            each.close()


def named(folders: Sequence[Path]) -> dict[str, Path]:
    """A name for each run folder: its own, with a number behind it where two are alike."""
    found: dict[str, Path] = {}
    for folder in folders:
        name, number = folder.resolve().name, 1
        while name in found:
            number += 1
            name = f"{folder.resolve().name}-{number}"
        found[name] = folder
    return found

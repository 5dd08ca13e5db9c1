"""The shelf of models: those that came with the package, the runs named at the start, and those trained meanwhile.

A model is loaded when it is first asked for, and a few stay loaded. It knows where models stand, and uses none.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from glassformer.drawing.score_words import caution, scored
from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.objectives.predictions import room
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load, pocket_folders

LOADED = 4  # models kept in memory


class Shelf:
    """Names, and the run folders behind them."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._places: dict[str, Path] = {path.name: path for path in pocket_folders()}
        self._loaded: OrderedDict[str, Run] = OrderedDict()
        self._facts: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._mine = [self.add(Path(folder)) for folder in folders]

    def add(self, folder: Path) -> str:
        """Puts a run on the shelf; gives the name under which it stands there."""
        run = RunFolder.open(folder)
        name, number = run.path.resolve().name, 1
        while name in self._places and self._places[name] != run.path:
            number += 1
            name = f"{run.path.resolve().name}-{number}"
        self._places[name] = run.path
        return name

    @property
    def names(self) -> list[str]:
        """All models; those named by the user come first."""
        return sorted(self._places, key=lambda name: name not in self._mine)

    def folder(self, name: str) -> Path:
        """Where a model stands."""
        if name not in self._places:
            raise InputError(f"There is no model called '{name:.80}'; {nearest(name[:80], self._places)}")
        return self._places[name]

    def get(self, name: str) -> Run:
        """The model, loaded."""
        folder = self.folder(name)
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = load(folder)
            self._loaded.move_to_end(name)
            while len(self._loaded) > LOADED:
                self._loaded.popitem(last=False)
            return self._loaded[name]

    def forget(self, name: str) -> None:
        """Loads a model anew the next time, since it may have changed."""
        with self._lock:
            self._loaded.pop(name, None)
            self._facts.pop(name, None)

    def about(self, name: str) -> dict[str, Any]:
        """What is said of a model before it is used; one that cannot be loaded says why."""
        if name not in self._facts:
            try:
                self._facts[name] = {"name": name, **_facts(self.get(name))}
            except GlassformerError as error:
                return {"name": name, "error": str(error)}
        return dict(self._facts[name])


def _facts(run: Run) -> dict[str, Any]:
    card = run.card
    return {
        "task": card.task,
        "objective": card.objective,
        "can_be_led": run.objective.family == "translator",  # along a target
        "goes_on": run.objective.goes_on,
        "model": card.model,
        "data": card.data,
        "labels": list(card.labels),
        "longest": room(card),
        "parameters": sum(weight.numel() for weight in run.model.parameters()),
        "scored": scored(run.scores, run.objective.main),
        "caution": caution(run.scores),
    }

"""The shelf of models: those that came with the package, the runs and the folders of Hugging Face named at the start,
and runs of the studio's own folder, put there when they are asked for.

A model is loaded when it is first asked for, and a few stay loaded. It knows where models stand, and uses none.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from glassformer.drawing.score_words import caution, scored
from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.inside.hugging_face import HuggingFaceModel, hugging_folder, is_hugging_face
from glassformer.inside.why.margins import can_be_shared_out
from glassformer.models.registry import build
from glassformer.objectives.predictions import room
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load, pocket_folders
from glassformer.studio.first_looks import first_look

LOADED = 4  # models kept in memory
FIRST = "sentiment"  # of those that came along: its answer is the plainest
UNTRAINED = "-untrained"  # after a name: the same model before it learnt anything


class Shelf:
    """Names, and the run folders behind them. One name is never another run than before."""

    def __init__(self, folders: Iterable[Path] = (), device: str = "auto", root: Path | None = None) -> None:
        """Beside `folders`, any run that stands in `root` can be asked for by its name."""
        self.device, self.root = device, root
        self._places: dict[str, Path] = {path.name: path for path in pocket_folders()}
        self._offered: dict[str, Path] = {}
        self._loaded: OrderedDict[str, Run | HuggingFaceModel] = OrderedDict()
        self._facts: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._placing = threading.Lock()  # two who ask for one run at once find it under one name
        self._mine = [self.add(Path(folder)) for folder in folders]

    def add(self, folder: Path) -> str:
        """Puts a model on the shelf; gives the name under which it stands there."""
        foreign = is_hugging_face(folder)
        path = folder if foreign else RunFolder.open(folder).path
        stands = (hugging_folder(folder) if foreign else path).resolve().name
        with self._placing:
            if known := self.name_of(path):
                return known
            offered = (name for name, each in self._offered.items() if each.resolve() == path.resolve())
            name, number = next(offered, stands), 1
            while name in self._places or (self._in_root(name) or path).resolve() != path.resolve():
                number += 1
                name = f"{stands}-{number}"
            self.forget(name)
            self._places[name] = path
        return name

    def offer(self, folder: Path) -> None:
        """A run of a race, to be put on the shelf once it is asked for: by its model and its race, so that an address
        leads to the same run whatever else stands here."""
        self._offered.setdefault(_in_race(folder) or folder.name, folder)

    def name_of(self, folder: Path) -> str:
        """The name under which a folder stands here; nothing, if it does not."""
        place = folder.resolve()
        return next((name for name, path in list(self._places.items()) if path.resolve() == place), "")

    def _in_root(self, name: str) -> Path | None:
        """The run of this name in the studio's own folder: one of those that are there, never a path put together."""
        if self.root is None or not self.root.is_dir():
            return None
        return next((each for each in self.root.iterdir() if each.name == name and RunFolder(each).begun), None)

    @property
    def names(self) -> list[str]:
        """All models; those named by the user come first, and of the others the one that is easiest to understand."""
        return sorted(self._places, key=lambda name: (name not in self._mine, name != FIRST))

    def folder(self, name: str) -> Path:
        """Where a model stands; a run of the studio's own folder is put on the shelf."""
        for known in (name, name.removesuffix(UNTRAINED)):
            if known not in self._places and (run := self._in_root(known) or self._offered.get(known)):
                self.add(run)
            if known in self._places:
                return self._places[known]
        own = [each for each in self._places if self.called(each) == each]  # those of a race go by another name here
        raise InputError(f"There is no model called '{name:.80}'; {nearest(name[:80], own)}")

    def called(self, name: str) -> str:
        """The name that people read: a run of a race goes by its model, any other by its own name."""
        place = self._places.get(name)
        return (_in_race(place) if place else "") or name

    def get(self, name: str) -> Run:
        """The model of a run, loaded."""
        found = self.model(name)
        if isinstance(found, HuggingFaceModel):
            raise InputError(f"'{name}' is a folder of Hugging Face, and no run; it can be looked at.")
        return found

    def model(self, name: str) -> Run | HuggingFaceModel:
        """The model, loaded."""
        folder = self.folder(name)
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = self._open(name, folder)
            self._loaded.move_to_end(name)
            while len(self._loaded) > LOADED:
                self._loaded.popitem(last=False)
            return self._loaded[name]

    def _open(self, name: str, folder: Path) -> Run | HuggingFaceModel:
        if is_hugging_face(folder):
            return HuggingFaceModel.open(folder, self.device)
        run = load(folder, self.device)
        return run if name in self._places else untrained(run)

    @property
    def loaded(self) -> list[str]:
        """The models in memory."""
        return list(self._loaded)

    def forget(self, name: str) -> None:
        """Loads a model anew the next time, since it may have changed."""
        with self._lock:
            self._loaded.pop(name, None)
            self._facts.pop(name, None)

    def remove(self, folder: Path) -> None:
        """Takes a model off the shelf, if it stands there."""
        with self._placing:
            name = self.name_of(folder)
            self.forget(name)
            self._places.pop(name, None)

    def about(self, name: str) -> dict[str, Any]:
        """What is said of a model before it is used; one that cannot be loaded says why."""
        if name not in self._facts:
            try:
                kept = first_look(self.folder(name)).get("about") if name in self._places else None
                facts = {**kept, "why": True} if kept else self._facts_of(name)
                self._facts[name] = {"name": name, **facts}
            except GlassformerError as error:
                return {"name": name, "error": str(error)}
        return dict(self._facts[name])

    def _facts_of(self, name: str) -> dict[str, Any]:
        """What is said of a model that has to be loaded, and whether it can be asked why."""
        model = self.model(name)
        return {**facts_of(model), "why": isinstance(model, Run) and can_be_shared_out(model.model)}


def _in_race(place: Path) -> str:
    """What a run of a race is called there: by its model, and by a number where that model has several; nothing, if it
    stands in no race."""
    model, _, number = place.name.rpartition("-")
    if not number.isdigit() or not (place.parent / "race.json").is_file():
        return ""
    one_of_several = number != "0" or (place.parent / f"{model}-1").is_dir()
    return f"{model}{f' {int(number) + 1}' if one_of_several else ''} of {place.parent.name}"


def untrained(run: Run) -> Run:
    """The same model with the weights it began with, or some like them: always the same ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Run(build(run.card.model, run.card.settings), run.card, run.tokens)


def facts_of(run: Run | HuggingFaceModel) -> dict[str, Any]:
    """The same of a model that is loaded."""
    if isinstance(run, HuggingFaceModel):
        nothing = dict.fromkeys(("task", "objective", "data", "scored", "caution"), "")
        size = sum(weight.numel() for weight in run.model.parameters())
        return {
            **nothing, "model": type(run.model).__name__, "labels": [],
            "origin": "; ".join(("opened through transformers", *run.left)),
            "can_be_led": run.reads_two, "goes_on": False, "longest": run.longest, "parameters": size,
        }  # fmt: skip
    card = run.card
    return {
        "task": card.task,
        "objective": card.objective,
        "can_be_led": run.objective.family == "translator",  # along a target
        "goes_on": run.objective.goes_on,
        "model": card.model,
        "data": card.data,
        "origin": f"trained to {card.task} {card.data}" if run.folder else "as it was before training",
        "labels": list(card.labels),
        "longest": room(card),
        "parameters": sum(weight.numel() for weight in run.model.parameters()),
        "scored": scored(run.scores, run.objective.main),
        "caution": caution(run.scores),
    }

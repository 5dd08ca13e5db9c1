"""The room *Race*: how the models of a race stand, how they learnt, and where they disagree on a text of yours.

It reads a race folder and its runs; it trains nobody.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, pocket_races
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.rooms.inside import LONGEST, first_text, reading_look
from glassformer.studio.shelf import Shelf
from glassformer.text.made_sets import MADE
from glassformer.training.race.race_file import read_race

MOST_MODELS = 24
POINTS = 200
JSON = dict[str, Any]


def is_race(folder: Path) -> bool:
    """Whether a folder holds a race."""
    return (folder / "race.json").is_file()


class Races:
    """The room, with the races it was given and those that came with the package. Their runs are put on the shelf when
    they are asked, to be looked into, here or by an address."""

    def __init__(self, shelf: Shelf, folders: Iterable[Path]) -> None:
        self.shelf = shelf
        mine = {folder.resolve().name: folder for folder in folders}
        self.races = mine | {folder.name: folder for folder in pocket_races() if folder.name not in mine}
        for race in self.races.values():
            for run in sorted(each for each in race.iterdir() if RunFolder(each).begun):
                shelf.offer(run)

    @property
    def actions(self) -> dict[str, Callable[[Content], JSON]]:
        """What can be asked for here."""
        return {"race/start": self.start, "race/table": self.table, "race/ask": self.ask}

    def start(self, content: Content) -> JSON:
        """The races."""
        return {"races": list(self.races)}

    def table(self, content: Content) -> JSON:
        """How all stand, with the curve of each run."""
        folder = self._folder(content)
        facts = read_race(folder)
        models = (facts.get("models") or [])[:MOST_MODELS]
        score = facts.get("score") or ""
        return {
            "score": score,
            "samples": facts.get("samples"),
            "baseline": facts.get("guess"),
            "about": _about(facts),
            "first": _first(folder, facts),
            "terms": {
                name: value
                for name, value in (facts.get("terms") or {}).items()
                if isinstance(value, str | int | float)
            },
            "models": [_row(folder, each, score) for each in models],
        }

    def ask(self, content: Content) -> JSON:
        """What each model says of a text, and what it looked at."""
        folder = self._folder(content)
        text = asking.text(content, "text", longest=LONGEST)
        if not text.strip():
            raise InputError("There is no text yet; type one.")
        models = (read_race(folder).get("models") or [])[:MOST_MODELS]
        return {"answers": [self._answer(folder, each, text) for each in models if each.get("runs")]}

    def _answer(self, folder: Path, model: JSON, text: str) -> JSON:
        name, who = model["runs"][0], model.get("model", "")
        try:
            known = self.shelf.add(folder / Path(name).name)
            run = self.shelf.get(known)
            return {"model": who, "inside": known, **_said(run, text), "looked": _looked(run, text)}
        except GlassformerError as error:
            return {"model": who, "error": str(error)}

    def _folder(self, content: Content) -> Path:
        name = asking.text(content, "race")
        if name not in self.races:
            raise InputError(f"There is no race called '{name:.80}'; {nearest(name[:80], self.races)}")
        return self.races[name]


def _about(facts: JSON) -> str:
    """What was learnt, and what a made set asks for; nothing, if the race does not say."""
    terms = facts.get("terms") or {}
    data = str(terms.get("data", ""))
    if not data:
        return ""
    made = MADE.get(data.partition(":")[0])
    return f"to {terms.get('task', '')} {data}" + (f": {made.about}" if made else "")


def _first(folder: Path, facts: JSON) -> str:
    """A text to begin with, as for the first model alone."""
    runs = [name for model in facts.get("models") or [] for name in model.get("runs") or []]
    terms = facts.get("terms") or {}
    one = folder / Path(runs[0]).name if runs else folder
    return first_text(one, str(terms.get("data", "")), str(terms.get("task", "")))


def _row(folder: Path, model: JSON, score: str) -> JSON:
    runs = [Path(name).name for name in model.get("runs") or []]
    return {
        "model": model.get("model", ""),
        "parameters": model.get("parameters"),
        "seconds": model.get("seconds"),
        "score": model.get(score),
        "interval": model.get(f"{score}_interval"),
        "level": model.get("level_with_first", False),
        "p_value": (model.get("behind_first") or {}).get("p_value"),
        "reads_order": model.get("reads_order", True),
        "confusion": _confusion(folder, runs),
        "curves": [_curve(RunFolder(folder / name)) for name in runs],
    }


def _confusion(folder: Path, runs: list[str]) -> JSON | None:
    """Which class the first run took for which, if that was counted."""
    if not runs:
        return None
    try:
        found = (RunFolder(folder / runs[0]).read_scores() or {}).get("confusion")
    except GlassformerError:
        return None
    return found if isinstance(found, dict) and {"labels", "table"} <= found.keys() else None


def _curve(run: RunFolder) -> list[list[float]]:
    """Seconds, and the validation loss."""
    valid = [each for each in run.metrics() if each.get("event") == "judged" and each.get("loss") is not None]
    return [[each.get("seconds", 0.0), each["loss"]] for each in valid[:POINTS]]


def _said(run: Run, text: str) -> JSON:
    found = run.predict([text])[0]
    label = getattr(found, "label", None)
    if label is not None:
        return {"says": label, "scores": getattr(found, "scores", {})}
    return {"says": getattr(found, "translation", None) or getattr(found, "text", ""), "scores": {}}


def _looked(run: Run, text: str) -> list[JSON]:
    """How much each token was looked at in the last attention: the mean over its heads and queries. None, if the model
    attends to nothing."""
    try:
        look = reading_look(run, text)
    except GlassformerError:
        return []
    weights = [entry.values for entry in look.trace.entries.values() if entry.stage.name == "weights"]
    if not weights or weights[-1].ndim != 4:
        return []
    tokens = look.texts.context or look.texts.own
    shares = weights[-1][0].mean((0, 1)).tolist()
    return [{"token": token, "share": share} for token, share in zip(tokens, shares, strict=False)]

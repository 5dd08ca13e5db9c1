"""How a training goes and went, in words: what it does after its last step and what it left undone, what became of its
minutes, why it ended early, and whether it learnt by heart.

It reads what a run has written down, and judges no model.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer.errors import GlassformerError
from glassformer.runs.folder import RunFolder

ENOUGH = 0.5  # of the time asked for, in training: less is told
RISEN = 1.2  # times the least validation loss: one that ends above has risen

JSON = dict[str, Any]
Settings = Mapping[str, Mapping[str, Any]]


def doing(folder: RunFolder, since: float) -> str:
    """What a run that is being trained does after its last step: `judging`, `certifying` or `reporting`; nothing, while
    it learns. Files from before `since`, of a run that was resumed, say nothing."""
    files = ("model", "scores.json", "certificate.json")
    made = [(path := folder.path / name).exists() and path.stat().st_mtime >= since for name in files]
    return ("", "judging", "certifying", "reporting")[made.index(False) if False in made else 3]


def left_undone(folder: RunFolder) -> str:
    """What a run that has its model was stopped in: `judging`, `certifying` or `reporting`; nothing, if it came to its
    end, or was not trained here."""
    try:
        trained = "plan" in folder.settings
    except GlassformerError:
        return ""
    if folder.finished or not trained:
        return ""
    return doing(folder, 0.0) or "judging"


def went(settings: Settings, metrics: Sequence[JSON], left: str = "") -> list[str]:
    """What must be known of a run that has its model; `left` is what it left undone."""
    judged = [each for each in metrics if each.get("event") == "judged" and each.get("loss") is not None]
    trained = max((each.get("seconds", 0.0) for each in metrics), default=0.0)
    asked = 60 * settings.get("run", {}).get("minutes", 0.0)
    impatient = _impatient(settings, judged)
    if left:
        found = _stopped(left, clock(trained))
    elif impatient:
        found = f"It ended after {clock(trained)}{f' of {clock(asked)}' if asked else ''}: {impatient}."
    elif asked and trained < ENOUGH * asked:
        found = (
            f"Of the {clock(asked)} asked for, {clock(trained)} were spent on training. Reading, measuring and "
            "evaluating have their part of the time; what then was left was not spent: how many steps there are is "
            "planned before, from a few that are measured, which a busy machine makes slow."
        )
    else:
        found = ""
    return [each for each in (found, risen(judged, last=bool(settings.get("plan", {}).get("keep_last")))) if each]


def _stopped(left: str, trained: str) -> str:
    """Who stops a run after its last step keeps the model, and not what would be said of it."""
    missing = {
        "judging": "its scores and its certificate are missing. Resume gives them",
        "certifying": "its certificate is missing. Resume gives it",
        "reporting": "its report is missing. Resume gives it",
    }
    return (
        f"It was stopped while {left}: training had ended after {trained}, and the model is kept; {missing[left]}, "
        "and first trains what may be left of its minutes."
    )


def risen(judged: Sequence[JSON], *, last: bool) -> str:
    """Where the validation loss ends far above its least; `last`, if the last weights are kept whatever it was."""
    if not judged:
        return ""
    least = min(judged, key=lambda each: float(each["loss"]))
    end = judged[-1]
    if end["loss"] <= RISEN * least["loss"]:
        return ""
    kept = "those of the end" if last else "those of the least loss"
    return (
        f"Validation loss was least after {clock(least['seconds'])}, {least['loss']:.3g}, and has risen to "
        f"{end['loss']:.3g}: from there on it learnt the training texts by heart, and where it is wrong it is sure of "
        f"it. The weights that are kept are {kept}."
    )


def _impatient(settings: Settings, judged: Sequence[JSON]) -> str:
    patience = int(settings.get("plan", {}).get("patience", 0) or 0)
    since = next((i for i, each in enumerate(reversed(judged)) if each.get("best")), len(judged))
    return f"validation loss had not fallen in {since} looks at the validation part" if 0 < patience <= since else ""


def clock(seconds: float) -> str:
    """`12 s`, or `3.5 min`."""
    if seconds >= 90:
        return f"{seconds / 60:.1f} min".replace(".0 ", " ")
    return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"

"""How a training went, in sentences: what became of its minutes, why it ended early, and whether it learnt by heart.

It reads what a run has written down, and judges no model.
"""

from collections.abc import Mapping, Sequence
from typing import Any

ENOUGH = 0.5  # of the time asked for, in training: less is told
RISEN = 1.2  # times the least validation loss: one that ends above has risen

JSON = dict[str, Any]
Settings = Mapping[str, Mapping[str, Any]]


def went(settings: Settings, metrics: Sequence[JSON]) -> list[str]:
    """What must be known of a run that has ended by itself."""
    judged = [each for each in metrics if each.get("event") == "judged" and each.get("loss") is not None]
    trained = max((each.get("seconds", 0.0) for each in metrics), default=0.0)
    asked = 60 * settings.get("run", {}).get("minutes", 0.0)
    impatient = _impatient(settings, judged)
    if impatient:
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

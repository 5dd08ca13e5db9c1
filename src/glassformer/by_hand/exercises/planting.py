"""Plants slips in workings: each cause of the catalogue as a hand makes it. For exercises in marking, and for tests.

A slip is planted only where it shows: rounding must not be able to explain it away.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from glassformer.by_hand.exercises.workings import Floats, Step, WorkedExercise, rounded_on_paper, row_softmax, work_out
from glassformer.by_hand.slips import causes

Given = Mapping[str, Floats]
Wrong = Callable[[Given], Floats]


@dataclass(frozen=True)
class Slip:
    """One slip: which step, which places (counted from 0), why, and whether later steps went on with it."""

    symbol: str
    places: tuple[tuple[int, int], ...]
    cause: str
    carried: bool


PEN = (causes.SIGN, causes.DIGITS, causes.POINT, causes.EXCHANGED, causes.NEIGHBOUR)


def plant(
    working: WorkedExercise, seed: int, *, count: int = 1, from_printed: bool = True, blanks: tuple[str, ...] = ()
) -> tuple[WorkedExercise, list[Slip]]:
    """The working with `count` slips in different steps, chosen by `seed`; fewer if they would not show.

    With `blanks` only these steps are the student's; all others stay as the teacher printed them.
    """
    draw = np.random.default_rng(seed)
    own = [step.symbol for step in working.steps if not blanks or step.symbol in blanks]
    for _ in range(60):
        symbols = {str(symbol) for symbol in draw.choice(own, size=min(count, len(own)), replace=False)}
        gardener = _Gardener(working, symbols, draw, frozenset(own))
        slipped = work_out(working, from_printed=from_printed, change=gardener)
        if len(gardener.planted) == len(symbols):
            return slipped, gardener.planted
    return working, []


class _Gardener:
    """Changes the chosen steps as the working comes by them."""

    def __init__(
        self, working: WorkedExercise, symbols: set[str], draw: np.random.Generator, own: frozenset[str]
    ) -> None:
        self.working, self.symbols, self.draw, self.own = working, symbols, draw, own
        self.planted: list[Slip] = []

    def __call__(self, step: Step, right: Floats, numbers: Given) -> tuple[Floats, bool] | None:
        if step.symbol not in self.own:
            return self.working.answers[step.symbol], True  # printed on the sheet, and gone on with
        if step.symbol not in self.symbols:
            return None
        decimals = self.working.decimals
        shown = rounded_on_paper(right, decimals)
        choices = [*PEN, *_methods(step, self.working)]
        cause = choices[int(self.draw.integers(len(choices)))]
        carried = bool(self.draw.integers(2))
        pen = cause in PEN
        wrong = _pen(cause, shown, self.draw, decimals) if pen else _method(step, cause, self.working, numbers)
        places = [] if wrong is None else _showing(wrong, shown, decimals)
        if wrong is None or not places:
            return None
        self.planted.append(Slip(step.symbol, tuple(places), cause, carried))
        return wrong, carried


def _showing(wrong: Floats, right: Floats, decimals: int) -> list[tuple[int, int]]:
    """The places that changed, if at one of them at least the difference is too large for rounding; else none."""
    shown = rounded_on_paper(wrong, decimals)
    finite = np.isfinite(shown) & np.isfinite(right)
    with np.errstate(invalid="ignore"):
        changed = np.where(finite, np.abs(shown - right), np.where(shown == right, 0.0, 1.0))
    if not (changed >= max(12 * 10.0**-decimals, 0.02)).any():
        return []
    return [(int(i), int(j)) for i, j in np.argwhere(changed > 0)]


def _pen(cause: str, right: Floats, draw: np.random.Generator, decimals: int) -> Floats | None:
    """One entry written down wrongly."""
    finite = np.argwhere(np.isfinite(right) & (right != 0))
    if not len(finite):
        return None
    i, j = (int(each) for each in finite[int(draw.integers(len(finite)))])
    wrong = right.copy()
    rows, columns = right.shape
    if cause == causes.SIGN:
        wrong[i, j] = -right[i, j]
    elif cause == causes.DIGITS:
        text = list(f"{abs(right[i, j]):.{decimals}f}")
        digits = [place for place, sign in enumerate(text) if sign.isdigit()]
        at = int(draw.integers(len(digits) - 1))
        a, b = digits[at], digits[at + 1]
        text[a], text[b] = text[b], text[a]
        wrong[i, j] = np.sign(right[i, j]) * float("".join(text))
        if any(abs(wrong[i, j] - right[i, j] * factor) < 10.0**-decimals for factor in (10.0, 0.1)):
            return None  # 0.50 → 5.00 is also a moved point
    elif cause == causes.POINT:
        wrong[i, j] = right[i, j] * (10.0 if draw.integers(2) else 0.1)
    elif cause == causes.EXCHANGED:
        if rows != columns or rows < 2:
            return None
        wrong[i, j], wrong[j, i] = right[j, i], right[i, j]
    else:
        beside = [(i, j - 1), (i, j + 1), (i - 1, j), (i + 1, j)]
        inside = [(a, b) for a, b in beside if 0 <= a < rows and 0 <= b < columns and np.isfinite(right[a, b])]
        if not inside:
            return None
        wrong[i, j] = right[inside[int(draw.integers(len(inside)))]]
    return wrong


def _methods(step: Step, working: WorkedExercise) -> list[str]:
    """The slips of method that this step allows."""
    return [cause for cause in _METHODS if _wrong_way(step, cause, working) is not None]


def _method(step: Step, cause: str, working: WorkedExercise, numbers: Given) -> Floats | None:
    way = _wrong_way(step, cause, working)
    if way is None:
        return None
    wrong, right = way(numbers), step.work(numbers)
    return wrong if wrong.shape == right.shape and bool(np.isfinite(wrong).all()) else None


_METHODS = (
    causes.NOT_SCALED, causes.SCALED_BY_D, causes.TURNED, causes.WRONG_AXIS, causes.NO_EXP, causes.UNSCALED,
    causes.UNMASKED, causes.MASK_AFTER, causes.Q_Q, causes.COPIED,
)  # fmt: skip


def _wrong_way(step: Step, cause: str, working: WorkedExercise) -> Wrong | None:
    """How the step is worked out by somebody who makes this slip."""
    head = step.symbol[1:]
    width = working.given["X"].shape[1]
    q, s, z = f"Q{head}", f"S{head}", f"Z{head}"
    is_softmax = step.stage == "weights" and "softmax" in step.plain
    masked = working.variant == "masked"
    if step.stage == "scaled" and width > 1:
        ways: dict[str, Wrong] = {causes.NOT_SCALED: lambda n: n[s], causes.SCALED_BY_D: lambda n: n[s] / width}
        return ways.get(cause)
    if step.stage in ("queries", "keys", "values") and cause == causes.TURNED:
        rows, weight = step.plain.split()
        return lambda n: n[rows] @ n[weight].T
    if step.stage == "scores" and cause == causes.Q_Q and working.variant != "cross":
        return lambda n: n[q] @ n[q].T
    if step.stage == "output" and cause == causes.COPIED:
        return lambda n: n[step.plain.split()[0]]
    if not is_softmax:
        return None
    weighed = f"B{head}" if masked else z
    mask = working.given.get("M")
    ways = {
        causes.WRONG_AXIS: lambda n: row_softmax(n[weighed].T).T,
        causes.NO_EXP: lambda n: _shares(n[weighed]),
        causes.UNSCALED: lambda n: row_softmax(n[s] + (0.0 if mask is None else mask)),
    }
    if mask is not None:
        ways |= {
            causes.UNMASKED: lambda n: row_softmax(n[z]),
            causes.MASK_AFTER: lambda n: row_softmax(n[z]) * np.isfinite(mask),
        }
        ways.pop(causes.NO_EXP)
    return ways.get(cause)


def _shares(scores: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

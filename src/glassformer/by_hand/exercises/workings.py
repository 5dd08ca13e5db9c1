"""Makes workings: attention worked by hand on made-up numbers, as a list of steps that can be printed and slipped in.

Exercises are made from it, and so are the tests of the checker; it shares no code with the checker. Plain numpy: every
step is one line of arithmetic. Writes nothing; see writing.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import InputError, nearest

Floats = NDArray[np.float64]
Numbers = dict[str, Floats]
VARIANTS = ("plain", "masked", "cross", "two-heads", "sigmoid")


@dataclass(frozen=True)
class Step:
    """One result: its symbol, its formula in plain text and LaTeX, and how it is worked out."""

    symbol: str
    stage: str
    plain: str
    latex: str
    work: Callable[[Mapping[str, Floats]], Floats]


@dataclass(frozen=True)
class WorkedExercise:
    """The given numbers, and the steps in order."""

    variant: str
    decimals: int
    given: Numbers
    steps: tuple[Step, ...]
    tokens: tuple[str, ...] = ()
    answers: Numbers = field(default_factory=dict)  # each step as printed

    def step(self, symbol: str) -> Step:
        """The step that gives `symbol`."""
        return next(step for step in self.steps if step.symbol == symbol)


# Sees a step, its right result and the numbers before it; answers with what is written down, and if it is gone on with.
Change = Callable[[Step, Floats, Mapping[str, Floats]], tuple[Floats, bool] | None]

_WORDS = ("tea", "milk", "cup", "rain", "hill", "owl", "pear", "sea")


def make_working(
    seed: int,
    variant: str = "plain",
    *,
    tokens: int = 3,
    width: int = 2,
    decimals: int = 2,
    whole: bool = True,
    from_printed: bool = True,
) -> WorkedExercise:
    """A working with numbers drawn from `seed`; `whole` ones are given as small whole numbers, else as decimals.

    `from_printed` goes on with each result as printed, as with pencil and paper; else all digits are kept.
    """
    if variant not in VARIANTS:
        raise InputError(f"There is no variant '{variant}'; {nearest(variant, VARIANTS)}")
    if not 1 <= tokens <= len(_WORDS) or not 1 <= width <= 8:
        raise InputError(f"{tokens} tokens of width {width}: choose 1 to {len(_WORDS)} tokens and a width of 1 to 8.")
    draw = np.random.default_rng(seed)
    for _ in range(60):
        given = _given(draw, variant, tokens, width, None if whole else decimals)
        steps = _steps(variant, width)
        working = WorkedExercise(variant, decimals, given, tuple(steps), _WORDS[:tokens])
        answered = work_out(working, from_printed=from_printed)
        if not whole or _is_friendly(answered):
            break
    return answered


def _is_friendly(working: WorkedExercise) -> bool:
    """No score so large that softmax is all or nothing, and none of the given matrices empty."""
    scores = [numbers for symbol, numbers in working.answers.items() if symbol.startswith("Z")]
    small = all(bool((np.abs(numbers) <= 3).all()) for numbers in scores)
    varied = all(bool(numbers.any()) for symbol, numbers in working.given.items() if symbol != "M")
    return small and varied and any(bool(np.ptp(numbers) > 0.5) for numbers in scores)


def _given(draw: np.random.Generator, variant: str, tokens: int, width: int, decimals: int | None) -> Numbers:
    """Small whole numbers, or decimals."""

    def matrix(rows: int, columns: int) -> Floats:
        if decimals is None:
            return draw.integers(-1, 3, size=(rows, columns)).astype(np.float64)
        return np.round(draw.normal(size=(rows, columns)), decimals)

    given: Numbers = {"X": matrix(tokens, width)}
    if variant == "cross":
        given["C"] = matrix(tokens + 1, width)
    heads = ("_1", "_2") if variant == "two-heads" else ("",)
    for head in heads:
        for letter in "QKV":
            given[f"W_{letter}{head[1:]}"] = matrix(width, width)
    if variant == "masked":
        given["M"] = np.where(np.tril(np.ones((tokens, tokens))) > 0, 0.0, -np.inf)
    given["W_O"] = matrix(width * len(heads), width)
    return given


def _steps(variant: str, width: int) -> list[Step]:
    heads = ("_1", "_2") if variant == "two-heads" else ("",)
    return [step for head in heads for step in _head(head, variant, width)] + _joined(heads)


def work_out(
    working: WorkedExercise,
    *,
    from_printed: bool = True,
    change: Change | None = None,
) -> WorkedExercise:
    """Fills in the answers. `change` may put other numbers in the place of a step's, and say that they go on."""
    numbers = dict(working.given)
    answers: Numbers = {}
    for step in working.steps:
        right = step.work(numbers)
        shown = rounded_on_paper(right, working.decimals)
        answers[step.symbol] = shown
        numbers[step.symbol] = shown if from_printed else right
        slipped = change(step, right, numbers) if change else None
        if slipped is not None:
            answers[step.symbol] = rounded_on_paper(slipped[0], working.decimals)
            if slipped[1]:
                numbers[step.symbol] = answers[step.symbol]
    return replace(working, answers=answers)


def rounded_on_paper(numbers: Floats, decimals: int) -> Floats:
    """Rounded as on paper, half away from zero."""
    with np.errstate(invalid="ignore"):
        scaled = np.abs(numbers) * 10.0**decimals
        rounded = np.floor(scaled + 0.5 + 1e-9) / 10.0**decimals
        return np.where(np.isfinite(numbers), np.sign(numbers) * rounded + 0.0, numbers)


def row_softmax(scores: Floats) -> Floats:
    """Row by row."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def sigmoid(scores: Floats) -> Floats:
    """Entry by entry."""
    return np.asarray(1 / (1 + np.exp(-scores)))


def _head(head: str, variant: str, width: int) -> list[Step]:
    """Queries to mixed values of one head, whose symbols end in `head`."""
    w = head[1:]
    q, k, v, s, z, b, a, h = (f"{letter}{head}" for letter in "QKVSZBAH")
    source = "C" if variant == "cross" else "X"
    steps = [_project(q, "queries", "X", f"W_Q{w}"), _project(k, "keys", source, f"W_K{w}")]
    steps.append(_project(v, "values", source, f"W_V{w}"))
    steps.append(Step(s, "scores", f"{q} {k}^T", rf"{q} {k}^{{\top}}", lambda n: n[q] @ n[k].T))
    scale = np.sqrt(width)
    root = rf"\sqrt{{{width}}}"
    steps.append(Step(z, "scaled", f"{s} / √{width}", rf"\frac{{{s}}}{{{root}}}", lambda n: n[s] / scale))
    weighed = z
    if variant == "masked":
        steps.append(Step(b, "masked", f"{z} + M", f"{z} + M", lambda n: n[z] + n["M"]))
        weighed = b
    weigh, word = (sigmoid, "sigmoid") if variant == "sigmoid" else (row_softmax, "softmax")
    latex = rf"\operatorname{{{word}}}({weighed})"
    steps.append(Step(a, "weights", f"{word}({weighed})", latex, lambda n: weigh(n[weighed])))
    steps.append(Step(h, "mixed", f"{a} {v}", f"{a} {v}", lambda n: n[a] @ n[v]))
    return steps


def _project(symbol: str, stage: str, rows: str, weight: str) -> Step:
    name = f"{weight[:2]}{{{weight[2:]}}}" if len(weight) > 3 else weight
    return Step(symbol, stage, f"{rows} {weight}", f"{rows} {name}", lambda n: n[rows] @ n[weight])


def _joined(heads: tuple[str, ...]) -> list[Step]:
    if len(heads) == 1:
        return [Step("Y", "output", "H W_O", "H W_O", lambda n: n["H"] @ n["W_O"])]
    mixed = [f"H{head}" for head in heads]
    both = f"concat({', '.join(mixed)})"
    latex = rf"\operatorname{{concat}}({', '.join(mixed)})"
    return [
        Step("J", "joined", both, latex, lambda n: np.concatenate([n[name] for name in mixed], axis=1)),
        Step("Y", "output", "J W_O", "J W_O", lambda n: n["J"] @ n["W_O"]),
    ]

"""The mask laboratory as a page of text: the scores and the mask, then every trial with its verdict in words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.style import Style
from rich.text import Text

from glassformer.by_hand.worksheets.handout import labels
from glassformer.by_hand.worksheets.mask_laboratory import Experiment, Trial
from glassformer.drawing.matrices import (
    INDENT,
    Block,
    DrawnMatrix,
    Picture,
    barred,
    flow,
    heading,
    indented,
    shade,
    side_by_side,
    symbol_and_shape,
    words,
)
from glassformer.errors import InputError
from glassformer.stages import notation
from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Trace

_WORDS = 30  # columns for what is said beside the weights
_WRONG = Style(color="red", bold=True)


@dataclass(frozen=True)
class Setting:
    """What the laboratory works on."""

    title: str
    symbol: str  # of the scores
    scores: Array  # Tq Tk
    mask: Array  # Tq Tk
    queries: tuple[str, ...]  # the tokens, if there are any
    keys: tuple[str, ...]  # the tokens, or their places
    precision: int = 4

    def row(self, i: int) -> str:
        """A row by its token, or by its place."""
        return f"row “{self.queries[i]}”" if i < len(self.queries) else f"row {i}"


def setting_of(trace: Trace, precision: int = 4) -> Setting:
    """The scores and the mask of a trace; of several heads the first."""
    if "masked" not in trace:
        raise InputError(
            "There is no mask here to try; give a worksheet with one, a --sentence with --causal, or nothing: an "
            "example is taken then."
        )
    scores = trace.operands("masked")[0] or ""
    heads = trace[scores].shape[1]
    title = str(trace.about["title"])
    mask = np.broadcast_to(trace["mask"], trace[scores].shape)[0, 0]
    return Setting(
        f"{title} (head 0 of {heads})" if heads > 1 else title,
        trace.entry(scores).stage.symbol,
        trace[scores][0, 0],
        mask,
        labels(trace, "Tq"),
        labels(trace, "Tk") or tuple(str(i) for i in range(mask.shape[-1])),
        precision,
    )


def laboratory_page(setting: Setting, experiments: Sequence[Experiment], width: int) -> Block:
    """Four masks on the same scores, in each of the experiments."""
    room = width - INDENT
    lines = [Text(), *indented(words(f"The mask laboratory: {setting.title}", room, "bold"))]
    lines += [*indented(words("Four ways to hide a token. Which of them hide it?", room, "dim")), Text()]
    given = [
        [symbol_and_shape(setting.symbol, "score", setting.scores.shape), *_scores(setting).draw(room)],
        [symbol_and_shape("M", "score", setting.mask.shape), *_mask(setting, setting.mask).draw(room)],
    ]
    lines += [*heading("given", width), *indented(flow(given, room)), Text()]
    for experiment in experiments:
        lines += heading(experiment.title, width)
        if experiment.note:
            lines += [*indented(words(experiment.note, room, "dim")), Text()]
        if not np.array_equal(experiment.mask, setting.mask):
            title = symbol_and_shape("M", "score", experiment.mask.shape)
            lines += indented([title, *_mask(setting, experiment.mask).draw(room), Text()])
        for trial in experiment.trials:
            lines += [*_trial(setting, experiment, trial, width), Text()]
    return [*lines, *indented(_lessons(room)), Text()]


def _scores(setting: Setting) -> DrawnMatrix:
    numbers = notation.without_noise(setting.scores)
    decimals = notation.decimals_needed(numbers, setting.precision)
    largest = float(np.abs(numbers).max(initial=0.0))
    cells = [
        [Text(notation.aligned(each, decimals, setting.precision), shade(each, "score", largest)) for each in row]
        for row in numbers.tolist()
    ]
    return DrawnMatrix(cells, setting.queries, setting.keys)


def _mask(setting: Setting, mask: Array) -> DrawnMatrix:
    cells = [[Text("✓" if each else "·", style=shade(each, "score", 1.0)) for each in row] for row in mask.tolist()]
    return DrawnMatrix(cells, setting.queries, setting.keys)


def _trial(setting: Setting, experiment: Experiment, trial: Trial, width: int) -> Block:
    verdicts = [f"✗ {each}" for each in _wrongs(setting, trial)]
    said: list[tuple[str, str | Style]] = [(trial.style, "bold"), (trial.formula, "dim")]
    said += [(each, _WRONG) for each in verdicts] or [("✓ hides it", Style(color="green", bold=True))]
    matrix, sums = _weights(setting, experiment, trial), _sums(trial, setting.precision)
    beside = sum(max(line.cell_len for line in column) + 2 for column in sums)
    return barred(
        lambda room: [line for text, style in said for line in words(text, room, style, hanging=2 if style else 0)],
        Picture(matrix.needs + beside, lambda room: side_by_side([matrix.draw(room - beside), *sums])),
        "score",
        width,
        _WORDS,
    )


def _wrongs(setting: Setting, trial: Trial) -> list[str]:
    """What is wrong, in words, each with the row where it is worst."""
    wrongs = []
    if trial.leaked > 0:
        wrongs.append(f"{_share(trial.leaked)} of {setting.row(int(trial.leaks.argmax()))} goes to hidden tokens")
    torn = ~trial.whole & (trial.leaks == 0)
    if torn.any():
        row = int(torn.argmax())
        wrongs.append(f"{setting.row(row)} sums to {notation.plain(2)(float(trial.row_sums[row]))}")
    if trial.felt > 0:
        row = int(trial.slopes.argmax())
        wrongs.append(f"hidden scores are felt in {setting.row(row)} (slope {notation.plain(2)(trial.felt)})")
    return wrongs


def _share(number: float) -> str:
    return "all" if number > 0.995 else f"{number:.2f}" if number >= 0.01 else notation.plain(2)(number)


def _weights(setting: Setting, experiment: Experiment, trial: Trial) -> DrawnMatrix:
    decimals = notation.decimals_needed(trial.weights, setting.precision)

    def cell(number: float, allowed: bool) -> Text:
        tiny = notation.is_tiny(number, decimals)
        text = notation.below(decimals) if tiny else notation.aligned(number, decimals, setting.precision)
        return Text(text, style=_WRONG if number and not allowed else shade(number, "score", 1.0))

    cells = [
        [cell(float(n), bool(may)) for n, may in zip(row, allowed, strict=True)]
        for row, allowed in zip(trial.weights, experiment.mask, strict=True)
    ]
    return DrawnMatrix(cells, setting.queries, setting.keys)


def _sums(trial: Trial, precision: int) -> list[Block]:
    """Two columns beside the weights: what each row sums to, and how much of it leaks."""
    columns = []
    wrongs = (~trial.whole, trial.leaks > 0)
    for name, numbers, wrong in zip(("sum", "leaked"), (trial.row_sums, trial.leaks), wrongs, strict=True):
        decimals = notation.decimals_needed(numbers, min(precision, 4))  # what goes wrong shows early
        texts = [notation.below(decimals) if notation.is_tiny(n, decimals) else f"{n:.{decimals}f}" for n in numbers]
        width = max(map(len, [name, *texts]))
        lines = [Text(t.rjust(width), style=_WRONG if w else "dim") for t, w in zip(texts, wrong, strict=True)]
        columns.append([Text(name.rjust(width), style="dim"), *lines])
    return columns


def _lessons(room: int) -> Block:
    lines = []
    for term, meaning in (
        ("sum", "what a row's weights add up to: 1, or 0 for a row that may look at nothing."),
        ("leaked", "the share of a row that still goes to tokens it may not look at."),
        ("felt", "the allowed weights move when a hidden score moves; slope says how far, at most."),
    ):
        said = words(meaning, room - 8, "dim")
        lines += [
            Text.assemble(Text(f"{term if k == 0 else '':<8}", style="bold"), line) for k, line in enumerate(said)
        ]
    return lines

"""A worked solution in the terminal: each stage a formula, a sentence and a matrix coloured by size."""

import os
import sys
from collections.abc import Sequence

import numpy as np
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from glassformer import notation
from glassformer.arithmetic import Array
from glassformer.mask_laboratory import Trial
from glassformer.solution import Shown, Solution

# One colour per role, the same in every room: queries blue, keys orange, values green, scores and weights violet.
COLOURS = {
    "query": (64, 140, 255),
    "key": (238, 132, 34),
    "value": (48, 172, 76),
    "score": (168, 108, 246),
    "plain": (140, 148, 160),
}
WIDEST = 108  # a page, however wide the window
_LEFT = 38  # columns for the formula and its sentence


class _Page(Console):
    """A console whose reader may leave early, as in `glassformer explain | head`."""

    def on_broken_pipe(self) -> None:
        """Stops writing, and that is no failure."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def page() -> Console:
    """Where a command shows its answer: standard output, with colour where it is wanted."""
    return _Page(highlight=False)


def show_solution(console: Console, solution: Solution, *, precision: int = 4, number: str | None = None) -> None:
    """The whole solution: what is given, each stage, and one number's arithmetic."""
    width = min(console.width, WIDEST)
    arithmetic = _number(solution, number, precision)  # first of all, so that a wrong address costs no page
    console.print()
    console.print(Text(f"  {solution.sheet.title}", style="bold"))
    if solution.sheet.about:
        console.print(Text(f"  {solution.sheet.about}", style="dim"))
    console.print()
    console.print(_heading("given", width))
    given = [shown for shown in solution.stages() if shown.given and shown.values.ndim]
    console.print(Padding(Columns([_given(solution, each, precision) for each in given], padding=(1, 4)), (1, 0, 0, 2)))
    console.print()
    console.print(_heading("worked", width))
    console.print()
    for shown in _worth_showing(solution.stages()):
        console.print(_stage(console, solution, shown, precision, width))
        console.print()
    console.print(_heading("one number", width))
    console.print()
    console.print(arithmetic)
    console.print()


def _worth_showing(stages: Sequence[Shown]) -> list[Shown]:
    """What was made; a stage that only repeats an earlier one is left out, unless it is the last."""
    made = [shown for shown in stages if not shown.given]
    return [shown for shown in made if not shown.repeats or shown is made[-1]]


def _heading(words: str, width: int) -> RenderableType:
    rule = Table.grid()
    rule.add_column(width=width - 2)
    rule.add_row(Rule(Text(words, style="bold"), align="left", style="dim"))
    return Padding(rule, (0, 0, 0, 2))


def _given(solution: Solution, shown: Shown, precision: int) -> RenderableType:
    title = Text()
    title.append(shown.stage.symbol, style=Style(color=_rgb(shown.stage.role), bold=True))
    title.append(f"  {notation.shape(shown.values.shape)}", style="dim")
    return Group(title, _matrices(solution, shown, precision, WIDEST))


def _stage(console: Console, solution: Solution, shown: Shown, precision: int, width: int) -> RenderableType:
    colour = _rgb(shown.stage.role)
    formula = Text(shown.plain, style=Style(color=colour, bold=True))
    words = Text(shown.stage.meaning, style="dim")
    detail = Text(_detail(solution, shown, precision), style="dim")
    page = Table.grid(padding=(0, 2))
    page.add_column(width=_LEFT)
    page.add_column()
    matrix: RenderableType = _matrices(solution, shown, precision, width - _LEFT - 5)
    if shown.repeats:
        matrix = Text(f"the same numbers as {shown.repeats}", style="dim italic")
    page.add_row(Group(formula, words, detail), matrix)
    lines = len(console.render_lines(page, console.options.update(width=width - 5)))
    barred = Table.grid(padding=(0, 2))
    barred.add_row(Text("\n".join("▌" * lines), style=Style(color=colour)), page)
    return Padding(barred, (0, 0, 0, 2))


def _detail(solution: Solution, shown: Shown, precision: int) -> str:
    shape = notation.shape(shown.values.shape)
    operands = [entry for entry in solution.trace.operands(shown.name) if entry]
    single = [solution.trace.entry(name) for name in operands if solution.trace[name].ndim == 0]
    facts = [f"{each.stage.symbol} = {notation.plain(precision)(float(each.values))}" for each in single]
    return " · ".join([shape, *facts])


def _matrices(solution: Solution, shown: Shown, precision: int, room: int) -> RenderableType:
    rows = solution.labels(shown.axes[-2]) if len(shown.axes) > 1 else []
    columns = solution.labels(shown.axes[-1]) if shown.axes else []
    scale = 1.0  # of a mask
    if shown.values.dtype.kind == "f":
        scale = float(np.abs(shown.values[np.isfinite(shown.values)]).max(initial=0.0))
    drawn = []
    for head, values in shown.matrices():
        lines = _draw(values, rows, columns, precision, COLOURS[shown.stage.role], scale)
        drawn.append(Text("\n").join(_cut(line, room) for line in ([Text(head, style="dim")] if head else []) + lines))
    return drawn[0] if len(drawn) == 1 else Columns(drawn, padding=(0, 4))


def _cut(line: Text, room: int) -> Text:
    line.truncate(max(room, 20), overflow="ellipsis")
    return line


def _draw(
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    precision: int,
    colour: tuple[int, int, int],
    scale: float,
) -> list[Text]:
    """The lines of a matrix in tall brackets, with its tokens beside and above."""
    cells = notation.matrix_cells(values, precision)
    width = max(len(cell) for row in cells for cell in row)
    if len(columns) == len(cells[0]):
        width = max(width, *(min(len(word), 8) for word in columns))
    margin = max((min(len(word), 10) for word in rows), default=0)
    lines = []
    if len(columns) == len(cells[0]):
        head = "  ".join(word[:width].rjust(width) for word in columns)
        lines.append(Text(" " * (margin + 3) + head, style="dim"))
    for i, (row, numbers) in enumerate(zip(cells, values, strict=True)):
        line = Text()
        line.append((rows[i][:10] if i < len(rows) else "").rjust(margin) + " ", style="dim")
        line.append(_bracket(i, len(cells), "⎡⎢⎣[") + " ", style="dim")
        for j, (cell, number) in enumerate(zip(row, numbers, strict=True)):
            line.append("  " if j else "")
            line.append(cell.rjust(width), style=_shade(float(number), colour, scale))
        line.append(" " + _bracket(i, len(cells), "⎤⎥⎦]"), style="dim")
        lines.append(line)
    return lines


def _bracket(row: int, rows: int, signs: str) -> str:
    if rows == 1:
        return signs[3]
    return signs[0] if row == 0 else signs[2] if row == rows - 1 else signs[1]


def _shade(number: float, colour: tuple[int, int, int], scale: float) -> Style:
    """The larger the number, the fuller its colour; what is hidden is dim, and what is negative is in italics."""
    if not np.isfinite(number) or scale == 0.0:
        return Style(dim=True)
    share = 0.35 + 0.65 * min(abs(number) / scale, 1.0)
    grey = 150
    mixed = tuple(int(grey + (channel - grey) * share) for channel in colour)
    return Style(color=f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", bold=share > 0.7, italic=number < 0)


def _rgb(role: str) -> str:
    return "rgb({},{},{})".format(*COLOURS[role])


def _number(solution: Solution, number: str | None, precision: int) -> RenderableType:
    explanation = solution.explain(number)
    entry = solution.trace.entry(explanation.address)
    place = solution.trace.place(explanation.address, explanation.index)
    title = Text("  ")
    title.append(place, style=Style(color=_rgb(entry.stage.role), bold=True))
    title.append(f"   {_whereabouts(solution, explanation.address, explanation.index)}", style="dim")
    formula = Text(f"  {explanation.formula}", style="dim")
    steps = explanation.spell(notation.plain(precision)).split(" = ")
    spelled = Table.grid(padding=(0, 1))
    for step in steps:
        spelled.add_row("=", Text(step, style="bold" if step is steps[-1] else ""))
    return Group(title, formula, Padding(spelled, (0, 0, 0, 4)))


def _whereabouts(solution: Solution, address: str, index: Sequence[int]) -> str:
    """Which row and column that is, in words; places are counted from 0."""
    entry = solution.trace.entry(address)
    places = []
    for axis, i, size in zip(entry.axes, index, entry.values.shape, strict=True):
        words = solution.labels(axis)
        if axis == "H" and size > 1:
            places.append(f"head {i + 1}")
        elif axis != "B" and i < len(words):
            places.append(f"“{words[i]}”")
    path = " → ".join(places)
    return f"{path}  (places count from 0)" if path else "(places count from 0)"


# --- the mask laboratory ----------------------------------------------------------------------------------------


def show_laboratory(console: Console, title: str, experiments: Sequence[tuple[str, Sequence[Trial]]]) -> None:
    """Four masks side by side, on ordinary scores and on large ones."""
    width = min(console.width, WIDEST)
    console.print()
    console.print(Text(f"  The mask laboratory: {title}", style="bold"))
    console.print(Text("  Four ways to hide a token. Which of them hide it?", style="dim"))
    for heading, trials in experiments:
        console.print()
        console.print(_heading(heading, width))
        console.print()
        console.print(Padding(_trials(trials), (0, 0, 0, 2)))
    console.print()
    console.print(Padding(_lessons(), (0, 0, 0, 2)), width=width)
    console.print()


def _trials(trials: Sequence[Trial]) -> Table:
    table = Table(box=None, padding=(0, 2, 1, 0), show_edge=False, header_style="dim")
    for name in ("style", "weights", "row sums", "leaked", "felt", ""):
        table.add_column(name, no_wrap=name != "style")
    for trial in trials:
        style = Text(trial.style, style="bold")
        style.append(f"\n{trial.formula}", style="not bold dim")
        weights = Text("\n").join(_draw(trial.weights, (), (), 4, COLOURS["score"], 1.0))
        sums = Text("\n".join(_fixed(each) for each in trial.row_sums), style="" if trial.whole else "bold red")
        table.add_row(style, weights, sums, _amount(trial.leaked), _amount(trial.felt), _verdict(trial))
    return table


def _fixed(number: float) -> str:
    return f"{number:.4f}"


def _amount(number: float) -> Text:
    return (
        Text("0", style="dim")
        if number == 0.0
        else Text(f"{number:.4f}" if number >= 1e-4 else f"{number:.1e}", "bold red")
    )


def _verdict(trial: Trial) -> Text:
    return Text("✓ hides it", style="bold green") if trial.right else Text("✗ does not", style="bold red")


def _lessons() -> Table:
    table = Table.grid(padding=(0, 2))
    for term, meaning in (
        ("leaked", "the largest share of a row that still goes to tokens it may not look at."),
        ("felt", "how far the allowed weights move when a hidden score moves (the largest slope)."),
        ("empty rows", "a row that may look at nothing gets zeros in Glassformer, never NaN."),
    ):
        table.add_row(Text(term, style="bold"), Text(meaning, style="dim"))
    return table

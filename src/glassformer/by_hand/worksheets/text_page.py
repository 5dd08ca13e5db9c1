"""A worked solution as a page of text: each stage a formula, a sentence and a matrix coloured by size.

It knows the handout and the width, and not where the page is shown.
"""

import numpy as np
from rich.style import Style
from rich.text import Text

from glassformer.by_hand.worksheets.handout import IN_COLUMNS, Handout, ShownStage, WorkedNumber, part_of
from glassformer.drawing.matrices import (
    INDENT,
    Block,
    DrawnMatrix,
    Picture,
    barred,
    flow,
    heading,
    indented,
    rgb,
    shade,
    symbol_and_shape,
    words,
)
from glassformer.stages import notation
from glassformer.stages.arithmetic import Index


def solution_page(handout: Handout, width: int, *, legend: bool = False) -> Block:
    """The whole solution: what is given, each stage, and one number's arithmetic."""
    room = width - INDENT
    lines = [Text(), *indented(words(handout.title, room, "bold"))]
    for sentence in (handout.about, IN_COLUMNS if handout.in_columns else ""):
        lines += indented(words(sentence, room, "dim")) if sentence else []
    lines += [Text(), *heading("given", width)]
    given = [_given(shown, handout.precision, room) for shown in handout.given() if shown.values.ndim]
    lines += [*indented(flow(given, room)), Text(), *heading("worked", width)]
    part = ""
    for group in handout.made():
        if part != (part := part_of(group[0].address)):
            lines += [*indented([Text(part or "after it", style="bold")]), Text()]
        lines += [*_stage(group, handout.precision, width), Text()]
    lines += [*heading("one number", width), *indented(_number(handout.number, room)), Text()]
    if legend:
        lines += [*indented(words(_legend(handout), room, "dim")), Text()]
    return lines


def _given(shown: ShownStage, precision: int, room: int) -> Block:
    title = symbol_and_shape(shown.stage.symbol, shown.stage.role, shown.values.shape)
    part = part_of(shown.address)
    return [*([Text(part, style="dim")] if part else []), title, *_matrices(shown, precision).draw(room)]


def _stage(group: list[ShownStage], precision: int, width: int) -> Block:
    """One stage; or several in one line that all repeat the same one: Q = K = V = X."""
    shown = group[0]
    formula = Style(color=rgb(shown.stage.role), bold=True)
    if shown.repeats:
        ordered = group[::-1] if group[-1].name == "output" else group  # Y = J = H, but Q = K = V = X
        chain = " = ".join([*(each.stage.symbol for each in ordered), shown.repeats])
        why = f"The same numbers: {', '.join(each.idle() for each in group)}."
        said = [(chain, formula), (why, Style(dim=True))]
    else:
        details = [shown.meaning, notation.shape(shown.values.shape), ", ".join(shown.facts)]
        said = [(shown.plain, formula), *((each, Style(dim=True)) for each in (*details, *shown.remarks) if each)]
    return barred(
        lambda room: [line for text, style in said for line in words(text, room, style)],
        None if shown.repeats else _matrices(shown, precision),
        shown.stage.role,
        width,
    )


def _matrices(shown: ShownStage, precision: int) -> Picture:
    """The stage's matrix, or one per head: side by side where there is room."""
    matrices = [(head, _matrix(shown, place, precision)) for head, place in shown.heads()]

    def draw(room: int) -> Block:
        return flow([[*([Text(head, style="dim")] if head else []), *each.draw(room)] for head, each in matrices], room)

    return Picture(max(each.needs for _, each in matrices), draw)


def _matrix(shown: ShownStage, place: Index, precision: int) -> DrawnMatrix:
    numbers = shown.numbers
    scale = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))
    decimals = shown.decimals(precision)

    def cell(number: float, hidden: bool) -> Text:
        if shown.values.dtype.kind == "b":
            return Text("✓" if number else "·", style=shade(number, shown.stage.role, 1.0))
        if hidden:
            return Text("·", style="dim")
        tiny = notation.is_tiny(number, decimals)
        text = notation.below(decimals, number < 0) if tiny else notation.aligned(number, decimals, precision)
        return Text(text, style=shade(number, shown.stage.role, scale))

    part = np.atleast_2d(numbers[place])
    hidden = np.zeros(part.shape, dtype=np.bool_) if shown.hidden is None else np.atleast_2d(shown.hidden[place])
    cells = [
        [cell(float(n), bool(h)) for n, h in zip(row, away, strict=True)]
        for row, away in zip(part, hidden, strict=True)
    ]
    return DrawnMatrix(cells, shown.rows, shown.columns)


def _number(number: WorkedNumber, room: int) -> Block:
    """One number: where it stands, the formula, and every step."""
    lines = words(number.formula, room, "dim") if number.formula else []
    lines += words(number.where, room, "dim") if number.where else []
    lines += [Text()] if lines else []
    sides = [*([number.copy_of] if number.copy_of else []), *number.steps]
    hanging = len(number.place) + 3
    for i, side in enumerate(sides):
        last = i == len(sides) - 1
        start = f"{number.place} = " if i == 0 else " " * (hanging - 2) + "= "
        end = f", {number.reason}" if last and number.reason else ""
        wrapped = words(side + end, room - hanging, "bold" if last else "")
        lines += [Text.assemble(start if k == 0 else " " * hanging, line) for k, line in enumerate(wrapped)]
    for line in lines:
        line.highlight_words([number.place], Style(color=rgb(number.role), bold=True))
    if number.rounded:
        lines += [Text(), *words("Numbers are shown rounded and worked exactly.", room, "dim")]
    return lines


def _legend(handout: Handout) -> str:
    hidden = "; ·: hidden" if any(shown.hidden is not None for shown in handout.stages) else ""
    last = handout.stages[-1]
    place = f"{last.address}[{','.join('0' * last.values.ndim)}]"
    return f'colour, bold: large; italics: < 0{hidden}; another number: --number "{place}"'

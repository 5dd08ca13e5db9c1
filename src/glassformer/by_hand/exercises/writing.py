"""Writes a working down as people do: Markdown with LaTeX, plain text, code, or drawn. Works nothing out."""

import numpy as np

from glassformer.by_hand.exercises.workings import Floats, Step, WorkedExercise
from glassformer.errors import InputError, nearest

STYLES = ("latex", "substituted", "text", "code", "formulas first", "drawn")


def write(
    working: WorkedExercise, style: str = "latex", title: str = "Worked example", blanks: frozenset[str] = frozenset()
) -> str:
    """The whole working; a step in `blanks` is left for the reader to fill in."""
    if style not in STYLES:
        raise InputError(f"There is no style '{style}'; {nearest(style, STYLES)}")
    writers = {"latex": _latex, "substituted": _substituted, "text": _text, "code": _code, "drawn": _drawn}
    return f"# {title}\n\n" + writers.get(style, _formulas_first)(working, blanks)


def printed_number(value: float, decimals: int | None) -> str:
    """A number as printed; without `decimals` it is whole."""
    if not np.isfinite(value):
        return "-inf" if value < 0 else "inf"
    return f"{value:.{decimals or 0}f}"


def _decimals(working: WorkedExercise, symbol: str) -> int | None:
    """None for a matrix of whole numbers; what is divided or weighed is never written so."""
    if symbol[0] in "ZBAHJY" and symbol in working.answers:
        return working.decimals
    numbers = working.answers[symbol] if symbol in working.answers else working.given[symbol]
    finite = numbers[np.isfinite(numbers)]
    return None if np.array_equal(finite, np.round(finite)) else working.decimals


def bmatrix(numbers: Floats, decimals: int | None) -> str:
    """A LaTeX matrix."""
    rows = [" & ".join(printed_number(v, decimals).replace("inf", r"\infty") for v in row) for row in numbers]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def nested(numbers: Floats, decimals: int | None) -> str:
    """A matrix as a list of rows."""
    return "[" + ", ".join("[" + ", ".join(printed_number(v, decimals) for v in row) + "]" for row in numbers) + "]"


def blank(shape: tuple[int, ...]) -> str:
    """A matrix to be filled in."""
    return r"\begin{bmatrix} " + r" \\ ".join([" & ".join(["?"] * shape[1])] * shape[0]) + r" \end{bmatrix}"


def open_list(shape: tuple[int, ...]) -> str:
    """The same as a list of rows."""
    return "[" + ", ".join(["[" + ", ".join(["?"] * shape[1]) + "]"] * shape[0]) + "]"


def symbol_latex(symbol: str) -> str:
    """`W_Q1` → `W_{Q1}`."""
    base, _, script = symbol.partition("_")
    return f"{base}_{{{script}}}" if len(script) > 1 else symbol


def _given_latex(working: WorkedExercise) -> list[str]:
    return [
        f"$${symbol_latex(symbol)} = {bmatrix(numbers, _decimals(working, symbol))}$$\n"
        for symbol, numbers in working.given.items()
    ]


def _result_latex(working: WorkedExercise, step: Step, blanks: frozenset[str]) -> str:
    answer = working.answers[step.symbol]
    return blank(answer.shape) if step.symbol in blanks else bmatrix(answer, _decimals(working, step.symbol))


def answer_latex(working: WorkedExercise, step: Step) -> str:
    """The result of a step."""
    return _result_latex(working, step, frozenset())


def _latex(working: WorkedExercise, blanks: frozenset[str]) -> str:
    lines = ["Given:\n", *_given_latex(working), "Work:\n"]
    for step in working.steps:
        lines.append(f"$${symbol_latex(step.symbol)} = {step.latex} = {_result_latex(working, step, blanks)}$$\n")
    return "\n".join(lines)


def _substituted(working: WorkedExercise, blanks: frozenset[str]) -> str:
    """With the numbers put in before the result, as careful people do for products."""
    lines = _given_latex(working)
    for step in working.steps:
        middle = ""
        parts = step.plain.split()
        if len(parts) == 2 and all(part.removesuffix("^T") in working.given | working.answers for part in parts):
            middle = " = " + " ".join(_factor(working, part) for part in parts)
        symbol, result = symbol_latex(step.symbol), _result_latex(working, step, blanks)
        lines.append(f"$${symbol} = {step.latex}{middle}$$\n\n$$= {result}$$\n")
    return "\n".join(lines)


def _factor(working: WorkedExercise, part: str) -> str:
    symbol = part.removesuffix("^T")
    numbers = working.answers[symbol] if symbol in working.answers else working.given[symbol]
    return bmatrix(numbers.T if part.endswith("^T") else numbers, _decimals(working, symbol))


def answer_text(working: WorkedExercise, step: Step) -> str:
    """The result of a step as a list of rows."""
    return nested(working.answers[step.symbol], _decimals(working, step.symbol))


def _text(working: WorkedExercise, blanks: frozenset[str]) -> str:
    lines = [f"{s} = {nested(n, _decimals(working, s))}" for s, n in working.given.items()]
    for step in working.steps:
        hole = open_list(working.answers[step.symbol].shape)
        lines.append(f"{step.symbol} = {step.plain} = {hole if step.symbol in blanks else answer_text(working, step)}")
    return "\n\n".join(lines) + "\n"


def _code(working: WorkedExercise, blanks: frozenset[str]) -> str:
    lines = [f"{s} = {nested(n, _decimals(working, s))}" for s, n in working.given.items()]
    for step in working.steps:
        formula = step.plain.replace("^T", ".T").replace("√", "sqrt ")
        parts = formula.split()
        formula = " @ ".join(parts) if len(parts) == 2 and "(" not in formula else formula
        formula = formula.replace("sqrt ", "np.sqrt(") + (")" if "sqrt " in formula else "")
        answer = "?" if step.symbol in blanks else answer_text(working, step)
        lines.append(f"{step.symbol} = {formula} = {answer}")
    return "```python\n" + "\n".join(lines) + "\n```\n"


# Opening and closing signs of a drawn matrix: of its first row, the rows between, and its last row.
_BRACKETS = (("[[[", "]]]"), ("|||", "|||"), ("⎡⎢⎣", "⎤⎥⎦"))


def drawn_matrix(numbers: Floats, decimals: int | None, kind: int = 0) -> list[str]:
    """A matrix drawn over several lines, its columns under each other."""
    entries = [[printed_number(value, decimals) for value in row] for row in numbers]
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    left, right = _BRACKETS[kind % len(_BRACKETS)]
    signs = [0, *[1] * (len(entries) - 2), 2] if len(entries) > 1 else [0]
    if len(entries) == 1:
        left, right = _BRACKETS[0]
    return [
        f"{left[sign]}{' '.join(entry.rjust(width) for entry, width in zip(row, widths, strict=True))}{right[sign]}"
        for sign, row in zip(signs, entries, strict=True)
    ]


def set_in_line(pieces: list[str | list[str]], row: int = 0) -> str:
    """Words, signs and drawn matrices beside each other; what has one line only stands in line `row`."""
    height = max([len(piece) for piece in pieces if isinstance(piece, list)], default=1)
    lines = [""] * height
    for piece in pieces:
        rows = piece if isinstance(piece, list) else [""] * min(row, height - 1) + [piece]
        width = max(map(len, rows))
        lines = [f"{line}{(rows[i] if i < len(rows) else '').ljust(width)} " for i, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines)


def _drawn(working: WorkedExercise, blanks: frozenset[str]) -> str:
    """Given matrices two by two, products with the numbers put in; brackets and the row of the signs change."""
    numbers = working.given | working.answers
    drawings: list[str] = []
    given = list(working.given)
    for i in range(0, len(given), 2):
        pieces: list[str | list[str]] = []
        for symbol in given[i : i + 2]:
            pieces += [f"{symbol} =", drawn_matrix(numbers[symbol], _decimals(working, symbol), i), "  "]
        drawings.append(set_in_line(pieces))
    for i, step in enumerate(working.steps):
        pieces = [f"{step.symbol} = {step.plain} ="]
        parts = step.plain.split()
        if len(parts) == 2 and all(part.removesuffix("^T") in numbers for part in parts):
            for part, sign in zip(parts, "·=", strict=True):
                symbol = part.removesuffix("^T")
                factor = numbers[symbol].T if part.endswith("^T") else numbers[symbol]
                pieces += [drawn_matrix(factor, _decimals(working, symbol), i), sign]
        answer = drawn_matrix(numbers[step.symbol], _decimals(working, step.symbol), i)
        drawings.append(set_in_line([*pieces, "?" if step.symbol in blanks else answer], i % 2))
    return "\n\n".join(drawings) + "\n"


def _formulas_first(working: WorkedExercise, blanks: frozenset[str]) -> str:
    formulas = ", ".join(f"{symbol_latex(step.symbol)} = {step.latex}" for step in working.steps)
    lines = [f"$${formulas}$$\n", *_given_latex(working)]
    for step in working.steps:
        lines.append(f"$${symbol_latex(step.symbol)} = {_result_latex(working, step, blanks)}$$\n")
    return "\n".join(lines)

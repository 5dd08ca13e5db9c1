"""Writes a working down as people do: Markdown with LaTeX, plain text, or code. Works nothing out."""

import numpy as np

from glassformer.errors import InputError, nearest
from glassformer.handwork.workings import Floats, Step, Working

STYLES = ("latex", "substituted", "text", "code", "formulas first")


def write(
    working: Working, style: str = "latex", title: str = "Worked example", blanks: frozenset[str] = frozenset()
) -> str:
    """The whole working; a step in `blanks` is left for the reader to fill in."""
    if style not in STYLES:
        raise InputError(f"There is no style '{style}'; {nearest(style, STYLES)}")
    writer = {"latex": _latex, "substituted": _substituted, "text": _text, "code": _code}.get(style, _formulas_first)
    return f"# {title}\n\n" + writer(working, blanks)


def number(value: float, decimals: int | None) -> str:
    """A number as printed; without `decimals` it is whole."""
    if not np.isfinite(value):
        return "-inf" if value < 0 else "inf"
    return f"{value:.{decimals or 0}f}"


def _decimals(working: Working, symbol: str) -> int | None:
    """None for a matrix of whole numbers; what is divided or weighed is never written so."""
    if symbol[0] in "ZBAHJY" and symbol in working.answers:
        return working.decimals
    numbers = working.answers[symbol] if symbol in working.answers else working.given[symbol]
    finite = numbers[np.isfinite(numbers)]
    return None if np.array_equal(finite, np.round(finite)) else working.decimals


def bmatrix(numbers: Floats, decimals: int | None) -> str:
    """A LaTeX matrix."""
    rows = [" & ".join(number(v, decimals).replace("inf", r"\infty") for v in row) for row in numbers]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def nested(numbers: Floats, decimals: int | None) -> str:
    """A matrix as a list of rows."""
    return "[" + ", ".join("[" + ", ".join(number(v, decimals) for v in row) + "]" for row in numbers) + "]"


def blank(shape: tuple[int, ...]) -> str:
    """A matrix to be filled in."""
    return r"\begin{bmatrix} " + r" \\ ".join([" & ".join(["?"] * shape[1])] * shape[0]) + r" \end{bmatrix}"


def symbol_latex(symbol: str) -> str:
    """`W_Q1` → `W_{Q1}`."""
    base, _, script = symbol.partition("_")
    return f"{base}_{{{script}}}" if len(script) > 1 else symbol


def _given_latex(working: Working) -> list[str]:
    return [
        f"$${symbol_latex(symbol)} = {bmatrix(numbers, _decimals(working, symbol))}$$\n"
        for symbol, numbers in working.given.items()
    ]


def _result_latex(working: Working, step: Step, blanks: frozenset[str]) -> str:
    answer = working.answers[step.symbol]
    return blank(answer.shape) if step.symbol in blanks else bmatrix(answer, _decimals(working, step.symbol))


def answer_latex(working: Working, step: Step) -> str:
    """The result of a step."""
    return _result_latex(working, step, frozenset())


def _latex(working: Working, blanks: frozenset[str]) -> str:
    lines = ["Given:\n", *_given_latex(working), "Work:\n"]
    for step in working.steps:
        lines.append(f"$${symbol_latex(step.symbol)} = {step.latex} = {_result_latex(working, step, blanks)}$$\n")
    return "\n".join(lines)


def _substituted(working: Working, blanks: frozenset[str]) -> str:
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


def _factor(working: Working, part: str) -> str:
    symbol = part.removesuffix("^T")
    numbers = working.answers[symbol] if symbol in working.answers else working.given[symbol]
    return bmatrix(numbers.T if part.endswith("^T") else numbers, _decimals(working, symbol))


def _text(working: Working, blanks: frozenset[str]) -> str:
    lines = [f"{s} = {nested(n, _decimals(working, s))}" for s, n in working.given.items()]
    for step in working.steps:
        answer = "?" if step.symbol in blanks else nested(working.answers[step.symbol], _decimals(working, step.symbol))
        lines.append(f"{step.symbol} = {step.plain} = {answer}")
    return "\n\n".join(lines) + "\n"


def _code(working: Working, blanks: frozenset[str]) -> str:
    lines = [f"{s} = {nested(n, _decimals(working, s))}" for s, n in working.given.items()]
    for step in working.steps:
        formula = step.plain.replace("^T", ".T").replace("√", "sqrt ")
        parts = formula.split()
        formula = " @ ".join(parts) if len(parts) == 2 and "(" not in formula else formula
        formula = formula.replace("sqrt ", "np.sqrt(") + (")" if "sqrt " in formula else "")
        answer = "?" if step.symbol in blanks else nested(working.answers[step.symbol], _decimals(working, step.symbol))
        lines.append(f"{step.symbol} = {formula} = {answer}")
    return "```python\n" + "\n".join(lines) + "\n```\n"


def _formulas_first(working: Working, blanks: frozenset[str]) -> str:
    formulas = ", ".join(f"{symbol_latex(step.symbol)} = {step.latex}" for step in working.steps)
    lines = [f"$${formulas}$$\n", *_given_latex(working)]
    for step in working.steps:
        lines.append(f"$${symbol_latex(step.symbol)} = {_result_latex(working, step, blanks)}$$\n")
    return "\n".join(lines)

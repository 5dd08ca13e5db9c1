"""A worked solution in writing: Markdown to paste into notes, or LaTeX. It knows the solution and no terminal."""

import re

from glassformer import notation
from glassformer.arithmetic import Array
from glassformer.solution import Shown, Solution


def to_markdown(solution: Solution, precision: int = 4, number: str | None = None) -> str:
    """The solution as Markdown with LaTeX formulas."""
    lines = [f"# {solution.sheet.title}", ""]
    lines += [solution.sheet.about, ""] if solution.sheet.about else []
    if solution.sheet.tokens:
        lines += [f"Tokens, one per row: {', '.join(solution.sheet.tokens)}.", ""]
    lines += ["## Given", ""]
    lines += [f"$$\n{_equation(shown, precision)}\n$$\n" for shown in solution.stages() if shown.given]
    lines += ["## Worked", ""]
    for shown in solution.stages():
        if not shown.given:
            lines += [f"**{_title(shown)}** {shown.stage.meaning}", "", f"$$\n{_equation(shown, precision)}\n$$\n"]
    lines += ["## One number", "", _number(solution, number, precision), ""]
    return "\n".join(lines)


def to_latex(solution: Solution, precision: int = 4, number: str | None = None) -> str:
    """The solution as a LaTeX fragment (it needs amsmath)."""
    lines = [rf"\section*{{{_escaped(solution.sheet.title)}}}"]
    lines += [_escaped(solution.sheet.about), ""] if solution.sheet.about else []
    for heading, given in (("Given", True), ("Worked", False)):
        lines.append(rf"\subsection*{{{heading}}}")
        for shown in solution.stages():
            if shown.given == given:
                lines += [rf"\paragraph{{{_title(shown)}}} {_escaped(shown.stage.meaning)}"]
                lines += [r"\[", _equation(shown, precision), r"\]"]
    lines += [r"\subsection*{One number}", _number(solution, number, precision), ""]
    return "\n".join(lines)


def _title(shown: Shown) -> str:
    return f"{shown.name.replace('_', ' ').capitalize()}."


def _equation(shown: Shown, precision: int) -> str:
    if shown.values.ndim == 0:
        return f"{shown.latex} = {_entry(notation.plain(precision)(float(shown.values)))}"
    if shown.repeats:
        return shown.latex
    matrices = [
        f"{_matrix(values, precision)}" + (rf"_{{\text{{{head}}}}}" if head else "")
        for head, values in shown.matrices()
    ]
    return f"{shown.latex} = " + r",\quad ".join(matrices)


def _matrix(values: Array, precision: int) -> str:
    rows = [[_entry(cell) for cell in row] for row in notation.matrix_cells(values, precision)]
    return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{bmatrix}"


def _entry(cell: str) -> str:
    return {"✓": "1", "·": "0"}.get(cell, cell.replace("−", "-").replace("∞", r"\infty"))


def _number(solution: Solution, number: str | None, precision: int) -> str:
    explanation = solution.explain(number)
    place = solution.trace.place(explanation.address, explanation.index).replace("_", r"\_")
    return rf"$\text{{{place}}} = {_arithmetic(explanation.spell(notation.plain(precision)))}$"


_FUNCTIONS = ("relu", "max", "tanh", "sigmoid", "softmax")
_SIGNS = {
    "×": r"\times ",
    "−": "-",
    "∞": r"\infty ",
    "Φ": r"\Phi ",
    "½": r"\tfrac12 ",
    "π": r"\pi ",
    "²": "^2",
    "³": "^3",
}


def _arithmetic(spelled: str) -> str:
    """Arithmetic as it is spelled in a terminal, in LaTeX."""
    text = _grouped(_grouped(spelled, "e^", "e^{{{}}}"), "√", r"\sqrt{{{}}}")
    text = re.sub(r"(?<![\\A-Za-z])[A-Za-z]{2,}(?:,? [A-Za-z]+)*", _word, text)
    return "".join(_SIGNS.get(letter, letter) for letter in text)


def _word(match: re.Match[str]) -> str:
    return rf"\operatorname{{{match[0]}}}" if match[0] in _FUNCTIONS else rf"\text{{ {match[0]} }}"


def _grouped(text: str, sign: str, pattern: str) -> str:
    """Puts what follows a sign (a number, or all within its brackets) into the pattern."""
    before, found, after = text.partition(sign)
    if not found:
        return text
    length = _bracket_length(after) if after.startswith("(") else len(re.match(r"[^\s()/]*", after)[0])  # type: ignore[index]
    inner = after[1 : length - 1] if after.startswith("(") else after[:length]
    return before + pattern.format(_grouped(inner, sign, pattern)) + _grouped(after[length:], sign, pattern)


def _bracket_length(text: str) -> int:
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return i + 1
    return len(text)


def _escaped(text: str) -> str:
    special = {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "∞": r"$\infty$",
    }
    special |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {"√": r"$\surd$", "Σ": r"$\Sigma$", "β": r"$\beta$"}
    return "".join(special.get(letter, letter) for letter in text)

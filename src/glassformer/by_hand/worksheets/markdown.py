"""A worked solution in writing: Markdown to paste into notes, or LaTeX. It knows the handout and no terminal."""

import re

import numpy as np

from glassformer.by_hand.worksheets.handout import IN_COLUMNS, Handout, ShownStage, WorkedNumber, part_of
from glassformer.stages import notation
from glassformer.stages.arithmetic import Index

ROUNDED = "Numbers are shown rounded and worked exactly."
_MOST_COLUMNS = 10  # of a matrix, unless LaTeX is told otherwise


def handout_to_markdown(handout: Handout) -> str:
    """The solution as Markdown with LaTeX formulas."""
    lines = [f"# {_marked(handout.title)}", ""]
    for sentence in _opening(handout):
        lines += [_marked(sentence), ""]
    lines += ["## Given", ""]
    lines += [f"$$\n{_equation(shown, handout.precision)}\n$$\n" for shown in handout.given()]
    lines += ["## Worked", ""]
    for shown in handout.stages:
        if not shown.given:
            said = [f"**{_title(shown)}** {shown.meaning}", *(_marked(f"{_upper(each)}.") for each in shown.remarks)]
            lines += [" ".join(said), "", f"$$\n{_equation(shown, handout.precision)}\n$$\n"]
    lines += ["## One number", "", _marked(_sentence(handout.number)), "", f"$$\n{_number(handout.number)}\n$$", ""]
    lines += [ROUNDED, ""] if handout.number.rounded else []
    return "\n".join(lines)


def to_latex(handout: Handout) -> str:
    """The solution as a LaTeX fragment (it needs amsmath)."""
    widest = max(shown.values.shape[-1] for shown in handout.stages if shown.values.ndim)
    lines = [rf"\setcounter{{MaxMatrixCols}}{{{widest}}}"] if widest > _MOST_COLUMNS else []
    lines += [rf"\section*{{{_escaped(handout.title)}}}"]
    for sentence in _opening(handout):
        lines += [_escaped(sentence), ""]
    for heading, given in (("Given", True), ("Worked", False)):
        lines.append(rf"\subsection*{{{heading}}}")
        for shown in handout.stages:
            if shown.given == given and not shown.copied:
                said = " ".join([shown.meaning, *(f"{_upper(each)}." for each in shown.remarks)])
                lines += [rf"\paragraph{{{_title(shown)}}} {_escaped(said)}"]
                lines += [r"\[", _equation(shown, handout.precision), r"\]"]
    lines += [r"\subsection*{One number}", _escaped(_sentence(handout.number)), r"\[", _number(handout.number), r"\]"]
    lines += [ROUNDED, ""] if handout.number.rounded else [""]
    return "\n".join(lines)


def _title(shown: ShownStage) -> str:
    part = part_of(shown.address)
    return f"{f'{part}: ' if part else ''}{shown.name.replace('_', ' ')}.".capitalize()


def _opening(handout: Handout) -> list[str]:
    """What it is about, and the words of its rows or columns."""
    kinds = (("Tokens", handout.tokens), ("Context tokens", handout.context_tokens))
    place = "column" if handout.in_columns else "row"
    tokens = [f"{kind}, one per {place}: {', '.join(words)}." for kind, words in kinds if words]
    return [each for each in (handout.about, IN_COLUMNS if handout.in_columns else "", *tokens) if each]


def _sentence(number: WorkedNumber) -> str:
    return f"{_upper(number.where)}:" if number.where else ""


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


# --- formulas ---------------------------------------------------------------------------------------------------


def _equation(shown: ShownStage, precision: int) -> str:
    """The formula and its matrix; with several heads, one line for each."""
    if not shown.values.ndim:
        return f"{shown.latex} = {_figure(notation.plain(precision)(float(shown.values)))}"
    if shown.repeats:
        return shown.latex
    heads = shown.heads()
    if len(heads) == 1 and not heads[0][0]:
        return f"{shown.latex} = {_matrix(shown, (), precision)}"
    lines = [rf"&\text{{{head}:}}\quad {_matrix(shown, place, precision)}" for head, place in heads]
    return "\\begin{aligned}\n&" + " \\\\\n".join([shown.latex, *lines]) + "\n\\end{aligned}"


def _matrix(shown: ShownStage, place: Index, precision: int) -> str:
    decimals = shown.decimals(precision)
    numbers = np.atleast_2d(shown.numbers[place]).tolist()
    rows = [" & ".join(_figure(notation.aligned(each, decimals, precision)) for each in row) for row in numbers]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def _figure(text: str) -> str:
    """A number as it stands in a terminal, in LaTeX: `1.2e−7` is `1.2 \\times 10^{-7}`."""
    text = text.replace("−", "-").replace("∞", r"\infty ").rstrip()
    return re.sub(r"(?<=\d)e(-?\d+)", r" \\times 10^{\1}", {"✓": "1", "·": "0"}.get(text, text))


def _number(number: WorkedNumber) -> str:
    """One number's arithmetic, a line for each step."""
    sides = [rf"\text{{{_escaped(number.copy_of)}}}"] if number.copy_of else []
    sides += [_arithmetic(step) for step in number.steps]
    sides[-1] += rf"\text{{, {_escaped(number.reason)}}}" if number.reason else ""
    lines = [rf"\text{{{_escaped(number.place)}}} &= {sides[0]}", *(f"&= {side}" for side in sides[1:])]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


_FUNCTIONS = ("relu", "max", "argmax", "tanh", "sigmoid", "softmax", "sin", "cos", "ln")
_SIGNS = {"×": r"\times ", "Φ": r"\Phi ", "½": r"\tfrac12 ", "π": r"\pi ", "²": "^2", "³": "^3"}


def _arithmetic(spelled: str) -> str:
    """Arithmetic as it is spelled in a terminal, in LaTeX."""
    text = _grouped(_grouped(spelled, "e^", "e^{{{}}}"), "√", r"\sqrt{{{}}}")
    text = re.sub(r"(?<![\\A-Za-z])[A-Za-z]{2,}", _word, text)
    return _figure("".join(_SIGNS.get(letter, letter) for letter in text))


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


# --- words ------------------------------------------------------------------------------------------------------


def _marked(text: str) -> str:
    """Words for Markdown: what would be read as a mark is not one."""
    return re.sub(r"([\\`*_\[\]<>$#|])", r"\\\1", text)


_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "Σ": r"$\Sigma$",
    "β": r"$\beta$",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "⁺": "$^+$",
    "°": r"$^\circ$",
}


_ACCENTS = {"\u0302": r"$\hat{%s}$", "\u0303": r"$\tilde{%s}$"}  # as in Z̃, which is two letters in one place


def _escaped(text: str) -> str:
    """Words for LaTeX."""

    def letter(match: re.Match[str]) -> str:
        return _ACCENTS[match[2]] % match[1] if match[2] else _SPECIAL.get(match[1], match[1])

    return re.sub(r"(.)([\u0302\u0303])?", letter, text, flags=re.DOTALL)

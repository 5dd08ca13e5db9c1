"""Exercises: worksheets with small friendly numbers to be worked by hand, each with its solution. Marks nothing itself.

The numbers come from workings.py; what a student fills in is marked by check.py, with the given numbers as exact.
"""

from dataclasses import dataclass
from types import MappingProxyType

from glassformer.by_hand.exercises.workings import VARIANTS, WorkedExercise, make_working
from glassformer.by_hand.exercises.writing import answer_latex, answer_text, symbol_latex, write
from glassformer.errors import InputError, nearest

EXACT = "All given numbers are exact."  # the checker looks for this sentence
SUFFIXES = MappingProxyType({"markdown": ".md", "latex": ".tex", "text": ".txt"})  # by form


@dataclass(frozen=True)
class Exercise:
    """A sheet to fill in, and its solution."""

    title: str
    working: WorkedExercise
    blanks: tuple[str, ...]
    form: str
    sheet: str
    solution: str


def make_exercise(
    seed: int = 0,
    variant: str = "plain",
    *,
    tokens: int = 3,
    width: int = 2,
    decimals: int = 2,
    blank: tuple[str, ...] = (),
    form: str = "markdown",
) -> Exercise:
    """An exercise; `blank` names the steps to be filled in by symbol or stage, all of them by default."""
    if form not in SUFFIXES:
        raise InputError(f"There is no form '{form}'; {nearest(form, SUFFIXES)}")
    if not 0 <= decimals <= 8:
        raise InputError(f"{decimals} decimals cannot be asked for; choose 0 to 8.")
    working = make_working(seed, variant, tokens=tokens, width=width, decimals=decimals)
    blanks = _blanks(working, blank)
    title = f"Attention by hand: {_TITLES[variant]}, number {seed}"
    style = "text" if form == "text" else "latex"
    task = _task(working, blanks, form)
    texts = [_with_task(write(working, style, title, hidden), task) for hidden in (frozenset(blanks), frozenset())]
    if form == "latex":
        texts = [_as_latex(text) for text in texts]
    return Exercise(title, working, blanks, form, texts[0], texts[1])


_TITLES = {
    "plain": "self-attention",
    "masked": "masked self-attention",
    "cross": "cross-attention",
    "two-heads": "two heads",
    "sigmoid": "sigmoid attention",
}
assert set(_TITLES) == set(VARIANTS)


def _blanks(working: WorkedExercise, wanted: tuple[str, ...]) -> tuple[str, ...]:
    symbols = [step.symbol for step in working.steps]
    if not wanted:
        return tuple(symbols)
    chosen: set[str] = set()
    for name in wanted:
        found = [step.symbol for step in working.steps if name in (step.symbol, step.stage)]
        if not found:
            known = {step.stage for step in working.steps} | set(symbols)
            raise InputError(f"This exercise has no step '{name}'; {nearest(name, known)}")
        chosen.update(found)
    return tuple(symbol for symbol in symbols if symbol in chosen)


def _task(working: WorkedExercise, blanks: tuple[str, ...], form: str) -> str:
    digits = f"{working.decimals} decimals" if working.decimals else "whole numbers"
    plain = form == "text"
    what = ", ".join(symbol if plain else f"${symbol_latex(symbol)}$" for symbol in blanks)
    sign = "?" if plain else "`?`"
    return (
        f"The tokens are {', '.join(working.tokens)}. {EXACT} Put a number in place of every {sign} in {what}; "
        f"round to {digits}, and go on with the rounded numbers."
    )


def _with_task(text: str, task: str) -> str:
    title, _, rest = text.partition("\n\n")
    return f"{title}\n\n{task}\n\n{rest}"


def _as_latex(markdown: str) -> str:
    """The same sheet as a LaTeX document."""
    lines = []
    for line in markdown.splitlines():
        if line.startswith("# "):
            lines.append(rf"\section*{{{line[2:]}}}")
        elif line.startswith("$$") and line.endswith("$$"):
            lines.append(rf"\[ {line[2:-2]} \]")
        else:
            lines.append(line.replace("`?`", r"\texttt{?}"))
    head = ["\\documentclass{article}", "\\usepackage{amsmath}", "\\begin{document}", ""]
    return "\n".join([*head, *lines, "", "\\end{document}", ""])


def filled_in(exercise: Exercise, answers: WorkedExercise) -> str:
    """The sheet as a student hands it in, with these answers for the blanks."""
    text = exercise.sheet
    plain = exercise.form == "text"
    for step in exercise.working.steps:
        if step.symbol in exercise.blanks:
            formula = step.plain if plain else step.latex
            start = text.index(f"{step.symbol if plain else symbol_latex(step.symbol)} = {formula} = ")
            opening, closing = ("[[", "]]") if plain else (r"\begin{bmatrix}", r"\end{bmatrix}")
            hole = text.index(opening, start + len(formula))
            end = text.index(closing, hole) + len(closing)
            text = text[:hole] + (answer_text if plain else answer_latex)(answers, step) + text[end:]
    return text

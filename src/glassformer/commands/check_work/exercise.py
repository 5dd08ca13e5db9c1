"""`glassformer exercise`: writes a worksheet to fill in, and its solution. It reads options and makes no numbers."""

import json as json_format
import sys
from pathlib import Path

from glassformer.by_hand.exercises.exercise_sheets import make_exercise


def exercise(
    *,
    variant: str = "plain",
    seed: int = 0,
    tokens: int = 3,
    width: int = 2,
    digits: int = 2,
    blank: tuple[str, ...] = (),
    latex: bool = False,
    solution: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Make a worksheet to be worked by hand; `glassformer check` marks what is filled in.

    Parameters
    ----------
    variant
        plain, masked, cross, two-heads or sigmoid.
    seed
        Which numbers; the same seed gives the same sheet.
    tokens
        How many tokens (3).
    width
        How many numbers per token (2).
    digits
        Decimals to round to (2).
    blank
        A step to be filled in, by letter or stage (A, weights); may be given several times. All by default.
    latex
        Write LaTeX instead of Markdown.
    solution
        Print the solution instead of the sheet.
    out
        Write the sheet here and its solution beside it, instead of printing one.
    json
        Print sheet and solution as one JSON document.
    """
    form = "latex" if latex else "markdown"
    made = make_exercise(seed, variant, tokens=tokens, width=width, decimals=digits, blank=blank, form=form)
    if json:
        content = {"variant": variant, "seed": seed, "blanks": made.blanks}
        content |= {"sheet": made.sheet, "solution": made.solution}
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    elif out is not None:
        answers = out.with_name(f"{out.stem}.solution{out.suffix}")
        out.write_text(made.sheet, encoding="utf-8")
        answers.write_text(made.solution, encoding="utf-8")
        print(f"Wrote {out} and {answers}", file=sys.stderr)
    else:
        print(made.solution if solution else made.sheet, end="")

"""`glassformer explain`: attention worked step by step. It reads options and picks the form; it computes nothing."""

import json as json_format
import sys
from typing import Annotated

from cyclopts import Parameter

from glassformer.errors import InputError
from glassformer.mask_laboratory import Trial, try_masks
from glassformer.solution import Solution
from glassformer.solution import explain as solve
from glassformer.terminal import page, show_laboratory, show_solution
from glassformer.trace import json_values
from glassformer.worksheet import example_names, from_sentence, read_example
from glassformer.written import to_latex, to_markdown

LARGE = 1e6  # a factor that training can reach, and at which a finite mask gives way


def explain(
    source: str | None = None,
    /,
    *,
    example: str | None = None,
    sentence: str | None = None,
    number: str | None = None,
    precision: int = 4,
    heads: int = 1,
    width: int = 4,
    seed: int = 0,
    causal: bool = False,
    json: bool = False,
    markdown: bool = False,
    latex: bool = False,
    list_examples: Annotated[bool, Parameter(name="--list")] = False,
) -> None:
    """Work attention step by step, with every number shown.

    Parameters
    ----------
    source
        A worksheet (.toml, .yaml, .json), an example (i-love-ai), or `masks` for the mask laboratory.
    example
        A worked example by name; --list shows them.
    sentence
        A sentence of your own, with seeded random numbers.
    number
        The number whose arithmetic is spelled out, such as weights[1,2], counted from 0.
    precision
        Decimals to show (4).
    heads
        With --sentence: how many heads (1).
    width
        With --sentence: how many numbers per token (4).
    seed
        With --sentence: which random numbers (0).
    causal
        With --sentence: no token may look at a later one.
    json
        Print one JSON document, in full precision.
    markdown
        Print a worked solution in Markdown.
    latex
        Print a worked solution in LaTeX.
    list_examples
        List the worked examples.
    """
    if not 0 <= precision <= 15:
        raise InputError(f"--precision is {precision}; expected 0 to 15 decimals.")
    if list_examples:
        _list(json)
        return
    if source == "masks":
        _masks(solve(read_example(example) if example else "masked"), json)
        return
    if [source, example, sentence].count(None) < 2:
        raise InputError("Give one thing to explain: a worksheet, --example or --sentence.")
    if sentence is not None:
        mask = "causal" if causal else "none"
        solution = solve(from_sentence(sentence, width=width, heads=heads, seed=seed, mask=mask))
    else:
        solution = solve(read_example(example) if example else source or "i-love-ai")
    if json:
        document = solution.to_dict()
        document |= {"number": solution.explain(number).to_dict()} if number else {}
        _print_json(document)
    elif markdown:
        print(to_markdown(solution, precision, number))
    elif latex:
        print(to_latex(solution, precision, number))
    else:
        show_solution(page(), solution, precision=precision, number=number)


def _list(json: bool) -> None:
    sheets = {name: solve(name).sheet for name in example_names()}
    if json:
        _print_json({name: sheet.about for name, sheet in sheets.items()})
        return
    for name, sheet in sheets.items():
        print(f"{name:<18} {sheet.about}")


def _masks(solution: Solution, json: bool) -> None:
    if "mask" not in solution.trace:
        raise InputError(f"'{solution.name}' has no mask; give a worksheet with one, or --example masked.")
    scaled = "scaled" if "scaled" in solution.trace else "scores"
    scores, mask = solution.trace[scaled][0, 0], solution.trace["mask"][0, 0]
    experiments = [
        ("the scores as they are", try_masks(scores, mask)),
        ("the same scores a million times as large", try_masks(scores, mask, LARGE)),
    ]
    if json:
        _print_json({"example": solution.name, "experiments": [_experiment(*each) for each in experiments]})
        return
    show_laboratory(page(), solution.sheet.title, experiments)


def _experiment(title: str, trials: list[Trial]) -> dict[str, object]:
    return {
        "title": title,
        "trials": [
            {
                "style": trial.style,
                "formula": trial.formula,
                "weights": json_values(trial.weights),
                "row_sums": json_values(trial.row_sums),
                "leaked": trial.leaked,
                "felt": trial.felt,
                "right": trial.right,
            }
            for trial in trials
        ],
    }


def _print_json(document: object) -> None:
    json_format.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False)
    print()

"""`glassformer explain`: a layer worked step by step. It reads options and picks the form; it computes nothing."""

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from glassformer.errors import InputError

if TYPE_CHECKING:
    from glassformer.by_hand.worksheets.mask_laboratory import Trial
    from glassformer.by_hand.worksheets.solution import Solution


def explain(
    source: str | None = None,
    worksheet: str | None = None,
    /,
    *,
    example: str | None = None,
    sentence: str | None = None,
    number: str | None = None,
    precision: int | None = None,
    heads: int | None = None,
    width: int | None = None,
    seed: int | None = None,
    causal: bool = False,
    columns: bool = False,
    scale: float | None = None,
    json: bool = False,
    markdown: bool = False,
    latex: bool = False,
    list_examples: Annotated[bool, Parameter(name="--list")] = False,
) -> None:
    """Work attention, or another layer, step by step, with every number shown.

    Parameters
    ----------
    source
        A worksheet (.toml, .yaml, .json), an example (i-love-ai), or `masks` for the mask laboratory.
    worksheet
        After `masks`: the worksheet or example to try the masks on (masked).
    example
        A worked example by name; --list shows them.
    sentence
        A sentence of your own, with seeded random numbers.
    number
        The number whose arithmetic is spelled out, such as weights[1,2] or A[1,2], counted from 0.
    precision
        Decimals to show, 2 to 15 (4).
    heads
        With --sentence: how many heads (1).
    width
        With --sentence: how many numbers per token (4).
    seed
        With --sentence: which random numbers (0).
    causal
        With --sentence: no token may look at a later one.
    columns
        Show it with tokens in columns: q = W_Q x, A = soft(arg)max_β(Kᵀ Q), H = V A; --number counts accordingly.
    scale
        β, what the scores of an attention are multiplied with (1/√d_k).
    json
        Print one JSON document, in full precision.
    markdown
        Print a worked solution in Markdown.
    latex
        Print a worked solution in LaTeX.
    list_examples
        List the worked examples; with --json, as JSON.
    """
    masks = source == "masks"
    named = {"a worksheet": worksheet if masks else source, "--example": example, "--sentence": sentence}
    settings = {"--heads": heads, "--width": width, "--seed": seed, "--causal": causal or None}
    forms = {"--json": json or None, "--markdown": markdown or None, "--latex": latex or None}
    others = {"--number": number, "--precision": precision, "--columns": columns or None, "--scale": scale}
    if list_examples:
        _refuse("--list shows all examples", named | settings | others | _without(forms, "--json"))
        _refuse("--list shows all examples", {"masks": masks or None})
        _list(json)
        return
    if not masks and worksheet is not None:
        raise InputError(f"'{worksheet}' is one thing too many; only `explain masks` is followed by a worksheet.")
    if len(_set(named)) > 1:
        raise InputError(f"Give one thing to explain, not {' and '.join(_set(named))}.")
    if len(_set(forms)) > 1:
        raise InputError(f"Give one form of output, not {' and '.join(_set(forms))}.")
    if sentence is None:
        _refuse("only a --sentence is made up", settings)
    if json:
        _refuse("--json has every digit", {"--precision": precision})
    if precision is not None and not 2 <= precision <= 15:
        raise InputError(f"--precision is {precision}; expected 2 to 15 decimals.")
    solution = _solution(named, "masked" if masks else "i-love-ai", settings)
    solution = solution if scale is None else solution.scaled_by(scale)
    if masks:
        unused = {"--number": number, "--columns": columns or None} | _without(forms, "--json")
        _refuse("the mask laboratory is a page of its own", unused)
        _masks(solution, json, precision or 4)
    else:
        _show(solution.in_columns() if columns else solution, forms, precision or 4, number)


def _set(options: dict[str, Any]) -> list[str]:
    return [name for name, value in options.items() if value is not None]


def _without(options: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != name}


def _refuse(why: str, options: dict[str, Any]) -> None:
    """Options that would have no effect are not passed over in silence."""
    for name in _set(options):
        raise InputError(f"{name} has no effect here, since {why}; leave it out.")


def _solution(named: dict[str, Any], otherwise: str, settings: dict[str, Any]) -> "Solution":
    from glassformer.by_hand.worksheets.solution import explain as solve  # imports torch, which --help does not need
    from glassformer.by_hand.worksheets.worksheet import from_sentence, read_example

    if named["--sentence"] is not None:
        given = {name.removeprefix("--"): settings[name] for name in _set(_without(settings, "--causal"))}
        mask = "causal" if settings["--causal"] else "none"
        return solve(from_sentence(named["--sentence"], **given, mask=mask))
    if named["--example"] is not None:
        return solve(read_example(named["--example"]))
    return solve(named["a worksheet"] or otherwise)


def _show(solution: "Solution", forms: dict[str, Any], precision: int, number: str | None) -> None:
    from glassformer.by_hand.worksheets.text_page import solution_page
    from glassformer.drawing.terminal import show, terminal, width

    if forms["--json"]:
        document = solution.to_dict()
        document |= {"number": solution.explain(number).to_dict()} if number else {}
        _print_json(document)
    elif forms["--markdown"]:
        print(solution.to_markdown(precision, number))
    elif forms["--latex"]:
        print(solution.to_latex(precision, number))
    else:
        console = terminal()
        show(console, solution_page(solution.handout(precision, number), width(console), legend=console.is_terminal))


def _list(json: bool) -> None:
    from glassformer.by_hand.worksheets.worksheet import example_names, read_example

    sheets = {name: read_example(name) for name in example_names()}
    if json:
        _print_json({name: sheet.about for name, sheet in sheets.items()})
        return
    widest = max(map(len, sheets))
    for name, sheet in sheets.items():
        print(f"{name:<{widest}}  {sheet.about}")


def _masks(solution: "Solution", json: bool, precision: int) -> None:
    from glassformer.by_hand.worksheets.laboratory_page import laboratory_page, setting_of
    from glassformer.by_hand.worksheets.mask_laboratory import experiments
    from glassformer.drawing.terminal import show, terminal, width
    from glassformer.stages.trace import json_values

    setting = setting_of(solution.trace, precision)
    tried = experiments(setting.scores, setting.mask)
    if not json:
        console = terminal()
        show(console, laboratory_page(setting, tried, width(console)))
        return
    _print_json(
        {
            "format": "glassformer-masks/1",
            "example": solution.name,
            "head": 0,
            "tokens": list(setting.queries),
            "context_tokens": list(setting.keys),
            "scores": json_values(setting.scores),
            "experiments": [
                {
                    "title": each.title,
                    "note": each.note,
                    "mask": json_values(each.mask),
                    "trials": [_trial(trial) for trial in each.trials],
                }
                for each in tried
            ],
        }
    )


def _trial(trial: "Trial") -> dict[str, object]:
    from glassformer.stages.trace import json_values

    return {
        "style": trial.style,
        "formula": trial.formula,
        "weights": json_values(trial.weights),
        "row_sums": json_values(trial.row_sums),
        "leaked": trial.leaked,
        "felt": trial.felt,
        "right": trial.right,
    }


def _print_json(document: object) -> None:
    json_format.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False)
    print()

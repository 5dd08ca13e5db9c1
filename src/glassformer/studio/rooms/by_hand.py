"""The room *By hand*: a worksheet and its working, made anew at each change; notes checked; masks compared.

Everything is asked with the whole worksheet, so nothing is kept here between two questions.
"""

import random
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Finding, Report
from glassformer.by_hand.exercises.exercise_sheets import make_exercise
from glassformer.by_hand.exercises.workings import VARIANTS
from glassformer.by_hand.reports.html import sheets_html
from glassformer.by_hand.reports.wording import ending, minus, place, sentence, summary, unchecked
from glassformer.by_hand.worksheets.handout import ShownStage, WorkedNumber, part_of, spell_out
from glassformer.by_hand.worksheets.layer_sheets import kind_of
from glassformer.by_hand.worksheets.mask_laboratory import Experiment, experiments
from glassformer.by_hand.worksheets.solution import Solution, explain
from glassformer.by_hand.worksheets.worksheet import (
    GIVENS,
    MOST_TOKENS,
    PROJECTIONS,
    SCORERS,
    WEIGHER_NAMES,
    Worksheet,
    example_names,
    from_mapping,
    from_sentence,
    read_example,
)
from glassformer.errors import InputError
from glassformer.inside.document.trees import formula_tree, symbol_tree
from glassformer.stages.column_trace import ColumnTrace
from glassformer.stages.notation import plain
from glassformer.stages.trace import Explanation, Trace, json_values
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.markup import markup_tree

PRECISION = 3  # decimals shown
LONGEST_NOTES = 200_000  # characters
MOST_NUMBERS = 20_000  # in one worksheet
# The examples in the order in which they are best read.
_FIRST = ("i-love-ai", "thinking-machines", "no-weights", "one-token", "two-tokens", "masked", "cross", "sigmoid")

JSON = dict[str, Any]


def start(content: Content) -> JSON:
    """What the room offers: the examples, and the choices of a worksheet."""
    names = sorted(example_names(), key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return {
        "examples": [
            {"name": name, "title": (sheet := read_example(name)).title, "about": sheet.about, "layer": sheet.layer}
            for name in names
        ],
        "weighers": list(WEIGHER_NAMES),
        "scorers": list(SCORERS),
        "projections": list(PROJECTIONS),
        "variants": list(VARIANTS),
    }


def example(content: Content) -> JSON:
    """One of the examples, worked."""
    return _worked(read_example(asking.choice(content, "name", example_names())), content)


def sentence_sheet(content: Content) -> JSON:
    """A sentence of one's own, with made-up numbers."""
    words = asking.text(content, "sentence", longest=2000)
    heads = asking.whole(content, "heads", least=1, most=8, default=1)
    width = asking.whole(content, "width", least=1, most=16, default=4)
    seed = asking.whole(content, "seed", least=0, most=10**6, default=0)
    return _worked(from_sentence(words, width=width, heads=heads, seed=seed), content)


def work(content: Content) -> JSON:
    """A worksheet, worked."""
    return _worked(_sheet(content), content)


def refit(content: Content) -> JSON:
    """The same worksheet with another scorer: what it needs is made up, what it does not use is taken out."""
    given = asking.mapping(content, "sheet")
    scorer = asking.choice(content, "scorer", tuple(SCORERS))
    old = _sheet(content)
    if "inputs" not in old or "value_weight" not in old:
        raise InputError(f"A {scorer} is worked from inputs and weights; this worksheet begins later.")
    wanted = {"inputs", "context", *SCORERS[scorer]}
    wanted |= {name.replace("_weight", "_bias") for name in wanted} | {"output_weight", "output_bias"}
    kept = {name: value for name, value in sheet_mapping(old).items() if name not in GIVENS or name in wanted}
    made = {name: value for name, value in _made_up(old, scorer).items() if name in SCORERS[scorer]}
    if scorer != old.scorer:  # a table of the other synthesizer has another shape
        kept = {name: value for name, value in kept.items() if not name.startswith("synthesizer")}
    filled = {**made, **kept, "scorer": scorer}
    return _worked(from_mapping(filled, str(given.get("title", "worksheet"))), content)


def _made_up(sheet: Worksheet, scorer: str) -> JSON:
    """Numbers of one decimal for whatever a scorer needs."""
    draw = random.Random(0)
    inputs = sheet.givens["inputs"]
    context = sheet.givens.get("context", inputs)
    columns = next((sheet.givens[n].shape[-1] for n in ("query_weight", "key_weight") if n in sheet), inputs.shape[-1])
    rows = inputs.shape[-2] if scorer == "random synthesizer" else columns // sheet.heads

    def matrix(height: int, width: int) -> list[list[float]]:
        return [[round(draw.uniform(-1, 1), 1) for _ in range(width)] for _ in range(height)]

    return {
        "query_weight": matrix(inputs.shape[-1], columns),
        "key_weight": matrix(context.shape[-1], columns),
        "synthesizer_weight": matrix(rows, context.shape[-2]),
        "synthesizer_bias": matrix(1, context.shape[-2])[0],
    }


def explained_number(content: Content) -> JSON:
    """One number's arithmetic."""
    solution = _solved(_sheet(content), content)
    name = asking.text(content, "stage")
    index = ",".join(str(each) for each in asking.places(content, "index"))
    address, place_ = solution.trace.find(f"{name}[{index}]")
    explanation = solution.trace.explain(address, place_)
    return _told(explanation, spell_out(solution.trace, explanation, PRECISION, first=1))


def _told(explanation: Explanation, said: WorkedNumber) -> JSON:
    """An explanation as every page draws it, with the words and the figures of this one."""
    write = plain(PRECISION)
    found = explanation.to_dict()
    for term, true in zip(found["terms"], explanation.terms, strict=True):
        term["figure"] = write(true.value)
        for cell, there in zip(term["cells"], true.cells, strict=True):
            cell["figure"] = write(there.value)
    return {
        **found,
        "figure": minus(said.steps[-1]),
        "total": write(explanation.working.total),
        "where": said.where or said.place,
        "reason": said.reason,
        "same_as": said.copy_of,
    }


# --- a worksheet as the page has it -------------------------------------------------------------------------------


def _sheet(content: Content) -> Worksheet:
    given = asking.mapping(content, "sheet")
    count = sum(_count(value) for value in given.values())
    if count > MOST_NUMBERS:
        raise InputError(f"This worksheet has {count:,} numbers; by hand, {MOST_NUMBERS:,} are the most.")
    if "sentence" in given:
        raise InputError("Send a sentence as a sentence, not inside a worksheet.")
    sheet = from_mapping(given, "own")
    longest = max(matrix.shape[-2] if matrix.ndim > 1 else 1 for matrix in sheet.givens.values())
    if longest > MOST_TOKENS * 4:
        raise InputError(f"A matrix of this worksheet has {longest} rows; by hand, {MOST_TOKENS * 4} are the most.")
    return sheet


def _count(value: Any) -> int:
    return sum(_count(each) for each in value) if isinstance(value, list) else 1


def sheet_mapping(sheet: Worksheet) -> JSON:
    """A worksheet as names and values again, without what is as usual."""
    numbers = {name: values.tolist() for name, values in sheet.givens.items()}
    if sheet.layer != "attention":
        said: JSON = {"title": sheet.title, "about": sheet.about, "tokens": list(sheet.tokens), **sheet.words}
        said["context_tokens"] = list(sheet.context_tokens)
        said["vocabulary"] = list(sheet.vocabulary)
        return {"layer": sheet.layer, **{name: value for name, value in said.items() if value}, **numbers}
    mask: Any = sheet.mask.astype(int).tolist() if sheet.mask is not None else "causal" if sheet.causal else "none"
    settings: JSON = {
        "title": sheet.title, "about": sheet.about, "tokens": list(sheet.tokens),
        "context_tokens": list(sheet.context_tokens), "heads": sheet.heads, "scale": sheet.scale,
        "key_width": sheet.key_width, "mask": mask, "weigher": sheet.weigher, "scorer": sheet.scorer,
        "projections": sheet.projections,
    }  # fmt: skip
    chosen = {name: value for name, value in settings.items() if value not in (None, [], "")}
    return {**chosen, **numbers}


def _solved(sheet: Worksheet, content: Content) -> Solution:
    """Worked; with tokens in columns, if that is asked for and there are some."""
    solution = explain(sheet)
    wanted = asking.choice(content, "tokens_in", ("rows", "columns"), "rows")
    return solution.in_columns() if wanted == "columns" and solution.has_columns else solution


def _worked(sheet: Worksheet, content: Content) -> JSON:
    solution = _solved(sheet, content)
    trace = solution.trace.in_rows if isinstance(solution.trace, ColumnTrace) else solution.trace
    attends = sheet.layer == "attention"
    return {
        "sheet": sheet_mapping(sheet),
        "stages": [_stage(solution, shown) for shown in solution.stages()],
        "choices": {} if attends else {name: list(known) for name, known in kind_of(sheet.layer).settings.items()},
        "has_columns": solution.has_columns,
        "can_stack": attends and _allows(sheet, projections="stacked"),
        "in_columns": solution.trace is not trace,
        "mask": _mask(trace) if attends else None,
        "scale": float(trace["scale"]) if "scale" in trace else None,
        "heads": [count for count in range(1, 9) if _allows(sheet, heads=count)] if attends else [],
        "rows": list(sheet.tokens),
        "columns": list(sheet.context_tokens or sheet.tokens),
    }


def _mask(trace: Trace) -> list[list[bool]]:
    """Who may look at whom, in the first head."""
    n_queries, n_keys = trace["weights"].shape[-2:]
    mask = trace["mask"] if "mask" in trace else np.ones((1, 1, n_queries, n_keys), dtype=np.bool_)
    heads = mask.shape[-3] if mask.ndim > 2 else 1
    return np.broadcast_to(mask, (1, heads, n_queries, n_keys))[0, 0].tolist()  # type: ignore[no-any-return]


def _allows(sheet: Worksheet, **settings: Any) -> bool:
    """Whether the numbers can be shared by so many heads, or the projections be stacked."""
    try:
        from_mapping({**sheet_mapping(sheet), **settings})
    except InputError:
        return False
    return True


def _stage(solution: Solution, shown: ShownStage) -> JSON:
    address = shown.address
    numbers = shown.numbers if shown.values.dtype.kind != "b" else shown.values
    return {
        "name": address,
        "part": part_of(address),
        "letter": shown.stage.symbol,
        "symbol": symbol_tree(shown.stage),
        "axes": list(solution.trace.entry(address).axes),
        "whole_shape": list(solution.trace[address].shape),
        "operands": solution.trace.operands(address),
        "role": shown.stage.role,
        "meaning": shown.meaning,
        "given": shown.given,
        "formula": formula_tree(solution.trace, address),
        "facts": [minus(fact) for fact in (*shown.facts, *shown.remarks)],
        "repeats": shown.repeats,
        "idle": shown.idle() if shown.repeats else "",
        "shape": list(shown.values.shape),
        "values": json_values(numbers),
        "decimals": shown.decimals(PRECISION) if shown.values.dtype.kind != "b" else 0,
        "shares": shown.stage.name == "weights",
        "rows": list(shown.rows),
        "columns": list(shown.columns),
        "hidden": None if shown.hidden is None else shown.hidden.tolist(),
    }


# --- the mask laboratory ------------------------------------------------------------------------------------------


def laboratory(content: Content) -> JSON:
    """Four ways to hide a token, tried on the scores of a worksheet: under its own mask, or, where it has none, under a
    causal one."""
    trace = explain(_sheet(content)).trace
    if "scores" not in trace:
        raise InputError("There are no scores here to mask; choose an example of attention.")
    scores = trace["scaled"] if "scaled" in trace else trace["scores"]
    mask = trace["mask"] if "mask" in trace else np.tril(np.ones(scores.shape[-2:], dtype=np.bool_))
    mask = np.broadcast_to(mask, scores.shape)[0, 0]
    found = experiments(scores[0, 0], mask)
    experiments_ = [_experiment(each) for each in found]
    return {"scores": scores[0, 0].tolist(), "own_mask": "mask" in trace, "experiments": experiments_}


def _experiment(found: Experiment) -> JSON:
    trials = [
        {
            "style": trial.style,
            "formula": trial.formula,
            "weights": json_values(trial.weights),
            "sums": json_values(trial.row_sums),
            "leaked": json_values(np.array(trial.leaked)),
            "felt": json_values(np.array(trial.felt)),
            "right": trial.right,
        }
        for trial in found.trials
    ]
    return {"title": found.title, "note": found.note, "mask": found.mask.tolist(), "trials": trials}


# --- notes --------------------------------------------------------------------------------------------------------


def check(content: Content) -> JSON:
    """Notes, checked: as they read, with what is wrong marked."""
    notes = asking.text(content, "text", longest=LONGEST_NOTES)
    if not notes.strip():
        raise InputError("There is nothing to check yet; paste your working, or drop a file.")
    report = check_text(notes, "your working", asking.choice(content, "kind", (".md", ".tex", ".txt"), ".md"))
    return _report(report)


def _report(report: Report) -> JSON:
    first = report.first_wrong
    return {
        "right": report.outcome == "fine",
        "outcome": report.outcome,
        "summary": summary(report),
        "verdict": _verdict(report),
        "marks": report.marks,
        "notes": markup_tree(sheets_html(report)),
        "unread": [unchecked(each) for each in report.coverage.unchecked[:50]],
        "findings": [_finding(each, each is first) for each in report.findings],
    }


def _verdict(report: Report) -> str:
    first = report.first_wrong
    if first is not None:
        printed, right = minus(first.printed), minus(first.right)
        return f"First wrong number: {place(first)} in line {first.line}. It says {printed}, right is {right}."
    return f"{summary(report)}. {ending(report)}"


def _finding(finding: Finding, first: bool) -> JSON:
    return {
        "place": place(finding),
        "line": finding.line,
        "printed": minus(finding.printed),
        "right": minus(finding.right),
        "verdict": finding.verdict,
        "says": sentence(finding),
        "arithmetic": minus(finding.arithmetic),
        "mild": finding.is_mild,
        "first": first,
    }


def exercise(content: Content) -> JSON:
    """A sheet to fill in, and its solution: as they are written, and as they read."""
    made = make_exercise(
        asking.whole(content, "seed", least=0, most=10**6, default=0),
        asking.choice(content, "variant", tuple(VARIANTS), "plain"),
    )
    return {
        "sheet": made.sheet,
        "solution": made.solution,
        "reads": markup_tree(sheets_html(check_text(made.sheet, "the exercise", ".md"))),
        "solved": markup_tree(sheets_html(check_text(made.solution, "its solution", ".md"))),
    }


ACTIONS: MappingProxyType[str, Callable[[Content], JSON]] = MappingProxyType(
    {
        "by-hand/start": start, "by-hand/example": example, "by-hand/sentence": sentence_sheet, "by-hand/work": work,
        "by-hand/refit": refit, "by-hand/number": explained_number, "by-hand/laboratory": laboratory,
        "by-hand/check": check, "by-hand/exercise": exercise,
    }
)  # fmt: skip

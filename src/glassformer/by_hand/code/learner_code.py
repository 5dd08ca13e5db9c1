"""Checks a learner's attention function against the core: the first stage that differs, and the slip that explains it.

The function runs in another process with a time limit. The core says what is right; the catalogue of slips is then
tried on the core's own numbers until one gives what the function gave.
"""

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, Span, children, with_children
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.names import canonical, stage_of
from glassformer.by_hand.grammar.parsing import parse
from glassformer.by_hand.numbers.evaluator import Evaluator
from glassformer.by_hand.numbers.intervals import Floats, Value, exactly, named_shape
from glassformer.by_hand.numbers.scope import PAPER, Known, Scope
from glassformer.by_hand.slips.causes import NOT_SCALED, UNSCALED, Scene
from glassformer.by_hand.slips.search import find_cause, said_otherwise
from glassformer.by_hand.worksheets.worked import work
from glassformer.by_hand.worksheets.worksheet import Worksheet, read_example
from glassformer.errors import InputError, nearest

SECONDS = 20.0
TOLERANCE = 1e-4
_HERE = Span(0, 0)
# What each stage is made of, in the letters of the notes; the mask is added where there is one.
_FORMULAS = (
    ("queries", "Q", "X W_Q"),
    ("keys", "K", "C W_K"),
    ("values", "V", "C W_V"),
    ("scores", "S", "Q K^T"),
    ("scaled", "Z", "S / √d_k"),
    ("masked", "B", "Z + M"),
    ("weights", "A", "softmax(B)"),
    ("mixed", "H", "A V"),
    ("output", "Y", "H W_O"),
)
_ARGUMENTS = {
    **dict.fromkeys(("x", "inputs", "input", "d", "embeddings"), "inputs"),
    **dict.fromkeys(("c", "context", "memory", "z"), "context"),
    **dict.fromkeys(("q", "queries", "query"), "queries"),
    **dict.fromkeys(("k", "keys", "key"), "keys"),
    **dict.fromkeys(("v", "values", "value"), "values"),
    **dict.fromkeys(("mask", "m", "attn_mask"), "mask"),
    "w_q": "query_weight", "w_k": "key_weight", "w_v": "value_weight", "w_o": "output_weight",
}  # fmt: skip


@dataclass(frozen=True)
class CodeFinding:
    """The first stage that differs. Row and column count from 1."""

    stage: str
    row: int
    col: int
    returned: float
    right: float
    cause: str | None


@dataclass(frozen=True)
class CodeReport:
    """What came of a function: the stages compared, and the first difference or None."""

    target: str
    example: str
    compared: tuple[str, ...]
    finding: CodeFinding | None = None
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        finding = None if self.finding is None else vars(self.finding)
        return {
            "target": self.target,
            "example": self.example,
            "compared": list(self.compared),
            "error": self.error or None,
            "first_wrong": finding,
        }


def check_function(target: str, example: str = "two-tokens", *, seconds: float = SECONDS) -> CodeReport:
    """Runs `file.py::function` on a worked example and compares what it returns with the core."""
    path, function, parameters = _function(target)
    sheet = read_example(example)
    if sheet.heads != 1 or sheet.scorer != "dot product" or "inputs" not in sheet:
        raise InputError(f"The example '{example}' cannot be used here: choose one with inputs and a single head.")
    right = _core(sheet)
    arguments = _arguments(parameters, right, target)
    answer = _run_apart(path, function, arguments, seconds)
    if "error" in answer:
        return CodeReport(target, example, (), error=answer["error"])
    returned = {name: np.array(rows, dtype=np.float64) for name, rows in answer["stages"].items()}
    return _compared(target, sheet, example, right, returned, set(arguments))


def _function(target: str) -> tuple[Path, str, list[tuple[str, bool]]]:
    """The file, the function's name, and its parameters with whether each is needed; read, not run."""
    file, _, name = target.partition("::")
    path = Path(file)
    if not name:
        raise InputError(f"'{target}' names no function; write it as {file}::attend.")
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path in '{target}'.")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{path} is not Python: {error}.") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        raise InputError(f"{path} has no function '{name}'; {nearest(name, functions)}")
    spec = functions[name].args
    plain = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    needed = len(plain) - len(spec.defaults)
    keyword = [(a.arg, default is None) for a, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    return path.resolve(), name, [(each, i < needed) for i, each in enumerate(plain)] + keyword


def _core(sheet: Worksheet) -> dict[str, Floats]:
    """Every stage from the core, as plain matrices; the mask as 0 and −∞."""
    trace = work(sheet)
    stages = {name: np.asarray(trace[name], dtype=np.float64) for name in trace if trace[name].dtype.kind == "f"}
    matrices = {name: _matrix(values) for name, values in stages.items() if values.ndim}
    if "mask" in trace:
        allowed = _matrix(np.asarray(trace["mask"]))
        matrices["mask"] = np.where(np.broadcast_to(allowed, matrices["scores"].shape), 0.0, -np.inf)
    return matrices


def _matrix(values: Any) -> Any:
    while values.ndim > 2:
        values = values[0]
    return np.atleast_2d(values)


def _arguments(parameters: list[tuple[str, bool]], right: Mapping[str, Floats], target: str) -> dict[str, Floats]:
    """What to hand to each parameter, by its name."""
    arguments: dict[str, Floats] = {}
    for parameter, needed in parameters:
        name = canonical(parameter)
        stage = _ARGUMENTS.get(name.lower()) or stage_of(name) or parameter
        if stage == "context" and stage not in right:
            stage = "inputs"
        if stage in right:
            arguments[parameter] = right[stage]
        elif needed:
            raise InputError(
                f"{target} needs a parameter '{parameter}', and it is not clear what to hand it. "
                "Understood names: x, context, W_Q, W_K, W_V, W_O, Q, K, V, mask."
            )
    if not arguments:
        raise InputError(f"{target} takes no arguments; a function of x and weights, or of q, k and v, was expected.")
    return arguments


def _run_apart(path: Path, function: str, arguments: Mapping[str, Floats], seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        job, answer = Path(folder) / "job.json", Path(folder) / "answer.json"
        handed = {name: [[str(v) for v in row] for row in values.tolist()] for name, values in arguments.items()}
        content = {"file": str(path), "function": function, "arguments": handed, "answer": str(answer)}
        job.write_text(json.dumps(content), encoding="utf-8")
        command = [sys.executable, "-m", "glassformer.by_hand.code.runner", str(job)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return {"error": f"it was still running after {seconds:g} seconds, and was stopped"}
        if not answer.exists():
            last = done.stderr.decode(errors="replace").strip().splitlines()
            return {"error": f"it ended the process with code {done.returncode}: {last[-1] if last else 'no message'}"}
        content = json.loads(answer.read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else {"error": "it returned nothing that can be read"}


def _compared(
    target: str,
    sheet: Worksheet,
    example: str,
    right: Mapping[str, Floats],
    returned: Mapping[str, Floats],
    handed: set[str],
) -> CodeReport:
    stages = {_stage_name(name): values for name, values in returned.items()}
    takes_output_weight = any(_ARGUMENTS.get(canonical(name).lower()) == "output_weight" for name in handed)
    bench = _Bench(sheet, right)
    compared: list[str] = []
    for stage, symbol, _ in _FORMULAS:
        if stage not in stages:
            continue
        meant = "mixed" if stage == "output" and not takes_output_weight else stage
        compared.append(stage)
        if meant not in right:
            continue
        difference = _first_difference(stages[stage], right[meant])
        if difference is not None:
            place = tuple(int(i) + 1 for i in difference)
            values = _at(stages[stage], difference), _at(right[meant], difference)
            letter = "H" if meant == "mixed" else symbol
            cause = bench.cause(letter, stages[stage], alone=len(stages) == 1)
            return CodeReport(target, example, tuple(compared), CodeFinding(stage, place[0], place[1], *values, cause))
    if not compared:
        names = ", ".join(returned)
        return CodeReport(target, example, (), error=f"it returned {names or 'nothing'}, none of which is a stage")
    return CodeReport(target, example, tuple(compared))


def _stage_name(name: str) -> str:
    symbols = {symbol: stage for stage, symbol, _ in _FORMULAS}
    return stage_of(canonical(name)) or symbols.get(name) or name


def _first_difference(returned: Floats, right: Floats) -> tuple[int, int] | None:
    if returned.shape != right.shape:
        return (0, 0)
    same = np.isclose(returned, right, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=False) | (returned == right)
    return None if same.all() else tuple(np.argwhere(~same)[0].tolist())


def _at(values: Floats, place: tuple[int, int]) -> float:
    return float(values[place]) if place[0] < values.shape[0] and place[1] < values.shape[1] else float("nan")


class _Bench:
    """The formulas of one example, on which slips can be tried."""

    def __init__(self, sheet: Worksheet, right: Mapping[str, Floats]) -> None:
        self.scope = Scope()
        context = "context" if "context" in right else "inputs"
        letters = {"X": "inputs", "C": context, "W_Q": "query_weight", "W_K": "key_weight", "W_V": "value_weight"}
        for letter, stage in (letters | {"W_O": "output_weight", "M": "mask"}).items():
            if stage in right:
                value = exactly(right[stage])
                self.scope.known[letter] = Known(value, value)
        for stage, letter, plain in _FORMULAS:
            formula = plain.replace("softmax", sheet.weigher)
            if stage == "masked" and "mask" not in right:
                continue
            formula = formula if "mask" in right else formula.replace("(B)", "(Z)")
            if stage in right:
                value = exactly(right[stage])
                self.scope.known[letter] = Known(value, value, origin=_parsed(formula))

    def _evaluate(self, node: Node) -> Value:
        return Evaluator(self.scope, {}, PAPER, lambda _: [])(node)

    def _origin(self, node: Node) -> Node | None:
        known = self.scope.find(node.key)
        return known.origin if known is not None else None

    def cause(self, letter: str, returned: Floats, *, alone: bool) -> str | None:
        """The slip that gives what was returned; if only the output is known, anywhere on the way to it."""
        known = self.scope.find(letter)
        if known is None or known.origin is None or returned.shape != known.right.shape:
            return _other_shape(returned, known.right) if known is not None else None
        if not np.isfinite(returned).all():
            return "it has entries that are not numbers: a row that may look at nothing, or an overflow"
        expected = self._whole(known.origin) if alone else known.origin
        literal = Matrix(tuple(tuple(_number(v) for v in row) for row in returned.tolist()), _HERE)
        wrong = ~np.isclose(returned, known.right.middle(0), rtol=TOLERANCE, atol=TOLERANCE)
        other = said_otherwise(
            expected, lambda node: np.allclose(self._evaluate(node).middle(0), returned, atol=TOLERANCE)
        )
        if other is not None:
            words = other[0].split(" ")
            return f"{words[-1]} in place of {words[0]}"
        cause = find_cause(Scene(literal, expected, wrong, known.right, self._evaluate, self._origin))
        return NOT_SCALED if cause == UNSCALED else cause

    def _whole(self, node: Node) -> Node:
        """A formula with every intermediate name written out, down to queries, keys and values."""
        if isinstance(node, Name):
            source = self._origin(node) if node.text in ("S", "Z", "B", "A", "H") else None
            return self._whole(source) if source is not None else node
        return with_children(node, tuple(self._whole(child) for child in children(node)))


def _other_shape(returned: Floats, right: Value) -> str:
    height, width = returned.shape
    return f"its shape is {named_shape((height, width))}; {named_shape(right.shape)} was expected"


def _number(value: float) -> Number:
    return Number(f"{abs(value):.4f}", _HERE, -1 if value < 0 else 1)


def _parsed(formula: str) -> Node:
    return parse(lex(Ground(formula, 0, "text")))

"""Spells out how one number comes about, as on paper: `0×1 + 1×0 = 0`. Finds nothing and judges nothing."""

import math
from collections.abc import Callable

from glassformer.by_hand.grammar.expressions import Call, Inverse, Name, Node, Product, Sum, Transpose
from glassformer.by_hand.numbers.evaluator import factors_of, product_of
from glassformer.by_hand.numbers.intervals import LOCAL, Floats, Value
from glassformer.errors import InputError

Evaluate = Callable[[Node], Value]
LONGEST = 12  # terms; a longer sum is cut short


def number(value: float) -> str:
    """A number as on paper: up to four decimals, no idle zeros."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "?"
    text = f"{value:.4f}" if abs(value) < 1e6 else f"{value:.5g}"
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return f"{value:.3g}" if text in ("0", "-0") and value != 0 else ("0" if text == "-0" else text)


def _in_brackets(value: float) -> str:
    text = number(value)
    return f"({text})" if text.startswith(("-", "−")) else text


def spell(node: Node, i: int, j: int, evaluate: Evaluate, source: str = "") -> str:
    """The arithmetic behind entry (i, j) of `node`, or an empty text where there is nothing to spell out."""
    try:
        if isinstance(node, Name | Transpose):
            value = evaluate(node).middle(LOCAL)
            return f"{source} has {number(value[i, j])}" if source else ""
        left = _left_side(node, i, j, evaluate)
        result = evaluate(node).middle(LOCAL)
        return f"{left} = {number(result[i, j])}" if left else ""
    except (InputError, IndexError, ValueError):  # shapes that only another reading joins
        return ""


def _left_side(node: Node, i: int, j: int, evaluate: Evaluate) -> str:
    match node:
        case Call(function="softmax"):
            row = evaluate(node.of).middle(LOCAL)[i]
            powers = [f"e^{_in_brackets(z)}" for z in row]
            return f"{powers[j]} / ({_joined(powers, ' + ')})"
        case Call(function="sigmoid"):
            return f"1 / (1 + e^{_in_brackets(-evaluate(node.of).middle(LOCAL)[i, j])})"
        case Call(function="sqrt"):
            return f"√{_in_brackets(evaluate(node.of).middle(LOCAL)[i, j])}"
        case Call(function="exp"):
            return f"e^{_in_brackets(evaluate(node.of).middle(LOCAL)[i, j])}"
        case Sum():
            return _joined([_in_brackets(_at(evaluate(term).middle(LOCAL), i, j)) for term in node.terms], " + ")
        case Product() if not node.entrywise:
            return _product(node, i, j, evaluate)
    return ""


def _at(values: Floats, i: int, j: int) -> float:
    return float(values[i if values.shape[0] > 1 else 0, j if values.shape[1] > 1 else 0])


def _joined(terms: list[str], sign: str) -> str:
    return sign.join(terms if len(terms) <= LONGEST else [*terms[: LONGEST - 2], "…", terms[-1]])


def _product(node: Product, i: int, j: int, evaluate: Evaluate) -> str:
    """A row times a column, with what it is divided by or multiplied with."""
    matrices = [factor for factor in node.factors if not _is_scalar(factor, evaluate)]
    over = "".join(
        f" / {_spelled_divisor(factor.of, evaluate)}"
        if isinstance(factor, Inverse)
        else f" × {_in_brackets(_at(evaluate(factor).middle(LOCAL), 0, 0))}"
        for factor in node.factors
        if _is_scalar(factor, evaluate)
    )
    if not matrices:
        return over.removeprefix(" × ") if over.startswith(" × ") else f"1{over}"
    if len(matrices) < 2:
        return _in_brackets(_at(evaluate(matrices[0]).middle(LOCAL), i, j)) + over
    left = evaluate(product_of(matrices[:-1]))
    right = evaluate(matrices[-1])
    if left.shape[1] != right.shape[0]:
        right = right.transposed
    row, column = left.middle(LOCAL)[i], right.middle(LOCAL)[:, j]
    terms = [f"{_in_brackets(a)}×{_in_brackets(b)}" for a, b in zip(row, column, strict=True)]
    return f"({_joined(terms, ' + ')}){over}" if over and len(terms) > 1 else _joined(terms, " + ") + over


def _is_scalar(factor: Node, evaluate: Evaluate) -> bool:
    return evaluate(factor).is_scalar and len(factors_of(factor)) == 1


def _spelled_divisor(node: Node, evaluate: Evaluate) -> str:
    """√2 where the root itself was taken, 1.41 where the notes print it so."""
    value = 1 / float(evaluate(Inverse(node, node.span)).middle(LOCAL)[0, 0])
    if isinstance(node, Call) and node.function == "sqrt":
        under = float(evaluate(node.of).middle(LOCAL)[0, 0])
        if math.isclose(math.sqrt(under), value, rel_tol=1e-9):
            return f"√{number(under)}"
    return _in_brackets(value)

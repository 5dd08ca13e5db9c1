"""Spells out how one number comes about, as on paper: `0×1 + 1×0 = 0`. Finds nothing and judges nothing."""

import math
from collections.abc import Callable

from glassformer.by_hand.grammar.expressions import Call, Inverse, Name, Node, Number, Product, Sum, Transpose, walk
from glassformer.by_hand.numbers.evaluator import factors_of, product_of
from glassformer.by_hand.numbers.intervals import LOCAL, Floats, Value
from glassformer.errors import InputError

Evaluate = Callable[[Node], Value]
LONGEST = 12  # terms; a longer sum is cut short
DECIMALS, MOST_DECIMALS = 4, 8  # shown at least, where there are as many, and at most
LARGE = 1e9  # from here on with a power of ten


def number(value: float, decimals: int = DECIMALS) -> str:
    """A number as on paper: up to so many decimals, no idle zeros."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "?"
    text = f"{value:.{decimals}f}" if abs(value) < LARGE else f"{value:.5g}"
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return f"{value:.3g}" if text in ("0", "-0") and value != 0 else ("0" if text == "-0" else text)


def decimals_of(*nodes: Node) -> int:
    """As many decimals as the numbers on the page have, so that the arithmetic can be followed to the last digit."""
    shown = [each.decimals or 0 for node in nodes for each in walk(node) if isinstance(each, Number)]
    return min(MOST_DECIMALS, max([DECIMALS, *shown]))


class Spelling:
    """Spells out numbers with so many decimals."""

    def __init__(self, evaluate: Evaluate, decimals: int = DECIMALS) -> None:
        self.evaluate, self.decimals = evaluate, decimals

    def number(self, value: float) -> str:
        return number(value, self.decimals)

    def in_brackets(self, value: float) -> str:
        text = self.number(value)
        return f"({text})" if text.startswith(("-", "−")) else text

    def at(self, node: Node, i: int, j: int, source: str = "") -> str:
        """The arithmetic behind entry (i, j) of `node`, or an empty text where there is nothing to spell out."""
        try:
            if isinstance(node, Name | Transpose):
                value = self.evaluate(node).middle(LOCAL)
                return f"{source} has {self.number(value[i, j])}" if source else ""
            left = self._left_side(node, i, j)
            result = self.evaluate(node).middle(LOCAL)
            return f"{left} = {self.number(result[i, j])}" if left else ""
        except (InputError, IndexError, ValueError):  # shapes that only another reading joins
            return ""

    def _left_side(self, node: Node, i: int, j: int) -> str:
        match node:
            case Call(function="softmax"):
                row = self.evaluate(node.of).middle(LOCAL)[i]
                powers = [f"e^{self.in_brackets(z)}" for z in row]
                return f"{powers[j]} / ({_joined(powers, ' + ')})"
            case Call(function="sigmoid"):
                return f"1 / (1 + e^{self.in_brackets(-self.evaluate(node.of).middle(LOCAL)[i, j])})"
            case Call(function="sqrt"):
                return f"√{self.in_brackets(self.evaluate(node.of).middle(LOCAL)[i, j])}"
            case Call(function="exp"):
                return f"e^{self.in_brackets(self.evaluate(node.of).middle(LOCAL)[i, j])}"
            case Sum():
                terms = [_at(self.evaluate(term).middle(LOCAL), i, j) for term in node.terms]
                return _joined([self.in_brackets(term) for term in terms], " + ")
            case Product() if not node.entrywise:
                return self._product(node, i, j)
        return ""

    def _product(self, node: Product, i: int, j: int) -> str:
        """A row times a column, with what it is divided by or multiplied with."""
        matrices = [factor for factor in node.factors if not self._is_scalar(factor)]
        over = "".join(
            f" / {self._spelled_divisor(factor.of)}"
            if isinstance(factor, Inverse)
            else f" × {self.in_brackets(_at(self.evaluate(factor).middle(LOCAL), 0, 0))}"
            for factor in node.factors
            if self._is_scalar(factor)
        )
        if not matrices:
            return over.removeprefix(" × ") if over.startswith(" × ") else f"1{over}"
        if len(matrices) < 2:
            return self.in_brackets(_at(self.evaluate(matrices[0]).middle(LOCAL), i, j)) + over
        left = self.evaluate(product_of(matrices[:-1]))
        right = self.evaluate(matrices[-1])
        if left.shape[1] != right.shape[0]:
            right = right.transposed
        row, column = left.middle(LOCAL)[i], right.middle(LOCAL)[:, j]
        terms = [f"{self.in_brackets(a)}×{self.in_brackets(b)}" for a, b in zip(row, column, strict=True)]
        return f"({_joined(terms, ' + ')}){over}" if over and len(terms) > 1 else _joined(terms, " + ") + over

    def _is_scalar(self, factor: Node) -> bool:
        return self.evaluate(factor).is_scalar and len(factors_of(factor)) == 1

    def _spelled_divisor(self, node: Node) -> str:
        """√2 where the root itself was taken, 1.41 where the notes print it so."""
        value = 1 / float(self.evaluate(Inverse(node, node.span)).middle(LOCAL)[0, 0])
        if isinstance(node, Call) and node.function == "sqrt":
            under = float(self.evaluate(node.of).middle(LOCAL)[0, 0])
            if math.isclose(math.sqrt(under), value, rel_tol=1e-9):
                return f"√{self.number(under)}"
        return self.in_brackets(value)


def _at(values: Floats, i: int, j: int) -> float:
    return float(values[i if values.shape[0] > 1 else 0, j if values.shape[1] > 1 else 0])


def _joined(terms: list[str], sign: str) -> str:
    return sign.join(terms if len(terms) <= LONGEST else [*terms[: LONGEST - 2], "…", terms[-1]])

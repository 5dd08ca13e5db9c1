"""Sums over an index, as in −Σᵢ yᵢ log pᵢ: what a sign of summation sums over, and the sum as one over whole lists.

yᵢ log pᵢ summed over i is y log p, entry by entry, summed up. Works nothing out, and knows nothing of values.
"""

import re
from dataclasses import dataclass

from glassformer.by_hand.grammar.expressions import (
    Call,
    Name,
    Node,
    Number,
    Product,
    Span,
    children,
    names_in,
    sum_of,
    with_children,
)

_MOST_TERMS = 60  # that a sum is written out with

SIGNS = frozenset({"Σ", "∑", r"\sum"})
_INDEX = re.compile(
    r"(?:\\limits)?\s*(?:_\s*(?:\{\s*(?P<group>[a-z])\s*(?:=\s*(?P<lower>\d+)|(?:\\in|∈)[^{}]{0,20})?\s*\}|(?P<letter>[a-z]))"
    r"|(?P<small>[ᵢⱼₖ]))\s*(?:\^\s*(?:\{\s*(?P<upper>\w+)\s*\}|(?P<up>\w)))?"
)
_UNSAID = re.compile(r"\s*\(?\s*(?:[^\W\d_]|\\hat\{?[a-z]\}?)(?:_\{?(?P<letter>[ijk])\}?|(?P<small>[ᵢⱼₖ]))(?![\w])")
_SMALL = str.maketrans("ᵢⱼₖ", "ijk")


@dataclass(frozen=True)
class Summed:
    """What is summed over, from where to where, as written; and where the writing of it ends."""

    index: str
    lower: str
    upper: str
    end: int

    @property
    def text(self) -> str:
        """All in one word, for a token."""
        return f"{self.index}|{self.lower}|{self.upper}"


def summed_over(text: str, end: int) -> Summed | None:
    """What the sign that ends here sums over: said beside it, or told by what follows; None if it cannot be told."""
    said = _INDEX.match(text, end)
    if said is not None:
        index = (said["group"] or said["letter"] or said["small"]).translate(_SMALL)
        return Summed(index, said["lower"] or "", said["upper"] or said["up"] or "", said.end())
    unsaid = _UNSAID.match(text, end)
    if unsaid is None:
        return None
    return Summed((unsaid["letter"] or unsaid["small"]).translate(_SMALL), "", "", end)


def over_all(written: str, body: Node, span: Span) -> Node:
    """The sum of a body over an index; without anything in it that has the index, simply its sum."""
    index, lower, upper = written.split("|")
    suffix = f"_{index}"
    if lower.isdigit() and upper.isdigit() and not any(name.endswith(suffix) for name in names_in(body)):
        terms = [_put_in(body, index, str(number)) for number in range(int(lower), int(upper) + 1)][: _MOST_TERMS + 1]
        if 0 < len(terms) <= _MOST_TERMS:
            return sum_of(terms, span)
    if not any(name.endswith(suffix) for name in names_in(body)):
        return Call("sum", body, span)
    return Call("sum over", _whole(body, suffix), span, (index, lower, upper))


def _put_in(node: Node, index: str, number: str) -> Node:
    if isinstance(node, Name) and node.text == index and not node.index:
        return Number(number, node.span)
    return with_children(node, tuple(_put_in(child, index, number) for child in children(node)))


def _whole(node: Node, suffix: str) -> Node:
    if isinstance(node, Name):
        return Name(node.text.removesuffix(suffix), node.span, node.index)
    parts = tuple(_whole(child, suffix) for child in children(node))
    if isinstance(node, Product):
        return Product(parts, node.span, entrywise=True)
    return with_children(node, parts)

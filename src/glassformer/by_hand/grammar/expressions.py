"""What stands between two equals signs, as a tree: numbers, names, matrices and the operations between them.

Products and sums are kept flat, and a division is a product with an inverse, so that `QKᵀ/√d` and `Q Kᵀ · 1/√d` are the
same tree. `key` writes a tree in one canonical way: two sides that say the same have the same key. Computes nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Union

Node = Union["Number", "Name", "Matrix", "Sum", "Product", "Negative", "Inverse", "Power", "Transpose", "Call"]


@dataclass(frozen=True)
class Span:
    """A stretch of the source text."""

    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Number:
    """A number as it was printed; `text` keeps every digit, without its sign."""

    text: str
    span: Span
    sign: int = 1
    percent: bool = False

    @property
    def value(self) -> float:
        """What it says."""
        if self.text == "inf":
            return self.sign * float("inf")
        return self.sign * float(self.text) / (100 if self.percent else 1)

    @cached_property
    def decimals(self) -> int | None:
        """Digits after the point (negative for 12e3); None for a whole number, which is exact."""
        mantissa, _, exponent = self.text.lower().partition("e")
        whole = "." not in mantissa or mantissa.endswith(".")  # programs print 1 as 1.
        if self.text == "inf" or (whole and not exponent and not self.percent):
            return None
        decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + (2 if self.percent else 0)
        return max(-300, min(300, decimals))  # beyond, a float has no digits

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"{'-' if self.sign < 0 else ''}{self.text}{'%' if self.percent else ''}"


@dataclass(frozen=True, eq=False)
class Name:
    """A name in its canonical spelling; `index` is a place in it, counted from 0: `scores[0][1]`."""

    text: str
    span: Span
    index: tuple[int, ...] = ()

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return self.text + "".join(f"[{i}]" for i in self.index)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rows of entries, each an expression of its own."""

    rows: tuple[tuple[Node, ...], ...]
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return "[" + "; ".join(", ".join(entry.key for entry in row) for row in self.rows) + "]"


@dataclass(frozen=True, eq=False)
class Sum:
    """Terms added up."""

    terms: tuple[Node, ...]
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return "(" + " + ".join(term.key for term in self.terms) + ")"


@dataclass(frozen=True, eq=False)
class Product:
    """Factors multiplied, in order; `entrywise` for ⊙."""

    factors: tuple[Node, ...]
    span: Span
    entrywise: bool = False
    starred: bool = False  # written with * where the notes speak of convolution, which it may mean
    signed: bool = False  # written with · or *, which some mean entry by entry; A B is always the matrix product

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return (" ⊙ " if self.entrywise else " · ").join(factor.key for factor in self.factors)


@dataclass(frozen=True, eq=False)
class Negative:
    """With the sign turned."""

    of: Node
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"-({self.of.key})"


@dataclass(frozen=True, eq=False)
class Inverse:
    """One over something."""

    of: Node
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"1/({self.of.key})"


@dataclass(frozen=True, eq=False)
class Power:
    """Something to a power."""

    base: Node
    exponent: Node
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"({self.base.key})^({self.exponent.key})"


@dataclass(frozen=True, eq=False)
class Transpose:
    """Rows and columns exchanged."""

    of: Node
    span: Span

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"({self.of.key})ᵀ"


@dataclass(frozen=True, eq=False)
class Call:
    """A function of something: softmax, √, …"""

    function: str
    of: Node
    span: Span
    parameters: tuple[str, ...] = field(default=())

    @cached_property
    def key(self) -> str:
        """The canonical writing."""
        return f"{self.function}({self.of.key})"


def readable(node: Node) -> str:
    """The canonical writing, made easier on the eye: `Q Kᵀ /√d`."""
    text = re.sub(r"\(\[(\w+(?:, \w+)+)\]\)", r"(\1)", node.key)  # mean squared error(y, t)
    text = re.sub(r"\((\w+)\)ᵀ", r"\1ᵀ", text)
    text = re.sub(r"1/\((\w+)\)", r"/\1", re.sub(r"sqrt\((\w+)\)", r"√\1", text).replace("1/(√", "/(√"))
    text = re.sub(r"/\((√\w+)\)", r"/\1", text)
    text = re.sub(r"\((\w+)\)\^\((\w+)\)", r"\1^\2", text).replace(" · /", " / ").replace("^2", "²")
    text = re.sub(r"(\d) · (?=\d)", r"\1 × ", text).replace(" · ", " ")
    text = re.sub(r"(?:^|(?<=[(+−-] )|(?<=[(+−-]))/(?=[\w(√])", "1/", text)  # 1/4 + 1/3, and not /4 + /3
    return text[1:-1] if isinstance(node, Sum) else text


def children(node: Node) -> tuple[Node, ...]:
    """What a node is made of."""
    match node:
        case Number() | Name():
            return ()
        case Matrix():
            return tuple(entry for row in node.rows for entry in row)
        case Sum():
            return node.terms
        case Product():
            return node.factors
        case Power():
            return node.base, node.exponent
        case _:
            return (node.of,)


def with_children(node: Node, new: tuple[Node, ...]) -> Node:
    """The same node around other children."""
    match node:
        case Number() | Name():
            return node
        case Matrix():
            entries = iter(new)
            return Matrix(tuple(tuple(next(entries) for _ in row) for row in node.rows), node.span)
        case Sum():
            return Sum(new, node.span)
        case Product():
            return Product(new, node.span, node.entrywise, node.starred, node.signed)
        case Negative():
            return Negative(new[0], node.span)
        case Inverse():
            return Inverse(new[0], node.span)
        case Power():
            return Power(new[0], new[1], node.span)
        case Transpose():
            return Transpose(new[0], node.span)
        case Call():
            return Call(node.function, new[0], node.span, node.parameters)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it."""
    yield node
    for child in children(node):
        yield from walk(child)


def names_in(node: Node) -> set[str]:
    """The names it mentions."""
    return {each.text for each in walk(node) if isinstance(each, Name)}


def is_printed(node: Node) -> bool:
    """Whether it is plain printed numbers with nothing left to work out."""
    return isinstance(node, Number) or (
        isinstance(node, Matrix) and all(isinstance(entry, Number) for row in node.rows for entry in row)
    )


def has_matrix(node: Node) -> bool:
    """Whether it holds a matrix with numbers in it."""
    return any(
        isinstance(each, Matrix) and any(isinstance(e, Number) for row in each.rows for e in row) for each in walk(node)
    )


def is_symbolic(node: Node) -> bool:
    """Whether it holds no matrix of numbers and no decimal: a formula, such as QKᵀ/√d."""
    return not has_matrix(node) and not any(isinstance(each, Number) and each.decimals for each in walk(node))


def product(factors: list[Node], span: Span) -> Node:
    """A flat product; a factor 1 that only carries a fraction (1/√d) is left out."""
    flat: list[Node] = []
    for factor in factors:
        flat.extend(factor.factors if isinstance(factor, Product) and not factor.entrywise else [factor])
    kept = [f for f in flat if not (isinstance(f, Number) and f.text == "1" and f.sign > 0 and not f.percent)] or flat[
        :1
    ]
    if not any(isinstance(f, Inverse) for f in flat):
        kept = flat
    signed = any(isinstance(factor, Product) and factor.signed for factor in factors)
    starred = any(isinstance(factor, Product) and factor.starred for factor in factors)
    if len(kept) == 1 < len(flat) and isinstance(kept[0], Inverse):
        return Inverse(kept[0].of, span)  # 1/2 stands where its 1 stands, too
    return kept[0] if len(kept) == 1 else Product(tuple(kept), span, starred=starred, signed=signed)


def sum_of(terms: list[Node], span: Span) -> Node:
    """A flat sum."""
    flat: list[Node] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, Sum) else [term])
    return flat[0] if len(flat) == 1 else Sum(tuple(flat), span)

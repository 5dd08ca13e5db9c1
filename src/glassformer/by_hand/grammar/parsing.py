"""Reads the tokens of one side of an equation into a tree, by the grammar in notation.lark.

It says why a side cannot be read, and where. It knows nothing of values, nor of where a side comes from.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError
from lark.lexer import Lexer

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Span,
    Transpose,
    product,
    sum_of,
)
from glassformer.by_hand.grammar.folding import Folded
from glassformer.by_hand.grammar.layout import lay_out
from glassformer.by_hand.grammar.lexing import DEEPEST
from glassformer.by_hand.grammar.summation import over_all
from glassformer.errors import InputError

LARGEST = 20_000  # tokens in one side
LEFT_BLANK = "left blank"  # why a side with a ? in it is not read


class UnreadableError(InputError):
    """A side that the grammar cannot read; the message says why."""


class _Handed(Lexer):
    """Hands on tokens that are already cut."""

    def __init__(self, _conf: Any) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
        return iter(data)


def _span(*parts: Any) -> Span:
    starts = [int(p.start_pos or 0) if isinstance(p, Token) else int(p.span.start) for p in parts]
    ends = [int(p.end_pos or 0) if isinstance(p, Token) else int(p.span.end) for p in parts]
    return Span(min(starts), max(ends))


def _nodes(parts: tuple[Any, ...]) -> list[Any]:
    return [part for part in parts if not isinstance(part, Token)]


def _row_of(values: list[Node], span: Span) -> Node:
    return Matrix((tuple(values),), span)


@v_args(inline=True)
class _Builder(Transformer[Token, Node]):
    """Builds the tree while the grammar is being read."""

    def number(self, token: Token) -> Node:
        return Number(str(token), _span(token))

    def folded(self, token: Folded) -> Node:
        return token.matrix

    def percent(self, token: Token, sign: Token) -> Node:
        return Number(str(token), _span(token, sign), percent=True)

    def minus_number(self, sign: Token, token: Token) -> Node:
        return Number(str(token), _span(sign, token), sign=-1)

    def infinity(self, token: Token) -> Node:
        return Number("inf", _span(token))

    def name(self, token: Token) -> Node:
        return Name(str(token), _span(token))

    def dots(self, token: Token) -> Node:
        return Name("…", _span(token))

    def word(self, token: Token) -> Node:
        return Name(str(token), _span(token))

    def entry(self, token: Token, index: Token) -> Node:
        places = index.replace("][", ",").strip("[]").split(",")
        return Name(str(token), _span(token, index), tuple(int(place) for place in places))

    def plus(self, a: Node, _sign: Token, b: Node) -> Node:
        return sum_of([a, b], _span(a, b))

    def minus(self, a: Node, sign: Token, b: Node) -> Node:
        return sum_of([a, self.negative(sign, b)], _span(a, b))

    def negative(self, sign: Token, a: Node) -> Node:
        span = _span(sign, a)
        return Number(a.text, span, -a.sign, a.percent) if isinstance(a, Number) else Negative(a, span)

    def positive(self, _sign: Token, a: Node) -> Node:
        return a

    def times(self, a: Node, _sign: Token, b: Node) -> Node:
        node = product([a, b], _span(a, b))
        return replace(node, signed=True) if isinstance(node, Product) else node

    def star(self, a: Node, sign: Token, b: Node) -> Node:
        node = self.times(a, sign, b)
        return replace(node, starred=True) if isinstance(node, Product) else node

    def entrywise(self, a: Node, _sign: Token, b: Node) -> Node:
        return Product((a, b), _span(a, b), entrywise=True)

    def over(self, a: Node, _sign: Token, b: Node) -> Node:
        return product([a, Inverse(b, b.span)], _span(a, b))

    def beside(self, a: Node, b: Node) -> Node:
        return product([a, b], _span(a, b))

    def power(self, a: Node, _sign: Token, exponent: Node) -> Node:
        if isinstance(a, Name) and a.text == "e":
            return Call("exp", exponent, _span(a, exponent))
        return Power(a, exponent, _span(a, exponent))

    def number_power(self, token: Token, _sign: Token, exponent: Node) -> Node:
        return Power(self.number(token), exponent, _span(token, exponent))

    def turned(self, a: Node, sign: Token) -> Node:
        return Transpose(a, _span(a, sign))

    def inside(self, first: Token, a: Node, last: Token) -> Node:
        return a if isinstance(a, Number | Matrix) else replace(a, span=_span(first, last))

    def parenthesis(self, *parts: Any) -> Node:
        values = _nodes(parts)
        if len(values) > 1:
            return _row_of(values, _span(*parts))
        return values[0] if isinstance(values[0], Number | Matrix) else replace(values[0], span=_span(*parts))

    def list_row(self, *parts: Any) -> list[Node]:
        return _nodes(parts)

    def bracket(self, *parts: Any) -> Node:
        rows: list[list[Node]] = _nodes(parts)
        span = _span(parts[0], parts[-1])
        if len(rows) == 1 and all(isinstance(value, Matrix) for value in rows[0]):
            return _of_rows([value for value in rows[0] if isinstance(value, Matrix)], span)
        return _rectangle(rows, span)

    def cell(self, *parts: Any) -> Node | None:
        return parts[0] if parts else None

    def row(self, *parts: Any) -> list[Node | None]:
        return [part for part in parts if not isinstance(part, Token)]

    def matrix(self, *parts: Any) -> Node:
        span = _span(parts[0], parts[-1])
        rows = [part for part in parts if not isinstance(part, Token)]
        if rows and all(entry is None for entry in rows[-1]):
            rows = rows[:-1]  # a last `\\` before \end
        inner = [e for row in rows for e in row if isinstance(e, Matrix)]
        if len(inner) > 1 or (inner and any(e is None for row in rows for e in row)):
            return _unlabelled(inner, span)
        return _rectangle(rows, span)

    def fraction(self, first: Token, top: Node, bottom: Node) -> Node:
        return product([top, Inverse(bottom, bottom.span)], _span(first, bottom))

    def over_all(self, sign: Token, body: Node) -> Node:
        return over_all(str(sign), body, _span(sign, body))

    def factorial(self, a: Node, sign: Token) -> Node:
        return Call("factorial", a, _span(a, sign))

    def number_factorial(self, token: Token) -> Node:
        return Call("factorial", self.number(token), _span(token))

    def binomial(self, first: Token, top: Node, bottom: Node) -> Node:
        span = _span(first, bottom)
        return Call("binomial", _row_of([top, bottom], span), span)

    def root(self, sign: Token, a: Node) -> Node:
        return Call("sqrt", a, _span(sign, a))

    def call(self, function: Token, a: Node) -> Node:
        span = _span(function, a)
        if function == "max" and isinstance(a, Matrix) and len(a.rows[0]) == 2 and a.rows[0][0].key == "0":
            return Call("relu", a.rows[0][1], span)
        if function == "softmax β":
            return Call("softmax", Product((Name("β", _span(function)), a), span), span)
        return Transpose(a, span) if function == "transpose" else Call(str(function), a, span)


def _of_rows(rows: list[Matrix], span: Span) -> Node:
    """`[[1, 0], [0, 1]]`: rows within a list; a list around one whole matrix changes nothing."""
    if len(rows) == 1:
        return Matrix(rows[0].rows, span)
    if any(len(row.rows) != 1 for row in rows):
        raise UnreadableError("a list of several matrices is not one matrix")
    return _rectangle([list(row.rows[0]) for row in rows], span)


def _unlabelled(inner: list[Matrix], span: Span) -> Node:
    """A matrix with labels at its edges is the one matrix of numbers in it."""
    numeric = [each for each in inner if any(isinstance(entry, Number) for row in each.rows for entry in row)]
    if len(numeric) != 1:
        raise UnreadableError("a matrix within a matrix, of which not exactly one has numbers")
    return Matrix(numeric[0].rows, span)


def _rectangle(rows: list[Any], span: Span) -> Node:
    widths = [len(row) for row in rows]
    if not widths or min(widths) != max(widths):
        raise UnreadableError(f"a ragged matrix: its rows have {', '.join(str(width) for width in widths)} entries")
    if any(entry is None for row in rows for entry in row):
        raise UnreadableError("a matrix with an empty entry")
    return Matrix(tuple(tuple(row) for row in rows), span)


@cache
def _grammar() -> Lark:
    text = files("glassformer.by_hand.grammar").joinpath("notation.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=_Handed, transformer=_Builder(), maybe_placeholders=False)


def parse(tokens: list[Token]) -> Node:
    """The tree of one side, or `UnreadableError` with the reason."""
    if not tokens:
        raise UnreadableError("nothing stands here")
    if len(tokens) > LARGEST:
        raise UnreadableError(f"{len(tokens)} signs on one side; more than {LARGEST} are not read")
    _check_brackets(tokens)
    try:
        return _grammar().parse(lay_out(tokens))  # type: ignore[return-value]
    except UnexpectedToken as error:
        found = "the end" if error.token.type == "$END" else f"'{error.token}'"
        raise UnreadableError(f"{found} is not expected here") from error
    except VisitError as error:
        if isinstance(error.orig_exc, UnreadableError):
            raise error.orig_exc from error
        raise UnreadableError(f"cannot be read: {error.orig_exc}") from error
    except UnexpectedInput as error:
        raise UnreadableError("cannot be read as mathematics") from error


_PAIRS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE", "OPEN": "CLOSE"}


def _check_brackets(tokens: list[Token]) -> None:
    stack: list[Token] = []
    for token in tokens:
        if token.type in _PAIRS:
            stack.append(token)
            if len(stack) > DEEPEST:
                raise UnreadableError(f"brackets more than {DEEPEST} deep")
        elif token.type in _PAIRS.values():
            if not stack or _PAIRS[stack.pop().type] != token.type:
                raise UnreadableError(f"'{token}' closes nothing that is open")
        elif token.type == "DOTS" and not stack:
            raise UnreadableError("'…' leaves numbers out")
        elif token.type == "UNCLEAR":
            raise UnreadableError(f"'{token}' may be one number with a decimal comma, or several numbers")
        elif token.type == "NEXT":
            raise UnreadableError(f"'{token}' may be a factor, or the name of what follows")
        elif token.type == "LINEEND":
            raise UnreadableError("a line ends within a row: one long row, or two rows?")
        elif token.type == "OTHER" and token == "?":
            raise UnreadableError(LEFT_BLANK)
        elif token.type == "OTHER":
            raise UnreadableError(f"the sign '{token}' is not known")
    if stack:
        raise UnreadableError(f"'{stack[-1]}' is never closed")

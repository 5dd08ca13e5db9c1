"""Folds a matrix of plain numbers into a single token before the grammar sees it: most signs of most notes are such.

A shortcut, and nothing but: what it cannot fold is left to the grammar, which reads everything it does and more.
"""

from lark import Token

from glassformer.by_hand.grammar.expressions import Matrix, Number, Span

_CELL_ENDS = frozenset({"AMP", "COMMA"})
_ROW_ENDS = frozenset({"ROWEND", "SEMICOLON"})


class Folded(Token):
    """A token that stands for a whole matrix."""

    matrix: Matrix


def fold(tokens: list[Token]) -> Folded | None:
    """One token for the bracket that `tokens` begin and end with, or None if there is more in it than numbers."""
    inner = [token for token in tokens[1:-1] if isinstance(token, Folded)]
    rows = _nested(tokens, inner) if inner else _flat(tokens)
    if rows is None or not rows or len({len(row) for row in rows}) != 1:
        return None
    start, end = tokens[0].start_pos or 0, tokens[-1].end_pos or 0
    folded = Folded("NUMBERS", "[…]", start_pos=start, end_pos=end)
    folded.matrix = Matrix(tuple(tuple(row) for row in rows), Span(start, end))
    return folded


def _nested(tokens: list[Token], inner: list[Folded]) -> list[list[Number]] | None:
    """`[[1, 0], [0, 1]]`: rows within a list; a list around one whole matrix changes nothing."""
    if any(not isinstance(token, Folded) and token.type != "COMMA" for token in tokens[1:-1]):
        return None
    if tokens[0].type != "LSQB" or (len(inner) > 1 and any(len(each.matrix.rows) != 1 for each in inner)):
        return None
    return [[entry for entry in row if isinstance(entry, Number)] for each in inner for row in each.matrix.rows]


def _flat(tokens: list[Token]) -> list[list[Number]] | None:
    rows: list[list[Number]] = [[]]
    sign: Token | None = None
    expects = True  # a number
    for token in tokens[1:-1]:
        if token.type in ("NUMBER", "INFINITY") and expects:
            rows[-1].append(_number(token, sign))
            sign, expects = None, False
        elif token.type == "MINUS" and expects and sign is None:
            sign = token
        elif token.type in _CELL_ENDS and not expects:
            expects = True
        elif token.type in _ROW_ENDS and not expects:
            rows.append([])
            expects = True
        else:
            return None
    if expects and tokens[0].type == "OPEN" and not rows[-1] and sign is None:
        rows.pop()  # a last `\\` before \end
        expects = False
    return None if expects else rows


def _number(token: Token, sign: Token | None) -> Number:
    start = (token.start_pos if sign is None else sign.start_pos) or 0
    text = "inf" if token.type == "INFINITY" else str(token)
    return Number(text, Span(start, token.end_pos or 0), 1 if sign is None else -1)

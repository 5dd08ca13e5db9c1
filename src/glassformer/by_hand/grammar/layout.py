"""Puts in what the writer left out and every reader sees: the comma in `[1 0]`, the `&` that a scan lost.

Works on the tokens of one side of an equation, bracket by bracket. Knows nothing of what tokens mean.
"""

from lark import Token

from glassformer.by_hand.grammar.folding import fold
from glassformer.by_hand.grammar.signs import OPENS


def lay_out(tokens: list[Token]) -> list[Token]:
    """Puts in the separators that a reader sees without their being there; the tokens of one side of an equation."""
    answer: list[Token] = []
    stack: list[int] = []  # where each open bracket begins in `answer`
    for token in tokens:
        if token.type == "FACTORIAL" and answer and answer[-1].type == "NUMBER":
            number = answer.pop()  # 5! is one factor, which may follow another: 2! 3!
            answer.append(Token("COUNT", str(number), start_pos=number.start_pos, end_pos=token.end_pos))
            continue
        answer.append(token)
        if OPENS.get(token.type) == 1:
            stack.append(len(answer) - 1)
        elif OPENS.get(token.type) == -1 and stack:
            start = stack.pop()
            opening = answer[start].type
            if opening == "LSQB":
                answer[start:] = _list_layout(answer[start:])
            elif opening == "OPEN":
                answer[start:] = _matrix_layout(answer[start:])
            folded = fold(answer[start:]) if opening in ("LSQB", "OPEN") else None
            if folded is not None:
                answer[start:] = [folded]
    return answer


def _level(tokens: list[Token]) -> list[int]:
    depth, levels = 0, []
    for token in tokens:
        change = OPENS.get(token.type, 0)
        depth += min(change, 0)
        levels.append(depth)
        depth += max(change, 0)
    return levels


def _mark(kind: str, before: Token) -> Token:
    return Token(kind, ",", start_pos=before.start_pos, end_pos=before.start_pos)


def _list_layout(tokens: list[Token]) -> list[Token]:
    """`[1 0]`, `[-1 +2]`, `[[1 0] [0 1]]` and `[a \\quad b]` get their commas; `;` and `\\\\` end a row."""
    levels = _level(tokens)
    inner = {token.type for token, level in zip(tokens, levels, strict=True) if level == 1}
    separated = bool(inner & {"COMMA", "AMP", "WIDE"})
    body = tokens[1:-1]
    only_minus = {token.type for token in body} == {"NUMBER", "MINUS"} and body[0].type == "MINUS"
    answer: list[Token] = []
    for i, (token, level) in enumerate(zip(tokens, levels, strict=True)):
        before = tokens[i - 1] if i else None
        if level == 1 and token.type in ("WIDE", "AMP"):
            answer.append(_mark("COMMA", token))
            continue
        if level == 1 and token.type == "ROWEND":
            answer.append(_mark("SEMICOLON", token))
            continue
        if level == 1 and before is not None and not separated and before.type in _VALUES | _ENDS:
            gap = (token.start_pos or 0) > (before.end_pos or 0)
            follows = tokens[i + 1] if i + 1 < len(tokens) else None
            signed = (
                token.type in ("MINUS", "PLUS")
                and follows is not None
                and follows.type in _VALUES
                and (only_minus or (gap and follows.start_pos == token.end_pos))
            )
            beside = token.type in _VALUES and gap and before.type in _VALUES
            if beside or signed or token.type in _STARTS:
                answer.append(_mark("COMMA", token))
        elif level == 1 and before is not None and before.type in _ENDS and token.type in _STARTS:
            answer.append(_mark("COMMA", token))
        answer.append(token)
    return answer


_VALUES = frozenset({"NUMBER", "INFINITY"})
_ENDS, _STARTS = frozenset({"RSQB", "NUMBERS"}), frozenset({"LSQB", "NUMBERS"})


def _matrix_layout(tokens: list[Token]) -> list[Token]:
    """A row that is too short because an `&` before a minus sign was lost gets it back."""
    levels = _level(tokens)
    rows: list[list[int]] = [[]]
    for i in range(1, len(tokens) - 1):
        if levels[i] == 1 and tokens[i].type == "ROWEND":
            rows.append([])
        else:
            rows[-1].append(i)
    widths = [1 + sum(levels[i] == 1 and tokens[i].type == "AMP" for i in row) for row in rows if row]
    widest = max(widths, default=1)
    if min(widths, default=1) == widest and not (len(widths) == 1 and widest == 1):
        return tokens
    put: set[int] = set()
    for row in rows:
        missing = widest - 1 - sum(levels[i] == 1 and tokens[i].type == "AMP" for i in row)
        for i in row:
            numbers = levels[i] == 1 and tokens[i - 1].type == "NUMBER" and tokens[i + 1].type == "NUMBER"
            if missing > 0 and tokens[i].type == "MINUS" and numbers:
                put.add(i)
                missing -= 1
    answer: list[Token] = []
    for i, token in enumerate(tokens):
        if i in put:
            answer.append(_mark("AMP", token))
        answer.append(token)
    return answer

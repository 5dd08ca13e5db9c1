"""Cuts tokens into statements and sides: at commas, relations and labels; leaves out what is only said beside them.

Also gives the other ways in which the same signs may be cut. Works on tokens alone, and knows nothing of documents.
"""

from collections.abc import Iterator
from itertools import pairwise

from lark import Token

from glassformer.by_hand.grammar.names import name_of_words
from glassformer.by_hand.grammar.signs import OPENS, RELATIONS

_GOES_ON = frozenset({"EQUALS", "ABOUT", "PLUS", "TIMES", "STAR", "OVER"})  # a row that begins so goes on
_SEPARATORS = frozenset({"COMMA", "SEMICOLON", "WIDE", "ROWEND", "BREAK", "AMP"})
_BLANK = frozenset({"AMP", "WIDE"})  # at the beginning of a row
_OPERATORS = frozenset({"PLUS", "MINUS", "TIMES", "STAR", "OVER"})


def is_program(tokens: list[Token]) -> bool:
    """A line of a program, not a working: `for i in x:`, `model = Model(d=512)`."""
    depth = 0
    for token in tokens:
        depth += OPENS.get(token.type, 0)
        if token.type in ("OTHER", "COLON") or (depth > 0 and token.type in RELATIONS):
            return True
    return False


def unclear_comma(tokens: list[Token]) -> Token | None:
    """`184,8` outside all brackets, which may be one number; `0,1,2` is not."""
    return next((token for token in tokens if token.type == "UNCLEAR" and token.count(",") == 1), None)


def with_decimal_commas(tokens: list[Token]) -> list[Token]:
    """The same with every comma between two digits read as a decimal mark, in brackets too."""
    answer: list[Token] = []
    for i, token in enumerate(tokens):
        before = answer[-1] if answer else None
        if token.type == "UNCLEAR" and token.count(",") == 1:
            answer.append(_number(token.replace(",", "."), token, token))
        elif before is not None and before.type == "COMMA" and _is_decimal(tokens[max(0, i - 2) : i + 1]):
            whole = answer[-2]
            answer[-2:] = [_number(f"{whole}.{token}", whole, token)]
        else:
            answer.append(token)
    return answer


def _number(text: str, first: Token, last: Token) -> Token:
    return Token("NUMBER", text, start_pos=first.start_pos, end_pos=last.end_pos)


def _is_decimal(tokens: list[Token]) -> bool:
    """A whole number, a comma and digits, with nothing between them."""
    is_number = [token.type for token in tokens] == ["NUMBER", "COMMA", "NUMBER"]
    is_close = all(first.end_pos == second.start_pos for first, second in pairwise(tokens))
    return is_number and is_close and tokens[0].isdigit() and tokens[2].isdigit()


def next_names(tokens: list[Token]) -> list[int]:
    """Where, after `= [1, 0]` and nothing between, a name and its equals sign and a bracket follow."""
    closes: dict[int, int] = {}
    stack: list[int] = []
    for i, token in enumerate(tokens):
        if OPENS.get(token.type) == 1:
            stack.append(i)
        elif OPENS.get(token.type) == -1 and stack:
            closes[i] = stack.pop()
    kinds = [token.type for token in tokens]
    return [
        i + 1
        for i, start in closes.items()
        if start
        and kinds[start] == "LSQB"
        and kinds[start - 1] in RELATIONS
        and kinds[i + 1 : i + 4] in (["NAME", "EQUALS", "LSQB"], ["NAME", "ABOUT", "LSQB"])
    ]


def split(tokens: list[Token]) -> Iterator[list[Token]]:
    """Cuts at commas and wide spaces outside all brackets; a row of an alignment that starts with = goes on.

    So does a colon after a relation: `with d = 2: …`; one before it ends a label.
    """
    depth = 0
    part: list[Token] = []
    row_begins = False
    for i, token in enumerate(tokens):
        depth += OPENS.get(token.type, 0)
        if depth <= 0 and token.type == "AMP" and not (_parts_columns(part, _next_kind(tokens, i)) and not row_begins):
            continue
        row_begins = token.type == "ROWEND" or (row_begins and token.type in _BLANK)
        if token.type == "WIDE" and row_begins:
            continue
        after_relation = token.type == "COLON" and any(t.type in RELATIONS for t in part)
        if depth <= 0 and (token.type in _SEPARATORS or after_relation):
            following = _next_kind(tokens, i)
            aligned = i + 1 < len(tokens) and tokens[i + 1].type == "AMP"
            is_open = bool(part) and part[-1].type in _OPERATORS  # `0.1 × 2 + \\\\`
            goes_on = is_open or following in _GOES_ON or (aligned and following == "MINUS")
            if token.type == "ROWEND" and part and goes_on:
                continue
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _next_kind(tokens: list[Token], i: int) -> str:
    """The kind of the token after i that is more than a blank."""
    return next((tokens[j].type for j in range(i + 1, len(tokens)) if tokens[j].type not in _BLANK), "")


def _parts_columns(part: list[Token], following: str) -> bool:
    """`a &= 1 & b &= 2`: the second & begins another column; one beside a relation or an operator only aligns."""
    if not part or following in ("", "ROWEND") or following in (_OPERATORS - {"MINUS"}) | RELATIONS:
        return False
    return part[-1].type not in _OPERATORS | RELATIONS and any(token.type in RELATIONS for token in part)


def take_asides(tokens: list[Token]) -> tuple[list[Token], list[list[Token]]]:
    """What stands in round brackets and has a relation of its own is an aside: `divide by 8 (√d, with d = 64)`."""
    kept: list[Token] = []
    asides: list[list[Token]] = []
    stack: list[int] = []
    for token in tokens:
        kept.append(token)
        if OPENS.get(token.type) == 1:
            stack.append(len(kept) - 1)
        elif OPENS.get(token.type) == -1 and stack:
            start = stack.pop()
            inner = kept[start + 1 : -1]
            is_aside = not stack and kept[start].type == "LPAR" and any(t.type in RELATIONS for t in inner)
            if is_aside and not (start and kept[start - 1].type in ("FUNCTION", "NAME")):
                asides.append(inner)
                del kept[start:]
    return kept, asides


def cut_sides(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Cuts at relations; what follows ∈, ≠ or < is a remark."""
    answer: list[tuple[str, list[Token]]] = [("", [])]
    depth = 0
    for token in tokens:
        depth += OPENS.get(token.type, 0)
        if depth <= 0 and token.type in RELATIONS:
            if token.type == "STOP":
                break
            answer.append((token.type, []))
        else:
            answer[-1][1].append(token)
    return answer


def take_label(tokens: list[Token], way: str) -> tuple[str, list[Token]]:
    """`tea: [1, 0] · W_Q = …` has the label tea."""
    if way == "math":
        return "", tokens
    colons = [i for i, token in enumerate(tokens) if token.type == "COLON"]
    relations = [i for i, token in enumerate(tokens) if token.type in RELATIONS]
    before = [i for i in colons if not relations or i < relations[0]]
    if not before:
        return "", tokens
    kinds = {token.type for token in tokens[: before[-1]]}
    if kinds & _OPERATORS and not kinds & {"WORD", "NAME"}:
        return "", tokens  # `1/2 : 1/4` divides
    if kinds == {"NUMBER"} and _stands_apart(tokens, before[-1]):
        colon = tokens[before[-1]]
        over = Token("OVER", ":", start_pos=colon.start_pos, end_pos=colon.end_pos)
        return "", [*tokens[: before[-1]], over, *tokens[before[-1] + 1 :]]  # `36 : 9` divides, `36: 9` is a label
    label = [t for t in tokens[: before[-1]] if t.type in ("WORD", "NAME", "NUMBER")]
    return name_of_words(" ".join(label)) if len(label) <= 6 else "", tokens[before[-1] + 1 :]


def _stands_apart(tokens: list[Token], i: int) -> bool:
    """Whether there is room before a sign."""
    return i > 0 and (tokens[i].start_pos or 0) > (tokens[i - 1].end_pos or 0)


_REMARKS = frozenset({"WORD", "COLON"})
# Words that make another name of the one they stand before: the change in L is not L.
_CHANGING = frozenset({"new", "old", "updated", "next", "previous", "change", "difference", "gradient", "derivative"})


def without_remarks(tokens: list[Token], *, first: bool, last: bool, alone: bool) -> list[Token]:
    """Words before the first formula and after the last one are remarks, as is `(dot product)`."""
    kept = list(tokens)
    if first and not alone and _is_signature(kept):
        return kept[:1]
    if first or alone:
        while len(kept) > 1 and _is_remark(kept[0]) and kept[1].type in _STARTS and not _belongs(kept):
            word = kept.pop(0)
            if kept[0].type == "NAME" and _CHANGING & set(word.lower().split()):
                kept[0] = Token("NAME", f"{word} {kept[0]}", start_pos=word.start_pos, end_pos=kept[0].end_pos)
    if last or alone:
        while len(kept) > 1 and _is_remark(kept[-1]) and kept[-2].type in _ENDS:
            kept.pop()
    while (start := _closing_remark(kept)) > 0:
        kept = kept[:start]
    return kept


def _belongs(tokens: list[Token]) -> bool:
    """`king - man` and `log_{10}2`: a minus between two, or no room after the word, which is no remark then."""
    word, sign, *rest = tokens
    if word.type == "WORD" and sign.type == "NUMBER" and sign.start_pos == word.end_pos:
        return True
    if sign.type != "MINUS" or not rest:
        return False
    gaps = (sign.start_pos or 0) - (word.end_pos or 0), (rest[0].start_pos or 0) - (sign.end_pos or 0)
    return word.type == "WORD" and min(gaps) > 0 and rest[0].type not in ("NUMBER", "LSQB", "OPEN")


def _is_remark(token: Token) -> bool:
    """A word, or a sign that is no mathematics: ✓, ←, a star of bold type."""
    return token.type in _REMARKS or (
        token.type == "OTHER" and not token.startswith("\\") and token not in "Σ∑∏∫∂∇Δ±∓_"
    )


def _closing_remark(tokens: list[Token]) -> int:
    """Where a last `(dot product)` or `(was 0.87)` begins, after a number or a matrix; 0 if there is none.

    So it is with `0.32 (32%)`, where nothing but a number stands before.
    """
    if not tokens or tokens[-1].type != "RPAR" or str(tokens[-1]) in "|‖":
        return 0
    start = max((i for i, token in enumerate(tokens) if token.type == "LPAR"), default=0)
    has_words = start + 1 < len(tokens) and tokens[start + 1].type == "WORD"
    after = start > 0 and tokens[start - 1].type in ("NUMBER", "RSQB", "CLOSE", "PERCENT", "RBRACE")
    alone = all(token.type in ("NUMBER", "MINUS", "PERCENT") for token in tokens[:start])
    apart = start > 0 and (tokens[start].start_pos or 0) > (tokens[start - 1].end_pos or 0)
    return start if after and (has_words or (alone and apart)) else 0


_MOST_CUTS = 3


def other_cuts(tokens: list[Token], way: str, source: str) -> list[list[Token]]:
    """Other ways to read the same signs: `10 (twice 5) + 2` with a remark in brackets, `0.42x1` with x for ×."""
    others: list[list[Token]] = []
    if way == "text" and any(token.type == "LPAR" for token in tokens):
        others.append(_without_brackets(tokens))
    if way != "code" and any(_is_times(before, token, source) for before, token in pairwise(tokens)):
        others.append(_with_times(tokens, source))
    if way != "code" and any(_is_label(before, token) for before, token in pairwise(tokens)):
        followed = (*tokens[1:], None)
        others.append([token for token, after in zip(tokens, followed, strict=True) if not _is_label(token, after)])
    return [other for other in others if other and len(other) != len(tokens)][:_MOST_CUTS]


def _without_brackets(tokens: list[Token]) -> list[Token]:
    """Without what stands in round brackets a blank after a number."""
    kept: list[Token] = []
    depth = skipped = 0
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        apart = before is not None and (token.start_pos or 0) > (before.end_pos or 0)
        if token.type == "LPAR" and not skipped and apart and before is not None and before.type == "NUMBER":
            skipped = depth + 1
        depth += OPENS.get(token.type, 0)
        if not skipped:
            kept.append(token)
        elif depth < skipped:
            skipped = 0
    return kept


def _is_times(before: Token, token: Token, source: str) -> bool:
    """`0.42x1`: a number and x1 without a blank between them; 4x₁ is a product with a name."""
    written = source[token.start_pos or 0 : token.end_pos or 0]
    return before.type == "NUMBER" and _is_x(token) and before.end_pos == token.start_pos and written.isascii()


def _is_label(token: Token, after: Token | None) -> bool:
    """`Residual Output [7.0, 3.2]`: words before a list say what it is."""
    return after is not None and token.type == "WORD" and after.type in ("LSQB", "OPEN")


def _is_x(token: Token) -> bool:
    return token.type == "NAME" and token.startswith(("x_", "X_")) and token[2:].isdigit()


def _with_times(tokens: list[Token], source: str) -> list[Token]:
    answer: list[Token] = []
    for i, token in enumerate(tokens):
        if i and _is_times(tokens[i - 1], token, source):
            start, end = token.start_pos or 0, token.end_pos or 0
            answer.append(Token("TIMES", "x", start_pos=start, end_pos=start + 1))
            answer.append(Token("NUMBER", token[2:], start_pos=start + 1, end_pos=end))
        else:
            answer.append(token)
    return answer


def _is_signature(tokens: list[Token]) -> bool:
    """`Attention(Q, K, V)` on the left names what is defined."""
    return (
        len(tokens) > 3
        and tokens[0].type == "WORD"
        and tokens[1].type == "LPAR"
        and tokens[-1].type == "RPAR"
        and tokens[0].end_pos == tokens[1].start_pos
    )


_STARTS = frozenset(
    {"NAME", "LSQB", "OPEN", "NUMBER", "MINUS", "FUNCTION", "FRACTION", "ROOT", "LPAR", "WORD", "OTHER", "SUMMED"}
)
_ENDS = frozenset({"NUMBER", "RSQB", "CLOSE", "RPAR", "NAME", "WORD", "RBRACE", "PERCENT", "TURN", "OTHER"})

"""Cuts mathematics as people write it (LaTeX, plain text, Python-like code) into one common stream of tokens.

Every token keeps its place in the document. What stands between tokens (spaces, \\left, \\displaystyle) is dropped.
Knows nothing of what tokens mean.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from lark import Token

from glassformer.by_hand.grammar.names import FUNCTIONS, GREEK, canonical, name_of_words
from glassformer.by_hand.grammar.patterns import (
    APPLIED,
    BOLD,
    CHAIN_INDEX,
    CONNECTIVES,
    FACTORIAL,
    HIGH,
    IN_BARS,
    INDEX,
    LATEX_THOUSANDS,
    LONG_SUBSCRIPT,
    LOW,
    LOWERED,
    NAME_SUPERSCRIPT,
    NEXT_NAME,
    OF_LIST,
    OPERAND,
    PATTERN,
    SCIENTIFIC,
    STYLES,
    SUBSCRIPT,
    SYMBOL_LETTERS,
    THOUSANDS,
    TURNS,
    UNCLEAR,
)
from glassformer.by_hand.grammar.signs import (
    ACCENTS,
    BEFORE_OPERANDS,
    COMMANDS,
    MATRICES,
    OPENS,
    RELATION_SIGNS,
    RELATIONS,
    SYMBOLS,
)

DEEPEST = 60  # brackets within brackets; more than anybody writes, and far from Python's own limit


@dataclass(frozen=True)
class Ground:
    """A stretch of a document to be read: its text, where it starts, and the way it is written."""

    text: str
    start: int
    way: str  # "math", "text" or "code"
    sigma: str = ""  # "sigmoid" if the document uses σ(…) for it
    places: tuple[int, ...] = ()  # where each sign stands, if they do not simply follow each other

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the document a stretch of the text begins and ends."""
        if not self.places:
            return self.start + start, self.start + end
        first = self.places[min(start, len(self.places) - 1)]
        return first, self.places[end - 1] + 1 if end > start else first

    def after(self, token: Token) -> str:
        """What follows a token in the text."""
        last = (token.end_pos or 0) - 1
        return self.text[(self.places.index(last) if self.places else last - self.start) + 1 :]


class _Lexer:
    """Walks through one stretch of text."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.text = ground.text
        self.depth = 0
        self.last = ""  # the kind of the token before
        self.bars: list[str] = []  # open ones, | or ‖
        self.of = False  # `softmax of [1, 2]` was read: `is` may follow

    def token(self, kind: str, value: str, start: int, end: int) -> Token:
        return Token(kind, value, start_pos=start, end_pos=end)

    def tokens(self) -> Iterator[Token]:
        position = 0
        while match := PATTERN.match(self.text, position):
            position = match.end()
            kind = _kind(match)
            if kind == "COMMENT" and self.ground.way != "code":
                kind, position = "OTHER", match.start() + 1
            if kind == "SPACE" and self._parts_rows(match):
                yield self.token("LINEEND", "the end of a line", match.start(), match.start())
            if kind == "SPACE":
                if self._is_about(match):
                    self.last = "ABOUT"
                    yield self.token("ABOUT", match[0], match.start(), match.end())
                elif self._parts_columns(match):
                    self.last = "WIDE"
                    yield self.token("WIDE", match[0], match.start(), match.end())
                continue
            for token in self._read(kind, match):
                self.depth += OPENS.get(token.type, 0)
                self.last = token.type
                yield token
                end = token.end_pos or 0
                position = end if kind == "NUMBER" else max(position, end)

    def _parts_columns(self, match: re.Match[str]) -> bool:
        """`q = [1, 0]   k = [0, 1]`: a wide gap before the next name and its equals sign."""
        if self.ground.way != "text" or self.depth or self.last not in ("RSQB", "NUMBER", "RPAR", "CLOSE"):
            return False
        return match[0].strip(" ") == "" and len(match[0]) > 1 and NEXT_NAME.match(self.text, match.end()) is not None

    def _is_about(self, match: re.Match[str]) -> bool:
        """`a / b ~ 0.5`; `= ~0.5` only says once more that it is rounded."""
        if match[0] != "~" or self.ground.way == "math" or self.depth:
            return False
        return self.last in ("NUMBER", "RPAR", "RSQB", "NAME") and bool(
            re.compile(r"\s*[-−]?[\d\[.]").match(self.text, match.end())
        )

    def _parts_rows(self, match: re.Match[str]) -> bool:
        """`[1 0`, and below it `1 1]`: one long row, or two? Within the row of a matrix it is a long row."""
        between_numbers = self.last == "NUMBER" and self.text[match.end() : match.end() + 1].strip("]),;&") != ""
        return "\n" in match[0] and self.depth == 1 and between_numbers and self.ground.way != "math"

    def _read(self, kind: str, match: re.Match[str]) -> list[Token]:
        text, start, end = match[0], match.start(), match.end()
        match kind:
            case "NUMBER":
                return [self._number(text, start, end)]
            case "IDENT":
                return self._identifier(text, start, end)
            case "TEXT":
                bold_e = match["text"].strip() == "e" and text.startswith(BOLD)  # a vector, and not Euler's number
                return self._symbol("e vec", start, end) if bold_e else self._named(match["text"].strip(), start, end)
            case "ACCENT":
                under = (match["under"] or match["bare"]).lstrip("\\")
                return self._symbol(f"{GREEK.get(under, under)} {match['accent']}", start, end)
            case "MARKED":
                apart = unicodedata.normalize("NFD", text)
                return self._symbol(f"{apart[0]} {ACCENTS.get(apart[1], 'mark')}", start, end)
            case "DERIVATIVE":
                return self._derivative(match)
            case "CHANGE":
                sign = "∇" if "∇" in text or "nabla" in text else "Δ"
                return self._symbol(sign + match["changed"].lstrip("\\"), start, end)
            case "BEGIN" | "END":
                env = match["env"] or match["endenv"]
                if env in MATRICES:
                    return [self.token("OPEN" if kind == "BEGIN" else "CLOSE", text, start, end)]
                return []
            case "COMMAND":
                return self._command(text, start, end)
            case "COMMENT":
                return self._comment(text, start, end)
            case "ELLIPSIS":
                return [self.token("DOTS", text, start, end)]
            case "RELATION":
                return [self.token(RELATION_SIGNS[text], text, start, end)]
            case "CODE":
                return self._call(text.rpartition(".")[2], start, end)
            case "SYMBOL":
                return self._sign(text, start, end)
            case _:
                return [self.token(kind, text, start, end)]

    def _derivative(self, match: re.Match[str]) -> list[Token]:
        """∂L/∂w is one name; d/dw alone asks for something that is not worked out here."""
        over, by = match["over"] or match["over_"] or "", match["by"] or match["by_"]
        if not over.strip():
            return [self.token("OTHER", "d/d…", match.start(), match.end())]
        name = f"∂{_bare(over)}/∂{_bare(by)}"
        return [self.token("NAME", name, match.start(), match.end())]

    def _comment(self, text: str, start: int, end: int) -> list[Token]:
        """In code, numbers after # are what the line before gives; other comments are words."""
        is_result = self.text[end : end + 1] in ("[", "-") or self.text[end : end + 1].isdigit()
        return [self.token("EQUALS", text, start, end)] if is_result and self.depth == 0 and self.last else []

    def _number(self, text: str, start: int, end: int) -> Token:
        if text.endswith(".") and self.depth == 0:  # the end of a sentence, not 14.0
            return self.token("NUMBER", text[:-1], start, end - 1)
        power = SCIENTIFIC.match(self.text, end)
        if power and self.last != "CARET":  # 1.4 × 10⁶⁵ is one number, also behind a division
            exponent = (power["high"] or power["low"]).translate(LOWERED).replace("⁻", "-").replace("−", "-")
            return self.token("NUMBER", f"{text.replace('{,}', '.')}e{exponent}", start, power.end())
        marked = LATEX_THOUSANDS.match(self.text, start)
        if marked and not re.search(r"\{,\}(?:\d{1,2}|\d{4,})(?!\d)", self.text):
            return self.token("NUMBER", marked[0].replace("{,}", ""), start, marked.end())
        thousands = THOUSANDS.match(self.text, start)
        if thousands and (self.depth == 0 or self.last in RELATIONS) and thousands.end() > end:
            return self.token("NUMBER", thousands[0].replace(",", ""), start, thousands.end())
        unclear = UNCLEAR.match(self.text, start)
        if unclear and self.depth == 0 and self.ground.way != "code":
            return self.token("UNCLEAR", unclear[0], start, unclear.end())
        return self.token("NUMBER", text.replace("{,}", "."), start, end)

    def _sign(self, text: str, start: int, end: int) -> list[Token]:
        if text[-1] in HIGH:
            digits = text.lstrip("⁻").translate(LOWERED)
            minus = [self.token("MINUS", "-", start, start + 1)] if text[0] == "⁻" else []
            return [
                self.token("CARET", "^", start, start),
                *minus,
                self.token("NUMBER", digits, end - len(digits), end),
            ]
        if text == "." and self.ground.way == "text" and self.text[end : end + 1].strip(" \n\t*_") == "":
            return [self.token("BREAK", text, start, end)]
        if text == "." and self.last == "RSQB" and self.text[end : end + 1] == "[":
            return [self.token("TIMES", text, start, end)]  # [1, 0].[0, 1]
        if text == "!" and FACTORIAL.search(self.text[max(0, start - 5) : start]):
            return [self.token("FACTORIAL", text, start, end)]
        if text in "|‖":
            return self._bar("‖" if self.text[start : start + 2] == "||" else text, start)
        if text == "^" and (turn := TURNS.match(self.text, start)):
            return [self.token("TURN", turn[0], start, turn.end())]
        if text == "^" and self.ground.way == "code":
            return [self.token("OTHER", text, start, end)]
        return [self.token(SYMBOLS.get(text, "OTHER"), text, start, end)]

    def _bar(self, sign: str, start: int) -> list[Token]:
        """`|x|` and `‖x‖`: a bar opens where a number or a name may begin, and closes after one."""
        end = start + (2 if self.text[start : start + 2] == "||" else 1)
        is_open = bool(self.bars) and self.bars[-1] == sign
        if is_open and self.last not in BEFORE_OPERANDS:
            self.bars.pop()
            return [self.token("RPAR", sign, start, end)]
        if (
            self.ground.way == "code"
            or is_open
            or self.last not in BEFORE_OPERANDS
            or not IN_BARS.match(self.text, end)
        ):
            return [self.token("OTHER", sign, start, end)]
        self.bars.append(sign)
        function = "norm" if sign == "‖" else "absolute value"
        return [self.token("FUNCTION", function, start, start), self.token("LPAR", sign, start, end)]

    def _command(self, text: str, start: int, end: int) -> list[Token]:
        name = text[1:]
        if text in RELATION_SIGNS:
            return [self.token(RELATION_SIGNS[text], text, start, end)]
        if text == r"\langle":
            return [self.token("FUNCTION", "dot", start, start), self.token("LPAR", text, start, end)]
        if text in COMMANDS:
            return [self.token(COMMANDS[text], text, start, end)]
        if name == "sigma" and self._is_applied(end):
            return [self.token("FUNCTION", self.ground.sigma or "σ", start, end)]
        if name in GREEK:
            return self._symbol(GREEK[name], start, end)
        if name in FUNCTIONS:
            return self._call(name, start, end)
        if name in STYLES:
            return []  # around more than a name: seen through
        return [self.token("OTHER", text, start, end)]

    def _is_applied(self, end: int) -> bool:
        """Whether σ is a function here; in notes on layer norm it is a number."""
        return re.compile(r"\s?(?:\\left\s*|\\[bB]igg?l?\s*)?(?:[(\[]|\\begin)").match(self.text, end) is not None

    def _identifier(self, text: str, start: int, end: int) -> list[Token]:
        text = text.translate(LOW)
        if text == "σ" and self._is_applied(end):
            return [self.token("FUNCTION", self.ground.sigma or "σ", start, end)]
        if self._is_call(text, end):
            return self._call(text.lower(), start, end)
        if text.lower() in ("vs", "versus") and self.last:
            return [self.token("BREAK", text, start, end)]
        if self.ground.way == "code":
            return self._code_name(start)
        if re.fullmatch(r"[xX]\d+", text) and self.last == "NUMBER" and self.text[end : end + 1] == ".":
            return [self.token("TIMES", "x", start, start + 1)]  # 0.4x0.3
        if text in "xX" and self.last in ("RSQB", "CLOSE", "RPAR", "NUMBER") and OPERAND.match(self.text, end):
            return [self.token("TIMES", text, start, end)]  # [1, 0] x [0, 1]
        if len(text) == 1:
            return self._symbol(text, start, end)
        if re.fullmatch(r"[A-Za-zα-ω]\d+", text) or re.fullmatch(r"[Ww][qkvoQKVO]\d?|d[kv]", text):
            return self._symbol(text, start, end)
        if SYMBOL_LETTERS.fullmatch(text):
            return self._letters(text, start)
        if text.lower() in ("inf", "infinity"):
            return [self.token("INFINITY", text, start, end)]
        return self._named(text, start, end)

    def _letters(self, text: str, start: int) -> list[Token]:
        """`QK`, `XWq` and `QKT` are several symbols written together; a script belongs to the last one."""
        tail = text.endswith(("T", "t")) and len(text) == 3 and text[1] == "K"
        parts = re.findall(r"W[qkvo]|d[kv]|[A-Z]", text[:-1] if tail else text)
        tokens: list[Token] = []
        for part in parts[:-1]:
            tokens.append(self.token("NAME", canonical(part), start, start + len(part)))
            start += len(part)
        tokens += self._symbol(parts[-1], start, start + len(parts[-1]))
        if tail:
            tokens.append(self.token("TURN", "T", start + 1, start + 2))
        return tokens

    def _is_call(self, text: str, end: int) -> bool:
        if text.lower() not in FUNCTIONS:
            return False
        after = re.compile(
            r"(?:_\s*(?:\{[^{}]*\}|\\?[A-Za-zβ]+))?(?:\s|\\[,;:!])*(?:\\(?:left|[bB]igg?l?)\s*)?(?:[(\[{]|\\begin)"
        ).match(self.text, end)
        if self.ground.way == "text" and OF_LIST.match(self.text, end):
            return True
        return after is not None or (
            text.lower() in ("sqrt", "exp", "sin", "cos", "ln", "log")
            and self.text[end : end + 2].strip()[:1].isdigit()
        )

    def _call(self, name: str, start: int, end: int) -> list[Token]:
        name = name.lower().replace(" ", "")
        if name in ("inf", "infinity"):
            return [self.token("INFINITY", name, start, end)]
        if name in ("array", "tensor", "asarray", "matrix", "float", "float64", "softmax_", "nn"):
            return []
        if name not in FUNCTIONS:
            return self._named(name, start, end)
        script = SUBSCRIPT.match(self.text, end)
        function = FUNCTIONS[name]
        if self.ground.way == "text" and (of := OF_LIST.match(self.text, end)):
            self.of = True
            return [self.token("FUNCTION", function, start, of.end())]
        if script and function == "log":  # to a base of its own
            function += script["group"] or script["digits"] or script[0]
        return [self.token("FUNCTION", function, start, script.end() if script else end)]

    def _named(self, text: str, start: int, end: int) -> list[Token]:
        """Words: a function, a symbol in upright type, or a name made of words."""
        plain = text.strip().rstrip(":.")
        if plain.lower().replace(" ", "") in FUNCTIONS and self._is_call(plain.replace(" ", ""), end):
            return self._call(plain, start, end)
        if not plain:
            return []
        if len(plain) == 1 or plain in ("dk",):
            return self._symbol(plain, start, end)
        if self.of and plain.lower() in ("is", "gives", "equals", "yields") and self.last == "RSQB":
            return [self.token("EQUALS", plain, start, end)]
        if plain.lower() in CONNECTIVES and self.ground.way == "text":
            return [self.token("BREAK", plain, start, end)]
        if index := CHAIN_INDEX.match(self.text, end):
            return [self.token("NAME", canonical(plain), start, end), self.token("INDEX", index[0], end, index.end())]
        if script := LONG_SUBSCRIPT.match(self.text, end):
            return [self.token("WORD", f"{plain}_{script['run']}", start, script.end())]
        if script := SUBSCRIPT.match(self.text, end):
            return [self.token("WORD", f"{plain}_{script[0][1:].strip('{} ')}", start, script.end())]
        return [self.token("WORD", plain, start, end)]

    def _symbol(self, base: str, start: int, end: int) -> list[Token]:
        """A symbol with its scripts: `W_Q`, `W^{(1)}`, `K^T_1`; a transpose is a token of its own."""
        turned: tuple[int, int] | None = None
        name = base
        while True:
            if self.text[end : end + 1] == "'" and base == "d":
                name, end = "d_k", end + 1
            elif self.text[end : end + 1] in ("'", "′") and base.islower() and self.ground.way != "code":
                name, end = f"{name}′", end + 1  # w′ is another weight, not w turned
            elif turn := (TURNS.match(self.text, end) if turned is None else None):
                turned = (turn.start(), turn.end())
                end = turn.end()
            elif script := (LONG_SUBSCRIPT.match(self.text, end) if self.ground.way != "math" else None):
                name, end = f"{name}_{script['run']}", script.end()
            elif script := SUBSCRIPT.match(self.text, end):
                part = (
                    script["group"]
                    or script["words"]
                    or GREEK.get(script["greek"] or "", script["greek"])
                    or script[0].lstrip("_ ")
                )
                part = re.sub(r"\\(?:text|mathrm|textrm|mathsf|mathbf|textbf|operatorname)|[{}\s]", "", part)
                name, end = f"{name}_{part}", script.end()
            elif base != "e" and (script := NAME_SUPERSCRIPT.match(self.text, end)):
                name, end = f"{name}^{script['group'] or script['number'] or script['letter']}", script.end()
            elif base in ("W", "w") and (script := re.compile(r"\^\s*\{?0\}?").match(self.text, end)):
                name, end = f"{name}_O", script.end()
            else:
                break
        if not turned and self._is_application(end):
            return [self.token("FUNCTION", canonical(name), start, end)]
        tokens = [self.token("NAME", canonical(name), start, turned[0] if turned else end)]
        if turned:
            tokens.append(self.token("TURN", "T", turned[0], end))
        elif index := INDEX.match(self.text, end):
            tokens.append(self.token("INDEX", index[0], end, index.end()))
        elif self.text[end : end + 1] == "[" and len(base) == 1:
            tokens.append(self.token("OTHER", "[…]", end, end))  # x[n − k]: a place, and not a factor
        return tokens

    def _is_application(self, end: int) -> bool:
        """`u(x) = 4x` says what u makes of x; `ŷ(1 − ŷ)` is a product."""
        return self.ground.way != "code" and APPLIED.match(self.text, end) is not None

    def _code_name(self, start: int) -> list[Token]:
        match = re.compile(r"\w*").match(self.text, start)
        assert match is not None  # an identifier begins with a letter of some alphabet
        end = match.end()
        if match[0].lower() in ("inf", "infinity"):
            return [self.token("INFINITY", match[0], start, end)]
        tokens = [self.token("NAME", canonical(match[0]), start, end)]
        if index := INDEX.match(self.text, end):
            tokens.append(self.token("INDEX", index[0], end, index.end()))
            end = index.end()
        if turn := re.compile(r"\.(?:T|transpose\([^)]*\)|t\(\))(?!\w)").match(self.text, end):
            tokens.append(self.token("TURN", turn[0], end, turn.end()))
        return tokens


def _bare(text: str) -> str:
    """A name without braces and blanks, to tell names apart by."""
    return re.sub(r"\\(?:mathbf|mathrm|text|mathcal|boldsymbol|,|;|!)|[{}\s$]", "", text)


_KINDS = [name for name in PATTERN.groupindex if name.isupper()]


def _kind(match: re.Match[str]) -> str:
    return next(kind for kind in _KINDS if match[kind] is not None)


def lex(ground: Ground) -> list[Token]:
    """The tokens of a stretch of text, laid out so that the grammar can read them."""
    tokens = _join_words(list(_Lexer(ground).tokens()), ground)
    for token in tokens:  # until here places count within the stretch, from here on within the document
        token.start_pos, token.end_pos = ground.span(token.start_pos or 0, token.end_pos or 0)
    return tokens


def _join_words(tokens: list[Token], ground: Ground) -> list[Token]:
    """Words side by side are one name: `Scaled Score`; so is a word with a number that nothing follows: `Row 2`."""
    joined: list[Token] = []
    for i, token in enumerate(tokens):
        last = joined[-1] if joined else None
        if (token.type == "WORD" and last is not None and last.type == "WORD" and _near(last, token, ground)) or (
            token.type == "NUMBER"
            and last is not None
            and last.type == "WORD"
            and token.isdigit()
            and len(token) < 4
            and _near(last, token, ground)
            and (i + 1 == len(tokens) or tokens[i + 1].type in RELATIONS | {"COLON", "LSQB", "OPEN", "WIDE"})
        ):
            joined[-1] = Token("WORD", f"{last} {token}", start_pos=last.start_pos, end_pos=token.end_pos)
        else:
            joined.append(token)
    return [
        Token("WORD", name_of_words(token), start_pos=token.start_pos, end_pos=token.end_pos)
        if token.type == "WORD"
        else token
        for token in joined
    ]


def _near(first: Token, second: Token, ground: Ground) -> bool:
    between = ground.text[first.end_pos or 0 : second.start_pos or 0]
    return len(between) < 4 and not between.strip(" $}\\")

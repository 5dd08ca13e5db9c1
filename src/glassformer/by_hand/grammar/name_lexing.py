"""Cuts names, words and functions as people write them, with their scripts: `W^{(1)}`, `K^T_1`, `softmax(`, `QKT`.

The part of lexing.py that reads letters. Every token keeps its place. Knows nothing of what tokens mean.
"""

import re
from dataclasses import dataclass

from lark import Token

from glassformer.by_hand.grammar.names import FUNCTIONS, GREEK, canonical
from glassformer.by_hand.grammar.patterns import (
    APPLIED,
    ARGUMENT,
    BOLD,
    BOLD_BEFORE,
    CHAIN_INDEX,
    CONNECTIVES,
    COUNTED_E,
    COUNTED_NAME,
    INDEX,
    INVERSE_TEMPERATURE,
    LONG_FUNCTION,
    LONG_SUBSCRIPT,
    LOW,
    NAME_SUPERSCRIPT,
    OF_LIST,
    OPERAND,
    SHORT_NAME,
    SUBSCRIPT,
    SYMBOL_LETTERS,
    TURNS,
    VECTOR_E,
)
from glassformer.by_hand.grammar.summation import SIGNS, summed_over

_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")  # a word, and no symbol


@dataclass(frozen=True)
class Ground:
    """A stretch of a document to be read: its text, where it starts, and the way it is written."""

    text: str
    start: int
    way: str  # "math", "text" or "code"
    sigma: str = ""  # "sigmoid" if the document uses σ(…) for it
    convolves: bool = False  # the document speaks of convolution, which * may mean
    primed: frozenset[str] = frozenset()  # letters that the document gives another meaning with a prime: C′ = …
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


class NameLexer:
    """Walks through one stretch of text, letter by letter; what has been read so far decides what a word is."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.text = ground.text
        self.depth = 0
        self.last = ""  # the kind of the token before
        self.bars: list[str] = []  # open ones, | or ‖
        self.of = False  # `softmax of [1, 2]` was read: `is` may follow

    def token(self, kind: str, value: str, start: int, end: int) -> Token:
        return Token(kind, value, start_pos=start, end_pos=end)

    def _is_applied(self, end: int) -> bool:
        """Whether σ is a function here; in notes on layer norm it is a number."""
        return re.compile(r"\s?(?:\\left\s*|\\[bB]igg?l?\s*)?(?:[(\[]|\\begin)").match(self.text, end) is not None

    def _is_sign(self, end: int) -> bool:
        """Whether x multiplies here; `0.5 x - 3` has x in it, and `0.5 x 3` has not."""
        after = OPERAND.match(self.text, end)
        if after is None or self.last not in ("RSQB", "CLOSE", "RPAR", "NUMBER"):
            return False
        return after[0].strip() not in ("-", "−") or bool(re.match(r"\s+[-−][\d.]", self.text[end:]))

    def _identifier(self, text: str, start: int, end: int) -> list[Token]:
        if long := LONG_FUNCTION.match(self.text, start):
            return self._call(re.sub(r"[_ -]", "", long[0]), start, long.end())
        if text[0] in SIGNS and self.ground.way != "code" and (summed := summed_over(self.text, start + 1)):
            return [self.token("SUMMED", summed.text, start, max(summed.end, end))]
        if len(text) == 2 and text[1] in "ₖᵢⱼ" and self.ground.way != "code":
            return self._symbol(f"{text[0]}_{text[1].translate(LOW)}", start, end)
        text = text.translate(LOW)
        if text == "σ" and self._is_applied(end):
            return [self.token("FUNCTION", self.ground.sigma or "σ", start, end)]
        if self._is_call(text, end):
            return self._call(text.lower(), start, end)
        if text.lower() in ("vs", "versus") and self.last:
            return [self.token("BREAK", text, start, end)]
        if self.ground.way == "code":
            return self._code_name(start)
        if self.last == "NUMBER" and self.text[end : end + 1] == "." and re.fullmatch(r"[xX]\d+", text):
            return [self.token("TIMES", "x", start, start + 1)]  # 0.4x0.3
        if text in "xX" and self._is_sign(end):
            return [self.token("TIMES", text, start, end)]  # [1, 0] x [0, 1]
        if len(text) == 1 and not _IDEOGRAPH.fullmatch(text):
            return self._symbol(text, start, end)
        if SHORT_NAME.fullmatch(text):
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
        after = ARGUMENT.match(self.text, end)
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
        if script and function == "softmax" and INVERSE_TEMPERATURE.fullmatch(script[0]):
            function += " β"
        return [self.token("FUNCTION", function, start, script.end() if script else end)]

    def _named(self, text: str, start: int, end: int) -> list[Token]:
        """Words: a function, a symbol in upright type, or a name made of words."""
        plain = text.strip().rstrip(":.")
        if plain.lower().replace(" ", "") in FUNCTIONS and self._is_call(plain.replace(" ", ""), end):
            return self._call(plain, start, end)
        if not plain:
            return []
        if (len(plain) == 1 and not _IDEOGRAPH.fullmatch(plain)) or plain in ("dk",):
            return self._symbol(plain, start, end)
        if self.of and plain.lower() in ("is", "gives", "equals", "yields") and self.last == "RSQB":
            return [self.token("EQUALS", plain, start, end)]
        if plain == "of" and self.last == "PERCENT":
            return [self.token("TIMES", plain, start, end)]  # 35% of 80
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
        name = base = base if base != "e" or not self._is_other_e(start, end) else VECTOR_E
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

    def _is_other_e(self, start: int, end: int) -> bool:
        """Whether e is a vector in bold type, or an error that is counted: `e^{(2)}` beside y^{(2)}."""
        is_bold = BOLD_BEFORE.search(self.text[max(0, start - 14) : start + 1]) or self.text.startswith(BOLD, start)
        counted = COUNTED_E.match(self.text, end)
        is_counted = counted is not None and (counted[0].endswith("}") or COUNTED_NAME.search(self.text))
        return bool(is_bold or is_counted)

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

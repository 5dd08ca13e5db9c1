"""Cuts mathematics as people write it (LaTeX, plain text, Python-like code) into one common stream of tokens.

Every token keeps its place in the document. What stands between tokens (spaces, \\left, \\displaystyle) is dropped.
Knows nothing of what tokens mean.
"""

import re
import unicodedata
from collections.abc import Iterator

from lark import Token

from glassformer.by_hand.grammar.name_lexing import Ground, NameLexer
from glassformer.by_hand.grammar.names import FUNCTIONS, GREEK, name_of_words
from glassformer.by_hand.grammar.patterns import (
    AFTER_FACTORIAL,
    BOLD,
    FACTORIAL,
    HIGH,
    IN_BARS,
    LATEX_THOUSANDS,
    LOWERED,
    NEXT_NAME,
    PATTERN,
    SCIENTIFIC,
    STYLES,
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
    ROUNDED,
    ROUNDING,
    SYMBOLS,
)
from glassformer.by_hand.grammar.summation import SIGNS, summed_over

DEEPEST = 60  # brackets within brackets; more than anybody writes, and far from Python's own limit


class _Lexer(NameLexer):
    """Walks through one stretch of text."""

    def tokens(self) -> Iterator[Token]:
        position = 0
        while match := PATTERN.match(self.text, position):
            position = match.end()
            kind = match.lastgroup or ""  # the outermost group, which is the kind
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
            case "OTHER" if text in SIGNS and (summed := summed_over(self.text, end)):
                return [self.token("SUMMED", summed.text, start, summed.end)]
            case "OTHER" if text in ROUNDING or text in ROUNDED:
                return self._rounding(text, start, end)
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
            return self.token("NUMBER", re.sub(r"\D", "", marked[0]), start, marked.end())
        thousands = THOUSANDS.match(self.text, start)
        is_alone = thousands and self.text[start - 1 : start] + self.text[thousands.end() : thousands.end() + 1] == "{}"
        if thousands and (self.depth == 0 or self.last in RELATIONS or is_alone) and thousands.end() > end:
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
            is_sure = AFTER_FACTORIAL.match(self.text, end) is not None
            return [self.token("FACTORIAL" if is_sure else "WONDER", text, start, end)]
        if text in "|‖":
            return self._bar("‖" if self.text[start : start + 2] == "||" else text, start)
        if text == "^" and (turn := TURNS.match(self.text, start)):
            return [self.token("TURN", turn[0], start, turn.end())]
        if text == "^" and self.ground.way == "code" and not _RAISED_E.search(self.text, 0, start + 1):
            return [self.token("OTHER", text, start, end)]
        if text in "*∗" and not self.ground.convolves:
            return [self.token("TIMES", text, start, end)]
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
        if text in ROUNDING or text in ROUNDED:
            return self._rounding(text, start, end)
        if text in SIGNS and (summed := summed_over(self.text, end)):
            return [self.token("SUMMED", summed.text, start, summed.end)]
        if text == r"\langle":
            return [self.token("FUNCTION", "dot", start, start), self.token("LPAR", text, start, end)]
        if text == r"\ast" and self.ground.convolves:
            return [self.token("STAR", text, start, end)]
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

    def _rounding(self, text: str, start: int, end: int) -> list[Token]:
        """⌊x⌋ and ⌈x⌉."""
        if text in ROUNDED:
            return [self.token("RPAR", text, start, end)]
        return [self.token("FUNCTION", ROUNDING[text], start, start), self.token("LPAR", text, start, end)]


_RAISED_E = re.compile(r"(?<![\w.])e\s?\^$")  # to a power of e: no program's bits are meant


def _bare(text: str) -> str:
    """A name without braces and blanks, to tell names apart by."""
    return re.sub(r"\\(?:mathbf|mathrm|text|mathcal|boldsymbol|,|;|!)|[{}\s$]", "", text)


def lex(ground: Ground) -> list[Token]:
    """The tokens of a stretch of text, laid out so that the grammar can read them."""
    tokens = _join_words(_with_primes(list(_Lexer(ground).tokens()), ground), ground)
    for token in tokens:  # until here places count within the stretch, from here on within the document
        token.start_pos, token.end_pos = ground.span(token.start_pos or 0, token.end_pos or 0)
    return tokens


def _with_primes(tokens: list[Token], ground: Ground) -> list[Token]:
    """C′ and C″ are names of their own where the document gives them; elsewhere a prime may turn a matrix over."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last is not None and last.type == "NAME" and last[:1] in ground.primed and token.type == "TURN":
            sign = ground.text[token.start_pos or 0 : token.end_pos or 0]
            primes = sign.count("'") + sign.count(r"\prime")
            if primes:
                joined[-1] = Token("NAME", last + "′" * primes, start_pos=last.start_pos, end_pos=token.end_pos)
                continue
        joined.append(token)
    return joined


def _join_words(tokens: list[Token], ground: Ground) -> list[Token]:
    """Words side by side are one name: `Scaled Score`; so is a word with a number that nothing follows: `Row 2`."""
    tokens = [_article(token, tokens[i + 1 : i + 2], ground) for i, token in enumerate(tokens)]
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


_OPERATIONS = frozenset({"times", "plus", "minus", "dot", "over", "transpose", "transposed", "inverse", "is", "equals"})


def _article(token: Token, following: list[Token], ground: Ground) -> Token:
    """`a toy vector x = [1, 0]`: a is no name there."""
    is_letter = ground.way == "text" and token.type == "NAME" and token in ("a", "A")
    if not is_letter or not following or following[0].type != "WORD" or not _near(token, following[0], ground):
        return token
    if following[0].lower() in _OPERATIONS or not following[0].islower():
        return token
    return Token("WORD", str(token), start_pos=token.start_pos, end_pos=token.end_pos)


def _near(first: Token, second: Token, ground: Ground) -> bool:
    between = ground.text[first.end_pos or 0 : second.start_pos or 0]
    return len(between) < 4 and not between.strip(" $}\\")

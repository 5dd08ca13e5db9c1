"""An author's own commands (`\\newcommand`, `\\def`), read from the notes or a file beside them and put in where used.

Every sign that is put in stands where the command stood. What grows beyond bounds stays as it was written. Knows no
mathematics.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from glassformer.by_hand.notes.plain_spelling import closing_brace

LONGEST = 50_000  # signs of one passage with everything put in
DISPLAYS = ("equation", "align", "gather", "displaymath", "multline", "eqnarray", "flalign", "alignat")
DEEPEST = 8  # commands within commands
_DEFINED = re.compile(
    r"\\(?:re|provide)?newcommand\*?\s*(?:\{\s*\\(?P<new>[A-Za-z]+)\s*\}|\\(?P<bare>[A-Za-z]+))\s*(?:\[(?P<n>\d)\])?\s*"
    r"(?P<optional>\[[^\]\n]*\])?\s*(?=\{)"
    r"|\\(?:re)?providecommand\*?\s*\{\s*\\(?P<provided>[A-Za-z]+)\s*\}\s*(?:\[(?P<m>\d)\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<defined>[A-Za-z]+)\s*(?P<takes>(?:#\d)*)\s*(?=\{)"
    r"|\\DeclareMathOperator\*?\s*\{\s*\\(?P<operator>[A-Za-z]+)\s*\}\s*(?=\{)"
)
# Read where they stand in pairs, though nobody says what they are: matrices.
_CUSTOMARY = {
    "bpmat": r"\begin{pmatrix} ", "epmat": r"\end{pmatrix}", "bbmat": r"\begin{bmatrix} ", "ebmat": r"\end{bmatrix}",
    "bmat": r"\begin{bmatrix} ", "emat": r"\end{bmatrix}",
}  # fmt: skip
_SCRIPTS = re.compile(r"<(sub|sup)>([^<>\n]{1,20})</\1>")
_BEGIN = re.compile(r"\\begin\s*\{[A-Za-z]+\*?\}(?:\[[^\]]*\]|\{[^{}]*\})?\s*\Z")
_END = re.compile(r"\s*\\end\s*\{([A-Za-z]+\*?)\}\s*\Z")


@dataclass(frozen=True)
class Macro:
    """A command: how many arguments it takes, and what it stands for."""

    takes: int
    body: str


@dataclass(frozen=True)
class Macros:
    """All commands of one document."""

    known: dict[str, Macro] = field(default_factory=dict)

    @cached_property
    def _used(self) -> re.Pattern[str] | None:
        names = sorted(self.known, key=len, reverse=True)
        return re.compile(rf"\\({'|'.join(names)})(?![A-Za-z])") if names else None

    @cached_property
    def displays(self) -> dict[str, str]:
        """Commands that open a display, and those that close it."""
        opened = {n: m.body.strip() for n, m in self.known.items() if not m.takes and _BEGIN.fullmatch(m.body.strip())}
        closed = {e[1]: n for n, m in self.known.items() if not m.takes and (e := _END.fullmatch(m.body))}
        answer = {}
        for name, body in opened.items():
            environment = body[body.index("{") + 1 : body.index("}")]
            if environment in closed and environment.rstrip("*") in DISPLAYS:
                answer["\\" + name] = "\\" + closed[environment]
        return answer

    def put_in(self, text: str, start: int, places: tuple[int, ...] = ()) -> tuple[str, tuple[int, ...]]:
        """The text with every command written out, and the place of each sign; without commands it is as it was."""
        if "<su" in text:
            text, places = _with_scripts(text, places or tuple(range(start, start + len(text))))
        for _ in range(DEEPEST):
            if self._used is None or "\\" not in text or not self._used.search(text):
                break
            longer, where = self._once(text, places or tuple(range(start, start + len(text))))
            if len(longer) > LONGEST:
                break
            text, places = longer, where
        return text, places

    def _once(self, text: str, places: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        assert self._used is not None
        pieces: list[str] = []
        where: list[int] = []
        position = 0
        while (match := self._used.search(text, position)) and sum(map(len, pieces)) <= LONGEST:
            macro = self.known[match[1]]
            arguments, end = _arguments(text, match.end(), macro.takes)
            pieces.append(text[position : match.start()])
            where += places[position : match.start()]
            if arguments is None:  # not as it was defined
                put, end = match[0], match.end()
            else:
                put = re.sub(r"#(\d)", lambda m, a=arguments: _at(a, int(m[1])), macro.body)  # type: ignore[misc]
            pieces.append(put)
            where += _spread(put, arguments, places, match.start(), end, text)
            position = end
        pieces.append(text[position:])
        where += places[position:]
        return "".join(pieces), tuple(where)


def _spread(
    put: str, arguments: list[str] | None, places: tuple[int, ...], start: int, end: int, text: str
) -> list[int]:
    """Signs of an argument that is put in once keep their places; all others stand where the command stood."""
    where = [places[start]] * len(put)
    for argument in arguments or []:
        at, source = put.find(argument), text.find(argument, start, end)
        if argument.strip() and put.count(argument) == 1 and source >= 0:
            where[at : at + len(argument)] = places[source : source + len(argument)]
    return where


def _at(arguments: list[str], number: int) -> str:
    return arguments[number - 1] if 0 < number <= len(arguments) else ""


def _arguments(text: str, position: int, takes: int) -> tuple[list[str] | None, int]:
    answer: list[str] = []
    for _ in range(takes):
        while text[position : position + 1].isspace():
            position += 1
        if text[position : position + 1] == "{":
            end = closing_brace(text, position)
            if not end:
                return None, position
            answer.append(text[position + 1 : end - 1])
        elif token := re.compile(r"\\[A-Za-z]+|[^\s\\{}]").match(text, position):
            end = token.end()
            answer.append(token[0])
        else:
            return None, position
        position = end
    return answer, position


def _with_scripts(text: str, places: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """`x<sub>1</sub>` is x_{1}."""
    pieces: list[str] = []
    where: list[int] = []
    position = 0
    for match in _SCRIPTS.finditer(text):
        pieces += [text[position : match.start()], f"{'_' if match[1] == 'sub' else '^'}{{{match[2]}}}"]
        tag = places[match.start()]
        where += [*places[position : match.start()], tag, tag, *places[match.start(2) : match.end(2)], tag]
        position = match.end()
    return "".join([*pieces, text[position:]]), (*where, *places[position:])


def read_macros(text: str) -> Macros:
    """The commands that a text defines, and those pairs that everybody knows."""
    known: dict[str, Macro] = {}
    for match in _DEFINED.finditer(text):
        end = closing_brace(text, match.end())
        if not end or match["optional"] or len(known) > 2000:
            continue
        body = text[match.end() + 1 : end - 1]
        name = match["new"] or match["bare"] or match["provided"] or match["defined"] or match["operator"]
        takes = len(match["takes"]) // 2 if match["takes"] else int(match["n"] or match["m"] or 0)
        body = rf"\operatorname{{{body}}}" if match["operator"] else body
        if not re.search(rf"\\{name}(?![A-Za-z])", body):
            known[name] = Macro(takes, body)
    for begin, stop in (("bpmat", "epmat"), ("bbmat", "ebmat"), ("bmat", "emat")):
        if begin not in known and re.search(rf"\\{begin}(?![A-Za-z])", text) and f"\\{stop}" in text:
            known |= {name: Macro(0, _CUSTOMARY[name]) for name in (begin, stop)}
    return Macros(known)


def without_definitions(text: str) -> str:
    """The text with its definitions blanked: what a command stands for is no claim."""
    for match in list(_DEFINED.finditer(text)):
        end = closing_brace(text, match.end())
        if end:
            text = text[: match.start()] + re.sub(r"[^\n]", " ", text[match.start() : end]) + text[end:]
    return text

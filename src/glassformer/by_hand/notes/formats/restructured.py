"""Reads reStructuredText: math directives and roles, code and literal blocks, headings and tables, line by line.

Each becomes what Markdown has for it. Other directives are passed over with what stands in them. Understands no maths.
"""

import re
from dataclasses import dataclass, field

from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.formats.pen import Pen

_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+([\w:-]+)::[ \t]*(.*)")
_COMMENT = re.compile(r"([ \t]*)\.\.(?:[ \t]|$)")
_OPTION = re.compile(r"[ \t]*:[\w -]+:")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+[ \t]*$")
_SIMPLE = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*$")  # ===  ===, above and below a simple table and its heading
_MATH, _CODE = frozenset({"math"}), frozenset({"code-block", "code", "sourcecode", "parsed-literal", "ipython"})
_NOTES = frozenset(
    {"note", "tip", "warning", "important", "admonition", "hint", "topic", "example", "exercise", "solution"}
    | {"seealso", "dropdown", "container", "theorem", "proof", "only", "tab-item"}
)


def read_restructured(text: str, file: str) -> Document:
    """The notes of a text in reStructuredText."""
    reader = _Reader(text.expandtabs(8).split("\n"))
    reader.run()
    return reader.pen.document(file, "reStructuredText")


@dataclass
class _Reader:
    lines: list[str]
    pen: Pen = field(default_factory=Pen)
    levels: list[str] = field(default_factory=list)  # signs under headings, in the order they were met
    at: int = 0

    def run(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if match := _DIRECTIVE.match(line):
                self._directive(match)
            elif comment := _COMMENT.match(line):
                self._put("")
                self._block(len(comment[1]))
            elif self._is_heading():
                sign = self.lines[self.at + 1].strip()[0]
                if sign not in self.levels:
                    self.levels.append(sign)
                self._put("#" * min(6, self.levels.index(sign) + 1) + " " + line.strip())
                self._put("")
            elif _GRID.match(line):
                self._grid(line)
            elif _SIMPLE.match(line) and (rules := self._simple_rules()):
                self._simple(rules)
            else:
                self._text(line)

    def _put(self, line: str) -> None:
        self.pen.write(line, self.at + 1)
        self.pen.end_line()
        self.at += 1

    def _is_heading(self) -> bool:
        line = self.lines[self.at]
        under = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        above = self.lines[self.at - 1] if self.at else ""
        if not line.strip() or line[0].isspace() or _UNDERLINE.match(line) or not _UNDERLINE.match(under):
            return False
        return len(under.strip()) >= len(line.strip()) and not (_UNDERLINE.match(above) and " " in above.strip())

    def _text(self, line: str) -> None:
        """A line of text; one that ends in `::` opens a literal block."""
        plain = _inline(line)
        if line.rstrip().endswith("::") and self._opens_block():
            self._put(plain.rstrip()[:-1])
            block = self._block(len(line) - len(line.lstrip()))
            self._fence("text", block)
        else:
            self._put("" if _UNDERLINE.match(line) else plain)

    def _opens_block(self) -> bool:
        following = [each for each in self.lines[self.at + 1 : self.at + 4] if each.strip()]
        return bool(following) and following[0][0] == " "

    def _block(self, indent: int) -> list[tuple[int, str]]:
        """The lines further in than `indent`, and where they stand."""
        block: list[tuple[int, str]] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            block.append((self.at + 1, line))
            self.at += 1
        return block

    def _directive(self, match: re.Match[str]) -> None:
        name, argument, start = match[2], match[3], self.at + 1
        self.at += 1
        if name in _NOTES:
            self.pen.paragraph()  # what stands in it is read on as text
            return
        block = [each for each in self._block(len(match[1])) if not _OPTION.match(each[1])]
        if name in _MATH:
            self._formulas([(start, argument), (start, ""), *block] if argument else block)
        elif name in _CODE:
            self._fence(argument.strip() or "text", block)

    def _formulas(self, block: list[tuple[int, str]]) -> None:
        """Each paragraph of a math directive is a display of its own."""
        self.pen.paragraph()
        open_ = False
        for origin, line in [*block, (0, "")]:
            if line.strip():
                self.pen.write(("" if open_ else "$$") + line.strip(), origin)
                self.pen.end_line()
                open_ = True
            elif open_:
                self.pen.lines[-1] += "$$"
                self.pen.paragraph()
                open_ = False

    def _fence(self, language: str, block: list[tuple[int, str]]) -> None:
        filled = [each for each in block if each[1].strip()]
        if not filled:
            return
        indent = min(len(line) - len(line.lstrip()) for _, line in filled)
        self.pen.paragraph()
        for origin, line in [(filled[0][0], f"```{language}"), *block, (filled[-1][0], "```")]:
            self.pen.write(line if line.startswith("```") else line[indent:], origin)
            self.pen.end_line()
        self.pen.paragraph()

    def _grid(self, line: str) -> None:
        """`+---+` is a rule; `+===+` stands under the heading of a table."""
        self._put(re.sub(r"=+", "---", line.strip()).replace("+", "|") if "=" in line else "")

    def _simple_rules(self) -> list[int]:
        """The lines with the rules of the simple table that begins here; none if it is more than rows of cells."""
        rules, columns = [self.at], _columns(self.lines[self.at])
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if _SIMPLE.match(line) and _columns(line) == columns:
                rules.append(at)
                is_last = at + 1 == len(self.lines) or not self.lines[at + 1].strip()
                if len(rules) == 3 or is_last:
                    return rules if len(rules) == 3 and is_last else []
            elif not _fits(line, columns):
                return []
        return []

    def _simple(self, rules: list[int]) -> None:
        """As a table of Markdown; a rule under the heading, nothing for the other two."""
        columns, under = _columns(self.lines[self.at]), rules[1]
        for at in range(self.at, rules[-1] + 1):
            if at in rules:
                self._put("|" + "---|" * len(columns) if at == under else "")
            else:
                cells = _cells(self.lines[at], columns)
                self._put("| " + " | ".join(_inline(cell) for cell in cells) + " |")


def _columns(rule: str) -> list[int]:
    """Where the columns begin."""
    return [run.start() for run in re.finditer("=+", rule)]


def _cells(line: str, columns: list[int]) -> list[str]:
    ends = [*columns[1:], len(line)]
    return [line[start:end].strip() for start, end in zip(columns, ends, strict=True)]


def _fits(line: str, columns: list[int]) -> bool:
    """A row with all of its cells, each within its column: a blank first cell would go on with the row above."""
    gaps = all(line[start - 1 : start].isspace() for start in columns[1:])
    return gaps and not line[: columns[0]].strip() and "|" not in line and all(_cells(line, columns))


def _inline(line: str) -> str:
    line = re.sub(r":math:`([^`]*)`", r"$\1$", line)
    line = re.sub(r":[\w:-]+:`([^`<]*)(?:<[^`]*>)?`", r"\1", line)
    line = re.sub(r"`([^`<\n]*)<[^`>\n]*>`__?", r"\1", line)
    return re.sub(r"``([^`]*)``", r"`\1`", line)

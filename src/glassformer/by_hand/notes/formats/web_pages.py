"""Reads saved web pages: the TeX that KaTeX and MathJax keep inside, MathML, tables, code and lines of text.

Scripts, styles, menus and what is drawn only for the eye are passed over. Nothing is fetched. Understands no maths.
"""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement

from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.formats.mathml_trees import tex_of
from glassformer.by_hand.notes.formats.pen import Pen, table_lines

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_SILENT = frozenset(
    [
        "script",
        "style",
        "head",
        "nav",
        "footer",
        "noscript",
        "svg",
        "template",
        "iframe",
        "select",
        "button",
        "textarea",
        "object",
    ]
)
_SILENT_CLASS = re.compile(
    r"(?:^|\s)(?:katex-html|MathJax|MathJax_Display|MathJax_SVG|MathJax_SVG_Display|MathJax_CHTML|MathJax_Preview|mjx-chtml"
    r"|mwe-math-fallback-image-\w+|toc|reflist|references|headerlink|anchor-link|sidebar|navbox|catlinks|mw-editsection)(?:\s|$)"
)
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "blockquote",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "figure",
        "figcaption",
        "details",
        "summary",
        "hr",
        "form",
    ]
)
# Between two lines of working; a style may keep them apart on the screen, though the page has no mark for it.
_LINES_OF_WORK = re.compile(r"(?<![-+−*/×·=≈,(\[{\s])[ \t]*\n\s*(?=[^\W\d][^\n=≈]{0,60}[=≈])")
_DISPLAY_CLASS = re.compile(r"katex-display|MathJax_Display|math-display|display-math|mwe-math-element-block")


@dataclass
class _Open:
    """An element that is not closed yet."""

    tag: str
    silent: bool
    display: bool


@dataclass
class _Table:
    rows: list[list[str]] = field(default_factory=list)
    line: int = 1


# Markdown makes emphasis of `1*4 + 2*5`: an element that holds a sign or a space and touches figures on both sides.
_EATEN = re.compile(r"(?<=[\d)])<(em|strong)>([^<>]*[^<>\w.][^<>]*)</\1>(?=[\d(])")
_STARS = {"em": "*", "strong": "^"}  # one star is a product, two are a power


def read_web_page(text: str, file: str) -> Document:
    """The notes of a web page, each line with the line of the page it comes from."""
    page = _Page()
    page.feed(_EATEN.sub(lambda match: f"{_STARS[match[1]]}{match[2]}{_STARS[match[1]]}", text))
    page.close()
    page.finish()
    return page.pen.document(file, "a web page")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pen = Pen()
        self.open: list[_Open] = []
        self.tables: list[_Table] = []
        self.cell: list[str] | None = None  # text of the table cell being read
        self.fence: list[str] | None = None  # text of the code block being read
        self.fence_line = 1
        self.language = ""
        self.script: list[str] | None = None  # TeX within a script
        self.formula: Element | None = None
        self.branch: list[Element] = []
        self.tex: list[str] | None = None  # TeX within an annotation
        self.had_tex = ""

    # --- the parser's calls -------------------------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if self.formula is not None or tag == "math":
            self._formula_starts(tag, values)
            return
        if tag == "script" and values.get("type", "").lower().startswith("math/tex"):
            self.script = []
            self.open.append(_Open(tag, False, "display" in values["type"]))
            return
        within = self.open[-1] if self.open else _Open("", False, False)
        classes = values.get("class", "")
        is_formula = tag in ("mjx-assistive-mml", "mjx-container")
        silent = within.silent or tag in _SILENT or (not is_formula and bool(_SILENT_CLASS.search(classes)))
        display = within.display or bool(_DISPLAY_CLASS.search(classes)) or values.get("display") == "true"
        if tag not in _VOID:
            self.open.append(_Open(tag, silent, display))
        if not silent:
            self._starts(tag, values)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.formula is not None:
            self._formula_ends(tag)
            return
        if tag == "script" and self.script is not None:
            display = self.open[-1].display if self.open else False
            tex, self.script = unescape("".join(self.script)), None
            self._pop(tag)
            self._put_formula(tex, display)
            return
        silent = self.open[-1].silent if self.open else False
        if self._pop(tag) and not silent:
            self._ends(tag)

    def handle_data(self, data: str) -> None:
        if self.script is not None:
            self.script.append(data)
        elif self.tex is not None:
            self.tex.append(data)
        elif self.formula is not None:
            leaf = self.branch[-1]
            leaf.text = (leaf.text or "") + data
        elif not (self.open and self.open[-1].silent):
            self._say(data)

    def _pop(self, tag: str) -> bool:
        """Closes an element and all that were left open in it; False if it was never opened."""
        for i in range(len(self.open) - 1, max(-1, len(self.open) - 200), -1):
            if self.open[i].tag == tag:
                del self.open[i:]
                return True
        return False

    # --- text, code, tables -------------------------------------------------------------------------------------

    def _starts(self, tag: str, values: dict[str, str]) -> None:
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self._break()
            self._say("#" * int(tag[1]) + " ")
        elif tag == "pre" and self.cell is None:
            self._break()
            self.fence, self.fence_line, self.language = [], self.getpos()[0], _language(values)
        elif tag == "code" and self.fence is not None:
            self.language = self.language or _language(values)
        elif tag == "br":
            self._say("\n", raw=True) if self.fence is not None or self.cell is None else self._say(" ; ")
        elif tag == "table":
            self._break()
            self.tables.append(_Table(line=self.getpos()[0]))
        elif tag == "tr" and self.tables:
            self.tables[-1].rows.append([])
        elif tag in ("td", "th") and self.tables and len(self.tables) == 1:
            self._cell_ends()
            self.cell = []
        elif tag in ("sub", "sup"):
            self._say(f"<{tag}>", raw=True)
        elif tag in _BLOCKS:
            self._break()
            if tag == "li":
                self._say("- ")

    def _ends(self, tag: str) -> None:
        if tag == "pre" and self.fence is not None:
            self._fence_ends()
        elif tag in ("td", "th", "tr"):
            self._cell_ends()
        elif tag == "table" and self.tables:
            self._cell_ends()
            table = self.tables.pop()
            self.pen.paragraph()
            for line in table_lines([row for row in table.rows if row]):
                self.pen.write(line, table.line)
                self.pen.end_line()
            self.pen.paragraph()
        elif tag in ("sub", "sup"):
            self._say(f"</{tag}>", raw=True)
        elif tag in _BLOCKS or re.fullmatch("h[1-6]", tag):
            self._break()

    def _fence_ends(self) -> None:
        code, self.fence = "".join(self.fence or []).strip("\n"), None
        mark = "```" if "```" not in code else "~~~~"
        self.pen.paragraph()
        self.pen.write(f"{mark}{self.language}", self.fence_line)
        self.pen.end_line()
        self.pen.write(code, self.fence_line)
        self.pen.end_line()
        self.pen.write(mark, self.fence_line)
        self.pen.paragraph()

    def _cell_ends(self) -> None:
        if self.cell is not None and self.tables and self.tables[-1].rows:
            self.tables[-1].rows[-1].append("".join(self.cell))
        self.cell = None

    def _break(self) -> None:
        if self.cell is not None:
            self.cell.append(" ")
        elif self.fence is None:
            self.pen.paragraph()

    def _say(self, data: str, *, raw: bool = False) -> None:
        if self.fence is not None:
            self.fence.append(data if not raw or data == "\n" else "")
            return
        plain = data if raw else "\n".join(map(_on_one_line, _LINES_OF_WORK.split(data)))
        if self.cell is not None:
            self.cell.append(plain)
        elif plain.strip() or self.pen.current or raw:
            self.pen.write(plain, self.getpos()[0])

    def finish(self) -> None:
        """Writes out what the page left open."""
        if self.fence is not None:
            self._fence_ends()
        while self.tables:
            self._ends("table")

    # --- formulas -----------------------------------------------------------------------------------------------

    def _formula_starts(self, tag: str, values: dict[str, str]) -> None:
        if self.formula is None:
            self.formula, self.had_tex = Element(tag, values), ""
            self.branch = [self.formula]
        elif tag == "annotation" and "tex" in values.get("encoding", "").lower():
            self.tex = []
        elif len(self.branch) < 200:
            self.branch.append(SubElement(self.branch[-1], tag, values))

    def _formula_ends(self, tag: str) -> None:
        assert self.formula is not None
        if tag == "annotation" and self.tex is not None:
            self.had_tex, self.tex = "".join(self.tex), None
        elif tag == "math":
            formula, self.formula, self.branch, self.tex = self.formula, None, [], None
            within = self.open[-1] if self.open else _Open("", False, False)
            if not within.silent:
                tex = self.had_tex or formula.get("alttext", "") or tex_of(formula)
                self._put_formula(tex, within.display or formula.get("display") == "block")
        elif len(self.branch) > 1 and self.branch[-1].tag == tag:
            self.branch.pop()

    def _put_formula(self, tex: str, display: bool) -> None:
        tex = re.sub(r"^\s*\{\\displaystyle(.*)\}\s*$", r"\1", tex, flags=re.S).replace("$", " ").strip()
        if not tex:
            return
        if display and self.cell is None and self.fence is None:
            self.pen.paragraph()
            self.pen.write(f"$${tex}$$", self.getpos()[0])
            self.pen.paragraph()
        else:
            self._say("$" + re.sub(r"\s+", " ", tex) + "$", raw=True)


def _on_one_line(text: str) -> str:
    """With one blank for each; a wide gap within a line may part columns, and stays two."""
    return re.sub(r"\s+", lambda gap: "  " if len(gap[0]) > 1 and "\n" not in gap[0] else " ", text)


def _language(values: dict[str, str]) -> str:
    found = re.search(r"(?:language|lang|highlight|sourceCode|brush:)[- ]?(\w+)", values.get("class", ""))
    return found[1].lower() if found and found[1].lower() not in ("none", "plaintext", "text", "default") else ""

"""Reads Word files (.docx): paragraphs, tables, and equations from their OMML, one paragraph to a line.

A file is opened as the zip it is, within bounds, and without the entities of its XML. Understands no mathematics.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.formats.mathml_trees import local, tex_of
from glassformer.by_hand.notes.formats.pen import Pen, table_lines

LARGEST = 30_000_000  # bytes of the text within the zip
DEEPEST = 100
_MAIN = "word/document.xml"


def read_word_file(data: bytes, file: str) -> Document:
    """The notes of a Word file; lines count its paragraphs."""
    try:
        body = _body(data)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, OSError, EOFError, zlib.error) as error:
        return Document(file, "", unreadable=[(0, f"this is not a Word file ({error})")])
    except (NotImplementedError, RuntimeError) as error:  # a password, or a way of packing nobody uses
        return Document(file, "", unreadable=[(0, f"this Word file cannot be opened ({error})")])
    pen = Pen()
    for number, block in enumerate(_blocks(body), start=1):
        for line in _lines(block):
            pen.write(line, number)
            pen.end_line()
        pen.end_line() if local(block) == "p" else pen.paragraph()
    return pen.document(file, "a Word file")


def _body(data: bytes) -> Element:
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(_MAIN) as main:
        xml = main.read(LARGEST + 1)
    if len(xml) > LARGEST:
        raise ValueError(f"more than {LARGEST:,} bytes of text")
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
        raise ValueError("its XML defines entities, which no word processor writes")
    depth = 0
    root: Element | None = None
    for event, element in ElementTree.iterparse(io.BytesIO(xml), ("start", "end")):
        depth += 1 if event == "start" else -1
        root = element if root is None else root
        if depth > DEEPEST:
            raise ValueError(f"elements more than {DEEPEST} deep")
    if root is None:
        raise ValueError("no text in it")
    return root


def _blocks(element: Element) -> Iterator[Element]:
    """Paragraphs and tables in order; boxes around them are seen through."""
    for each in element:
        if local(each) in ("p", "tbl"):
            yield each
        elif local(each) in ("body", "sdt", "sdtContent", "ins", "customXml", "document"):
            yield from _blocks(each)


def _lines(block: Element) -> list[str]:
    if local(block) == "tbl":
        rows = [
            [" ".join(line for p in _blocks(cell) for line in _lines(p)) for cell in row if local(cell) == "tc"]
            for row in block
            if local(row) == "tr"
        ]
        return ["", *table_lines([row for row in rows if row]), ""]
    style, items = _style(block)
    text = "".join(_inline(each) for each in block)
    if not text.strip():
        return [""]
    return [("#" * style + " " if style else "- " if items else "") + text]


def _style(paragraph: Element) -> tuple[int, bool]:
    """The level of a heading, or 0; and whether it is an item of a list."""
    for each in paragraph:
        if local(each) == "pPr":
            names = [value for style in each if local(style) == "pStyle" for value in style.attrib.values()]
            level = next((int(name[-1]) for name in names if name[:-1].lower() == "heading" and name[-1:].isdigit()), 0)
            return min(level, 6), any(local(part) == "numPr" for part in each)
    return 0, False


def _inline(element: Element) -> str:
    name = local(element)
    if name == "oMathPara":
        return "\n".join(f"$${tex_of(each)}$$" for each in element if local(each) == "oMath")
    if name == "oMath":
        return f"${tex_of(element)}$"
    if name == "r":
        return _run(element)
    if name in (
        "hyperlink",
        "ins",
        "smartTag",
        "sdt",
        "sdtContent",
        "fldSimple",
        "bdo",
        "dir",
        "AlternateContent",
        "Choice",
    ):
        return "".join(_inline(each) for each in element)
    return ""


def _run(run: Element) -> str:
    text = "".join(
        (each.text or "")
        if local(each) == "t"
        else {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}.get(local(each), "")
        for each in run
    )
    for each in run.iter():
        if local(each) == "vertAlign" and text.strip():
            value = "".join(each.attrib.values())
            tag = {"subscript": "sub", "superscript": "sup"}.get(value)
            return f"<{tag}>{text}</{tag}>" if tag else text
    return text

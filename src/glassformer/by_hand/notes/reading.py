"""Opens what a path holds: notes, LaTeX, notebooks, sheets or worksheets, and cuts it into passages.

Nothing in a file is ever run. What is no text, or too large, is said so. Understands no mathematics.
"""

import re
from pathlib import Path

from glassformer.by_hand.notes.documents import Document, cut
from glassformer.by_hand.notes.formats.pdf_text import read_pdf
from glassformer.by_hand.notes.formats.restructured import read_restructured
from glassformer.by_hand.notes.formats.web_pages import read_web_page
from glassformer.by_hand.notes.formats.word_files import read_word_file
from glassformer.by_hand.notes.macros import read_macros, without_definitions
from glassformer.by_hand.notes.plain_spelling import plainly
from glassformer.by_hand.notes.programs.fences import read_programs
from glassformer.by_hand.notes.programs.notebooks import read_notebook
from glassformer.by_hand.notes.sheets import read_csv, read_xlsx
from glassformer.by_hand.notes.tables.latex_tables import read_latex_tables
from glassformer.by_hand.notes.tables.markdown_tables import read_tables
from glassformer.by_hand.notes.worksheet_files import read_toml, read_yaml
from glassformer.errors import InputError, nearest

LARGEST = 50_000_000  # bytes
NOTES = frozenset(
    {".md", ".markdown", ".txt", ".tex", ".ipynb", ".csv", ".tsv", ".xlsx", ".toml", ".yaml", ".yml", ".rst"}
    | {".html", ".htm", ".xhtml", ".qmd", ".rmd", ".docx", ".pdf"}
)


def files_in(path: Path) -> list[Path]:
    """The notes under a path: itself, or every file of a known kind in a folder."""
    if path.is_dir():
        found = sorted(
            each
            for each in path.rglob("*")
            if each.is_file() and each.suffix.lower() in NOTES and not _is_hidden(each.relative_to(path))
        )
        if not found:
            raise InputError(f"The folder {path} holds no notes; looked for {', '.join(sorted(NOTES))}.")
        return found
    if not path.exists():
        near = [each.name for each in path.parent.iterdir() if each.name[0] != "."] if path.parent.is_dir() else []
        hint = f" {nearest(path.name, near)}" if near else ""
        raise InputError(f"There is no file {path};{hint or ' check the path.'}")
    return [path]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def open_document(path: Path) -> Document:
    """The document at a path, cut into passages."""
    if path.is_fifo():  # whoever opens it waits for somebody to write, perhaps for ever
        return _hopeless(str(path), "a pipe, not a file; save what it gives, or send it to check -")
    if path.stat().st_size > LARGEST:
        return _hopeless(str(path), f"{path.stat().st_size:,} bytes; files over {LARGEST:,} bytes are not read")
    with path.open("rb") as file:  # a device says that it has no bytes, and never ends
        data, suffix = file.read(LARGEST + 1), path.suffix.lower()
    if len(data) > LARGEST:
        return _hopeless(str(path), f"more than {LARGEST:,} bytes, which are not read")
    return open_bytes(data, str(path), suffix, _beside(path, data) if suffix == ".tex" else "")


def _beside(path: Path, data: bytes) -> str:
    """The files of the author's that a LaTeX file names and that stand in its folder; not those of others."""
    names = re.findall(rb"\\(?:input|include|usepackage|subfile)(?:\[[^\]\n]*\])?\{([\w, -]{1,200})\}", data)
    texts = []
    for name in [each.strip().decode() for group in names for each in group.split(b",")][:50]:
        for each in (path.parent / f"{name}.tex", path.parent / f"{name}.sty"):
            if each.is_file() and each != path and each.stat().st_size < LARGEST // 50:
                texts.append(_decoded(each.read_bytes()))
    return "\n".join(["", *texts])


def open_bytes(data: bytes, file: str, suffix: str = ".md", beside: str = "") -> Document:
    """The document that these bytes hold, read as what the suffix says; `beside` may define commands for it."""
    if suffix == ".xlsx":
        return read_xlsx(data, file)
    if suffix == ".docx":
        return read_word_file(data, file)
    if suffix == ".pdf":
        return read_pdf(data, file)
    if b"\x00" in data[:100_000] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return _hopeless(file, "this is not text (it has zero bytes)")
    text = _decoded(data)
    if suffix in (".csv", ".tsv"):
        return read_csv(text, file, "\t" if suffix == ".tsv" else None)
    if suffix == ".ipynb":
        return read_notebook(text, file)
    if suffix in (".html", ".htm", ".xhtml"):
        return read_web_page(text, file)
    if suffix == ".rst":
        return read_restructured(text, file)
    if suffix == ".toml":
        return read_toml(text, file)
    if suffix in (".yaml", ".yml"):
        return read_yaml(text, file)
    macros = read_macros(text + beside)
    written = _without_comments(text) if suffix == ".tex" else without_definitions(text)
    document = Document(file, text, read_as=plainly(written, suffix), macros=macros)
    cut(document)
    (read_latex_tables if suffix == ".tex" else read_tables)(document)
    read_programs(document)
    return document


def _hopeless(file: str, why: str) -> Document:
    return Document(file, "", unreadable=[(0, why)])


def _decoded(data: bytes) -> str:
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _without_comments(text: str) -> str:
    """LaTeX without its preamble and comments, every other sign in its place."""
    begin = text.find(r"\begin{document}")
    if begin >= 0:
        end = begin + len(r"\begin{document}")
        text = re.sub(r"[^\n]", " ", text[:end]) + text[end:]
    text = text.replace(r"\end{document}", " " * len(r"\end{document}"))
    text = re.sub(r"(?<!\\)%[^\n]*", lambda match: " " * len(match[0]), text)
    return without_definitions(text)

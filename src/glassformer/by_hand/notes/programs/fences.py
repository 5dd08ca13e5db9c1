"""Programs in the code blocks of notes: a block and the block of output under it, or a session with its `>>>`.

A block is taken by itself; with the blocks above it only where that agrees with what is printed, because notes rarely
show every line of a program. Understands no mathematics.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.programs.cells import Cells, Output

LONGEST = 20_000
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\n`]*)$", re.M)
_PYTHON = re.compile(r"\{?\.?(?:python|py|python3|pycon|code-cell|ipython)\b", re.I)
_OUTPUT = re.compile(r"(?:text|txt|output|plaintext|console|plain)?\s*\Z", re.I)
_PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.) ?(.*)$")


@dataclass(frozen=True)
class CodeBlock:
    """A code block: what stands beside its opening sign, its text and where that begins, and where it all stands."""

    language: str
    text: str
    start: int
    span: Span


def read_programs(document: Document) -> None:
    """Adds what the outputs of programs claim."""
    fences = [block for block in blocks_of(document.read_as) if len(block.text) <= LONGEST]
    together = Cells(document, only_agreeing=True)
    for i, fence in enumerate(fences):
        if not _PYTHON.match(fence.language) and ">>> " not in fence.text:
            continue
        if ">>> " in fence.text:
            steps = list(_session(fence.text, fence.start))
        else:
            below = fences[i + 1] if i + 1 < len(fences) else None
            steps = [(fence.text, _outputs(document, fence, below))]
        alone = Cells(document)
        for cells in (alone, together):
            for code, outputs in steps:
                cells.add(code, outputs)
    document.passages.sort(key=lambda passage: passage.span.start)


def blocks_of(text: str) -> Iterator[CodeBlock]:
    """The code blocks of a text, in order; what opens a block that is never closed opens none."""
    signs = list(_FENCE.finditer(text))
    closing: dict[str, list[re.Match[str]]] = {}
    for sign in signs:
        if not sign[2].strip():
            closing.setdefault(sign[1], []).append(sign)
    position = 0
    for sign in signs:
        if sign.start() < position:
            continue
        closers = closing.get(sign[1], [])
        i = bisect_right(closers, sign.start(), key=lambda each: each.start())
        if i < len(closers):
            inside = Span(sign.end() + 1, closers[i].start())
            position = closers[i].end()
            yield CodeBlock(sign[2], text[inside.start : inside.end], inside.start, Span(sign.start(), position))


def _outputs(document: Document, fence: CodeBlock, below: CodeBlock | None) -> list[Output]:
    """The block under a program, if nothing but a word such as `Output:` stands between them."""
    if below is None or not _OUTPUT.match(below.language) or below.language.strip().lower() == "python":
        return []
    between = document.read_as[fence.span.end : below.span.start].strip(" \n\t*_:#`>")
    if len(between) > 40 or len(between.split()) > 4:
        return []
    return [Output(below.text, below.start), Output(below.text, below.start, is_value=True)]


def _session(text: str, start: int) -> Iterator[tuple[str, list[Output]]]:
    """Lines after `>>>`, each with what stands under it."""
    code: list[str] = []
    shown: Span | None = None

    def step() -> tuple[str, list[Output]]:
        whole = Output(text[shown.start : shown.end], start + shown.start) if shown else None
        values = [whole, Output(whole.text, whole.start, is_value=True)] if whole else []
        return "\n".join(code), values

    for line in re.finditer(r"[^\n]*\n?", text):
        prompt = _PROMPT.match(line[0].rstrip("\n"))
        if prompt and (prompt[1] == ">>>" or (code and shown is None)):
            if prompt[1] == ">>>" and code:
                yield step()
                code, shown = [], None
            code.append(prompt[2])
        elif line[0].strip() and code:
            shown = Span(shown.start if shown else line.start(), line.end())
    if code:
        yield step()

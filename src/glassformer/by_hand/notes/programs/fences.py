"""Programs in the code blocks of notes: a block and the block of output under it, or a session with its `>>>`.

A block is taken by itself; with the blocks above it only where that agrees with what is printed, because notes rarely
show every line of a program. Understands no mathematics.
"""

import re
from collections.abc import Iterator

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.programs.cells import Cells, Output

LONGEST = 20_000
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\n`]*)\n(.*?)^[ \t]*\1[ \t]*$", re.M | re.S)
_PYTHON = re.compile(r"\{?\.?(?:python|py|python3|pycon|code-cell|ipython)\b", re.I)
_OUTPUT = re.compile(r"(?:text|txt|output|plaintext|console|plain)?\s*\Z", re.I)
_PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.) ?(.*)$")


def read_programs(document: Document) -> None:
    """Adds what the outputs of programs claim."""
    fences = [match for match in _FENCE.finditer(document.read_as) if len(match[3]) <= LONGEST]
    together = Cells(document, only_agreeing=True)
    for i, fence in enumerate(fences):
        if not _PYTHON.match(fence[2]) and ">>> " not in fence[3]:
            continue
        if ">>> " in fence[3]:
            steps = list(_session(fence[3], fence.start(3)))
        else:
            below = fences[i + 1] if i + 1 < len(fences) else None
            steps = [(fence[3], _outputs(document, fence, below))]
        alone = Cells(document)
        for cells in (alone, together):
            for code, outputs in steps:
                cells.add(code, outputs)
    document.passages.sort(key=lambda passage: passage.span.start)


def _outputs(document: Document, fence: re.Match[str], below: re.Match[str] | None) -> list[Output]:
    """The block under a program, if nothing but a word such as `Output:` stands between them."""
    if below is None or not _OUTPUT.match(below[2]) or below[2].strip().lower() == "python":
        return []
    between = document.read_as[fence.end() : below.start()].strip(" \n\t*_:#`>")
    if len(between) > 40 or len(between.split()) > 4:
        return []
    return [Output(below[3], below.start(3)), Output(below[3], below.start(3), is_value=True)]


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

"""Matrices, words and bars as lines of coloured text that fit a given width. It knows nothing of what they mean.

A block is a list of lines. Every line fits the room it was given: words wrap, and a matrix that is too wide leaves out
whole columns and says how many. Widths are counted in cells, as a terminal does: 猫 takes two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from rich.cells import cell_len, chop_cells, set_cell_size
from rich.style import Style
from rich.text import Text

from glassformer.stages import notation

Block = list[Text]
Colour = tuple[int, int, int]

# One colour per role, the same in every room: queries blue, keys orange, values green, scores and weights violet.
COLOURS = MappingProxyType(
    {
        "query": (64, 140, 255),
        "key": (238, 132, 34),
        "value": (48, 172, 76),
        "score": (168, 108, 246),
        "plain": (140, 148, 160),
    }
)
INDENT = 2
_GAP = 4  # between blocks side by side
_LONGEST_ROW, _LONGEST_COLUMN = 12, 8  # cells for a token beside a row, and above a column


def rgb(role: str) -> str:
    """A role's colour by its name for rich."""
    return "rgb({},{},{})".format(*COLOURS[role])


def shade(number: float, role: str, scale: float) -> Style:
    """The larger the number, the fuller its colour; what is not finite is dim, and what is negative is in italics."""
    if not np.isfinite(number) or scale == 0.0:
        return Style(dim=True)
    share = 0.35 + 0.65 * min(abs(number) / scale, 1.0)
    grey = 150
    red, green, blue = (int(grey + (channel - grey) * share) for channel in COLOURS[role])
    return Style(color=f"rgb({red},{green},{blue})", bold=share > 0.7, italic=number < 0)


def symbol_and_shape(symbol: str, role: str, sizes: Sequence[int]) -> Text:
    """`W_Q  2 × 2`, the symbol in its colour."""
    return Text.assemble(
        Text(symbol, style=Style(color=rgb(role), bold=True)), Text(f"  {notation.shape(sizes)}", style="dim")
    )


# --- words ------------------------------------------------------------------------------------------------------


def words(text: str, room: int, style: str | Style = "", hanging: int = 0) -> Block:
    """Words, wrapped; lines after the first start `hanging` cells further right."""
    lines, line = [], ""
    for word in text.split():
        for piece in chop_cells(word, room - hanging) if cell_len(word) > room - hanging else [word]:
            joined = f"{line} {piece}" if line.strip() else f"{line}{piece}"
            if cell_len(joined) > room:
                lines.append(line)
                joined = " " * hanging + piece
            line = joined
    return [Text(each, style=style) for each in (*lines, line)]


def cut(word: str, room: int) -> str:
    """A word, or its beginning and an ellipsis."""
    return word if cell_len(word) <= room else set_cell_size(word, room - 1).rstrip() + "…"


def right(word: str, room: int) -> str:
    """A word at the right end of its room."""
    word = cut(word, room)
    return " " * (room - cell_len(word)) + word


# --- a matrix ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawnMatrix:
    """What stands in a matrix, and the tokens beside its rows and above its columns (none, or one for each)."""

    cells: Sequence[Sequence[Text]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    @property
    def needs(self) -> int:
        """The room in which no column is left out."""
        return block_width(self.draw(10_000))

    def draw(self, room: int) -> Block:
        """In tall brackets; without its last columns, and a line that says so, if there is no room for them."""
        count = len(self.cells[0])
        width = max(cell.cell_len for row in self.cells for cell in row)
        width = max([width, *(min(cell_len(word), _LONGEST_COLUMN) for word in self.columns)])
        margin = max((min(cell_len(word), _LONGEST_ROW) + 1 for word in self.rows), default=0)
        inside = room - margin - 4  # two brackets, each with its blank
        kept = count if count * (width + 2) - 2 <= inside else max(1, (inside - 1) // (width + 2))
        lines = []
        if self.columns:
            head = "  ".join(right(word, width) for word in self.columns[:kept])
            lines.append(Text(" " * (margin + 2) + head, style="dim"))
        lines += [self._line(i, kept, width, margin) for i in range(len(self.cells))]
        if kept < count:
            more = "column" if count - kept == 1 else "columns"
            lines.append(Text(f"{' ' * (margin + 2)}… {count - kept} more {more}", style="dim italic"))
        return lines

    def _line(self, i: int, kept: int, width: int, margin: int) -> Text:
        name = right(self.rows[i], margin - 1) + " " if i < len(self.rows) else " " * margin
        cells = [Text(" " * (width - cell.cell_len)) + cell for cell in self.cells[i][:kept]]
        left_out = [Text("…", style="dim")] if kept < len(self.cells[i]) else []
        opening, closing = (_bracket(i, len(self.cells), signs) for signs in ("⎡⎢⎣[", "⎤⎥⎦]"))
        line = Text(f"{name}{opening} ", style="dim")
        return Text.assemble(line, Text("  ").join([*cells, *left_out]), Text(f" {closing}", style="dim"))


def _bracket(row: int, rows: int, signs: str) -> str:
    if rows == 1:
        return signs[3]
    return signs[0] if row == 0 else signs[2] if row == rows - 1 else signs[1]


# --- blocks -----------------------------------------------------------------------------------------------------


def block_width(block: Block) -> int:
    """The width of its widest line."""
    return max((line.cell_len for line in block), default=0)


def side_by_side(blocks: Sequence[Block], gap: int = 2) -> Block:
    """Blocks in a row, their tops level."""
    widths = [block_width(block) for block in blocks]
    lines = []
    for i in range(max(len(block) for block in blocks)):
        line = Text()
        for block, width in zip(blocks, widths, strict=True):
            here = block[i] if i < len(block) else Text()
            line = Text.assemble(line, here, " " * (width - here.cell_len + gap))
        line.rstrip()
        lines.append(line)
    return lines


def flow(blocks: Sequence[Block], room: int) -> Block:
    """Blocks in as many columns as there is room for, with an empty line between the rows."""
    count = next((n for n in range(len(blocks), 1, -1) if _columns_width(blocks, n) <= room), 1)
    rows = _aligned(blocks, count) if count > 1 else _packed(blocks, room)
    return [line for row in rows for line in (*side_by_side(row, _GAP), Text())][:-1]


def _aligned(blocks: Sequence[Block], count: int) -> list[list[Block]]:
    """Rows of `count` blocks that stand under each other."""
    starts = range(0, len(blocks), count)
    return [[_widened(each, blocks[k::count]) for k, each in enumerate(blocks[i : i + count])] for i in starts]


def _packed(blocks: Sequence[Block], room: int) -> list[list[Block]]:
    """Rows of as many blocks as fit: where one is too wide for columns, the others need not stand alone."""
    rows: list[list[Block]] = []
    for block in blocks:
        if rows and _columns_width([*rows[-1], block], len(rows[-1]) + 1) <= room:
            rows[-1].append(block)
        else:
            rows.append([block])
    return rows


def _columns_width(blocks: Sequence[Block], count: int) -> int:
    widths = [max(block_width(block) for block in blocks[k::count]) for k in range(count)]
    return sum(widths) + _GAP * (count - 1)


def _widened(block: Block, others: Sequence[Block]) -> Block:
    """The block, its first line filled up to the widest of its column, so that the columns stand under each other."""
    width = max(block_width(other) for other in others)
    return [Text.assemble(block[0], " " * (width - block[0].cell_len)), *block[1:]]


@dataclass(frozen=True)
class Picture:
    """Something to be drawn into a room; `needs` is the room in which nothing of it is left out."""

    needs: int
    draw: Callable[[int], Block]


def barred(text: Callable[[int], Block], picture: Picture | None, role: str, width: int, beside: int = 38) -> Block:
    """Words and `beside` cells further a picture, or the picture below where there is no room; on the left a bar."""
    room = width - INDENT - 3
    if picture is None:
        block = text(room)
    elif picture.needs <= room - beside - 2:
        said = text(beside)
        said[0] = Text.assemble(said[0], " " * (beside - said[0].cell_len))
        block = side_by_side([said, picture.draw(room - beside - 2)])
    else:
        block = [*text(room), *picture.draw(room)]
    lines = [Text.assemble(" " * INDENT, Text("▌", style=rgb(role)), "  ", line) for line in block]
    for line in lines:
        line.rstrip()
    return lines


def heading(title: str, width: int) -> Block:
    """A title and a rule to the end of the page, or the title alone."""
    title = cut(title, width - INDENT)
    rule = "─" * max(0, width - 2 * INDENT - cell_len(title) - 1)
    return [Text.assemble(" " * INDENT, Text(title, style="bold"), Text(f" {rule}".rstrip(), style="dim")), Text()]


def indented(block: Block, by: int = INDENT) -> Block:
    """The block, moved to the right."""
    return [Text.assemble(" " * by, line) if line.plain else line for line in block]

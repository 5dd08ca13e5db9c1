"""The layers of a model as a table of plain text: the tree, four columns of figures, the totals. It counts nothing."""

from collections.abc import Sequence

HEAD = ("output", "parameters", "mult-adds", "MB")
Row = tuple[int, str, str, str, str, str]  # depth, name, and the cells under the head


def layer_table(rows: Sequence[Row], totals: Sequence[tuple[str, str]]) -> str:
    """One line for each layer, below a rule the totals. Nothing is cut: the table is as wide as what stands in it."""
    names = [branch + row[1] for branch, row in zip(branches([row[0] for row in rows]), rows, strict=True)]
    columns = [["layer", *names], *([head, *cells] for head, cells in zip(HEAD, _columns(rows), strict=True))]
    widths = [max(map(len, column)) for column in columns]
    lines = [_line([column[i] for column in columns], widths) for i in range(len(names) + 1)]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    names_wide = max((len(name) for name, _ in totals), default=0)
    return "\n".join([lines[0], rule, *lines[1:], rule, *(f"{name:<{names_wide}}  {value}" for name, value in totals)])


def _columns(rows: Sequence[Row]) -> list[list[str]]:
    return [[row[i] for row in rows] for i in range(2, 2 + len(HEAD))]  # type: ignore[misc]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, second, *figures = zip(cells, widths, strict=True)
    left = f"{first[0]:<{first[1]}}  {second[0]:<{second[1]}}"
    return "  ".join([left, *(f"{cell:>{wide}}" for cell, wide in figures)]).rstrip()


def branches(depths: Sequence[int]) -> list[str]:
    """What stands before each name of a tree that is told by its depths: ├─ for a part, └─ for the last one."""
    drawn = []
    for i, depth in enumerate(depths):
        signs = [("│ " if _goes_on(depths, i, level) else "  ") for level in range(1, depth)]
        last = ("├─" if _goes_on(depths, i, depth) else "└─") if depth else ""
        drawn.append("".join(signs) + last)
    return drawn


def _goes_on(depths: Sequence[int], i: int, level: int) -> bool:
    """Whether another part of this level follows under the same whole."""
    for depth in depths[i + 1 :]:
        if depth <= level:
            return depth == level
    return False

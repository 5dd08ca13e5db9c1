"""Why a number is wrong: the catalogue of slips, tried in turn until one reproduces it.

A cause is named only when it gives every wrong number of the matrix as printed. Knows nothing of documents.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from glassformer.by_hand.grammar.expressions import Call, Matrix, Node, children, is_printed, walk, with_children
from glassformer.by_hand.numbers.comparison import Flags, entries_of
from glassformer.by_hand.slips.causes import Scene
from glassformer.by_hand.slips.method_slips import method_slips
from glassformer.by_hand.slips.pen_slips import pen_slips
from glassformer.errors import InputError

_MOST_PARTS = 200  # of a formula; a longer one is a whole block at once, and nobody can tell where in it a pen slipped


def find_cause(scene: Scene) -> str | None:
    """The first slip of the catalogue that reproduces the wrong numbers, or None."""
    if not is_printed(scene.literal) or sum(1 for _ in walk(scene.expected)) > _MOST_PARTS:
        return None
    ways = [pen_slips, method_slips] if scene.wrong.sum() == 1 else [method_slips, pen_slips]
    for way in ways:
        with suppress(InputError):  # conv(X, K): two operands that do not stand in one matrix
            for cause in way(scene):
                return cause
    return None


_CONFUSED = (("sigmoid", "softmax"), ("softmax", "sigmoid"))


def said_otherwise(expected: Node, fits: Callable[[Node], bool]) -> tuple[str, Node] | None:
    """If the numbers are right for another function than the one named: which is which, and the formula meant."""
    for said, meant in _CONFUSED:
        other = _swapped(expected, said, meant)
        if other is not None and fits(other):
            return _confusion(said, meant), other
    return None


def other_function(said: Node, meant: Node) -> str | None:
    """If two formulas differ in the function only: which is named, and which is meant."""
    for one, other in _CONFUSED:
        swapped = _swapped(said, one, other)
        if swapped is not None and swapped.key == meant.key:
            return _confusion(one, other)
    return None


def _confusion(said: str, meant: str) -> str:
    return f"{said} is named, but the numbers are those of {meant}"


def _swapped(node: Node, said: str, meant: str) -> Node | None:
    if isinstance(node, Call) and node.function == said:
        return Call(meant, node.of, node.span)
    for i, child in enumerate(children(node)):
        new = _swapped(child, said, meant)
        if new is not None:
            return with_children(node, (*children(node)[:i], new, *children(node)[i + 1 :]))
    return None


_TELLING = 3  # numbers in a row by which it is known again
Rows = dict[tuple[str, ...], list[Matrix]]


def by_rows(matrices: Iterable[Matrix]) -> Rows:
    """The matrices that have each row, number for number."""
    answer: Rows = {}
    for matrix in matrices:
        for row in matrix.rows:
            if len(row) >= _TELLING:
                answer.setdefault(tuple(entry.key for entry in row), []).append(matrix)
    return answer


def same_rows(literal: Node, wrong: Flags, rows: Rows) -> Iterator[Matrix]:
    """Other printed matrices that have a wrong row, number for number; rows of one wrong entry prove nothing."""
    for i, row in enumerate(entries_of(literal)):
        if wrong[i].sum() > 1:
            yield from (each for each in rows.get(tuple(n.key for n in row), []) if each is not literal)

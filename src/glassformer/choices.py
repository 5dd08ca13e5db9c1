"""A table of choices that go by name, to which a program may add its own. It does not know what is chosen.

Every choice that a person makes by a word (an objective, a task, a model, a weigher, an optimizer …) stands in one:

    WEIGHERS["softmax"]                   # the row; a name that is not there is an error that suggests the nearest
    WEIGHERS.add("hardest", hardest)      # from now on it can be chosen like any other
"""

from collections.abc import Mapping
from typing import TypeVar

from glassformer.errors import InputError, nearest

Row = TypeVar("Row")


class Choices(dict[str, Row]):
    """Rows by name, in the order they were written down. `what` is one of them, as a message calls it."""

    def __init__(self, what: str, rows: Mapping[str, Row]) -> None:
        super().__init__(rows)
        self.what = what
        self._came_along = frozenset(rows)

    def __missing__(self, name: str) -> Row:
        raise InputError(f"There is no {self.what} called '{name!s:.100}'; {nearest(str(name)[:100], self)}")

    def add(self, name: str, row: Row) -> None:
        """One more row, or one of your own again; a row that came along is not replaced."""
        if name in self._came_along:
            raise InputError(f"There is a {self.what} called '{name}' already; choose another name for yours.")
        self[name] = row

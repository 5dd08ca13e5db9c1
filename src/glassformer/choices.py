"""A table of choices that go by name, to which a program may add its own. It does not know what is chosen.

Every choice that a person makes by a word (an objective, a task, a model, a weigher, an optimizer …) stands in one:

    WEIGHERS["softmax"]                   # the row; a name that is not there is an error that suggests the nearest
    WEIGHERS.add("hardest", hardest)      # from now on it can be chosen like any other

What stands in a file of its own is written down as `Later("module:name")`, and imported when it is first asked for.
"""

from collections import UserDict
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from glassformer.errors import InputError, nearest

Row = TypeVar("Row")


@dataclass(frozen=True)
class Later:
    """What stands at "module:name", imported when it is first asked for; a function is called as if it stood here."""

    place: str

    def found(self) -> Any:
        """The thing itself."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def __call__(self, *arguments: Any) -> Any:
        return self.found()(*arguments)


class Choices(UserDict[str, Row]):
    """Rows by name, in the order they were written down. `what` is one of them, as a message calls it."""

    def __init__(self, what: str, rows: Mapping[str, Row | Later]) -> None:
        super().__init__(rows)  # type: ignore[arg-type]  # a row that comes later is in its place when it is read
        self.what = what
        self._came_along = frozenset(rows)

    def __getitem__(self, name: str) -> Row:
        if name not in self.data:
            raise InputError(f"There is no {self.what} called '{name!s:.100}'; {nearest(str(name)[:100], self)}")
        row = self.data[name]
        if isinstance(row, Later):
            row = self.data[name] = row.found()
        return row

    def get(self, name: str, default: Any = None) -> Any:
        """The row, or the default where there is none."""
        return self[name] if name in self.data else default

    def add(self, name: str, row: Row) -> None:
        """One more row, or one of your own again; a built-in row is not replaced."""
        if name in self._came_along:
            raise InputError(f"There is a {self.what} called '{name}' already; choose another name for yours.")
        self[name] = row

"""What is known: the numbers behind each name, on paper and as they should be, section by section.

On paper a name has the numbers that were printed for it; in the right world, those that should have been. A world says
which of the two to take, mistake by mistake. Works nothing out and judges nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from glassformer.by_hand.grammar.expressions import Name, Node, names_in
from glassformer.by_hand.grammar.names import base_and_suffix, stage_of
from glassformer.by_hand.numbers.intervals import Value
from glassformer.errors import InputError

MOST_VERSIONS = 6  # of one name that are tried


class UnknownError(InputError):
    """Something that cannot be worked out from what the notes say; the message says what."""


class UnknownNameError(UnknownError):
    """A name that nothing was said about."""


@dataclass(eq=False)
class Mistake:
    """Numbers of one printed matrix that are wrong together. Its `state` is open until later numbers settle it."""

    literal: Node
    state: str = "open"  # then slip (they follow from the right numbers) or carried (from the wrong ones)


@dataclass(eq=False)
class Known:
    """What a name, an expression or a printed matrix stands for: on paper, and as it should be."""

    paper: Value
    right: Value
    literal: Node | None = None
    mistake: Mistake | None = None
    sources: frozenset[Mistake] = frozenset()  # the mistakes it may rest on
    origin: Node | None = None  # the expression it came from
    mended: Value | None = None  # without its own mistake, but with those carried on from before
    given: Node | None = None  # where the notes give these very numbers, which come from nothing else


@dataclass(frozen=True)
class World:
    """Which numbers to take: those on paper, except for the mistakes in `mended`; or the right ones everywhere."""

    mended: frozenset[Mistake] = frozenset()
    right: bool = False

    def value(self, known: Known) -> Value:
        """The numbers of `known` in this world."""
        mistake = known.mistake
        if self.right:
            return known.right
        if mistake is not None and (mistake.state == "slip" or mistake in self.mended):
            return known.right if known.mended is None else known.mended
        return known.paper


PAPER, RIGHT = World(), World(right=True)


@dataclass
class Scope:
    """What is known in one section of the notes; what is not known here may be known in the section around it."""

    parent: "Scope | None" = None
    known: dict[str, Known] = field(default_factory=dict)
    formulas: dict[str, Node] = field(default_factory=dict)
    mentions: dict[str, frozenset[str]] = field(default_factory=dict)  # the names in a known expression
    past: dict[str, list[Known]] = field(default_factory=dict)  # what a key stood for before, latest first
    origins: set[str] = field(default_factory=set)  # letters whose rows are counted from 0
    blanks: set[str] = field(default_factory=set)  # names whose numbers are left to be filled in

    def scopes(self) -> Iterator["Scope"]:
        """This section and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, key: str) -> Known | None:
        """What is known under `key`."""
        return next((scope.known[key] for scope in self.scopes() if key in scope.known), None)

    def is_blank(self, name: str) -> bool:
        """Whether its numbers are left to be filled in: whoever goes on has them, rounded in a way nobody can see."""
        return any(name in scope.blanks for scope in self.scopes())

    def formula(self, name: str) -> Node | None:
        """The formula that the notes give for a name."""
        return next((scope.formulas[name] for scope in self.scopes() if name in scope.formulas), None)

    def bind(self, node: Node, known: Known) -> None:
        """From here on `node` stands for this; expressions that mention a name given anew are forgotten."""
        key = node.key
        if isinstance(node, Name):
            for other in [other for other, names in self.mentions.items() if node.text in names]:
                self.known.pop(other, None)
                del self.mentions[other]
        else:
            self.mentions[key] = frozenset(names_in(node))
        self.blanks.discard(key)
        before = self.known.pop(key, None)  # so that the latest stands last
        if before is not None and before is not known:
            self.past.setdefault(key, []).insert(0, before)
        self.known[key] = known

    def versions(self, key: str) -> list[Known]:
        """All that a key has stood for, here and in the sections around, latest first."""
        here = ([scope.known[key]] if key in scope.known else [] for scope in self.scopes())
        earlier = (scope.past.get(key, []) for scope in self.scopes())
        return [known for group in (*here, *earlier) for known in group][:MOST_VERSIONS]

    def named(self, stage: str) -> Known | None:
        """The latest name that usually stands for this stage of the catalogue."""
        for scope in self.scopes():
            for key in reversed(scope.known):
                if stage_of(key) == stage:
                    return scope.known[key]
        return None

    def latest(self, base: str) -> Known | None:
        """The latest of `K_1`, `K_2`, …"""
        for scope in self.scopes():
            for key in reversed(scope.known):
                if key.startswith(f"{base}_"):
                    return scope.known[key]
        return None

    def rows_of(self, base: str) -> list[Known]:
        """`q_1`, `q_2`, … in the order they were given, when there are at least two."""
        for scope in self.scopes():
            rows = [known for key, known in scope.known.items() if base_and_suffix(key)[0] == base and "_" in key]
            if len(rows) > 1 and all(row.paper.shape[0] == 1 for row in rows):
                return rows
        return []

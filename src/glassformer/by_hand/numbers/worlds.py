"""Follows numbers on: checks one printed result in every world that open mistakes allow, and learns from it.

If a later result follows from the right number, the mistake was a slip of the pen; if it follows from the wrong one, it
was carried on. Knows nothing of documents; is told what to compare with what.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from glassformer.by_hand.grammar.expressions import Node, is_printed
from glassformer.by_hand.numbers.comparison import Fit, Flags, as_printed, fit, fit_values, in_steps, settled
from glassformer.by_hand.numbers.conventions import PLAIN, Convention
from glassformer.by_hand.numbers.evaluator import printed_value
from glassformer.by_hand.numbers.intervals import LOCAL, Value, exactly
from glassformer.by_hand.numbers.scope import PAPER, RIGHT, Known, Mistake, World

Evaluate = Callable[[World], tuple[Value, list[Known]]]


@dataclass(eq=False)
class Flaw(Mistake):
    """A mistake with all that a report needs."""

    expected: Node | None = None  # the expression that the printed numbers should have come from
    wrong: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    right: Value | None = None  # in the right world
    name: str = ""
    kind: str = ""  # "", cut-off, doubtful or formula
    cause: str | None = None
    is_copy: bool = False
    is_put_in: bool = False  # for a part of a formula, and not for all of it
    after: frozenset[Mistake] = frozenset()
    followers: list[Node] = field(default_factory=list)
    section: int = 0
    sure: str = "impossible"
    convention: Convention = PLAIN
    is_proven: bool = False  # the notes were found to say so, whatever the numbers look like
    is_pinned: bool = False  # every name that went in was given once and no more
    by_scalars: bool = False  # names went in, and all of them single numbers
    excuse: str = ""  # another working that gives the printed number
    is_doubted: bool = False  # it may be meant otherwise: to be looked at again
    ground: str = ""  # what shows that it was read as it is meant
    on_page: bool = False  # all that goes in stands before it in numbers: judged by them alone


@dataclass
class Outcome:
    """One comparison: how the printed numbers fit in the world that fits best, and what they stand for from now on."""

    fit: Fit
    known: Known
    wrong: Flags
    own_world: World
    used: list[Known]
    n_following: int  # entries that are right only because a mistake was carried on
    learned: dict[Mistake, str] = field(default_factory=dict)  # open mistakes that it settles, and how

    def settle(self) -> None:
        """Takes over what it shows of open mistakes."""
        for mistake, state in self.learned.items():
            mistake.state = state


@dataclass(frozen=True)
class _Hand:
    """How somebody goes on with what is printed: within its rounding, or, where the sheet asks for it, step by step."""

    cuts: bool
    decimals: int | None

    def settled(self, literal: Node, found: Fit, unseen: Flags | None = None) -> Value:
        if self.decimals is not None:
            return in_steps(literal, found, self.decimals)
        return settled(literal, found, among=~found.wrong, cuts=self.cuts, unseen=unseen)

    def as_printed(self, literal: Node, found: Fit) -> Value:
        raw = printed_value(literal, given=False)
        return as_printed(
            raw if self.decimals is None else exactly(raw.middle(LOCAL)), found, self.settled(literal, found)
        )


def compare(
    literal: Node,
    evaluate: Evaluate,
    literal_value: Callable[[], Value],
    *,
    cuts: bool = False,
    finest: float = 0.0,
    decimals: int | None = None,
) -> Outcome:
    """Compares printed numbers (or, in `literal_value`, an expression's) with what `evaluate` gives in each world.

    `cuts` says that the writer is known to cut digits off instead of rounding; no digit below `finest` is judged.
    `decimals` says that every step was asked to be rounded to so many, and gone on with so.
    """

    def fitted(value: Value) -> Fit:
        return (
            fit(literal, value, finest, stepwise=decimals is not None)
            if is_printed(literal)
            else fit_values(literal_value(), value)
        )

    paper, used = evaluate(PAPER)
    found = {k.mistake for k in used if k.mistake and k.mistake.state == "open"}
    open_mistakes = sorted(found, key=lambda mistake: mistake.literal.span.start)[:3]
    fits: dict[World, Fit] = {PAPER: fitted(paper)}
    for size in range(1, len(open_mistakes) + 1):
        for mended in combinations(open_mistakes, size):
            world = World(frozenset(mended))
            fits[world] = fitted(evaluate(world)[0])
    learned = {mistake: state for mistake in open_mistakes if (state := _shown(mistake, fits))}
    own = World(frozenset(mistake for mistake, state in learned.items() if state == "slip"))
    in_right = fitted(evaluate(RIGHT)[0]) if any(k.paper is not k.right for k in used) else fits[own]
    wrong = np.logical_and.reduce([each.wrong for each in (*fits.values(), in_right)])
    follows = int((in_right.wrong & ~fits[own].wrong & ~wrong).sum())
    sources = frozenset().union(*(k.sources for k in used)) if used else frozenset()
    known = _known(literal, (fits[own], in_right), wrong, literal_value, _Hand(cuts, decimals))
    known.sources = sources
    best = _cut_in_all(fits[own], [*fits.values(), in_right])
    return Outcome(best, known, wrong, own, used, follows, learned)


def _cut_in_all(own: Fit, fits: list[Fit]) -> Fit:
    """Nothing is called cut off that is rounded rightly in another world."""
    return replace(own, cut=own.cut & np.logical_and.reduce([each.cut | each.wrong for each in fits]))


def _shown(mistake: Mistake, fits: dict[World, Fit]) -> str:
    """What the entries show of an open mistake: slip, carried or nothing."""
    right_only, paper_only = evidence(mistake, fits)
    if right_only == paper_only:
        return ""
    return "slip" if right_only > paper_only else "carried"


def evidence(mistake: Mistake, fits: dict[World, Fit]) -> tuple[int, int]:
    """How many entries follow only from the right numbers, and how many only from the wrong ones."""
    mended = np.logical_or.reduce([~each.wrong for world, each in fits.items() if mistake in world.mended])
    unmended = np.logical_or.reduce([~each.wrong for world, each in fits.items() if mistake not in world.mended])
    return int((mended & ~unmended).sum()), int((unmended & ~mended).sum())


def _known(
    literal: Node, found: tuple[Fit, Fit], wrong: Flags, literal_value: Callable[[], Value], hand: _Hand
) -> Known:
    own, in_right = found
    if not is_printed(literal):
        value = literal_value()
        return Known(value, in_right.expected if in_right.wrong.any() else value, literal)
    mended = Fit(own.expected, own.wrong & wrong, own.cut, own.doubtful, own.rounded)
    paper = hand.as_printed(literal, mended)
    if own is in_right and not wrong.any():
        return Known(paper, paper, literal)
    unseen = ~np.isclose(own.expected.middle(LOCAL), in_right.expected.middle(LOCAL), rtol=0, atol=1e-9)
    right = hand.settled(literal, in_right, unseen)
    return Known(paper, right, literal, mended=hand.settled(literal, own))

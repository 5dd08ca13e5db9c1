"""A later result shows of an open mistake whether it was a slip of the pen or was carried on."""

import numpy as np
import pytest
from helpers.formulas import tree

from glassformer.by_hand.numbers import intervals
from glassformer.by_hand.numbers.intervals import Value, exactly
from glassformer.by_hand.numbers.scope import Known, Mistake, World
from glassformer.by_hand.numbers.worlds import Outcome, compare


def later(printed: str) -> tuple[Outcome, Mistake]:
    """Q should be 2, and 3 was printed; then ten times Q is printed."""
    mistake = Mistake(tree("3"))
    wrong = Known(exactly(3.0), exactly(2.0), mistake=mistake, sources=frozenset({mistake}))

    def ten_times(world: World) -> tuple[Value, list[Known]]:
        return intervals.times(exactly(10.0), world.value(wrong)), [wrong]

    return compare(tree(printed), ten_times, lambda: exactly(np.zeros((1, 1)))), mistake


@pytest.mark.parametrize(
    ("printed", "learned", "is_wrong", "following"),
    [("20", "slip", False, 0), ("30", "carried", False, 1), ("40", None, True, 0)],
)
def test_slip_or_carried(printed: str, learned: str | None, is_wrong: bool, following: int) -> None:
    outcome, mistake = later(printed)
    assert outcome.learned.get(mistake) == learned
    assert bool(outcome.wrong.any()) is is_wrong
    assert outcome.n_following == following
    assert outcome.known.sources == {mistake}
    assert mistake.state == "open"
    outcome.settle()
    assert mistake.state == (learned or "open")

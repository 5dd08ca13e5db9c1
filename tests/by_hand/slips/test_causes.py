"""The scene of a slip: a cause must give the wrong numbers and contradict no right one."""

from collections.abc import Iterator

import numpy as np
from helpers.formulas import scene

from glassformer.by_hand.check import check_text
from glassformer.by_hand.numbers.intervals import exactly


def test_a_cause_contradicts_no_right_number() -> None:
    given = "Q = [[1, 0], [0, 1], [1, 1]]\n\nK = [[1, 0], [1, 1], [0, 1]]\n\nV = [[2, 0], [0, 3], [1, 1]]\n\n"
    (finding,) = check_text(given + "Q K^T = [[1, 1, 0], [0, 1, 1], [1, 3, 1]]\n").findings
    assert (finding.printed, finding.right, finding.cause) == ("3", "2", None)  # Q Vᵀ has a 3 there, and is not it


def test_a_value_must_give_the_right_numbers_too() -> None:
    found = scene("[1, 2, 3] · 7", "[7, 41, 21]")
    assert found.wrong.tolist() == [[False, True, False]]
    assert found.numbers.tolist() == [[7, 41, 21]]
    assert found.reproduced(exactly(np.array([[7.0, 41.0, 21.0]])))
    assert not found.reproduced(exactly(np.array([[8.0, 41.0, 21.0]])))
    assert not found.reproduced(exactly(np.array([[41.0]])))


def test_candidates_are_asked_for_wrong_entries_only() -> None:
    found, asked = scene("[1, 2, 3] · 7", "[7, 41, 21]"), []

    def candidates(i: int, j: int) -> Iterator[tuple[float, float]]:
        asked.append((i, j))
        yield 40.0, 41.0

    assert found.entries_reproduced(candidates)
    assert asked == [(0, 1)]
    assert not found.entries_reproduced(lambda i, j: iter([(39.0, 40.0)]))

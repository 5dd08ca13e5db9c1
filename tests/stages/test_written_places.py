"""Places where a number was put are kept as runs, and come back as they were."""

import numpy as np

from glassformer.stages.written_places import from_runs, runs, unlike


def test_places_as_runs() -> None:
    old = np.array([[1.0, 2.0, np.nan], [4.0, -np.inf, 6.0]])
    new = np.array([[1.0, 3.0, np.nan], [5.0, -np.inf, 7.0]])
    places = unlike(old, new)
    assert places.tolist() == [[False, True, False], [True, False, True]]
    assert runs(places) == [[1, 2], [3, 4], [5, 6]]
    back = from_runs(runs(places), (2, 3))
    assert back is not None
    assert np.array_equal(back, places)


def test_nothing_everything_and_nobody_knows() -> None:
    assert runs(np.zeros((2, 3), dtype=bool)) == []
    assert runs(np.ones((2, 3), dtype=bool)) == [[0, 6]]
    assert runs(None) is None
    assert from_runs(None, (2, 3)) is None

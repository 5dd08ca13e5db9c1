"""Where in a stage somebody put another number, as runs of places counted through, first to last. No more is known."""

from collections.abc import Sequence

import numpy as np

from glassformer.stages.arithmetic import Array

Runs = list[list[int]]  # first place, and one behind the last


def unlike(old: Array, new: Array) -> Array:
    """Where the two differ; two numbers that are none are alike."""
    none = (old != old) & (new != new)
    return np.asarray((old != new) & ~none)


def runs(places: Array | None) -> Runs | None:
    """`[[3, 5]]` for the places 3 and 4."""
    if places is None:
        return None
    edges = np.flatnonzero(np.diff(places.ravel().astype(np.int8), prepend=0, append=0))
    found: Runs = edges.reshape(-1, 2).tolist()
    return found


def from_runs(found: Runs | None, shape: Sequence[int]) -> Array | None:
    """The inverse of `runs`, for a stage of this shape."""
    if found is None:
        return None
    places = np.zeros(tuple(shape), dtype=bool)
    for first, behind in found:
        places.reshape(-1)[first:behind] = True
    return places

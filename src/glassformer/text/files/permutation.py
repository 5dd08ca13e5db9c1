"""A shuffled order of any number of things that nobody has to write down: where each goes is worked out. Knows numbers
only.

A Feistel network is a permutation of all numbers of so many bits, whatever is mixed in; a number that falls outside is
sent through again until it falls inside (cycle walking), which keeps it a permutation of the fewer.
"""

import numpy as np
from numpy.typing import NDArray

ROUNDS = 6
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: spreads neighbours far apart


def permuted(places: NDArray[np.int64], size: int, *seed: int) -> NDArray[np.int64]:
    """Which of `size` things stand at these places of the order that belongs to the seed; each stands once."""
    half = np.uint64(max(1, ((max(size, 2) - 1).bit_length() + 1) // 2))
    keys = np.random.default_rng([5, *seed]).integers(0, 2**63, ROUNDS, dtype=np.uint64)
    found = _sent(places.astype(np.uint64), half, keys)
    while (outside := found >= size).any():
        found[outside] = _sent(found[outside], half, keys)
    return found.astype(np.int64)


def _sent(numbers: NDArray[np.uint64], half: np.uint64, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = numbers >> half, numbers & mask
    for key in keys:
        mixed = (right + key) * _MIX  # wraps around, as it should
        left, right = right, left ^ ((mixed >> np.uint64(32)) ^ (mixed >> np.uint64(11))) & mask
    return (left << half) | right

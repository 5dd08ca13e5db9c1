"""Numbers in a parcel: every bit comes back, and what is rounded keeps six decimals."""

import numpy as np
import pytest
from helpers.looks import numbers_of

from glassformer.inside.document import packing


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 101])
def test_packing_keeps_every_bit(count: int) -> None:
    rng = np.random.default_rng(count)
    arrays = {
        "f4": rng.normal(size=count).astype(np.float32),
        "f8": rng.normal(size=count),
        "u1": rng.random(count) < 0.5,
    }
    parcel = packing.Parcel()
    places = {kind: parcel.add(values) for kind, values in arrays.items()}
    stages = [{"address": kind, "numbers": places[kind], "stored": [count], "same_as": ""} for kind in arrays]
    found = numbers_of({"packed": parcel.closed(), "stages": stages})
    for kind, values in arrays.items():
        assert places[kind]["kind"] == kind
        assert (found[kind] == values.astype(np.float64)).all()


def test_rounding_keeps_six_decimals_and_what_is_hidden() -> None:
    values = np.random.default_rng(3).normal(size=2000).astype(np.float32)
    values[7] = -np.inf
    parcel = packing.Parcel(rounded=True)
    place = parcel.add(values)
    assert place["kind"] == "q4"
    stages = [{"address": "a", "numbers": place, "stored": [2000], "same_as": ""}]
    found = numbers_of({"packed": parcel.closed(), "stages": stages})["a"]
    finite = np.isfinite(values)
    assert np.abs(found[finite] - values[finite]).max() <= 2.0**-21
    assert found[7] == -np.inf
    assert packing.kind_of(values * 1000, rounded=True) == "f4"
    assert packing.kind_of(values[:100], rounded=True) == "f4"

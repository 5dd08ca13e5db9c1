"""Where a page opens: at the head whose pattern tells most of which word comes from which."""

import math

import numpy as np
import pytest
from helpers.looks import (
    small_look,
)

from glassformer.inside.document.data import view_data
from glassformer.inside.first_view import told_by


def test_a_translator_opens_at_the_head_that_tells_most() -> None:
    look = small_look("translator")
    crossing = [f"decoder.{block}.cross.weights" for block in range(2)]
    told = {(address, head): told_by(look.trace[address][0, head]) for address in crossing for head in range(3)}
    opened = view_data(look)["opening"]
    assert told[opened["at"], opened["head"]] == max(told.values())
    assert view_data(small_look("gpt"))["opening"] is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (np.eye(4), math.log(4)),  # each row has a key of its own
        (np.eye(4)[[2, 2, 2]], 0),  # sharp, but always the same
        (np.full((3, 5), 0.2), 0),
        (np.array([[1, 0], [0.5, 0.5]]), -0.75 * math.log(0.75) - 0.25 * math.log(0.25) - 0.5 * math.log(2)),
        (np.array([[3.0, 0], [0, 0]]), 0),
        (np.zeros((2, 2)), 0),
    ],
)
def test_what_a_pattern_tells(pattern: np.ndarray, told: float) -> None:
    assert told_by(pattern) == pytest.approx(told, abs=1e-12)

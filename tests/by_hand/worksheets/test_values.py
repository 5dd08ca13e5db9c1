"""The values of a worksheet, each by itself. Wrong ones are tried on whole worksheets, beside this file."""

import pytest

from glassformer.by_hand.worksheets.values import brief, count_of, layer_numbers_of, mask_of, words_of
from glassformer.errors import InputError


def test_a_given_has_as_many_axes_as_its_stage() -> None:
    assert layer_numbers_of("wave_base", 100).shape == ()
    assert layer_numbers_of("step_input", [1, 2, 3]).shape == (3,)
    assert layer_numbers_of("unplaced", [[1, 2, 3], [4, 5, 6]]).shape == (2, 3)
    with pytest.raises(InputError, match="wave_base must be a single number; it is"):
        layer_numbers_of("wave_base", [100])


def test_masks_counts_and_words() -> None:
    causal, rows = mask_of("causal")
    assert causal
    assert rows is None
    assert count_of("heads", 3) == 3
    assert words_of("tokens", "tea or milk") == ("tea", "or", "milk")
    assert brief(list(range(99))).endswith("…")

"""Worksheets of other layers than attention: what each must be given, and what is said of what does not fit."""

from typing import Any

import pytest

from glassformer.by_hand.worksheets.layer_sheets import LAYER_GIVENS, LAYERS, axes_of, implied
from glassformer.by_hand.worksheets.worksheet import example_names, from_mapping, read_example
from glassformer.errors import InputError
from glassformer.stages.catalogue import stage

STEP: dict[str, Any] = {
    "layer": "rnn step",
    "step_input": [1, 2],
    "previous_state": [3, 4, 5],
    "recurrent_weight": [[1, 0, 0], [0, 1, 0]],
    "state_weight": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
WAVES = {"layer": "positional encoding", "unplaced": [[1, 0], [0, 1]]}


WRITING: dict[str, Any] = {
    "layer": "decoding step",
    "rows": [[1, 0], [0, 1]],
    "logit_weight": [[1, 0, 0], [0, 1, 0]],
    "written_ids": [0, 1],
}


def without(sheet: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in sheet.items() if name not in names}


def test_every_layer_has_an_example() -> None:
    assert {read_example(name).layer for name in example_names()} == {"attention", *LAYERS}


def test_every_given_is_a_number_a_row_or_a_matrix() -> None:
    assert {len(axes_of(name)) for name in LAYER_GIVENS} <= {0, 1, 2}
    assert all(stage(name).meaning for name in LAYER_GIVENS)


def test_a_given_may_go_by_its_symbol() -> None:
    sheet = from_mapping({**without(STEP, "recurrent_weight"), "W_x": STEP["recurrent_weight"]})
    assert sheet.givens["recurrent_weight"].shape == (2, 3)
    assert sheet.title == "Rnn step"


def test_positions_are_counted_from_0_unless_it_says_otherwise() -> None:
    assert implied("positional encoding", WAVES) == {
        "row_positions": [0, 1], "wave_base": [10000], "wave_width": [2], "wave_numbers": [0],
    }  # fmt: skip
    assert "row_positions" not in implied("positional encoding", {**WAVES, "row_positions": [5, 7]})


BAD: list[tuple[dict[str, Any], str]] = [
    ({**STEP, "layer": "rnn stop"}, "layer cannot be 'rnn stop'; did you mean 'rnn step'"),
    (
        {"layer": "rnn step"},
        "the layer 'rnn step' is given step_input, previous_state and step_weight",
    ),
    (
        without(STEP, "state_weight"),
        "state_weight must be given for the layer 'rnn step'; the worksheet has",
    ),
    ({**STEP, "step_weight": [[1]]}, "step_weight is not used in the layer 'rnn step' with"),
    (
        {**STEP, "step_wieght": [[1]]},
        "the layer 'rnn step' has no 'step_wieght'; did you mean 'step_weight'",
    ),
    ({**STEP, "heads": 2}, "has no 'heads'"),
    ({**STEP, "activation": "sigmoid"}, "activation cannot be 'sigmoid'"),
    ({**STEP, "step_input": [[1, 2]]}, r"step_input must be a row such as \[1, 0\]; it is \[\[1, 2\]\]"),
    ({**STEP, "state_weight": [1, 2, 3]}, "state_weight must be a matrix"),
    ({**STEP, "state_weight": [[1, 2, 3], [4]]}, "with rows of equal length"),
    ({**STEP, "step_input": [1, 2, 3]}, "Model width: step_input has 3, but recurrent_weight has 2"),
    ({**STEP, "previous_state": [1, 2]}, "State of a recurrent network: previous_state has 2"),
    ({**STEP, "step_input": [1, float("inf")]}, r"step_input\[1\] is inf"),
    (
        {**without(STEP, "recurrent_weight", "state_weight"), "step_weight": [[1, 0, 0]] * 4},
        "step_weight has 4 rows, but step_input has 2 and previous_state has 3: side by side they are 5",
    ),
    ({**STEP, "tokens": ["tea"]}, "tokens has 1 words, but there are 0 rows"),
    ({**WAVES, "tokens": ["tea"]}, "tokens has 1 words, but there are 2 rows"),
    (
        {"layer": "convolution", "sequence_rows": [[1, 0]], "filter_weight": [[1], [2], [3], [4]]},
        "filter_weight has 4 rows; a window of sequence_rows has 2 numbers for each of its rows, 1 rows at most",
    ),
    (
        {"layer": "image convolution", "image": [[1, 0]], "kernel_weight": [[1], [2]]},
        "kernel_weight is 2 × 1, larger than image, 1 × 2",
    ),
    ({"layer": "max pooling", "feature_map": [[1, 0]], "block_size": 1.5}, "block_size must be a whole number"),
    (
        {"layer": "max pooling", "feature_map": [[1, 0]], "block_size": 2},
        "block_size is 2 × 2, larger than feature_map",
    ),
    ({**WRITING, "written_ids": [0, 3]}, "written_ids has 3; with 3 words, ids are whole numbers from 0 to 2"),
    ({**WRITING, "target_ids": [1.5, 2]}, "target_ids has 1.5; with 3 words"),
    ({**WRITING, "target_ids": [1]}, "target_ids has 1 ids; written_ids has 2, with the start sign"),
    ({**WRITING, "written_ids": [0]}, "Position: rows has 2, but written_ids has 1"),
    ({**WRITING, "vocabulary": ["a"]}, "vocabulary has 1 words, but there are 3 columns"),
    ({**STEP, "vocabulary": ["a"]}, "vocabulary has 1 words, but there are 0 columns"),
    ({**WAVES, "row_positions": [0, 1, 2]}, "Position: unplaced has 2, but row_positions has 3"),
]


@pytest.mark.parametrize(("content", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_givens_are_named(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_mapping(content)


def test_the_tokens_of_a_step_are_the_words_that_were_written() -> None:
    assert from_mapping({**WRITING, "vocabulary": ["<s>", "tea", "</s>"]}).tokens == ("<s>", "tea")

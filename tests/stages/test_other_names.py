"""What notes call a stage leads to it."""

import pytest

from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import from_mapping
from glassformer.errors import InputError
from glassformer.stages.catalogue import CATALOGUE
from glassformer.stages.other_names import OTHER_NAMES, goes_by, spelled


@pytest.mark.parametrize("name", ["h_{t-1}", "h[t-1]", "h[t−1]", "hₜ₋₁", "h_t-1", "h_{t - 1}"])
def test_one_spelling(name: str) -> None:
    assert spelled(name) == "h_t-1"
    assert goes_by(CATALOGUE["previous_state"], name)


def test_other_names_are_those_of_stages_and_spelled_as_they_are_read() -> None:
    assert set(OTHER_NAMES) <= set(CATALOGUE)
    assert all(spelled(name) == name for names in OTHER_NAMES.values() for name in names)


@pytest.mark.parametrize(
    ("example", "asked", "found"),
    [
        ("lstm-step", "f[0]", "forget_gate"),
        ("lstm-step", "c_t[1]", "new_cell"),
        ("lstm-step", "c[t][1]", "new_cell"),
        ("lstm-step", r"\tilde{c}[1]", "cell_candidate"),
        ("lstm-step", "g_t[1]", "cell_candidate"),
        ("lstm-step", "h[t-1][1]", "previous_state"),
        ("gru-step", "z_t[0]", "update_gate"),
        ("rnn-step", "W_h[0,1]", "step_weight"),
        ("rnn-step-apart", "W_hx[0,1]", "recurrent_weight"),
        ("rnn-step-apart", "W_h[0,1]", "state_weight"),
        ("i-love-ai", r"\alpha[2,0]", "weights"),
        ("i-love-ai", "QK^T[2,0]", "scores"),
        ("cross", "ξ[1,0]", "context"),
        ("decoder-block", "cross.alpha[1,2]", "cross.weights"),
        ("positional-encoding", "PE[1,2]", "position_rows"),
    ],
)
def test_a_number_is_asked_for_as_notes_call_it(example: str, asked: str, found: str) -> None:
    assert explain(example).explain(asked).address == found


def test_a_name_that_nobody_uses_is_refused() -> None:
    with pytest.raises(InputError, match="The trace has no stage at 'Ω'"):
        explain("lstm-step").explain("Ω[0]")


def test_a_worksheet_may_use_the_letters_of_the_notes() -> None:
    step = {"layer": "rnn step", "x": [1, -1], "h[t-1]": [0.5], "W_hx": [[1], [2]], "W_hh": [[2]], "b_h": [1]}
    assert sorted(from_mapping(step).givens) == [
        "previous_state", "recurrent_weight", "state_weight", "step_bias", "step_input",
    ]  # fmt: skip
    with pytest.raises(InputError, match="'inputs' is given twice"):
        from_mapping({"inputs": [[1]], "D": [[1]]})

"""The column convention: the same numbers turned over, with formulas and arithmetic that are right in it."""

import math
import re
from typing import Any

import numpy as np
import pytest

from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import example_names, read_example
from glassformer.errors import InputError
from glassformer.stages.column_trace import in_columns

WITH_TOKENS = [name for name in example_names() if read_example(name).layer not in ("image convolution", "max pooling")]


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_every_number_stands_in_its_turned_place_and_explains_itself(name: str) -> None:
    rows = explain(name).trace
    columns = in_columns(rows)
    assert list(columns) == list(rows)
    for address in rows:
        assert len(columns.entry(address).axes) == columns[address].ndim
        for index in np.ndindex(columns[address].shape):
            there = columns.turned(address, index)
            assert columns[address][index] == rows[address][there]
            assert columns.turned(address, there) == index
            found = columns.explain(address, index)
            assert found.number == rows[address][there]
            assert found.result == pytest.approx(found.number, rel=0, abs=1e-12)
            assert all(cell.value == columns[cell.address][cell.index] for cell in found.operands)
            assert columns.find(columns.place(address, index)) == (address, index)


def test_the_formulas_of_the_notes_hold_for_the_matrices_as_they_stand() -> None:
    trace = in_columns(explain("cross").trace)
    of: dict[str, Any] = {address: trace[address] for address in trace}
    for made, wanted in (
        (of["queries"][0], of["query_weight"] @ of["inputs"]),
        (of["scores"], np.swapaxes(of["keys"], -1, -2) @ of["queries"]),
        (of["weights"].sum(-2), 1.0),
        (of["mixed"], of["values"] @ of["weights"]),
        (of["output"], of["output_weight"] @ of["joined"]),
    ):
        np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-12)
    said = [trace.formula(name)[0] for name in ("queries", "keys", "scores", "weights", "mixed", "output")]
    assert said == [
        "Q = W_Q X",
        "K = W_K C",
        "S = Kᵀ Q",
        "A = soft(arg)max(Z), column by column",
        "H = V A",
        "Y = W_O J",
    ]


def test_the_matrix_stands_first_in_every_product() -> None:
    trace = in_columns(explain("i-love-ai").trace)
    # value 1 of “AI”: the second row of W_V, [2, 1], times the third column of X, [1, 1]
    assert str(trace.explain("values", (1, 2))) == "values[0,0,1,2] = 2 × 1 + 1 × 1 = 2 + 1 = 3"
    found = trace.explain("mixed", (0, 1))
    assert [cell.address for cell in found.operands] == ["values", "weights"] * 3
    step = in_columns(explain("gru-step-torch").trace).explain("candidate_sum", (0,))
    assert [cell.address for cell in step.terms[-1].cells] == ["reset_gate", "candidate_state"]  # entry by entry


def test_what_stands_on_top_of_each_other() -> None:
    trace = in_columns(explain("rnn-step").trace)
    assert trace.formula("step_stacked")[0] == "[x, h] = xₜ above hₜ₋₁"
    assert trace.formula("step_sum")[0] == "aₜ = W [x, h] + b"
    assert trace["step_stacked"].shape == (5, 1)
    assert trace.find("step_sum[2]") == trace.find("step_sum[2,0]") == ("step_sum", (2, 0))
    assert trace.worded("The word and the state before, side by side.").endswith("one below the other.")
    assert trace.worded("One row per position, no column.") == "One column per position, no row."


def test_a_place_is_counted_as_it_is_shown() -> None:
    trace = in_columns(explain("cross").trace)
    with pytest.raises(InputError, match=re.escape("key 0–1, query 0–1 (the last is weights[1,1])")):
        trace.find("weights[2,0]")
    assert math.isclose(trace.explain("weights", (1, 0)).number, 0.5120, abs_tol=1e-4)

"""What is asked most often about a stage."""

import torch

from glassformer.by_hand.worksheets.solution import explain
from glassformer.layers.attention import Attention
from glassformer.stages.column_trace import in_columns
from glassformer.stages.recorder import record
from glassformer.stages.remarks import remarks_on
from glassformer.stages.trace import Trace


def said(trace: Trace, address: str) -> list[str]:
    return remarks_on(trace, trace.entry(address))


def test_inner_sizes_must_meet() -> None:
    trace = record(Attention(6, 2, d_key=5), torch.randn(3, 7, 6))[1]
    assert said(trace, "scores") == ["why Kᵀ: 7×5 · 7×5 does not fit, 7×5 · 5×7 does"]
    cross = explain({"queries": [[1, 0, 0]] * 2, "keys": [[1, 2, 3]] * 4}).trace
    assert said(cross, "scores") == ["why Kᵀ: 2×3 · 4×3 does not fit, 2×3 · 3×4 does"]
    assert said(in_columns(cross), "scores") == ["why Kᵀ: 3×4 · 3×2 does not fit, 4×3 · 3×2 does"]


def test_what_fits_by_chance_is_not_the_reason() -> None:
    square = explain({"queries": [[1, 0], [0, 1]], "keys": [[1, 2], [3, 4]]}).trace
    assert "2×2 · 2×2 fits by chance" in said(square, "scores")[0]


def test_a_synthesizer_turns_no_key_over() -> None:
    assert said(explain("synthesizer").trace, "scores") == []


def test_the_other_name_of_softmax() -> None:
    assert said(explain("i-love-ai").trace, "weights") == [
        "A = soft(arg)max_β(Q Kᵀ) says both steps at once: times β, the inverse temperature, then softmax"
    ]
    assert said(explain("thinking-machines").trace, "weights")[0].startswith("A = soft(arg)max_β(S)")
    assert said(explain("sigmoid").trace, "weights") == []


def test_stacked_projections_say_how_wide_they_are() -> None:
    for trace in (explain("stacked-heads").trace, in_columns(explain("stacked-heads").trace)):
        assert said(trace, "stacked_rows") == [
            "one product in place of three: each token becomes one vector of 12 numbers, ℝ^12"
        ]


def test_the_letters_of_notes_that_ask_with_the_context() -> None:
    assert said(explain("cross").trace, "keys") == [
        "X asks and C is asked; notes that write Q = C W_Q have the two letters exchanged"
    ]
    assert said(explain("i-love-ai").trace, "keys") == []

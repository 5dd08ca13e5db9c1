"""Other layers than attention, worked: their examples with a pencil, their results checked by name."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.by_hand.check import check_text
from glassformer.by_hand.worksheets.worksheet import example_names, example_text, read_example
from glassformer.layers.positions import sinusoids
from glassformer.stages.trace import Trace

LAYER_EXAMPLES = [name for name in example_names() if read_example(name).layer != "attention"]
Results = dict[str, Any]


def test_both_ways_to_write_an_rnn_step_give_the_same_state() -> None:
    stacked, apart = (gf.explain(name).trace for name in ("rnn-step", "rnn-step-apart"))
    np.testing.assert_allclose(stacked["step_sum"], apart["step_sum"], rtol=0, atol=1e-15)
    assert (
        gf.explain("rnn-step-apart").explain("step_sum[2]").spell(lambda number: f"{number:g}")
        == "1 × 1 + (-1) × 0.5 + 0.5 × 0 + 0 × 1 + (-0.5) × 2 + 0 = 1 + (-0.5) + 0 + 0 + (-1) + 0 = -0.5"
    )


def test_positions_are_those_of_the_models() -> None:
    sheet = {"layer": "positional encoding", "row_positions": list(range(13)), "wave_width": 22}
    with_default_dtype = sinusoids(13, 22)
    np.testing.assert_allclose(gf.explain(sheet).trace["position_rows"], with_default_dtype, rtol=0, atol=1e-6)


def test_positions_and_base_may_be_given() -> None:
    sheet = {"layer": "positional encoding", "row_positions": [5], "wave_width": 4, "wave_base": 100}
    rows = gf.explain(sheet).trace["position_rows"]
    np.testing.assert_allclose(rows, [[np.sin(5), np.cos(5), np.sin(0.5), np.cos(0.5)]], rtol=0, atol=1e-15)
    assert str(gf.explain(sheet).explain("λ[1]")) == "wave_divisors[1] = 100^(2 × 1 / 4) = 10"


# --- results, checked by name -----------------------------------------------------------------------------------


def results(trace: Trace) -> Iterator[tuple[str, Any]]:
    """What was made, to four decimals, without the axis of one batch."""
    for address, entry in trace.entries.items():
        if entry.stage.way(entry.how) is not None and entry.values.ndim:
            values = entry.values[0] if entry.stage.axes[0] == "B" else entry.values
            yield address, np.round(values.astype(float), 4).tolist()


def digits(values: Any) -> str:
    """Rows of numbers with four decimals each."""
    return f"[{', '.join(map(digits, values))}]" if isinstance(values, list) else f"{values:.4f}"


def written(name: str, made: Results) -> str:
    work = [f"{stage} = {digits(values)}" for stage, values in made.items()]
    return "\n".join([example_text(name), "[work]", *work])


@pytest.mark.parametrize("name", LAYER_EXAMPLES)
def test_right_results_are_right_whether_all_are_written_or_only_the_last(name: str) -> None:
    made = dict(results(gf.explain(name).trace))
    for part in (made, dict([list(made.items())[-1]])):
        report = check_text(written(name, part), f"{name}.toml", ".toml")
        assert not report.findings
        assert not report.unreadable
        assert report.numbers == sum(np.size(values) for values in part.values())


@pytest.mark.parametrize("name", LAYER_EXAMPLES)
def test_a_wrong_number_is_found_in_every_stage(name: str) -> None:
    made = dict(results(gf.explain(name).trace))
    for stage, values in made.items():
        wrong = np.array(values)
        wrong.flat[-1] += 0.5
        report = check_text(written(name, {**made, stage: wrong.tolist()}), f"{name}.toml", ".toml")
        first = report.first_wrong
        assert first is not None, stage
        assert first.name == stage
        assert float(first.right) == pytest.approx(np.array(values).flat[-1], abs=1e-4)


def test_the_way_that_a_setting_chooses_is_the_one_that_is_checked() -> None:
    text = written("rnn-step", {"new_state": [1, 0, 0]})
    assert check_text(text, "a.toml", ".toml").first_wrong is not None
    assert not check_text('activation = "relu"\n' + text, "a.toml", ".toml").findings


def test_every_number_of_a_worked_step_at_prime_sizes_explains_itself() -> None:
    torch.manual_seed(5)
    weights = {f"{name}_weight": torch.randn(12, 7).tolist() for name in ("input_gate", "forget_gate", "output_gate")}
    start = {name: torch.randn(size).tolist() for name, size in (("step_input", 5), ("previous_state", 7))}
    sheet = {"layer": "lstm step", **start, "previous_cell": [0.5] * 7, **weights}
    trace = gf.explain({**sheet, "cell_weight": torch.randn(12, 7).tolist()}).trace
    for address in trace:
        for index in np.ndindex(trace[address].shape):
            found = trace.explain(address, index)
            assert found.result == pytest.approx(found.number, rel=0, abs=1e-12)

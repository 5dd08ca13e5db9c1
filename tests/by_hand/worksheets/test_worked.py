"""The worked examples come out right to 1e-4, through the Python names and through the command line's JSON."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.by_hand.worksheets.worked import work
from glassformer.by_hand.worksheets.worksheet import example_names, from_mapping, read_example
from glassformer.commands.main import app
from glassformer.errors import InputError

C1 = [[-0.1, 0.1, 0.3]]
C2 = [[-0.1, 0.1, 0.3], [0.4, -1.1, -0.3]]

# Reworked in float64 from the numbers the source notes print; every number here can be redone with a pencil.
TRUE: dict[str, dict[str, Any]] = {
    "i-love-ai": {
        "queries": [[1, 0], [1, 1], [2, 1]],
        "keys": [[0, 1], [1, 0], [1, 1]],
        "values": [[1, 2], [0, 1], [1, 3]],
        "scores": [[0, 1, 1], [1, 1, 2], [1, 2, 3]],
        "scaled": [[0, 0.7071, 0.7071], [0.7071, 0.7071, 1.4142], [0.7071, 1.4142, 2.1213]],
        "weights": [[0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035], [0.1400, 0.2840, 0.5760]],
        "output": [[0.5989, 2.0000], [0.7517, 2.2552], [0.7160, 2.2920]],
    },
    "thinking-machines": {"scores": [[112, 96]], "scaled": [[14, 12]], "weights": [[0.8808, 0.1192]]},
    "one-token": {
        "inputs": C1,
        "weights": [[1]],
        "mixed": [[-0.164, -0.085, -0.056]],
        "output": [[0.0389, 0.0246, -0.0680]],
    },
    "two-tokens": {
        "inputs": C2,
        "values": [[-0.164, -0.085, -0.056], [0.441, 0.272, 0.201]],
        "weights": [[0.4944, 0.5056], [0.5220, 0.4780]],
        "mixed": [[0.1419, 0.0955, 0.0739], [0.1252, 0.0856, 0.0668]],
        "output": [[-0.0290, -0.0273, 0.0634], [-0.0253, -0.0244, 0.0562]],
    },
    "masked": {
        "inputs": C2,
        "weights": [[1, 0], [0.5220, 0.4780]],
        "mixed": [[-0.164, -0.085, -0.056], [0.1252, 0.0856, 0.0668]],
        "output": [[0.0389, 0.0246, -0.0680], [-0.0253, -0.0244, 0.0562]],
    },
    "cross": {
        "inputs": [[-0.6, 0.3, -0.4], [0.5, 0.9, -0.5]],
        "context": C2,
        "weights": [[0.4880, 0.5120], [0.5049, 0.4951]],
        "mixed": [[0.1457, 0.0978, 0.0756], [0.1355, 0.0917, 0.0712]],
        "output": [[-0.0298, -0.0279, 0.0651], [-0.0276, -0.0262, 0.0607]],
    },
    "sigmoid": {
        "inputs": C2,
        "weights": [[0.4951, 0.5007], [0.5108, 0.4887]],
        "mixed": [[0.1396, 0.0941, 0.0729], [0.1318, 0.0895, 0.0696]],
        "output": [[-0.0285, -0.0269, 0.0624], [-0.0267, -0.0256, 0.0591]],
    },
    # Head 1 of "red" scores 2, 3, 3 against the keys; e^(2/√2) and e^(3/√2) give the shares.
    "two-heads": {
        "queries": [[[2, 0], [0, 2], [0, 0]], [[1, 2], [2, 1], [1, 3]]],
        "scores": [[[2, 0, 0], [0, 2, 0], [0, 0, 0]], [[2, 3, 3], [4, 3, 6], [2, 4, 3]]],
        "joined": [
            [0.8364, 0.3272, 1.4011, 0.5989],
            [0.3272, 0.8364, 1.0879, 0.9121],
            [0.6667, 0.6667, 1.5760, 0.4240],
        ],
    },
    # The rows of W_QKV are those of W_Q, W_K and W_V, one after the other.
    "stacked-projections": {
        "stacked_weight": [[1, 0, 0, 1, 1, 2], [1, 1, 1, 0, 0, 1]],
        "stacked_rows": [[1, 0, 0, 1, 1, 2], [1, 1, 1, 0, 0, 1], [2, 1, 1, 1, 1, 3]],
        "keys": [[0, 1], [1, 0], [1, 1]],
        "output": [[0.5989, 2], [0.7517, 2.2552], [0.7160, 2.2920]],
    },
    "stacked-heads": {
        "stacked_rows": [
            [1, 0, 0, 1, 0, 1, 1, 0, 1, 2, 0, 1],
            [1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0],
            [2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1],
        ],
        "scores": [[[0, 1, 1], [1, 1, 2], [1, 2, 3]], [[0, 1, 1], [1, 0, 1], [1, 1, 2]]],
    },
    # Two tokens alike score 2 and 1 over √3, and 0 for the third, which is unlike both.
    "no-weights": {"scores": [[2, 1, 0], [1, 1, 0], [0, 0, 4]], "weights": [[0.5329, 0.2992, 0.1679], None, None]},
    # relu([1, 0]) W_S + b_S = [1, 0, 1.5]; hidden from the first two, the third counts only for the last.
    "synthesizer": {
        "scores": [[1, 0, 1.5], [0, 2, 2.5], [1, 1, 2.5]],
        "weights": [[1, 0, 0], [0.1192, 0.8808, 0], None],
    },
    # tanh(1) = 0.7616 and tanh(0.5) = 0.4621, whichever way the matrix is written.
    "rnn-step": {"step_sum": [1, -1, -0.5], "new_state": [0.7616, -0.7616, -0.4621]},
    "rnn-step-apart": {"step_sum": [1, -1, -0.5], "new_state": [0.7616, -0.7616, -0.4621]},
    # The first cell keeps half of 1 and writes 0.8808 · 0.7616.
    "lstm-step": {
        "step_stacked": [1, -1, 0.5, 0],
        "input_gate_sum": [2, -1],
        "forget_gate_sum": [0, 3],
        "output_gate_sum": [1, 2],
        "cell_sum": [1, -1.5],
        "forget_gate": [0.5, 0.9526],
        "new_cell": [1.1708, -2.1486],
        "new_state": [0.6028, -0.8572],
    },
    # sigmoid(2) · 0.5 = 0.4404 and sigmoid(−1) · (−1) = −0.2689 are left of the state.
    "gru-step": {
        "reset_gate_sum": [2, -1],
        "update_gate_sum": [-1, 1],
        "reset_state": [0.4404, -0.2689],
        "candidate_sum": [0.9404, -1.7689],
        "new_state": [0.6721, -0.9848],
    },
    "gru-step-torch": {
        "candidate_state": [0.5, -0.5],
        "candidate_sum": [0.9404, -1.6345],
        "new_state": [0.6721, -0.9803],
    },
    "positional-encoding": {
        "wave_divisors": [1, 100],
        "wave_angles": [[0, 0], [1, 0.01], [2, 0.02]],
        "position_rows": [[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 1], [0.9093, -0.4161, 0.02, 0.9998]],
        "positioned": [[1, 1, 1, 1], [0.8415, 1.5403, 0.01, 2], [1.9093, 0.5839, 0.02, 0.9998]],
    },
    "convolution": {
        "window_rows": [[0, -1, 0, 0], [0, 0, 2, 1], [2, 1, 1, 0]],
        "convolved": [[0, 1.5], [2, 3], [-1, 0.5]],
        "window_maxima": [2, 3],
    },
    "image-convolution": {"feature_map": [[2.5, -0.5, -1.5], [-0.5, 2.5, -0.5], [-2.5, -0.5, 2.5]]},
    "max-pooling": {"pooled_map": [[5, 2], [0, 6]]},
    "global-max-pooling": {"map_maximum": [6]},
    "feed-forward": {
        "expanded": [[1, -0.5, 2], [0, -0.5, 1], [1, 0.5, 1]],
        "contracted": [[2, -1], [0.5, 0], [1.5, 0.5]],
    },
    "one-convolution": {"convolved": [[1, -0.5, 2], [0, -0.5, 1], [1, 0.5, 1]]},
    # The first row is 1, 1, 3, 3: mean 2, variance 1.
    "add-and-norm": {
        "added": [[1, 1, 3, 3], [1, 0, 1, 2]],
        "mean": [[2, 1]],
        "variance": [[1, 0.5]],
        "normed": [[-1, -0.5, 2, 1], [0, -0.9142, 0, 1.4142]],
    },
    # e^2.5 of e^−0.5 + e^−1 + e^2.5 + e^0.5 + e^−0.5.
    "decoding-step": {
        "writing_row": [-1, 1.5, -0.5],
        "logits": [-0.5, -1, 2.5, 0.5, -0.5],
        "next_probabilities": [0.0394, 0.0239, 0.7904, 0.1070, 0.0394],
        "chosen_id": [2],
        "next_ids": [0, 1, 2],
        "forced_ids": [0, 1, 2, 3],
        "step_loss": [0.2352],
    },
    # KI has 2.5 and liebe 2: KI is written, and liebe is what training reads.
    "teacher-forcing": {"logits": [0.5, -1, 2, 2.5, 1], "next_ids": [0, 1, 3], "forced_ids": [0, 1, 2, 3]},
    # e^(1/√3) and e^(3/√3) give the shares 0.2396 and 0.7604.
    "encoder-block": {
        "self.scores": [[1, 3], [3, 1]],
        "self.weights": [[0.2396, 0.7604], [0.7604, 0.2396]],
        "self.added": [[3.2396, 1.7604, 3], [2.7604, 3.2396, 3]],
    },
    "decoder-block": {
        "self.weights": [[1, 0], [0.7604, 0.2396]],
        "self.added": [[4, 1, 3], [2.7604, 3.2396, 3]],
        "self.norm.normed": [[1.0690, -1.3363, 0.2673], None],
        "cross.keys": [[1, 0, 1], [1, 1, 0], [2, 1, 2]],
    },
}  # fmt: skip


def assert_close(found: Any, true: Any) -> None:
    rows = [(row, wanted) for row, wanted in zip(np.array(found, dtype=float), true, strict=True) if wanted is not None]
    for row, wanted in rows:
        np.testing.assert_allclose(row, wanted, rtol=0, atol=1e-4)


def test_every_example_has_its_true_numbers() -> None:
    assert sorted(TRUE) == example_names()


@pytest.mark.parametrize("name", TRUE)
def test_through_python(name: str) -> None:
    stages = {shown.address: shown.values for shown in gf.explain(name).stages()}
    for stage, true in TRUE[name].items():
        assert_close(stages[stage], true)


@pytest.mark.parametrize("name", TRUE)
def test_through_the_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        app(["explain", "--example", name, "--json"])
    assert stop.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["example"] == name
    stages = {stage["name"]: stage for stage in document["stages"]}
    for stage, true in TRUE[name].items():
        assert set(stages[stage]) >= {"name", "symbol", "axes", "formula", "values"}
        assert_close(stages[stage]["values"], true)
        assert np.array(stages[stage]["values"], dtype=float).ndim == len(stages[stage]["axes"])


def torch_attention(trace: gf.Trace) -> torch.nn.MultiheadAttention:
    """torch's own module with the example's weights."""
    width = trace["query_weight"].shape[0]
    theirs = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True, dtype=torch.float64)
    packed = [torch.from_numpy(trace[f"{name}_weight"]).T for name in ("query", "key", "value")]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat(packed))
        theirs.out_proj.weight.copy_(torch.from_numpy(trace["output_weight"]).T)
    return theirs


@pytest.mark.parametrize("name", ["one-token", "two-tokens", "masked", "cross"])
def test_equal_to_torch(name: str) -> None:
    trace = gf.explain(name).trace
    x = torch.from_numpy(trace["inputs"])
    context = torch.from_numpy(trace["context"]) if "context" in trace else x
    blocked = ~torch.from_numpy(trace["mask"][0, 0]) if "mask" in trace else None
    output, weights = torch_attention(trace)(x, context, context, attn_mask=blocked)
    np.testing.assert_allclose(trace["output"], output.detach(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["weights"][0], weights.detach(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", example_names())
def test_every_number_of_every_example_explains_itself(name: str) -> None:
    trace = gf.explain(name).trace
    for address in trace:
        for index in np.ndindex(trace[address].shape):
            explanation = trace.explain(address, index)
            assert explanation.result == pytest.approx(explanation.number, rel=0, abs=1e-12), trace.place(
                address, index
            )


@pytest.mark.parametrize("name", ["i-love-ai", "masked", "two-heads"])
def test_stacked_projections_give_the_same_numbers(name: str) -> None:
    sheet = read_example(name)
    apart, stacked = work(sheet), work(replace(sheet, projections="stacked"))
    for address in set(apart) & set(stacked):
        np.testing.assert_allclose(apart[address], stacked[address], rtol=0, atol=1e-12)
    assert set(stacked) - set(apart) == {"stacked_weight", "stacked_rows"}
    for address in ("stacked_weight", "stacked_rows", "queries", "keys", "values"):
        for index in np.ndindex(stacked[address].shape):
            assert stacked.explain(address, index).result == pytest.approx(stacked[address][index], rel=0, abs=1e-12)


def test_only_three_matrices_of_one_text_are_stacked() -> None:
    with pytest.raises(InputError, match="Projections are stacked of inputs, query_weight, key_weight, value_weight"):
        from_mapping({"queries": [[1]], "keys": [[1]], "projections": "stacked"})
    with pytest.raises(InputError, match="projections cannot be 'stakced'; did you mean 'stacked'"):
        from_mapping({"inputs": [[1]], "projections": "stakced"})

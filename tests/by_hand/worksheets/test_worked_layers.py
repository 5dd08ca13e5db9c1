"""Other layers than attention, worked: their examples with a pencil, their results checked by name."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import glassformer as gf
from glassformer.by_hand.check import check_text
from glassformer.by_hand.worksheets.worksheet import example_names, example_text, read_example
from glassformer.errors import InputError
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
            values = values.reshape(-1, 1) if entry.stage.axes == ("…",) else values  # one number for each row
            yield address, np.round(values.astype(float), 4).tolist()


def digits(values: Any) -> str:
    """Rows of numbers with four decimals each."""
    return f"[{', '.join(map(digits, values))}]" if isinstance(values, list) else f"{values:.4f}"


def written(name: str, made: Results) -> str:
    work = [f"{stage} = {digits(values)}" for stage, values in made.items()]  # self.scores = … is TOML, too
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


# --- whole blocks -----------------------------------------------------------------------------------------------

D, F, HEADS = 6, 11, 2  # 6 = 2 · 3, so that heads and their width differ


def drawn(*shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64)


def block_sheet(layer: str, norm: str) -> dict[str, Any]:
    """A block with random numbers, all biases given."""
    parts: dict[str, Any] = {}
    for part in ("self", "cross") if layer == "decoder block" else ("self",):
        names = ("query", "key", "value", "output")
        parts[part] = {f"{name}_weight": drawn(D, D).tolist() for name in names}
        parts[part] |= {f"{name}_bias": drawn(D).tolist() for name in names}
    parts["feed_forward"] = {"expand_weight": drawn(D, F).tolist(), "expand_bias": drawn(F).tolist()}
    parts["feed_forward"] |= {"contract_weight": drawn(F, D).tolist(), "contract_bias": drawn(D).tolist()}
    for part in parts.values():
        part["norm"] = {"norm_weight": drawn(D).tolist(), "norm_bias": drawn(D).tolist()}
    rows = {"inputs": drawn(5, D).tolist()}
    rows |= {"context": drawn(7, D).tolist()} if "cross" in parts else {}
    return {"layer": layer, "heads": HEADS, "norm": norm, **rows, **parts}


def load(theirs: Any, sheet: dict[str, Any]) -> None:
    """torch's own layer with the worksheet's numbers."""
    attentions = {"self": "self_attn", "cross": "multihead_attn"}
    with torch.no_grad():
        for k, (part, values) in enumerate(
            (name, sheet[name]) for name in (*attentions, "feed_forward") if name in sheet
        ):
            given = {name: torch.tensor(each, dtype=torch.float64) for name, each in values.items() if name != "norm"}
            if part == "feed_forward":
                for name, linear in (("expand", theirs.linear1), ("contract", theirs.linear2)):
                    linear.weight.copy_(given[f"{name}_weight"].T)
                    linear.bias.copy_(given[f"{name}_bias"])
            else:
                attention = getattr(theirs, attentions[part])
                packed = ("query", "key", "value")
                attention.in_proj_weight.copy_(torch.cat([given[f"{name}_weight"].T for name in packed]))
                attention.in_proj_bias.copy_(torch.cat([given[f"{name}_bias"] for name in packed]))
                attention.out_proj.weight.copy_(given["output_weight"].T)
                attention.out_proj.bias.copy_(given["output_bias"])
            norm = getattr(theirs, f"norm{k + 1}")
            for kind in ("weight", "bias"):
                getattr(norm, kind).copy_(torch.tensor(values["norm"][f"norm_{kind}"], dtype=torch.float64))


@pytest.mark.parametrize("norm", ["last", "first"])
@pytest.mark.parametrize("layer", ["encoder block", "decoder block"])
def test_a_block_is_what_torch_does(layer: str, norm: str) -> None:
    torch.manual_seed(11)
    sheet = block_sheet(layer, norm)
    make = torch.nn.TransformerDecoderLayer if "context" in sheet else torch.nn.TransformerEncoderLayer
    theirs = make(D, HEADS, F, 0.0, batch_first=True, norm_first=norm == "first", dtype=torch.float64).eval()
    load(theirs, sheet)
    rows = torch.tensor(sheet["inputs"], dtype=torch.float64)[None]
    if "context" in sheet:
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        wanted = theirs(rows, torch.tensor(sheet["context"], dtype=torch.float64)[None], tgt_mask=causal)
    else:
        wanted = theirs(rows)
    trace = gf.explain(sheet).trace
    last = list(trace)[-1]
    np.testing.assert_allclose(trace[last], wanted.detach(), rtol=0, atol=1e-12)
    for address in trace:
        for index in np.ndindex(trace[address].shape):
            found = trace.explain(address, index)
            assert found.result == pytest.approx(found.number, rel=0, abs=1e-11), trace.place(address, index)


def test_add_and_norm_is_what_torch_does() -> None:
    torch.manual_seed(13)
    x, y, weight, bias = drawn(5, 7), drawn(5, 7), drawn(7), drawn(7)
    sheet = {"layer": "add and norm", "skipped": x.tolist(), "output": y.tolist()}
    sheet |= {"norm_weight": weight.tolist(), "norm_bias": bias.tolist()}
    wanted = torch.nn.functional.layer_norm(x + y, (7,), weight, bias)
    np.testing.assert_allclose(gf.explain(sheet).trace["normed"][0], wanted, rtol=0, atol=1e-12)


def test_a_block_says_which_part_a_stage_belongs_to() -> None:
    page = str(gf.explain("decoder-block"))
    places = [page.index(f"  {part}\n") for part in ("self-attention", "cross-attention", "feed-forward: norm")]
    assert places == sorted(places)
    assert "since ``<s>'' may not look at ``ich''" in gf.explain("decoder-block").to_markdown(number="self.masked[0,1]")


def test_heads_must_share_the_width_of_a_block() -> None:
    with pytest.raises(InputError, match="The model width is 6, which 4 heads cannot share evenly"):
        gf.explain({**block_sheet("encoder block", "last"), "heads": 4})

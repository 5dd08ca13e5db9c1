"""Watching: looking changes nothing, writing a stage changes exactly what follows it, and no change is lost."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from helpers import variants
from helpers.variants import Variant
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.attention import Attention, how_weighed, quiet_softmax
from glassformer.layers.cache import Cache
from glassformer.layers.positions import Positions
from glassformer.stages.recorder import Recorder, record
from glassformer.stages.trace import Trace
from glassformer.stages.watchers import Rewriter, Watcher, Witness, nothing, within

# --- looking ----------------------------------------------------------------------------------------------------


def run(variant: Variant, see: Watcher) -> tuple[Tensor, list[Tensor | None]]:
    """A pass forward and back, always with the same draw of dropout: the answer and all gradients."""
    torch.manual_seed(5)
    leaves = [*variant.block.parameters(), *variant.inputs]
    for leaf in leaves:
        leaf.requires_grad_()
        leaf.grad = None
    answer = variant(see=see)
    answer.square().sum().backward()
    return answer.detach(), [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]


@pytest.mark.parametrize("name", variants.NAMES)
@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("training", [True, False])
def test_looking_changes_nothing(name: str, dropout: float, training: bool) -> None:
    variant = variants.make(name, dropout=dropout)
    variant.block.train(training)
    bare, bare_gradients = run(variant, nothing)
    looked_at, gradients = run(variant, Recorder())
    assert torch.equal(bare, looked_at)
    for one, other in zip(bare_gradients, gradients, strict=True):
        assert one is other is None or torch.equal(one, other)


def test_nothing_hands_on_the_very_tensor() -> None:
    x = torch.randn(3)
    assert nothing("scores", x) is x
    assert within(nothing, "self") is nothing


def test_a_scope_is_put_before_the_name() -> None:
    recorder = Recorder()
    within(within(recorder, "encoder.0"), "self")("scale", torch.tensor(2.0))
    assert list(recorder.trace) == ["encoder.0.self.scale"]


def test_two_passes_at_once_do_not_mix() -> None:
    module, one, other = Attention(6, 2), torch.randn(1, 3, 6), torch.randn(1, 5, 6)
    seen: list[Recorder] = [Recorder(), Recorder()]

    def interrupted(name: str, value: Tensor, how: str = "") -> Tensor:
        if name == "scores":
            module(other, see=seen[1])
        answer: Tensor = seen[0](name, value, how)
        return answer

    module(one, see=interrupted)
    for recorder, x in zip(seen, (one, other), strict=True):
        _, trace = record(module, x)
        assert list(trace) == list(recorder.trace)
        assert all(np.array_equal(trace[address], recorder.trace[address]) for address in trace)


# --- writing ----------------------------------------------------------------------------------------------------


def followers(trace: Trace, written: str) -> list[str]:
    """All stages that are made from `written`, directly or not, by the trace's own account, in order."""
    found = [written]
    for address in trace:
        entry = trace.entry(address)
        sources = [entry.same_as] if entry.same_as else trace.operands(address)
        if address != written and any(source in found for source in sources):
            found.append(address)
    return found[1:]


def changed(values: Any) -> Any:
    """Other values of the same shape."""
    if values.dtype == bool:
        other = values.copy()
        other[..., 0] = ~other[..., 0]
        return other
    noise = np.random.default_rng(7).standard_normal(values.shape).astype(values.dtype)
    return np.where(np.isfinite(values), values + 0.3 * np.abs(noise), values)  # ε stays positive


def gap(trace: Trace, address: str, place: int) -> float:
    """How far a shown number is from what follows from the shown numbers before it."""
    index = np.unravel_index(place % trace[address].size, trace[address].shape)
    found = trace.explain(address, tuple(int(i) for i in index))
    return 0.0 if found.number == found.result else abs(found.number - found.result)


@cache
def new_parts() -> dict[str, set[str]]:
    """For each variant, those of its parts (self, cross, feed_forward) that no variant before it has just so."""
    seen: set[tuple[Any, ...]] = set()
    new: dict[str, set[str]] = {}
    for name in variants.NAMES:
        _, trace = record(variants.make(name))
        parts: dict[str, list[Any]] = {}
        for address in trace:
            entry = trace.entry(address)
            parts.setdefault(address.partition(".")[0], []).append((address, entry.how, entry.values.shape))
        new[name] = {part for part, stages in parts.items() if tuple(stages) not in seen}
        seen |= {tuple(stages) for stages in parts.values()}
    return new


@pytest.mark.parametrize("name", variants.NAMES)
def test_writing_a_stage_changes_exactly_what_follows_it(name: str) -> None:
    variant = variants.make(name, torch.float64)
    _, before = record(variant)
    for place, address in enumerate(before):
        if (part := address.partition(".")[0]) not in new_parts()[name]:
            continue
        new = changed(before[address])
        answer, after = record(variant, write={address: new})
        following = followers(after, address)
        assert np.array_equal(after[address], new), address
        assert [entry.address for entry in after.entries.values() if entry.written] == [address]
        for other in before:
            if other not in following and other != address:
                assert np.array_equal(before[other], after[other]), f"writing {address} changed {other}"
        for other in following:
            assert not other.startswith(part) or gap(after, other, 7 * place) <= 1e-12, (
                f"writing {address} left {other} behind"
            )
        used = [other for other in following if address in (after.entry(other).same_as, *after.operands(other))]
        assert not used or any(not np.array_equal(before[other], after[other]) for other in used), address
        shown = [after[last] for last in after if last.endswith(("added", "normed"))]
        assert np.array_equal(answer.detach().numpy(), shown[-1])


SAME = [*((name, torch.float64, 1e-12) for name in variants.NAMES), ("cross", torch.float32, 5e-6)]


@pytest.mark.parametrize(("name", "dtype", "most"), SAME)
def test_writing_the_same_values_back_changes_nothing_beyond_rounding(
    name: str, dtype: torch.dtype, most: float
) -> None:
    variant = variants.make(name, dtype)
    answer, trace = record(variant)
    for address in trace:
        if address.partition(".")[0] in new_parts()[name]:
            again, _ = record(variant, write={address: trace[address]})
            assert (again - answer).abs().max() <= most, address


@pytest.mark.parametrize("name", ["pre-norm", "sigmoid", "dense synthesizer"])
def test_every_stage_of_training_with_dropout_can_be_written(name: str) -> None:
    variant = variants.make(name, torch.float64, dropout=0.3)
    _, trace = record(variant)
    for address in ("self.dropout_rate", "self.residual_dropout_rate", "feed_forward.residual_dropout_rate"):
        assert trace[address] == 0.3
        _, kept = record(variant, write={address: 0.0})
        dropped = kept[address.replace("dropout_rate", "dropped").replace("residual_dropped", "dropped_output")]
        source = "weights" if "residual" not in address else "output" if "self" in address else "contracted"
        assert np.array_equal(dropped, kept[f"{address.partition('.')[0]}.{source}"])
    _, ablated = record(variant, write={"self.dropped": np.zeros_like(trace["self.dropped"])})
    assert not ablated["self.mixed"].any()


def test_writing_uniform_weights_gives_the_mean_of_the_values() -> None:
    module = Attention(6, 2, learned="qkv")
    answer, trace = record(module, torch.randn(1, 5, 6), write={"weights": torch.full((1, 2, 5, 5), 0.2)})
    mean = trace["values"].mean(axis=2).reshape(1, 1, 6)
    np.testing.assert_allclose(answer.detach().numpy(), np.broadcast_to(mean, (1, 5, 6)), atol=1e-6)


def test_a_function_of_the_old_value_may_be_written() -> None:
    module, x = Attention(6, 2), torch.randn(1, 5, 6)

    def without_head_one(mixed: Tensor) -> Tensor:
        return torch.stack([mixed[:, 0], torch.zeros_like(mixed[:, 1])], dim=1)

    answer, trace = record(module, x, write={"mixed": without_head_one})
    assert trace.entry("mixed").written
    assert not trace["joined"][..., 3:].any()
    assert module.output is not None
    wanted = torch.from_numpy(trace["joined"][..., :3]) @ module.output.weight.T[:3] + module.output.bias
    torch.testing.assert_close(answer, wanted)


def test_a_rewriter_needs_no_recorder() -> None:
    module, x, change = Attention(6, 2), torch.randn(1, 5, 6), {"scale": 3.0}
    assert torch.equal(module(x, see=Rewriter(change)), record(module, x, write=change)[0])


def test_gradients_flow_around_what_was_written() -> None:
    module, x = Attention(6, 2), torch.randn(1, 5, 6)
    answer, _ = record(module, x, write={"weights": torch.full((1, 2, 5, 5), 0.2)})
    answer.sum().backward()
    assert module.value is not None
    assert module.query is not None
    assert module.value.weight.grad is not None
    assert module.value.weight.grad.any()
    assert module.query.weight.grad is None


def test_a_written_key_is_not_remembered() -> None:
    module, x, cache = Attention(6, 2, causal=True), torch.randn(1, 5, 6), Cache()
    with torch.no_grad():
        module(x, cache=cache)
        kept = cache.keys.clone()
        record(module, x[:, :1], cache=cache, write={"keys": torch.zeros(1, 2, 6, 3)})
    assert torch.equal(cache.keys[:, :, :5], kept)
    assert cache.keys[:, :, 5].any()


@pytest.mark.parametrize(
    ("address", "nearest"), [("wieghts", "did you mean 'weights'"), ("self.weights", "did you mean 'weights'")]
)
def test_a_written_address_that_is_never_reached_is_an_error(address: str, nearest: str) -> None:
    with pytest.raises(InputError, match=f"No stage '{address}' was passed, so nothing was written; {nearest}"):
        record(Attention(6, 2), torch.randn(1, 5, 6), write={address: 1.0})


def test_a_stage_that_this_pass_does_not_have_is_an_error() -> None:
    with pytest.raises(InputError, match="No stage 'masked' was passed"):
        record(Attention(6, 2), torch.randn(1, 5, 6), write={"masked": torch.zeros(1, 2, 5, 5)})


def test_a_written_value_of_another_shape_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"'weights' is \[1, 2, 5, 5\] of torch.float32; what was written there is \[5, 5\]"
    ):
        record(Attention(6, 2), torch.randn(1, 5, 6), write={"weights": torch.ones(5, 5)})


def test_a_witness_remembers_whether_anything_was_rewritten() -> None:
    witness = Witness(Rewriter({"scale": 2.0}))
    witness("scores", torch.ones(1, 1, 1, 1))
    assert not witness.rewritten
    assert witness("scale", torch.tensor(1.0)) == 2.0
    assert witness.rewritten


def test_positions_can_be_read_and_written() -> None:
    module, x = Positions.sinusoidal(7, 6), torch.randn(2, 5, 6)
    answer, trace = record(module, x, write={"position_rows": torch.zeros(1, 5, 6)})
    assert torch.equal(answer, x)
    assert list(trace) == ["position_rows", "unplaced", "positioned"]


def test_a_weigher_from_outside_is_shown_as_given() -> None:
    def halves(masked: Tensor) -> Tensor:
        return quiet_softmax(masked) / 2

    _, trace = record(Attention(6, 2, weigher=halves), torch.randn(1, 5, 6))
    assert how_weighed(halves) == trace.entry("weights").how == "handed in"
    assert trace.explain("weights", (0, 0, 0, 0)).operation == "given"


def test_every_named_module_is_called_once() -> None:
    """A hook on any part of a block fires, once: there is no fast path around the modules."""
    variant = variants.make("cross")
    calls: dict[str, int] = {}

    def count(name: str) -> Any:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            calls[name] = calls.get(name, 0) + 1

        return hook

    for name, module in variant.block.named_modules():
        module.register_forward_hook(count(name))
    variant.block.eval()
    with torch.no_grad():
        variant()
    assert calls == {name: 1 for name, _ in variant.block.named_modules()}


def test_a_function_that_edits_in_place_is_not_lost() -> None:
    module, x = Attention(6, 2), torch.randn(1, 5, 6)

    def silence(weights: Tensor) -> Tensor:
        weights[:, 1] = 0
        return weights

    answer, trace = record(module, x, write={"weights": silence})
    assert trace.entry("weights").written
    assert not torch.equal(answer, module(x))
    assert (trace["mixed"][:, 1] == 0).all()


def test_what_is_written_keeps_its_gradient() -> None:
    module, x = Attention(6, 2), torch.randn(1, 5, 6)
    weights = torch.full((1, 2, 5, 5), 0.2, requires_grad=True)
    answer, _ = record(module, x, write={"weights": weights})
    answer.sum().backward()
    assert weights.grad is not None
    assert weights.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [(lambda old: None, "what was written there is None"), (lambda old: old > 0, "of torch.bool")],
)
def test_what_is_no_such_tensor_is_refused(change: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        record(Attention(6, 2), torch.randn(1, 5, 6), write={"weights": change})


def test_what_cannot_be_written_is_refused_and_named() -> None:
    weights = torch.ones(2, 3)
    with pytest.raises(InputError, match="At 'weights' stands 'x'"):
        Rewriter({"weights": "x"})("weights", weights)
    with pytest.raises(InputError, match=r"At 'weights' stand numbers of torch\.int64, which torch\.float32"):
        Rewriter({"weights": torch.full((2, 3), 2**24 + 1)})("weights", weights)
    assert torch.equal(Rewriter({"weights": torch.full((2, 3), 5)})("weights", weights), torch.full((2, 3), 5.0))

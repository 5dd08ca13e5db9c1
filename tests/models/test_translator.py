"""The translator: written step by step as at once, beyond the length it was made for, and its stacks apart."""

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.layers.positions import SCHEMES
from glassformer.models.translator import Translation
from glassformer.stages.recorder import record


@pytest.mark.parametrize("positions", SCHEMES)
def test_a_translator_may_write_step_by_step(positions: str) -> None:
    model = small("translator", positions=positions).double()
    source, real, target = inputs("translator")
    whole = model(source, real, target)
    context, cache = model.encode(source, real), model.new_cache()
    steps = [model.decode(target[:, i : i + 1], context, real, cache=cache) for i in range(target.shape[1])]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_a_bias_reaches_every_block_but_no_cross_attention(kind: str) -> None:
    _, trace = record(small("translator", positions=kind), *inputs("translator"))
    found = {address: trace.entry(address).same_as for address in trace if address.endswith(".bias")}
    blocks = {f"{stack}.{i}.self.bias": side for stack, side in (("encoder", "source.bias"), ("decoder", "target.bias"))
              for i in range(2)}  # fmt: skip
    assert found == {"source.bias": "", "target.bias": "", **blocks}


def test_each_stack_learns_its_own_numbers_for_all_its_blocks() -> None:
    names = [name for name, _ in small("translator", positions="t5").named_parameters() if "biases" in name]
    assert names == ["order.biases.encoder.weight", "order.biases.decoder.weight"]


@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_distances_go_on_beyond_the_longest_sentence(kind: str) -> None:
    model = small("translator", positions=kind).double()
    source, real, target = torch.randint(29, (1, 41)), torch.ones(1, 41, dtype=torch.bool), torch.randint(29, (1, 37))
    whole = model(source, real, target)
    context, cache = model.encode(source, real), model.new_cache()
    steps = [model.decode(target[:, i : i + 1], context, real, cache=cache) for i in range(37)]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=0, atol=1e-12)


def test_ids_that_must_not_be_written_are_not() -> None:
    """The likeliest id is forbidden; then the next one is written, and the others keep their scores."""
    model = small("translator").eval()
    source, real = torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.bool)
    with torch.inference_mode():
        free = Translation(model, source, real, 2).first()
    first, second = free.topk(2).indices[0].tolist()
    with torch.inference_mode():
        bound = Translation(model, source, real, 2, never=(first,)).first()
    assert int(bound.argmax()) == second
    assert torch.equal(bound[:, torch.arange(free.shape[1]) != first], free[:, torch.arange(free.shape[1]) != first])

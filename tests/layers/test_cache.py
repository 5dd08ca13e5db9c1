"""The memory of a decoder: what it keeps, refuses and hands back, forward and on the way back."""

import pytest
import torch

from glassformer.errors import InputError
from glassformer.layers.attention import (
    Attention,
)
from glassformer.layers.cache import BlockCache, Cache


def test_a_context_is_read_once() -> None:
    module, x, context, cache = Attention(6, 2), torch.randn(2, 5, 6), torch.randn(2, 7, 6), Cache()
    steps = [module(x[:, i : i + 1], context, cache=cache) for i in range(5)]
    torch.testing.assert_close(torch.cat(steps, 1), module(x, context))
    assert cache.length == 7


def test_gradients_flow_through_a_cache() -> None:
    module, x, cache = Attention(6, 2, causal=True).double(), torch.randn(2, 5, 6, dtype=torch.float64), Cache()
    x.requires_grad_()
    whole = torch.autograd.grad(module(x).square().sum(), x)[0]
    steps = torch.cat([module(x[:, i : i + 1], cache=cache) for i in range(5)], 1)
    torch.testing.assert_close(torch.autograd.grad(steps.square().sum(), x)[0], whole, rtol=0, atol=1e-12)


def test_a_cache_keeps_to_its_texts() -> None:
    module, cache = Attention(6, 2, causal=True), Cache()
    module(torch.randn(3, 5, 6), cache=cache)
    with pytest.raises(InputError, match="batch of 3 texts, but was handed one of 1"):
        module(torch.randn(1, 1, 6), cache=cache)


def test_a_cache_that_read_one_context_refuses_another() -> None:
    module, cache = Attention(6, 2), Cache()
    module(torch.randn(1, 1, 6), torch.randn(1, 7, 6), cache=cache)
    with pytest.raises(InputError, match="has read a context of 7 tokens; now it has 5"):
        module(torch.randn(1, 1, 6), torch.randn(1, 5, 6), cache=cache)


def test_the_way_back_through_a_cache_needs_no_learning_keys() -> None:
    module, cache = Attention(6, 2, causal=True), Cache()
    for frozen in (module.key, module.value):
        assert frozen is not None
        frozen.requires_grad_(False)
    x = torch.randn(1, 5, 6)
    steps = [module(x[:, i : i + 1], cache=cache) for i in range(5)]
    torch.cat(steps, 1).sum().backward()
    assert module.query is not None
    assert module.query.weight.grad is not None


def test_a_block_keeps_both_memories_and_reorders_its_own() -> None:
    block = BlockCache()
    rows = torch.arange(3.0).view(3, 1, 1, 1)
    block.own.append(rows, rows + 10)
    block.keep(torch.tensor([2, 0]))  # nothing was read yet: only the own memory has rows
    block.cross.append(torch.tensor([7.0, 8.0]).view(2, 1, 1, 1), torch.zeros(2, 1, 1, 1))
    block.reorder(torch.tensor([1, 1]))
    assert block.own.keys.flatten().tolist() == [0, 0]
    assert block.own.values.flatten().tolist() == [10, 10]
    assert block.cross.keys.flatten().tolist() == [7, 8]
    block.keep(torch.tensor([1]))
    assert block.cross.keys.flatten().tolist() == [8]
    block.own.append(torch.tensor(5.0).view(1, 1, 1, 1), torch.tensor(6.0).view(1, 1, 1, 1))
    assert block.own.keys.flatten().tolist() == [0, 5]


def test_a_cache_remembers_where_its_tokens_stand() -> None:
    cache = Cache()
    assert cache.placed(torch.tensor([[0, 1]])).tolist() == [[0, 1]]
    cache.append(torch.zeros(2, 1, 2, 3), torch.zeros(2, 1, 2, 3))
    assert cache.placed(torch.tensor([[2], [5]])).tolist() == [[0, 1, 2], [0, 1, 5]]
    assert cache.placed(torch.tensor([[2], [7]])).tolist() == [[0, 1, 2], [0, 1, 7]]  # it was not appended yet
    cache.append(torch.zeros(2, 1, 1, 3), torch.zeros(2, 1, 1, 3))
    cache.keep(torch.tensor([1, 1, 0]))
    assert cache.placed(torch.tensor([[9]])).tolist() == [[0, 1, 7, 9], [0, 1, 7, 9], [0, 1, 2, 9]]


def test_texts_that_join_end_in_the_same_column() -> None:
    cache, other = Cache(), Cache()
    for each, count, rows in ((cache, 3, 1), (other, 2, 2)):
        each.placed(torch.arange(count)[None])
        values = torch.arange(1.0, 1 + rows * count).view(rows, 1, count, 1)
        with torch.no_grad():
            each.append(values, values + 10)
    cache.join(other)
    assert cache.length == 3
    assert cache.keys[:, 0, :, 0].tolist() == [[1, 2, 3], [0, 1, 2], [0, 3, 4]]
    assert cache.values[1:, 0, 1:, 0].tolist() == [[11, 12], [13, 14]]
    assert cache.placed(torch.tensor([[3], [2], [2]])).tolist() == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 2]]
    cache.keep(torch.tensor([2, 1]))
    cache.cut(1)
    assert (cache.length, cache.keys[:, 0, :, 0].tolist()) == (2, [[3, 4], [1, 2]])
    with torch.no_grad():
        cache.append(torch.full((2, 1, 1, 1), 9.0), torch.zeros(2, 1, 1, 1))
    assert cache.keys[:, 0, :, 0].tolist() == [[3, 4, 9], [1, 2, 9]]


def test_a_block_joins_and_cuts_its_own_memory() -> None:
    block, other = BlockCache(), BlockCache()
    for each in (block, other):
        each.own.append(torch.ones(1, 1, 2, 1), torch.ones(1, 1, 2, 1))
    block.join(other)
    block.cut(1)
    assert block.own.keys.shape == (2, 1, 1, 1)

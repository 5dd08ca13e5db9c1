"""The language model: read in parts as at once, with every scorer and every kind of positions."""

from typing import Any

import pytest
import torch
from helpers.small_models import inputs, small
from torch.testing import assert_close

from glassformer.errors import InputError
from glassformer.layers.positions import SCHEMES
from glassformer.models.language_model import Continuation
from glassformer.stages.watchers import nothing


@pytest.mark.parametrize("scorer", ["dot product", "dense synthesizer", "random synthesizer"])
@pytest.mark.parametrize("positions", SCHEMES)
def test_a_language_model_may_read_in_parts(scorer: str, positions: str) -> None:
    if scorer != "dot product" and positions == "rotary":
        positions = "learned"  # a synthesizer has no keys to turn
    model = small("modern", scorer=scorer, positions=positions, query_key_norm=scorer == "dot product").double()
    ids, _ = inputs("modern", (11, 11))
    whole = model(ids)
    for split in range(1, 11):
        cache = model.new_cache()
        parts = torch.cat([model(ids[:, :split], cache=cache), model(ids[:, split:], cache=cache)], dim=1)
        torch.testing.assert_close(parts, whole, rtol=0, atol=1e-12)


def test_tied_weights_are_one_matrix() -> None:
    model = small("modern")
    assert model.head.linear.weight is model.embedding.weight
    assert small("modern", tied=False).head.linear.weight is not model.embedding.weight


def test_a_text_too_long_to_look_back_on_is_named() -> None:
    with pytest.raises(InputError, match="looks back on 23 tokens at most; there are 24"):
        small("modern")(torch.zeros(1, 24, dtype=torch.int64), see=nothing)


@pytest.mark.parametrize("kv_heads", [0, 1])
@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_distances_go_on_beyond_the_longest_text_with_a_memory_as_without(kind: str, kv_heads: int) -> None:
    model = small("modern", positions=kind, kv_heads=kv_heads).double()
    assert model.config.length == 23
    ids = torch.randint(29, (2, 61))
    whole, cache = model(ids), model.new_cache()
    parts = [model(part, cache=cache) for part in ids.split([20, 1, 1, 30, 9], dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_where_distances_are_counted_it_does_not_matter_where_a_text_begins(kind: str) -> None:
    model = small("modern", positions=kind).double()
    ids, at = torch.randint(29, (2, 11)), torch.arange(11)[None]
    whole = model(ids)
    for places in (at + 1000, torch.cat([at + 5, at + 70])):
        assert torch.equal(model(ids, positions=places.contiguous()), whole)
    gap = at + 3 * (at > 5)  # a hole in the text is no shift
    assert not torch.allclose(model(ids, positions=gap), whole)
    cache = model.new_cache()
    parts = [model(ids[:, i], positions=gap[:, i], cache=cache) for i in (slice(0, 4), slice(4, 8), slice(8, 11))]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(ids, positions=gap), rtol=0, atol=1e-12)


@pytest.mark.parametrize("positions", ["rotary", "learned", "alibi", "t5"])
def test_texts_may_join_and_leave_while_others_are_written(positions: str) -> None:
    model: Any = small("modern", positions=positions)
    alone = [Continuation(model, [prompt]) for prompt in ([5, 6, 7, 8, 9], [7, 8], [9, 10, 11])]
    batch = Continuation(model, [[5, 6, 7, 8, 9], [7, 8]])
    with torch.inference_mode():
        scores = [each.first() for each in alone]
        assert_close(batch.first(), torch.cat(scores[:2]), atol=5e-6, rtol=0)
        scores = [each.next(torch.tensor([11])) for each in alone[:2]]
        assert_close(batch.next(torch.tensor([11, 11])), torch.cat(scores), atol=5e-6, rtol=0)
        new = Continuation(model, [[9, 10, 11]])
        new.first()
        batch.join(new)
        batch.keep(torch.tensor([1, 2]))
        batch.close_up()
        assert batch._cache[0].own.length == 3
        scores = [each.next(torch.tensor([12])) for each in alone[1:]]
        assert_close(batch.next(torch.tensor([12, 12])), torch.cat(scores), atol=5e-6, rtol=0)


def test_a_synthesizer_is_joined_only_by_texts_as_long_as_its_own() -> None:
    model: Any = small("modern", scorer="random synthesizer", positions="none")
    batch, alike, other = (Continuation(model, [prompt]) for prompt in ([5, 6], [7, 8], [9]))
    with torch.inference_mode():
        for each in (batch, alike, other):
            each.first()
        batch.join(alike)
        assert batch.next(torch.tensor([5, 6])).shape[0] == 2
        with pytest.raises(InputError, match="counts columns"):
            batch.join(other)

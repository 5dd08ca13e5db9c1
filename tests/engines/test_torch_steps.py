"""Our own models with fewer steps of Python: every number is the textbook's, to the last bit."""

from typing import Any

import pytest
import torch
from helpers.small_models import inputs, small
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.engines.torch_steps import quick
from glassformer.layers.attention import WEIGHERS
from glassformer.layers.blocks import ACTIVATIONS, NORMS
from glassformer.layers.positions import SCHEMES
from glassformer.models.beam import Beam, search
from glassformer.models.language_model import SCORERS, Continuation
from glassformer.models.sampling import Stop
from glassformer.models.translator import Translation
from glassformer.stages.recorder import record


def scores(writer: Any, ids: torch.Tensor) -> list[torch.Tensor]:
    """What a writer answers while some ids are added, and its rows trade places."""
    with torch.inference_mode():
        found = [writer.first(), *(writer.next(each) for each in ids[:3])]
        writer.keep(torch.tensor([1, 0, 1]))
        return [*found, *(writer.next(each) for each in ids[3:])]


def all_equal(one: list[torch.Tensor], two: list[torch.Tensor]) -> bool:
    return all(torch.equal(mine, theirs) for mine, theirs in zip(one, two, strict=True))


@settings(max_examples=24)
@given(
    positions=st.sampled_from(list(SCHEMES)), norm=st.sampled_from(list(NORMS)),
    activation=st.sampled_from(list(ACTIVATIONS)), weigher=st.sampled_from(list(WEIGHERS)),
    scorer=st.sampled_from(list(SCORERS)), kv_heads=st.sampled_from([0, 1]), bias=st.booleans(),
    query_key_norm=st.booleans(), lengths=st.tuples(*[st.integers(1, 7)] * 3),
)  # fmt: skip
def test_a_language_model_gives_the_same_bits(lengths: tuple[int, ...], **chosen: Any) -> None:
    if "synthesizer" in chosen["scorer"]:  # it counts columns
        lengths, chosen = (lengths[0],) * 3, {**chosen, "query_key_norm": False}
    model = small("modern", **chosen)
    prompts = [torch.randint(5, 29, (length,)).tolist() for length in lengths]
    ids = torch.randint(5, 29, (5, 3))
    assert all_equal(*(scores(Continuation(each, prompts), ids) for each in (model, quick(model))))


@settings(max_examples=12)
@given(
    norm_first=st.booleans(), positions=st.sampled_from(list(SCHEMES)), activation=st.sampled_from(list(ACTIVATIONS))
)
def test_a_translator_gives_the_same_bits(**chosen: Any) -> None:
    model = small("translator", **chosen)
    source, real, _ = inputs("translator")
    ids = torch.randint(5, 29, (5, 3))
    assert all_equal(*(scores(Translation(each, source, real, 2), ids) for each in (model, quick(model))))


def test_a_translator_searches_the_same() -> None:
    model = small("translator")
    source, real, _ = inputs("translator")
    stop = Stop(longest=12, endings=((3,),))
    assert search(Translation(quick(model), source, real, 2), stop, Beam(width=4)) == search(
        Translation(model, source, real, 2), stop, Beam(width=4)
    )


@pytest.mark.parametrize("name", ["modern", "translator"])
def test_looking_and_reading_are_left_to_the_model(name: str) -> None:
    model = small(name)
    given_ = inputs(name)
    fast = quick(model)
    assert torch.equal(fast(*given_), model(*given_))
    mine, theirs = (record(each, *given_)[1] for each in (model, fast))
    assert list(mine) == list(theirs)


def test_weights_are_shared() -> None:
    model: Any = small("gpt")
    fast = quick(model)
    prompts = [[5, 6, 7]]
    before = scores(Continuation(fast, prompts * 3), torch.full((4, 3), 8))
    with torch.no_grad():
        model.blocks[1].attention.layer.key.weight.add_(0.5)
    after = [scores(Continuation(each, prompts * 3), torch.full((4, 3), 8)) for each in (model, fast)]
    assert all_equal(*after)
    assert not all_equal(before, after[0])


def test_what_does_not_write_stays_as_it_is() -> None:
    model = small("transformer")
    assert quick(model) is model

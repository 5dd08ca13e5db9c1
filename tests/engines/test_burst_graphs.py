"""Several steps in one graph: the same ids and log-probabilities as step by step, greedy and drawn, in any company."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.engines.burst_graphs import MOST_WEIGHTS, bursts_of
from glassformer.engines.choosing import chosen
from glassformer.engines.onnx_models import run_by_onnx
from glassformer.engines.parity import compared
from glassformer.models.language_model import Continuation
from glassformer.models.registry import build, configure
from glassformer.models.sampling import Answer, Draw, Sampling, Stop, gather, greedy, sample, stream

PROMPTS = [[5, 6, 7], [8], [9, 10, 11, 12, 13, 14]]


def model_of(kind: str = "modern", **changes: Any) -> Any:
    torch.manual_seed(3)
    size = {"layers": 2, "width": 28, "heads": 1, "hidden": 31, "vocabulary": 53, "length": 37}
    model = build(kind, configure(kind, **(size | changes))).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    model = model_of()
    return model, chosen(model, "onnx").model


def alike(mine: list[Answer], theirs: list[Answer]) -> bool:
    near = all(
        torch.allclose(torch.tensor(one.logprobs), torch.tensor(two.logprobs), atol=1e-5)
        for one, two in zip(mine, theirs, strict=True)
    )
    return near and [(each.ids, each.finish) for each in mine] == [(each.ids, each.finish) for each in theirs]


@settings(deadline=None, max_examples=9)
@given(longest=st.integers(1, 37), prompt=st.lists(st.integers(0, 52), min_size=1, max_size=7))
def test_texts_of_one_length_are_written_without_a_mask(both: tuple[Any, Any], longest: int, prompt: list[int]) -> None:
    prompts = [prompt, prompt[::-1]]
    assert alike(*(greedy(Continuation(each, prompts), Stop(longest=longest)) for each in both))


@pytest.mark.parametrize("strange", ["burst.onnx", "plain_burst.onnx"])
def test_either_burst_of_another_model_is_noticed(strange: str) -> None:
    model = model_of()
    files = dict(chosen(model, "onnx").files or {})
    other = model_of()
    with torch.no_grad():
        other.final_norm.weight.neg_()  # what was likeliest is not
    assert compared(model, run_by_onnx(model, files)).exact
    assert not compared(model, run_by_onnx(model, files | {strange: bursts_of(other)[strange]})).exact


@settings(deadline=None, max_examples=12)
@given(longest=st.integers(1, 50), ending=st.integers(0, 52), seed=st.integers(0, 2**31), drawn=st.booleans())
def test_ends_rooms_and_seeds_are_those_of_single_steps(
    both: tuple[Any, Any], longest: int, ending: int, seed: int, drawn: bool
) -> None:
    stop = Stop(longest=longest, endings=((ending,),))
    made = [
        sample(Continuation(each, PROMPTS), stop, Sampling(temperature=0.7), [seed, seed + 1, seed])
        if drawn
        else greedy(Continuation(each, PROMPTS), stop)
        for each in both
    ]
    assert both[1].burst > 1
    assert alike(*made)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [("gpt", {}), ("modern", {"heads": 2, "kv_heads": 1}), ("modern", {"activation": "swiglu"}),
     ("modern", {"positions": "none"}), ("gpt", {"weigher": "sigmoid"})],
)  # fmt: skip
def test_every_kind_that_has_one_writes_the_same(kind: str, changes: dict[str, Any]) -> None:
    model = model_of(kind, **changes)
    engine = chosen(model, "onnx")
    assert engine.files is not None
    assert set(engine.files) == {"step.onnx", "burst.onnx", "plain_burst.onnx"}
    assert alike(*(greedy(Continuation(each, PROMPTS), Stop(longest=29)) for each in (model, engine.model)))


def test_what_looks_back_otherwise_or_is_large_has_none() -> None:
    assert bursts_of(model_of(positions="alibi")) == {}
    assert bursts_of(model_of(scorer="dense synthesizer")) == {}
    assert bursts_of(build("transformer", configure("transformer", vocabulary=11, classes=2))) == {}
    large = model_of(vocabulary=MOST_WEIGHTS // 28, layers=1)
    assert bursts_of(large) == {}


def test_what_ranks_its_ids_is_asked_for_each(both: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(both[1]), "written", lambda *given, **more: 1 / 0)
    draws = [Draw(Sampling(top_k=3), [1, 2, 3]) for _ in both]
    made = [
        gather(3, stream(Continuation(each, PROMPTS), Stop(longest=19), draw))
        for each, draw in zip(both, draws, strict=True)
    ]
    assert alike(*made)
    with pytest.raises(ZeroDivisionError):
        greedy(Continuation(both[1], PROMPTS), Stop(longest=19))

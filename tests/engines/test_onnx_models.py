"""ONNX Runtime in place of our models: written texts are equal, texts join and leave, looking is ours."""

from typing import Any

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.engines.model_graphs import graphs_of
from glassformer.engines.onnx_models import run_by_onnx
from glassformer.errors import InputError
from glassformer.layers.embedding import mean_of_real
from glassformer.models.beam import Beam, search
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Sampling, Stop, greedy, sample
from glassformer.models.translator import Translation
from glassformer.stages.recorder import record

PROMPTS = [[5, 6, 7, 8], [9, 10], [11]]


def both(name: str, **settings: Any) -> tuple[Any, Any]:
    model = small(name, **settings)
    return model, run_by_onnx(model, graphs_of(model))


@pytest.mark.parametrize("positions", ["rotary", "learned", "alibi", "t5", "none"])
def test_a_language_model_writes_the_same(positions: str) -> None:
    models = both("modern", positions=positions)
    stop = Stop(longest=15)
    mine, theirs = ([each.ids for each in greedy(Continuation(model, PROMPTS), stop)] for model in models)
    assert mine == theirs
    drawn = [sample(Continuation(model, PROMPTS), stop, Sampling(temperature=1.2), [1, 2, 3]) for model in models]
    assert [each.ids for each in drawn[0]] == [each.ids for each in drawn[1]]


def test_a_translator_searches_the_same() -> None:
    models = both("translator")
    source, real, _ = inputs("translator")
    for width in (1, 3):
        found = [
            search(Translation(model, source, real, 2), Stop(longest=12, endings=((3,),)), Beam(width=width))
            for model in models
        ]
        assert [[each.ids for each in best] for best in found[0]] == [[each.ids for each in best] for best in found[1]]


@pytest.mark.parametrize("positions", ["rotary", "alibi"])
def test_texts_join_and_leave_a_batch(positions: str) -> None:
    model, other = both("modern", positions=positions)
    with torch.inference_mode():
        batches = []
        for each in (model, other):
            batch, new = Continuation(each, PROMPTS[:2]), Continuation(each, PROMPTS[2:])
            scores = [batch.first(), new.first()]
            batch.join(new)
            scores.append(batch.next(torch.tensor([7, 8, 9])))
            batch.keep(torch.tensor([2, 1]))
            batch.close_up()
            scores.append(batch.next(torch.tensor([10, 11])))
            batches.append(scores)
        for mine, theirs in zip(*batches, strict=True):
            torch.testing.assert_close(theirs, mine, atol=1e-5, rtol=0)


def test_an_encoder_gives_its_rows_and_cuts_what_is_too_long() -> None:
    model, other = both("transformer")
    ids, real = inputs("transformer", (30, 7))
    with torch.inference_mode():
        torch.testing.assert_close(other(ids, real), model(ids, real), atol=1e-5, rtol=0)
        ids, real = inputs("transformer")
        mine, theirs = (mean_of_real(each.read(ids, real), real) for each in (model, other))
    torch.testing.assert_close(theirs, mine, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", ["modern", "translator", "transformer"])
def test_looking_is_left_to_ours(name: str) -> None:
    model, other = both(name)
    given = inputs(name)
    with torch.inference_mode():
        (mine, trace), (theirs, shown) = record(model, *given), record(other, *given)
    assert torch.equal(mine, theirs)
    assert list(trace) == list(shown)


def test_what_is_too_long_is_refused_in_words() -> None:
    _, other = both("modern")
    with pytest.raises(InputError, match="looks back on 23 tokens at most; there are 24"):
        other(torch.ones(1, 24, dtype=torch.int64))
    _, other = both("translator")
    with pytest.raises(InputError, match="there are 24"):
        other.encode(torch.ones(1, 24, dtype=torch.int64), torch.ones(1, 24, dtype=torch.bool))


def test_only_what_is_counted_is_answered() -> None:
    model, other = both("modern")
    ids, real = inputs("modern")
    counted = real & (ids % 2 == 0)
    with torch.inference_mode():
        found = other(ids, real, counted=counted)
        torch.testing.assert_close(found, model(ids, real, counted=counted), atol=1e-5, rtol=0)

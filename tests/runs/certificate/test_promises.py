"""Every promise has a model that breaks it, and faults as they happen break just the promises they must."""

from typing import Any

import pytest
import torch
from helpers.broken_models import ALONE, HasABadCache, as_kind, brief, broken
from helpers.small_models import small
from torch import Tensor, nn

from glassformer.layers.attention import Attention, DotProduct
from glassformer.models.classifiers import EncoderClassifier
from glassformer.models.recurrent import RecurrentClassifier
from glassformer.models.registry import MODELS
from glassformer.models.translator import Translator
from glassformer.runs.certificate.promises import FIRST, PROMISES
from glassformer.stages.watchers import nothing


@pytest.mark.parametrize("name", ALONE)
def test_a_broken_promise_is_found_and_no_other_blamed(name: str) -> None:
    model, task = ALONE[name]()
    given = brief(model, task)
    assert [check.name for check in given.failed] == [name]
    assert not given.passed


def test_what_is_not_saved_is_missed_after_loading() -> None:
    model = small("modern", length=53)
    with torch.no_grad():
        model.head.linear = nn.Linear(12, 29, bias=False)  # what is built anew has its own matrix here, tied
    assert broken(model, "language model", rebuild=lambda: small("modern", length=53)) == {"save and load"}
    assert broken(model, "language model", rebuild=lambda: small("modern", length=53, tied=False)) == set()


def test_every_promise_has_its_broken_model() -> None:
    assert {*ALONE, "save and load"} == {promise.name for promise in (*FIRST, *PROMISES)}


FUTURE = {"no future leak: values", "no future leak: gradients"}
MEMORY = {"cache = no cache", "step by step = all at once"}


@pytest.mark.parametrize("name", ["modern", "gpt", "translator"])
def test_a_dropped_causal_mask_is_found(name: str) -> None:
    model = small(name, length=53)
    for block in model.decoder if name == "translator" else model.blocks:
        block.attention.layer.causal = False
    found = broken(model, MODELS[name].family)
    assert found - {"greedy writing", "padding on the right", "company"} == FUTURE | MEMORY
    assert ("padding on the right" in found) == (
        name == "translator"
    )  # a target's padding was hidden by the mask alone


def test_a_cache_that_is_off_by_one_is_found() -> None:
    assert broken(as_kind(HasABadCache), "language model") == MEMORY


def test_a_kernel_with_another_scale_is_found() -> None:
    model = small("modern", length=53)
    for block in model.blocks:
        scorer: DotProduct = block.attention.layer.scorer
        scorer.scale_for = lambda d_key: 0.3  # type: ignore[method-assign]
    assert broken(model, "language model") == {"kernel = steps", "shown = used"}


def test_padding_that_is_not_hidden_is_found() -> None:
    class HearsSilence(EncoderClassifier):
        def forward(self, ids: Tensor, real: Tensor, *, see: Any = nothing) -> Tensor:
            return super().forward(ids, torch.ones_like(real), see=see)

    assert broken(as_kind(HearsSilence, "transformer"), "classifier") == {"padding on the right", "company"}


def test_what_is_no_number_beside_padding_is_found() -> None:
    class Stumbles(EncoderClassifier):
        def forward(self, ids: Tensor, real: Tensor, *, see: Any = nothing) -> Tensor:
            answer, some = super().forward(ids, real, see=see), real.any(-1, keepdim=True)
            return answer.masked_fill(some & ~real.all(-1, keepdim=True), torch.nan)

    given = brief(as_kind(Stumbles, "transformer"), "classifier")
    assert {check.name for check in given.failed} == {"padding on the right", "company"}
    assert {check["value"] for check in given.to_dict()["checks"] if not check["passed"]} == {None}


def test_a_source_whose_padding_is_not_hidden_is_found() -> None:
    class HearsSilence(Translator):
        def encode(self, source: Tensor, source_real: Tensor, *, see: Any = nothing) -> Tensor:
            return super().encode(source, torch.ones_like(source_real), see=see)

    found = broken(as_kind(HearsSilence, "translator"), "translator")
    assert found - {"greedy writing"} == {"padding on the right", "company"}


def test_texts_that_trade_places_in_a_batch_are_found() -> None:
    class Sorts(RecurrentClassifier):
        def forward(self, ids: Tensor, real: Tensor, *, see: Any = nothing) -> Tensor:
            return super().forward(ids, real, see=see)[real.sum(1).argsort()]

    assert broken(as_kind(Sorts, "rnn"), "classifier") == {"company"}


def test_the_bar_follows_the_largest_logit() -> None:
    model = small("modern", length=53, tied=False)
    with torch.no_grad():
        model.head.linear.weight.mul_(1000)
    given = {check.name: check for check in brief(model, "language model").checks}
    assert given["company"].bar > 1e-3
    assert given["company"].passed
    assert given["no future leak: values"].bar == 0.0


@pytest.mark.parametrize("scale", [3.0, 8.0])
@pytest.mark.parametrize("name", ["transformer", "modern", "translator"])
def test_a_sound_model_is_never_called_broken_however_large_its_weights(name: str, scale: float) -> None:
    """Large scores and sums that cancel round coarsely: two roads to one answer are apart, and both are right."""
    model = small(name, length=53)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(scale)
    assert broken(model, MODELS[name].family) == set()


def test_the_bar_follows_what_rounding_does_to_the_model() -> None:
    """By hand: a sum of large numbers that cancel, once in float32 and once in float64."""
    fresh, trained = small("modern", length=53, tied=False), small("modern", length=53, tied=False)
    with torch.no_grad():
        for weight in trained.parameters():
            if weight.ndim > 1:
                weight.mul_(8.0)
    given = [brief(model, "language model").checks for model in (fresh, trained)]
    before, after = [next(check.bar for check in checks if check.name == "company") for checks in given]
    assert after > 2 * before


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("name", ["transformer", "modern"])
def test_a_sound_model_is_not_called_broken_in_any_kind_of_number(name: str, dtype: torch.dtype) -> None:
    """In bfloat16 a score of 4 is kept to a sixty-fourth: its weight is off by as much, and what was used is not."""
    model = small(name, length=53)
    with torch.no_grad():
        for attention in (each for each in model.modules() if isinstance(each, Attention)):
            attention.query.weight.mul_(4.0)
    assert broken(model.to(dtype), MODELS[name].family) == set()


@pytest.mark.parametrize(
    ("dtype", "bar"), [(torch.float32, 2**-24 * (4 + 14)), (torch.bfloat16, 2**-8 * 4 + 2**-24 * 14)]
)
def test_the_bar_of_a_sum_by_hand(dtype: torch.dtype, bar: float) -> None:
    """Fourteen keys, nine of a text and five of padding: four roundings of a share, and one for each that is added."""
    given = {check.name: check for check in brief(small("modern", length=53).to(dtype), "language model").checks}
    assert given["rows sum to 1"].bar == pytest.approx(bar)
    assert "shown = used" in given  # of a model with small scores that can be told in any kind of number


def test_where_rounding_may_do_anything_nothing_is_ticked() -> None:
    model = small("modern", length=53, query_key_norm=False)
    with torch.no_grad():
        for block in model.blocks:
            block.attention.layer.query.weight.mul_(1e4)
    given = brief(model.to(torch.bfloat16), "language model")
    told = {each.name: each.sentence for each in given.left_out}
    assert told["shown = used"].startswith("Its scores are so large")
    assert given.passed, given.failed

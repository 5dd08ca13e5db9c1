"""The certificate: every model passes, what has no meaning is left out by name, and nothing is changed by trying."""

import json
import math

import pytest
import torch
from helpers.broken_models import ALONE, brief
from helpers.small_models import small

from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS
from glassformer.runs.certificate.certificate import (
    Certificate,
    Check,
    certify,
    certifying_seconds,
    trial_texts,
    verdict,
)
from glassformer.runs.certificate.promises import FIRST, PROMISES
from glassformer.runs.certificate.subjects import subject_for


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("double", [False, True])
def test_every_model_of_the_table_passes(name: str, double: bool) -> None:
    model = small(name, length=53) if MODELS[name].family != "classifier" else small(name)
    given = certify(model.double() if double else model, MODELS[name].family)
    assert given.passed, given.failed
    names = [each.name for each in (*given.checks, *given.left_out)]
    assert sorted(names) == sorted(promise.name for promise in (*FIRST, *PROMISES))  # nothing is left out in silence


@pytest.mark.parametrize(
    ("name", "count"), [("rnn", 6), ("transformer", 10), ("translator", 15), ("gpt", 16), ("modern", 16)]
)
def test_as_much_is_tried_as_has_a_meaning(name: str, count: int) -> None:
    assert len(brief(small(name), MODELS[name].family).checks) == count


@pytest.mark.parametrize("scorer", ["dense synthesizer", "random synthesizer"])
def test_a_synthesizer_says_what_was_left_out(scorer: str) -> None:
    given = brief(small("gpt", scorer=scorer), "language model")
    assert given.passed, given.failed
    assert {each.name: each.sentence.partition(":")[0] for each in given.left_out} == {
        "padding on the left": "A Synthesizer counts columns, not positions",
        "kernel = steps": "No kernel computes this kind of attention",
    }


@pytest.mark.parametrize("weigher", ["sigmoid", "quiet softmax"])
def test_other_weighers_need_not_sum_to_1(weigher: str) -> None:
    given = brief(small("modern", weigher=weigher), "language model")
    assert given.passed, given.failed
    assert [each.name for each in given.left_out] == ["kernel = steps", "rows sum to 1"]
    assert f"Its weigher is {weigher}" in given.left_out[1].sentence


@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("name", ["translator", "gpt", "modern"])
def test_a_model_with_little_room_can_be_certified(name: str, length: int) -> None:
    assert brief(small(name, length=length), MODELS[name].family).passed


@pytest.mark.parametrize("positions", SCHEMES)
@pytest.mark.parametrize("kv_heads", [0, 1])
def test_variants_pass(positions: str, kv_heads: int) -> None:
    assert brief(small("modern", positions=positions, kv_heads=kv_heads), "language model").passed


@pytest.mark.parametrize("name", ["finite numbers", "same answer twice"])
def test_what_cannot_be_judged_says_so(name: str) -> None:
    model, task = ALONE[name]()
    given = brief(model, task)
    names = [promise.name for promise in (*FIRST, *PROMISES)]
    assert [each.name for each in given.left_out] == names[names.index(name) + 1 :]
    assert given.left_out[0].sentence == f"Cannot be judged: '{name}' does not hold."


# --- what a certificate is made of -------------------------------------------------------------------------------


def test_a_certificate_is_plain_data() -> None:
    model, task = ALONE["finite numbers"]()
    content = json.loads(json.dumps(brief(model, task).to_dict(), allow_nan=False))
    assert content["passed"] is False
    assert [check["name"] for check in content["checks"]] == ["finite numbers"]
    assert content["checks"][0]["value"] > 0
    assert {"name", "passed", "value", "bar", "sentence"} == set(content["checks"][0])
    assert {"name", "sentence"} == set(content["not_applicable"][0])
    odd = Certificate((Check("company", False, math.nan, 0.0, ""),), ())
    assert json.loads(json.dumps(odd.to_dict(), allow_nan=False))["checks"][0]["value"] is None


def test_certifying_leaves_a_model_as_it_was() -> None:
    model = small("gpt").train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert brief(model, "language model").passed
    assert model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(weight.grad is None for weight in model.parameters())


def test_the_same_seed_gives_the_same_certificate() -> None:
    model = small("gpt", length=53)
    assert certify(model, "language model", seed=3) == certify(model, "language model", seed=3)


def test_texts_are_made_up_or_given_and_never_too_long() -> None:
    subject = subject_for(small("translator", length=31), "translator")
    made = trial_texts(subject)
    assert [len(text.ids) for text in made] == [13, 7, 3]
    assert [len(text.source) for text in made] == [7, 3, 13]
    assert all(text.ids[0] == 2 for text in made)
    given = trial_texts(subject_for(small("gpt", length=31), "language model"), [range(5), range(20), []])
    assert [text.ids for text in given] == [tuple(range(15)), tuple(range(5))]


def test_a_tick_says_what_it_is_about() -> None:
    told = verdict(True, ["no future leak: values", "company", "greedy writing"], 3)
    assert told == "keeps its promises, 3 of 3: no leak from the future, no effect of company in a batch"
    assert verdict(True, ["finite numbers"], 1) == "keeps its promises, 1 of 1"
    assert verdict(False, ["company"], 3) == "breaks its promises: it keeps 1 of 3"


@pytest.mark.parametrize("name", ["attention", "transformer", "translator", "gpt", "modern"])
def test_promises_are_kept_with_keys_and_values_of_unlike_widths(name: str) -> None:
    model = small(name, key_width=10, value_width=7)
    assert certify(model, MODELS[name].family).failed == ()


@pytest.mark.parametrize(("within", "tried"), [(0.5, 1), (2.5, 3), (100.0, 10)])
def test_how_long_it_takes_is_foretold_from_a_few_promises(within: float, tried: int) -> None:
    """By a clock that goes on by a second whenever it is looked at; of a transformer, ten promises are tried."""
    ticks: list[float] = []

    def clock() -> float:
        ticks.append(float(len(ticks)))
        return ticks[-1]

    found = certifying_seconds(small("transformer"), "classifier", within=within, clock=clock)
    assert len(ticks) == 1 + tried + 1
    assert found == pytest.approx((tried + 1) * 10 / tried)

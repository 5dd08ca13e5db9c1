"""Trials: a model that has learnt nothing is found out, whatever its kind; other orders are other orders."""

import random

import pytest
import torch
from helpers.planted import CAUSE, OPPOSITE, planted_run, planted_text
from helpers.small_models import small

import glassformer as gf
from glassformer.inside.why.margins import Prompted, margin_of
from glassformer.inside.why.trials import STILL, RandomTexts, other_orders, random_texts
from glassformer.models.registry import build
from glassformer.text.token_kinds import SPECIAL

WAVERS = (
    "the first half is boring and the second half is loud, yet the actors do what they can and the music is fine, and "
    "my children liked it more than I did, so it was a fair way to spend an evening with the family at home"
)
TEXTS = {
    "sentiment": "the film was not good at all",
    "english-german": "Where is the station?",
    "shakespeare": "To be, or not to be",
}


@pytest.mark.parametrize(("name", "text"), TEXTS.items())
def test_fresh_weights_are_told_from_trained_ones(name: str, text: str) -> None:
    run = gf.load(name)
    ids = tuple(run.objective.prompt(run.tokens, text).tolist())
    given = Prompted(ids, (run.tokens.start,) if run.objective.family == "translator" else ())
    silent = []
    for seed in (None, 0, 1, 2):
        if seed is not None:
            torch.manual_seed(seed)
        model = run.model if seed is None else build(run.card.model, run.card.settings).eval()
        margin = margin_of(model, run.objective.family)
        margin = margin.between(*margin.logits([given])[0].topk(2).indices.tolist())
        found = random_texts(margin, given, range(len(ids)), range(len(SPECIAL)))
        silent.append(found.silent(float(margin.of_ids([given])[0])))
    assert silent == [False, True, True, True]


def test_what_is_no_word_stays() -> None:
    margin = margin_of(small("transformer"), "classifier").between(0, 1)
    given = Prompted((5, 7, 11))
    found = random_texts(margin, given, (), (0, 1))
    assert (found.moved, found.deviation) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert found.mean == pytest.approx(float(margin.of_ids([given])[0]), abs=1e-12)


def test_a_quiet_margin_needs_more_to_move() -> None:
    assert RandomTexts(32, 0.5, 0.7, 0.3).silent(0.9)
    assert not RandomTexts(32, 0.5, 0.7, 0.3).silent(3.0)
    assert not RandomTexts(32, 0.5, 2.0, 0.3).silent(0.9)
    assert RandomTexts(32, 0.5, 2.0, 0.2).silent(0.9)
    assert RandomTexts(32, 0.5, 2.0, 0.2, turned=4).silent(0.9)
    assert not RandomTexts(32, 0.5, 2.0, 0.2, turned=5).silent(0.9)


def test_a_trained_model_that_wavers_is_not_silent() -> None:
    """A margin of about nothing: the probability of any other text is near, and yet it is answered otherwise."""
    run = gf.load("sentiment")
    ids = tuple(run.objective.prompt(run.tokens, WAVERS).tolist())
    margin = margin_of(run.model, "classifier").between(0, 1)
    found = random_texts(margin, Prompted(ids), range(len(ids)), range(len(SPECIAL)))
    assert abs(float(margin.of_ids([Prompted(ids)])[0])) < 0.4
    assert found.moved < STILL
    assert found.turned > 4
    assert not found.silent(float(margin.of_ids([Prompted(ids)])[0]))


def test_where_order_says_nothing_no_order_turns() -> None:
    run = planted_run()
    text = planted_text(random.Random(3), CAUSE)
    ids = tuple(run.tokens.encode(text).ids)
    margin = margin_of(run.model, "classifier").between(1, 0)
    words = [(place,) for place in range(len(ids))]
    found = other_orders(margin, Prompted(ids), words)
    assert found is not None
    assert (found.count, found.turned) == (16, 0)
    opposite = other_orders(margin, Prompted(tuple(run.tokens.encode(text.replace(CAUSE, OPPOSITE)).ids)), words)
    assert opposite is not None
    assert opposite.turned == 0  # it says the rival in each order: its own answer stays
    assert other_orders(margin, Prompted(ids[:2]), words[:2]) is None

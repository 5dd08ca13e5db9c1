"""The objective *stream*: the loss is over every token after the first."""

import math

import pytest
import torch
from helpers.small_runs import TEXT, language_run

from glassformer.errors import InputError
from glassformer.objectives.lessons import Measures
from glassformer.objectives.stream import lessons
from glassformer.objectives.table import evaluate
from glassformer.text.samples import Plain


def test_the_loss_of_a_text_is_over_every_token_after_the_first() -> None:
    run = language_run()
    scores = evaluate(run.model, run.card, run.tokens, [Plain(TEXT)])
    assert scores["tokens"] == len(TEXT) - 1
    assert scores["bytes"] == len(TEXT)
    assert scores["bits_per_byte"] == pytest.approx(scores["loss"] * (len(TEXT) - 1) / len(TEXT) / math.log(2))
    assert scores["loss_interval"][0] <= scores["loss"] <= scores["loss_interval"][1]
    short = TEXT[:23]
    ids = torch.tensor([run.tokens.encode(short).ids])
    with torch.no_grad():
        wanted = torch.nn.functional.cross_entropy(run.model(ids)[0, :-1], ids[0, 1:])
    found = evaluate(run.model, run.card, run.tokens, [Plain(short)])
    assert found["loss"] == pytest.approx(float(wanted), rel=1e-5)


@pytest.mark.parametrize(("train", "valid", "which"), [("x", TEXT, "training"), (TEXT, "x", "validation")])
def test_too_little_text_is_refused_before_anything_is_trained(train: str, valid: str, which: str) -> None:
    run = language_run()
    measures = Measures(longest=7, tokens_per_batch=70, seed=0)
    with pytest.raises(InputError, match=f"its {which} part has 1 token, and what comes next"):
        lessons([Plain(train)], [Plain(valid)], (), run.tokens, measures)

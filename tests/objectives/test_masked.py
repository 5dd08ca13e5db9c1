"""The objective *masked*: hidden tokens are found where they stood."""

import pytest
from helpers.small_runs import TEXT, language_run

from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import build, configure
from glassformer.objectives.table import evaluate
from glassformer.runs.run import Run
from glassformer.text.samples import Plain


@pytest.mark.parametrize("objective", ["spans", "masked"])
def test_what_is_only_pretrained_has_a_loss(objective: str) -> None:
    run = language_run("spans")
    if objective == "masked":
        config = configure("transformer", vocabulary=len(run.tokens), width=12, heads=3, hidden=13, length=23)
        card = Card(task="classify", model="transformer", config=to_dict(config), objective="masked", longest=23)
        run = Run(build("transformer", config), card, run.tokens)
        with pytest.raises(InputError, match="only learnt to find hidden tokens"):
            run.predict(["text"])
    scores = evaluate(run.model, run.card, run.tokens, [Plain(TEXT[:40]), Plain(TEXT[40:70])])
    assert scores.keys() == {"loss", "perplexity", "tokens", "loss_interval"}

"""The logit lens: its last row is the answer itself; who does not write has none."""

import pytest
from helpers.small_models import small

from glassformer.inside.why.logit_lens import logit_lens
from glassformer.inside.why.margins import Prompted, margin_of
from glassformer.models.registry import MODELS


@pytest.mark.parametrize("name", ["gpt", "modern", "translator"])
def test_the_last_row_is_the_answer(name: str) -> None:
    given = Prompted((5, 7, 11, 6, 17), (2, 9, 8) if name == "translator" else ())
    margin = margin_of(small(name), MODELS[name].family)
    logits = margin.logits([given])[0]
    margin = margin.between(*logits.topk(2).indices.tolist())
    rows = logit_lens(margin, given)
    assert len(rows) == 2
    assert rows[-1].token == margin.answer
    assert rows[-1].margin == pytest.approx(float(margin.of_ids([given])[0]), abs=1e-10)
    assert rows[-1].share == pytest.approx(float(logits.softmax(-1).max()), abs=1e-10)
    assert rows[0].margin != pytest.approx(rows[1].margin)
    assert rows[0].title.endswith("block 1")


def test_a_classifier_has_none() -> None:
    assert logit_lens(margin_of(small("transformer"), "classifier"), Prompted((5, 6))) == []

"""The objective *classes*: a label and a probability for each."""

import pytest
from helpers.small_runs import small_corpus

from glassformer.objectives.predictions import Classified
from glassformer.runs.run import Run
from glassformer.text.samples import Labelled


def test_a_text_has_the_same_answer_alone_and_in_company(classifier: Run) -> None:
    texts = [sample.text for sample in small_corpus("classes").test if isinstance(sample, Labelled)]
    together = classifier.predict(texts)
    for text, found in zip(texts[:7], together, strict=False):
        alone = classifier.predict([text])[0]
        assert isinstance(found, Classified)
        assert isinstance(alone, Classified)
        assert alone.label == found.label == max(found.scores, key=found.scores.__getitem__)
        assert alone.scores == pytest.approx(found.scores, abs=5e-6)
        assert sum(found.scores.values()) == pytest.approx(1.0)
        assert list(found.scores) == ["negative", "positive"]

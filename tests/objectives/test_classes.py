"""The objective *classes*: a label and a probability for each."""

import pytest
from helpers.small_runs import small_corpus

from glassformer.objectives.classes import text_vectors
from glassformer.objectives.objective import Trained
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


def test_the_vector_of_a_text_is_what_the_head_sees(classifier: Run) -> None:
    texts = ["the film was not good", "good", "a film"]
    vectors = text_vectors(Trained(classifier.model, classifier.card, classifier.tokens), texts)
    assert vectors.shape == (3, classifier.card.settings.width)
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == pytest.approx(classifier.look(text).trace["pooled"][0], abs=5e-6)

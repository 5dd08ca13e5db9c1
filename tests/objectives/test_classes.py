"""The objective *classes*: a label and a probability for each."""

import pytest
from helpers.small_runs import small_corpus

from glassformer.objectives.classes import lessons, text_vectors
from glassformer.objectives.lessons import Measures
from glassformer.objectives.objective import Trained
from glassformer.objectives.predictions import Classified
from glassformer.runs.run import Run
from glassformer.text.samples import Labelled
from glassformer.text.tokens import Tokens


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


def test_pieces_are_read_in_training_alone() -> None:
    texts = [Labelled(" ".join(f"w{(i * 7 + j) % 31}" for j in range(60)), "negative") for i in range(11)]
    tokens = Tokens.train("word", [each.text for each in texts], min_frequency=1)
    measures = Measures(longest=47, tokens_per_batch=499, seed=3, crop=1.0)
    found = lessons(texts, texts, ["negative", "positive"], tokens, measures)
    assert [len(row) for batch in found.valid.in_order() for row in batch.ids] == [47] * 11
    sizes = [sorted(int(row.sum()) for row in batch.real) for batch in found.train.in_order()]
    lengths = found.train.lengths(0)  # type: ignore[union-attr]
    assert sorted(lengths) == sorted(size for each in sizes for size in each)  # batches are of what is read
    assert min(lengths) >= 16
    assert sum(lengths) < 11 * 47
    assert lengths != found.train.lengths(1)  # type: ignore[union-attr]

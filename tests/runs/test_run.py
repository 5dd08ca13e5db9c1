"""A trained model in use: what it answers, how it is scored on its own data, and what training left beside it."""

import json

import numpy as np
import pytest
from helpers.small_runs import small_corpus

from glassformer.errors import InputError
from glassformer.objectives.predictions import Writing
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run

# --- predicting -------------------------------------------------------------------------------------------------


def test_a_text_without_a_word_is_one_unknown_word(classifier: Run) -> None:
    assert classifier.predict(["<br />"]) == classifier.predict(["zzzz"])
    with pytest.raises(InputError, match="Text 2 of 2 is empty: there is nothing to classify in it"):
        classifier.predict(["good", " "])


# --- text that goes on ------------------------------------------------------------------------------------------


def test_what_cannot_be_is_told(classifier: Run) -> None:
    with pytest.raises(InputError, match="list of texts"):
        classifier.predict("one text")
    with pytest.raises(InputError, match="Only language models"):
        classifier.stream("text")
    with pytest.raises(InputError, match="`longest` must be"):
        Writing(longest=0)
    with pytest.raises(InputError, match="no characters"):
        Writing(stop=("",))
    with pytest.raises(InputError, match="no part called 'tests'; did you mean 'test'"):
        classifier.evaluate(part="tests")


# --- scores -----------------------------------------------------------------------------------------------------


def test_a_classifier_is_scored_on_its_own_test_part(classifier: Run) -> None:
    scores = classifier.evaluate()
    test = small_corpus("classes").test
    found = classifier.predict([sample.text for sample in test])  # type: ignore[union-attr]
    right = [one.label == sample.label for one, sample in zip(found, test, strict=True)]  # type: ignore[union-attr]
    assert scores["accuracy"] == sum(right) / len(right)
    assert scores["accuracy_interval"][0] <= scores["accuracy"] <= scores["accuracy_interval"][1]
    assert np.array(scores["confusion"]["table"]).trace() == sum(right)
    assert scores["confusion"]["labels"] == ["negative", "positive"]
    assert (scores["data"], scores["part"], scores["samples"]) == ("negation:300", "test", len(test))
    assert {"macro_f1", "calibration_error", "loss", "classes"} <= scores.keys()
    json.dumps(scores, allow_nan=False)
    assert classifier.evaluate(limit=7)["samples"] == 7
    assert classifier.evaluate("negation:300")["accuracy"] == scores["accuracy"]


# --- the data of a run ------------------------------------------------------------------------------------------


def test_what_training_left_is_at_hand(classifier: Run) -> None:
    assert classifier.scores == {}
    assert classifier.certificate == {}
    assert classifier.folder is not None
    RunFolder(classifier.folder).write_scores({"accuracy": 0.5})
    assert classifier.scores == {"accuracy": 0.5}
    assert classifier.certify().passed
    assert repr(classifier).startswith("Run(transformer to classify")


def test_many_texts_of_one_kind_get_one_sentence(classifier: Run) -> None:
    long, strange = "good " * 99, "xyzzy"
    assert classifier.warnings([long, strange, "good"]) == [
        "Text 1 has 99 tokens; only the first 67 are read.",
        "No word of text 2 is known to this model: its answer is a guess.",
    ]
    assert classifier.warnings([long, strange, "good"] * 5) == [
        "5 texts have more than 67 tokens, of which only the first are read: 1, 4, 7, …",
        "Of 5 texts no word is known to this model: answers to 2, 5, 8, … are guesses.",
    ]

"""A pass of a model as a look: its trace, its texts and its answer."""

import numpy as np
import pytest
from helpers.looks import LABELS, look_at_solution, names, numbers_of, small_look, stages_by_address
from helpers.small_models import small

from glassformer.by_hand.worksheets.solution import explain
from glassformer.errors import InputError
from glassformer.inside.answers import first_difference
from glassformer.inside.document.data import view_data
from glassformer.inside.looks import (
    look_at_classifier,
    look_at_translator,
)


@pytest.mark.parametrize("name", ["i-love-ai", "cross", "masked", "two-heads", "synthesizer"])
def test_worked_examples_can_be_looked_at(name: str) -> None:
    solution = explain(name)
    document = view_data(look_at_solution(solution))
    assert document["texts"]["own"] == list(solution.sheet.tokens)
    numbers = numbers_of(document)
    assert all((numbers[a] == solution.trace[a].astype(np.float64)).all() for a in solution.trace)
    assert document["parts"][0]["pattern"] == "weights"


def test_a_translation_stands_beside_the_models_own_words() -> None:
    look = small_look("translator")
    assert look.answer is not None
    assert look.answer["target"] == ["w9", "w23", "w8"]
    assert look.texts.own == ("w2", "w9", "w23", "w8")
    own, led = look.answer["own"], look.answer["target"]
    assert look.answer["divergence"] == first_difference(own, led)
    alignment = np.array(look.answer["alignment"])
    assert alignment.shape == (4, 7)
    assert np.allclose(alignment.sum(-1), 1)
    by_itself = look_at_translator(small("translator"), [7, 5, 11], ["a", "b", "c"], names)  # type: ignore[arg-type]
    assert by_itself.answer is not None
    assert by_itself.answer["target"] is None
    assert list(by_itself.texts.own[1:]) == by_itself.answer["own"]


def test_writing_a_stage_is_seen_and_changes_the_answer() -> None:
    model = small("transformer")
    ids = [7, 5, 11]
    plain = look_at_classifier(model, ids, names(ids), LABELS)
    uniform = np.full((1, 3, 3, 3), 1 / 3, dtype=np.float32)
    changed = look_at_classifier(model, ids, names(ids), LABELS, write={"encoder.0.self.weights": uniform})
    stage = stages_by_address(view_data(changed))["encoder.0.self.weights"]
    assert stage["written"]
    assert stage["unlike"] == [[0, 27]]  # all of them were put there; the others would be worked as ever
    assert changed.answer != plain.answer


def test_what_cannot_be_looked_at_says_why() -> None:
    with pytest.raises(InputError, match="no tokens"):
        look_at_classifier(small("transformer"), [], [], LABELS)
    with pytest.raises(InputError, match=r"model\.eval\(\)"):
        look_at_classifier(small("transformer").train(), [5], ["a"], LABELS)

"""An address of the studio is there or it is not; its numbers are those of the core."""

import json
from pathlib import Path

import pytest
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.studio.lessons.places import Places
from glassformer.studio.shelf import Shelf

HAND = {"room": "by-hand", "example": "i-love-ai"}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    root: Path = tmp_path_factory.mktemp("places")
    return Places(Shelf([small_run(root / "small", "classes").path]))


INSIDE = {"room": "inside", "model": "small", "text": "a good film"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"stage": "weights", "cell": "weights,2,1"}, ""),
        ({"tab": "masks"}, ""),
        ({"example": "i-love-bi"}, "did you mean 'i-love-ai'"),
        ({"example": ""}, "nothing says what is shown"),
        ({"stage": "wieghts"}, "wieghts"),
        ({"cell": "weights,2,3"}, "is not one of its numbers"),
        ({"tab": "mask"}, "did you mean 'masks'"),
        ({"hed": "1"}, "is not part of an address"),
        ({"room": "by-hnad"}, "did you mean 'by-hand'"),
        ({"sheet": "{"}, "copy the address"),
        ({"room": "race", "example": "x"}, "'example' is not part"),
    ],
)
def test_an_address_by_hand(places: Places, change: dict[str, str], said: str) -> None:
    found = places.faults({**HAND, **change})
    assert (found == []) == (said == "")
    assert said in " ".join(found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"at": "encoder.0.self.weights", "head": "1", "row": "2", "cell": "0,1,2,2"}, ""),
        ({"instead": "a bad film"}, ""),
        ({"model": "smal"}, "no model called"),
        ({"at": "encoder.0.self.wieghts"}, "wieghts"),
        ({"at": "encoder.0.self.weights", "head": "7"}, "there is no head 7"),
        ({"at": "encoder.0.self.weights", "row": "3"}, "there is no row 3"),
        ({"at": "encoder.0.self.weights", "cell": "0,0,0,3"}, "is not one of its numbers"),
        ({"view": "answr"}, "did you mean 'answer'"),
        ({"rival": "nobody"}, "nobody"),
    ],
)
def test_an_address_inside(places: Places, change: dict[str, str], said: str) -> None:
    found = places.faults({**INSIDE, **change})
    assert (found == []) == (said == ""), found
    assert said in " ".join(found)


def test_numbers_and_facts_are_worked(places: Places) -> None:
    assert places.number(HAND, "scores[2,2]") == 3
    assert places.number(HAND, "−0.5") == -0.5
    assert places.holds(HAND, "scores[2,2] > scores[2,1]") == (True, "3 > 2")
    assert places.holds(HAND, "scores[2,2] < 3") == (False, "3 < 3")
    assert places.holds(HAND, "weights[0,1] = weights[0,2]")[0]
    with pytest.raises(InputError, match="is no comparison"):
        places.holds(HAND, "scores[2,2]")
    with pytest.raises(InputError, match="has no stages"):
        places.number({"room": "race"}, "scores[0,0]")


def test_what_can_be_done_there(places: Places) -> None:
    assert places.cell(HAND, "scores[2,1]") == ("scores", (0, 0, 2, 1))
    assert places.given(HAND, "inputs") == [[1, 0], [0, 1], [1, 1]]
    assert places.head(INSIDE, "encoder.0.self/1") == ("encoder.0.self.mixed", 1)
    with pytest.raises(InputError, match="did you mean 'inputs'"):
        places.given(HAND, "input")
    assert places.given(HAND, "scale") is None  # as usual
    assert places.given({**INSIDE, "target": ""}, "target") is None
    assert places.given(INSIDE, "text") == INSIDE["text"]
    assert places.head(INSIDE, "any") is None
    with pytest.raises(InputError, match="there is no given 'inputs'; known: target, text"):
        places.given(INSIDE, "inputs")
    with pytest.raises(InputError, match="only the rooms by-hand and inside"):
        places.given({"room": "race"}, "text")
    with pytest.raises(InputError, match="there is no head 9"):
        places.head(INSIDE, "encoder.0.self/9")
    with pytest.raises(InputError, match="names no head"):
        places.head(INSIDE, "encoder")


def test_a_sentence_of_ones_own_is_a_worksheet_on_the_page(places: Places) -> None:
    there = {"room": "by-hand", "sentence": "tea or water", "stage": "weights"}
    assert places.faults(there) == []
    shown = places.shown(there)
    assert "sentence" not in shown
    assert json.loads(shown["sheet"])["tokens"] == ["tea", "or", "water"]
    assert places.number(shown, "weights[0,1,2]") == places.number(there, "weights[0,1,2]")
    assert places.shown(HAND) == HAND

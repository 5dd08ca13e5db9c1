"""`/v1/trace`: the stages of a pass, by their addresses, bounded."""

import json

import numpy as np
import pytest
from helpers.server_visits import Caller

from glassformer.errors import InputError
from glassformer.serving import traces
from glassformer.serving.traces import Wanted, traced

PATH = "/v1/trace"


def test_first_the_list_then_the_numbers(caller: Caller) -> None:
    text = "the film was not good"
    listed = caller.told(PATH, model="classes", input=text)
    addresses = [each["address"] for each in listed["stages"]]
    assert "encoder.0.self.weights" in addresses
    assert not any("values" in each for each in listed["stages"])
    assert listed["tokens"] == text.split()
    (weights,) = caller.told(PATH, model="classes", input=text, stages="encoder.0.self.weights")["stages"]
    shown = caller.server.roster.models["classes"].run.look(text)
    assert np.array(weights["values"], dtype=np.float32) == pytest.approx(shown.trace["encoder.0.self.weights"])
    assert (weights["axes"], weights["shape"]) == (["B", "H", "Tq", "Tk"], [1, 3, 5, 5])


def test_a_translator_can_be_led_and_a_language_model_reads(caller: Caller) -> None:
    asked = {"model": "pairs", "input": "the third of March 1984", "target": "1984-03-03"}
    (weights,) = caller.told(PATH, **asked, stages=["decoder.1.cross.weights"])["stages"]
    assert weights["shape"] == [1, 3, 11, 23]
    (ids,) = caller.told(PATH, model="stream", input="the cat", stages=["ids"])["stages"]
    assert ids["shape"] == [1, 7]
    (ids,) = caller.told(PATH, model="stream", input="the cat", stages=["ids"], max_tokens=3)["stages"]
    assert ids["shape"][1] <= 10
    (mask,) = caller.told(PATH, model="stream", input="the cat", stages=["blocks.0.self.masked"])["stages"]
    assert mask["values"][0][0][0][1] == "-Infinity"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"input": "the cat", "stages": ["blocks.0.self.wieghts"]}, "did you mean 'blocks.0.self.weights'"),
        ({"input": "the cat", "target": "x"}, "Only a translator"),
        ({"input": "  "}, "no text yet"),
        ({"input": "a" * 300}, "has 300 tokens; at most 256"),
        ({"input": "a", "stages": ["x"] * 65}, "'stages' must be"),
        ({}, "'input' must be"),
    ],
)
def test_what_cannot_be_traced_is_told_in_words(caller: Caller, asked: dict[str, object], said: str) -> None:
    assert said in caller.refused(PATH, model="stream", **asked)


def test_an_answer_is_bounded(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST_NUMBERS", 10)
    trained = caller.server.roster.models["stream"].trained
    with pytest.raises(InputError, match="Ask for fewer stages"):
        traced(Wanted(trained, None, None, ("embedded",)), "the cat")


def test_the_largest_answer_is_below_eight_megabytes() -> None:
    longest = max(
        len(json.dumps(float(np.float32(each)))) for each in (-1.1754943e-38, -3.4028235e38, -0.1, -1.0000001)
    )
    assert traces.MOST_NUMBERS * (longest + 2) <= 8_000_000  # with a comma, and a blank or a bracket

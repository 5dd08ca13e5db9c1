"""`/v1/why`: the run's own reasons, over HTTP, bounded."""

import pytest
from helpers.server_visits import Caller

PATH = "/v1/why"
TEXT = "the film was not good"


def test_it_is_what_the_run_says(caller: Caller) -> None:
    found = caller.told(PATH, model="classes", input=TEXT, instead="the film was so good")
    why = caller.server.roster.models["classes"].run.why(TEXT, instead="the film was so good")
    assert found["sentences"] == why.sentences
    assert found["object"] == "why"
    assert [word["share"] for word in found["words"]] == pytest.approx([word.share for word in why.reasons.words])
    assert sum(found["blocks"].values()) == pytest.approx(found["margin"])
    assert found["twin"]["changed"] == [["not", "so"]]


def test_a_token_and_a_rival_can_be_chosen(caller: Caller) -> None:
    asked = {"model": "pairs", "input": "the third of March 1984", "target": "1984-03-03"}
    found = caller.told(PATH, **asked, at=3, rival="0")
    assert (found["answer"], found["rival"]) == ("8", "0")
    assert caller.told(PATH, **asked, at=3, answer="0", rival="8")["margin"] == pytest.approx(-found["margin"])
    assert caller.told(PATH, **asked, at=3, rival_id=found["rival_id"])["margin"] == pytest.approx(found["margin"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"input": "a" * 129}, "has 129 tokens; why is answered for 128 at most"),
        ({"input": "the cat", "instead": "a" * 129}, "has 129 tokens"),
        ({"input": "the cat", "rival": "§"}, "is no token of this model"),
        ({"input": "the cat", "rival_id": 10**6}, "There is no answer 1000000: this model has ids 0 to"),
        ({"input": " "}, "There is no text"),
        ({"input": "the cat", "at": 0}, "'at' must be"),
        ({}, "'input' must be"),
    ],
)
def test_what_cannot_be_asked_is_told_in_words(caller: Caller, asked: dict[str, object], said: str) -> None:
    assert said in caller.refused(PATH, model="stream", **asked)

"""Changes to a pass: a head switched off, a number put in place, a stage from another text."""

from typing import Any

import numpy as np
import pytest
import torch
from helpers.studio_visits import Visitor, asked

from glassformer.errors import InputError
from glassformer.stages.trace import Entry, Trace
from glassformer.studio.rooms.changes import Asked, read_changes, writes

TEXT = "the film was not good"


def test_a_number_a_frozen_pattern_and_a_patch(visitor: Visitor) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    scores = next(each["address"] for each in stages if each["name"] == "scores")
    changes: list[dict[str, Any]] = [
        {"kind": "number", "address": scores, "index": [0, 1, 2, 3], "value": 40},
        {"kind": "take", "address": weights, "head": 2, "text": "a dull and weak film"},
        {"kind": "take", "address": weights, "head": None, "text": "a dull and weak film"},
    ]
    for change in changes:
        found = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[change])
        assert found["before"] != found["data"]["answer"]
    same = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[{**changes[2], "text": TEXT}])
    for before, after in zip(same["before"]["items"], same["data"]["answer"]["items"], strict=True):
        assert before["name"] == after["name"]
        assert before["share"] == pytest.approx(after["share"], abs=1e-6)  # the fused kernel adds in another order


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "take", "address": "{weights}", "head": None, "text": "short"}, "as many tokens"),
        ({"kind": "number", "address": "{weights}", "index": [0, 9, 9, 9], "value": 1}, "no number at"),
        ({"kind": "head off", "address": "{weights}", "head": 7}, "no head 7"),
        ({"kind": "number", "address": "nowhere", "index": [0], "value": 1}, "nowhere"),
        ({"kind": "number", "address": "{weights}", "index": [0, 0, 0, 0], "value": "1"}, "must be a number"),
        ({"kind": "network off", "address": "{weights}"}, "feed-forward"),
        ({"kind": "explode", "address": "x"}, "explode"),
    ],
)
def test_a_change_that_cannot_be_is_told_in_words(visitor: Visitor, change: dict[str, Any], said: str) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    answer = visitor.ask(
        "inside/look",
        {
            "model": "classes",
            "text": TEXT,
            "changes": [{**change, "address": change["address"].format(weights=weights)}],
        },
    )
    assert answer.status == 422
    assert said in answer.json["error"]


def test_a_network_that_is_off_hands_on_nothing_and_is_told(visitor: Visitor) -> None:
    usual = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]
    address = next(each["address"] for each in usual["stages"] if each["name"] == "contracted")
    change = {"kind": "network off", "address": address}
    found = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[change])
    assert found["before"] == usual["answer"] != found["data"]["answer"]
    assert found["data"]["off"] == [address.removesuffix(".contracted")]
    weights = asked(visitor, "inside/matters", model="classes", text=TEXT)["matters"]
    before, after = (
        {each["name"]: each["share"] for each in items}
        for items in (found["before"]["items"], found["data"]["answer"]["items"])
    )
    assert weights[found["data"]["off"][0]] == pytest.approx(
        sum(abs(before[n] - after[n]) for n in before) / 2, abs=1e-6
    )


def test_changes_at_one_address_follow_each_other() -> None:
    content = {
        "changes": [
            {"kind": "number", "address": "mixed", "index": [0, 1, 2, 0], "value": 7},
            {"kind": "head off", "address": "mixed", "head": 0},
        ]
    }
    changes = read_changes(content, longest=10)
    (change,) = writes(changes, lambda text: Trace()).values()
    stage = change(torch.ones(1, 2, 3, 1))
    assert stage[0, :, :, 0].tolist() == [[0.0, 0.0, 0.0], [1.0, 1.0, 7.0]]


def test_a_stage_is_taken_from_a_text_of_as_many_tokens() -> None:
    other = Trace()
    other.add(Entry("mixed", np.full((1, 2, 3, 1), 5.0)))
    taken = Asked("take", "mixed", head=1, text="another").on(lambda text: other)
    assert taken(torch.zeros(1, 2, 3, 1))[0, :, :, 0].tolist() == [[0.0] * 3, [5.0] * 3]
    with pytest.raises(InputError, match="mixed is 2 × 5 × 1 here, but 2 × 3 × 1 for “another”"):
        taken(torch.zeros(1, 2, 5, 1))

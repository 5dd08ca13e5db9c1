"""What came out: candidates with their probabilities, and where two answers part."""

import numpy as np
import pytest
import torch
from helpers.looks import LABELS, small_look

from glassformer.inside.answers import candidates, come_to_shares, first_difference, likeliest_ids, worth_showing


def test_the_classes_come_with_their_shares() -> None:
    look = small_look("transformer")
    assert look.answer is not None
    items = look.answer["items"]
    expected = torch.tensor(look.trace["logits"][0]).double().softmax(-1)
    assert {item["name"]: item["share"] for item in items} == pytest.approx(
        dict(zip(LABELS, expected.tolist(), strict=True))
    )
    assert [item["share"] for item in items] == sorted((item["share"] for item in items), reverse=True)
    assert items[0]["text"].endswith(f"= {items[0]['share']:.4g}")


def test_the_next_token_comes_with_what_really_followed() -> None:
    look = small_look("gpt")
    assert look.answer is not None
    steps = look.answer["steps"]
    assert [step["given"] and step["given"]["name"] for step in steps] == ["w5", "w11", "w28", "w5", "w19", "w6", None]
    shares = torch.tensor(look.trace["logits"][0]).double().softmax(-1)
    assert steps[2]["given"]["share"] == pytest.approx(float(shares[2, 28]))
    assert steps[2]["items"][0]["id"] == int(shares[2].argmax())


@pytest.mark.parametrize(
    ("left", "right", "place"), [([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1], [1, 2], 1), ([], [1], 0)]
)
def test_the_first_difference(left: list[int], right: list[int], place: int | None) -> None:
    assert first_difference(left, right) == place


def test_a_share_is_spelled_out() -> None:
    logits = np.log(np.array([[1.0, 2.0, 5.0]]))
    found = candidates(logits, (0,), [2, 0], ["five", "one"])
    assert [each.share for each in found] == pytest.approx([0.625, 0.125])
    assert found[0].text == "e^1.609 / (e^0 + e^0.693 + e^1.609) = 0.625"
    assert found[0].index == (0, 2)


def test_of_equals_the_smaller_id_is_first() -> None:
    assert likeliest_ids(np.array([1.0, 3.0, 3.0, 2.0]), 3) == [1, 2, 3]
    assert worth_showing(np.array([[1.0, 3.0], [5.0, 2.0]]), [7]) == [0, 1, 7]


def test_a_softmax_needs_a_finite_number_in_each_row() -> None:
    assert come_to_shares(np.array([[1.0, -np.inf], [0.0, 2.0]]))
    for odd in ([np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf]):
        assert not come_to_shares(np.array([[1.0, 2.0], odd]))

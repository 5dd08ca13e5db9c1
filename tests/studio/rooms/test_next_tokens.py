"""What may come next: shares as the sampler has them, one drawn by its seed, refusals in words."""

import pytest
from helpers.studio_visits import Visitor, asked, refused

WIDE = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}
MODEL = {"model": "shakespeare", "text": "To be, or not to b"}


def test_the_sliders_change_the_shares_and_not_what_the_model_says(visitor: Visitor) -> None:
    plain = asked(visitor, "inside/next", **MODEL, **WIDE)
    assert [item["share"] for item in plain["items"]] == pytest.approx([item["raw"] for item in plain["items"]])
    assert plain["kept"] == plain["vocabulary"]
    assert plain["items"][0]["piece"] == "e"
    sharp = asked(visitor, "inside/next", **MODEL, **{**WIDE, "temperature": 0.5})
    squares = [item["raw"] ** 2 for item in plain["items"]]
    ratio = sharp["items"][0]["share"] / sharp["items"][1]["share"]
    assert ratio == pytest.approx(squares[0] / squares[1], rel=1e-4)
    two = asked(visitor, "inside/next", **MODEL, **{**WIDE, "top_k": 2})
    assert two["kept"] == 2
    assert [item["share"] > 0 for item in two["items"][:3]] == [True, True, False]
    assert sum(item["share"] for item in two["items"]) == pytest.approx(1)


def test_one_is_drawn_by_its_seed(visitor: Visitor) -> None:
    one = asked(visitor, "inside/next", **MODEL, **{**WIDE, "top_k": 1}, seed=5)
    assert one["drawn"] == one["items"][0]["piece"]
    again = [asked(visitor, "inside/next", **MODEL, **WIDE, seed=7)["drawn"] for _ in range(2)]
    assert again[0] == again[1]


def test_what_cannot_be_asked_is_told(visitor: Visitor) -> None:
    assert "Only a model of running text" in refused(visitor, "inside/next", model="classes", text="a", **WIDE)
    assert "'temperature' must be" in refused(visitor, "inside/next", **MODEL, **{**WIDE, "temperature": 0})

"""Heads that were made to do one thing are called so; one that does nothing of the kind has no name."""

import numpy as np
import pytest

from glassformer.inside.head_names import FEWEST, head_names, measures
from glassformer.inside.looks import Look
from glassformer.inside.parts import Texts
from glassformer.stages.trace import Entry, Trace

TOKENS = ("tea", "is", "hot", ",", "tea", "is", "good")
SIZE = len(TOKENS)


def made(kind: str) -> np.ndarray:  # type: ignore[type-arg]
    r, c = np.indices((SIZE, SIZE))
    cells = {
        "previous token": c == np.maximum(r - 1, 0),
        "next token": c == np.minimum(r + 1, SIZE - 1),
        "itself": c == r,
        "first token": c == 0,
        "punctuation": c == 3,
    }
    if kind == "broad":
        return np.full((SIZE, SIZE), 1 / SIZE)
    return cells[kind].astype(float)


def look(*heads: np.ndarray) -> Look:  # type: ignore[type-arg]
    trace = Trace()
    trace.add(Entry("encoder.0.self.weights", np.stack(heads)[None].astype(np.float32), "softmax"))
    return Look(trace, Texts(own=TOKENS))


KINDS = ("previous token", "next token", "itself", "first token", "punctuation", "broad")


def test_each_made_head_has_its_name() -> None:
    found = head_names([look(*(made(kind) for kind in KINDS))] * FEWEST)
    assert [found[f"encoder.0.self/{i}"].name for i in range(len(KINDS))] == list(KINDS)
    assert found["encoder.0.self/0"].share == pytest.approx(1)
    assert found["encoder.0.self/3"].first == pytest.approx(1)


def test_a_sink_does_not_hide_what_is_left() -> None:
    """Nine tenths go to the first token; of the rest all goes to the word before."""
    mixed = 0.9 * made("first token") + 0.1 * made("previous token")
    (found,) = head_names([look(mixed)] * FEWEST).values()
    assert found.name == "previous token"
    assert found.share == pytest.approx(1)
    assert found.of_all == pytest.approx(0.1)  # of all weight, which the first token has nearly all of
    assert found.first == pytest.approx(0.9 + 0.1 * 2 / SIZE)  # the first two words have nowhere else to look


def test_few_looks_and_odd_heads_get_no_name() -> None:
    (few,) = head_names([look(made("next token"))] * (FEWEST - 1)).values()
    assert few.name == ""
    draw = np.random.default_rng(5)
    odd = [look(draw.dirichlet(np.full(SIZE, 0.3), SIZE)) for _ in range(FEWEST)]
    (found,) = head_names(odd).values()
    assert found.name == ""


def test_induction_is_judged_on_tokens_that_come_twice() -> None:
    """Four tokens twice: row 5 saw its token at 1, so it should look at 2. The first row of the second half may look
    at 1, and the last one at 4."""
    r, c = np.indices((8, 8))
    follows = np.where(r < 4, c == np.maximum(r - 1, 0), c == r - 3).astype(float)
    half = 0.5 * follows + 0.5 * (c == 0)  # what flows to the first token is taken out

    def twice(*heads: np.ndarray) -> Look:  # type: ignore[type-arg]
        trace = Trace()
        trace.add(Entry("encoder.0.self.weights", np.stack(heads)[None].astype(np.float32), "softmax"))
        return Look(trace, Texts(own=("a", "b", "c", "d") * 2))

    plain = [look(np.full((SIZE, SIZE), 1 / SIZE), np.full((SIZE, SIZE), 1 / SIZE))] * FEWEST
    found = head_names(plain, [twice(half, np.full((8, 8), 1 / 8))] * FEWEST)
    assert [found[f"encoder.0.self/{i}"].name for i in range(2)] == ["induction", "broad"]
    assert found["encoder.0.self/0"].induction == pytest.approx(1)
    assert found["encoder.0.self/1"].induction == pytest.approx(1 / 6)
    few = head_names(plain, [twice(half, half)] * (FEWEST - 1))
    assert {(each.name, each.induction) for each in few.values()} == {("broad", None)}
    assert "induction" not in few["encoder.0.self/0"].to_dict()


def test_shares_by_pencil() -> None:
    """Only the last row has two others to choose from: it gives 0.2 of 0.3 to the word before."""
    weights = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.4, 0.24, 0.36, 0], [0.4, 0.1, 0.2, 0.3]])
    allowed = np.tril(np.ones((4, 4)))
    found = measures(weights, ("a", "b", "a", "b"), allowed, crosses=False)
    assert found["first token"] == pytest.approx((0.5 + 0.4 + 0.4) / 3)
    assert found["itself"] == pytest.approx((0.5 + 0.36 + 0.3) / 3)
    assert found["previous token"] == pytest.approx(2 / 3)
    assert found["same token"] == pytest.approx(1 / 3)
    assert found["previous token, of all"] == pytest.approx(0.2)

"""Which axes of scores are queries and heads: read off what is hidden, and said where it does not show."""

import math

import torch
from helpers.watched_models import Plain
from helpers.watching import draw, watched

from glassformer.inside.watching.following.axes import four_axes, standing_of

FUTURE = torch.ones(5, 5, dtype=torch.bool).triu(1)


def test_axes_of_scores_by_their_number() -> None:
    assert [four_axes(shape) for shape in ((5, 7), (2, 5, 7), (2, 3, 5, 7), (2, 3, 11, 5, 7))] == [
        (1, 1, 5, 7), (2, 1, 5, 7), (2, 3, 5, 7), (2, 33, 5, 7),
    ]  # fmt: skip
    assert [bool(standing_of(shape)) for shape in ((5, 7), (1, 5, 7), (2, 5, 7), (2, 3, 5, 7), (2, 3, 11, 5, 7))] == [
        False, False, True, False, True,
    ]  # fmt: skip


def test_heads_that_share_their_keys_are_told_from_queries_by_what_is_hidden() -> None:
    q, k, v = draw(2, 5, 3, 4), draw(2, 5, 4, seed=1), draw(2, 5, 7, seed=2)
    for scores, mixed, future in (
        ("bthc,bsc->bhts", "bhts,bsc->bthc", FUTURE),
        ("bthc,bsc->bths", "bths,bsc->bthc", FUTURE[:, None]),  # as DeepSeek-V3 has them
    ):

        def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            hidden = torch.einsum(scores, q, k).masked_fill(future, -math.inf)  # noqa: B023
            return torch.einsum(mixed, hidden.softmax(-1), v)  # noqa: B023

        seen = watched(Plain(attention), q, k, v)
        (call,) = seen.calls
        assert seen.honest
        assert (call.shapes["weights"], call.shapes["keys"], call.causal) == ((2, 3, 5, 5), (2, 1, 5, 4), True)
        assert seen.sentences[0].startswith(
            "The model (softmax): 3 heads sharing 1 set of keys and values, 5 queries × 5"
        )
        assert not call.standing


def test_where_nothing_tells_heads_from_queries_that_is_said() -> None:
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.einsum("bths,bsc->bthc", torch.einsum("bthc,bsc->bths", q, k).softmax(-1), v)

    (call,) = watched(Plain(attention), draw(2, 5, 3, 4), draw(2, 5, 4, seed=1), draw(2, 5, 7, seed=2)).calls
    assert call.shapes["weights"] == (2, 3, 5, 5)  # as many as there are keys are likelier the queries
    assert "they may stand otherwise." in str(call)


def test_rows_with_keys_of_their_own_and_axes_of_unknown_meaning_are_called_so() -> None:
    def window(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.einsum("btc,btwc->btw", q, k)
        scores = scores.masked_fill(FUTURE[:, :3], -1e4)
        return torch.einsum("btw,btwc->btc", scores.softmax(-1), v)

    seen = watched(Plain(window), draw(2, 5, 4), draw(2, 5, 3, 4, seed=1), draw(2, 5, 3, 4, seed=2))
    (call,) = seen.calls
    assert "5 heads, 1 query × 3 keys, batch of 2, masked. Each row asks alone" in str(call)
    assert "Each row asks alone" in seen.look().look.about
    (call,) = watched(
        Plain(lambda q, k, v: (q @ k.mT).softmax(-1) @ v), *(draw(3, 5, 4, seed=i) for i in range(3))
    ).calls
    assert "batch of 3. What is called a batch may be texts, heads or both." in str(call)


def test_a_question_put_to_all_rows_of_its_text() -> None:
    def asked(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.tanh(q[:, None] + k).sum(-1)
        return torch.bmm(scores.softmax(1).unsqueeze(1), v).squeeze(1)

    seen = watched(Plain(asked), draw(2, 4), draw(2, 5, 4, seed=1), draw(2, 5, 7, seed=2))
    assert seen.honest, seen.sentences
    assert seen.calls[0].shapes["weights"] == (2, 1, 1, 5)

"""What attention refuses at its door, with an error that names the value and what was expected."""

from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.layers import attention_checks as checks
from glassformer.layers.attention import (
    Attention,
    Weigher,
    attend,
    sigmoid,
    softmax,
)
from glassformer.layers.positions import Rotary
from glassformer.stages.watchers import Watcher, nothing


def explicit(name: str, value: Tensor, how: str = "") -> Tensor:
    """A watcher that puts a copy of the scores in place, so that the answer must come from the shown stages."""
    return value.clone() if name.endswith("scores") else value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_model": 7, "n_heads": 2}, "width of 7 .* among 2 heads"),
        ({"d_model": 6, "n_heads": 3, "n_kv_heads": 2}, "3 heads cannot share 2"),
        ({"d_model": 6, "n_heads": 0}, "`n_heads` must be at least 1; it is 0"),
        ({"d_model": 6, "dropout": -0.5}, "between 0 and 1; it is -0.5"),
        ({"d_model": 6, "dropout": 2.0}, "between 0 and 1; it is 2.0"),
        ({"d_model": 6, "learned": "QKV"}, "'QKV'"),
        ({"d_model": 6, "learned": "kvo", "d_key": 5}, "learned 'q' the width must stay 6, but .* 5"),
        ({"d_model": 6, "learned": "qvo", "d_context": 7}, "learned 'k' the width must stay 7, but .* 6"),
        ({"d_model": 6, "learned": "qko", "d_value": 5}, "learned 'v' the width must stay 6, but .* 5"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Attention(**options)


@pytest.mark.parametrize(
    ("x", "context", "message"),
    [
        ((5, 6), None, r"`x` must have shape \[batch, tokens, 6\]; it has \[5, 6\]"),
        ((2, 5, 7), None, r"it has \[2, 5, 7\]"),
        ((2, 5, 6), (2, 3, 6), r"`context` must have shape \[batch, tokens, 11\]; it has \[2, 3, 6\]"),
        ((2, 5, 6), (3, 11), r"it has \[3, 11\]"),
        ((2, 5, 6), (3, 5, 11), "`x` is a batch of 2, but `context` is one of 3"),
        ((2, 5, 6), (1, 5, 11), "`x` is a batch of 2, but `context` is one of 1"),
    ],
)
def test_rows_of_the_wrong_shape_are_refused(x: tuple[int, ...], context: tuple[int, ...] | None, message: str) -> None:
    module = Attention(6, 2, d_context=11)
    with pytest.raises(InputError, match=message):
        module(torch.randn(x), None if context is None else torch.randn(context))


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        (torch.ones(5, 5, dtype=torch.bool), "torch.bool.*`mask`"),
        (torch.ones(5, 5, dtype=torch.int64), "torch.int64"),
        (torch.ones(5), r"shape \[5\] does not fit 5 queries and 5 keys"),
        (torch.ones(3, 5), r"shape \[3, 5\]"),
        (torch.ones(2, 3, 5, 5), r"shape \[2, 3, 5, 5\] .* 2 heads"),
    ],
)
@pytest.mark.parametrize("see", [nothing, explicit])
def test_a_bias_of_the_wrong_kind_is_refused(bias: Tensor, message: str, see: Watcher) -> None:
    with pytest.raises(InputError, match=message):
        Attention(6, 2)(torch.randn(2, 5, 6), score_bias=bias, see=see)


@pytest.mark.parametrize(
    ("positions", "d_key", "message"),
    [
        (torch.arange(4)[None], 6, r"\[2, 5, pairs\].*\[1, 4, 3\]"),
        (torch.arange(1)[None], 6, r"\[1, 1, 3\]"),
        (torch.zeros(3, 5, dtype=torch.int64), 6, r"\[3, 5, 3\]"),
        (torch.arange(5)[None], 8, "4 pairs of columns, but a key is only 6 wide"),
    ],
)
def test_angles_that_do_not_fit_are_refused(positions: Tensor, d_key: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Attention(6, 2, d_key=6)(torch.randn(2, 5, 6), angles=Rotary(d_key)(positions))


def test_angles_belong_to_one_sequence() -> None:
    x = torch.randn(2, 5, 6)
    with pytest.raises(InputError, match="`angles` or `context`"):
        Attention(6)(x, x, angles=Rotary(6)(torch.arange(5)[None]))


@pytest.mark.parametrize("weigher", [softmax, sigmoid])
def test_heads_that_cannot_be_shared_are_refused(weigher: Weigher) -> None:
    rows = torch.randn(1, 3, 5, 7)
    with pytest.raises(InputError, match="3 heads cannot share 2"):
        attend(rows, rows[:, :2], rows[:, :2], weigher=weigher)


@pytest.mark.parametrize(
    ("queries", "keys", "values", "message"),
    [
        ((1, 2, 3, 5), (1, 2, 7, 5), (1, 2, 1, 5), "one value for each key"),
        ((1, 2, 3, 5), (1, 2, 3, 5), (1, 2, 7, 5), "one value for each key"),
        ((1, 2, 3, 5), (2, 2, 3, 5), (2, 2, 3, 5), "all of one batch"),
        ((1, 2, 3, 5), (1, 2, 3, 7), (1, 2, 3, 5), "equally wide"),
        ((2, 3, 5), (2, 3, 5), (2, 3, 5), "four axes"),
    ],
)
def test_what_does_not_belong_together_is_not_attended(
    queries: tuple[int, ...], keys: tuple[int, ...], values: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        checks.shape_of(torch.randn(queries), torch.randn(keys), torch.randn(values))


def test_a_causal_attention_takes_no_context() -> None:
    with pytest.raises(InputError, match="causal: it looks back within one sequence"):
        Attention(6, 2, causal=True)(torch.randn(1, 5, 6), torch.randn(1, 7, 6))

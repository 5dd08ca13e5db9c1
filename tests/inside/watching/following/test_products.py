"""Products as torch spells them, read as queries with keys or as weights with values."""

import pytest
import torch
from torch import Tensor

from glassformer.inside.watching.following.products import PRODUCTS, argument, arranged

Q, K, V = torch.randn(2, 3, 5, 11), torch.randn(2, 3, 7, 11), torch.randn(2, 3, 7, 13)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("matmul", (Q, K.mT)),
        ("einsum", ("bhqd,bhkd->bhqk", Q, K)),
        ("einsum", ("...qd,...kd->...qk", Q, K)),
        ("einsum", ("bqhd,bkhd->bhqk", Q.transpose(1, 2), K.transpose(1, 2))),
        ("einsum", ("bhqd,bhkd->bkqh", [Q, K])),
    ],
)
def test_queries_and_keys_are_brought_into_order(name: str, args: tuple[object, ...]) -> None:
    product = PRODUCTS[name](args, {})
    assert product is not None
    found = product.pairing()
    assert found is not None
    queries, keys, axes = found
    assert torch.equal(arranged(product.left, queries), Q)
    assert torch.equal(arranged(product.right, keys), K)
    scores = getattr(torch, name)(*args)
    torch.testing.assert_close(scores.permute(axes), Q @ K.mT)


def test_values_are_brought_into_order() -> None:
    weights = torch.randn(2, 3, 5, 7)
    product = PRODUCTS["einsum"](("bhqk,bkhv->bqhv", weights, V.transpose(1, 2)), {})
    assert product is not None
    found = product.mixing((0, 1, 2, 3))
    assert found is not None
    values, axes = found
    assert torch.equal(arranged(product.right, values), V)
    assert axes == (0, 2, 1, 3)


@pytest.mark.parametrize("args", [("bhqd,bhkd", Q, K), ("ii->i", torch.ones(3, 3)), ("bhqd,bhkd,bhkv->bhqv", Q, K, V)])
def test_what_is_no_product_of_two_is_none(args: tuple[object, ...]) -> None:
    assert PRODUCTS["einsum"](args, {}) is None


def test_factors_may_be_turned_and_something_added() -> None:
    flat: tuple[Tensor, ...] = (torch.ones(2, 5, 7), torch.randn(2, 5, 11), torch.randn(2, 11, 7))
    product = PRODUCTS["baddbmm"](flat, {"beta": 3, "alpha": 0.5})
    assert product is not None
    assert product.alpha == 0.5
    assert torch.equal(product.added, 3 * flat[0])  # type: ignore[arg-type]
    assert product.turned().left is product.right
    assert product.turned().turned() == product


def test_an_argument_by_place_or_by_name() -> None:
    assert argument((1, 2), {"other": 3}, 1, "other") == 2
    assert argument((1,), {"mat2": 3}, 1, "other", "mat2") == 3
    assert argument((1,), {}, 1, "other") is None

"""The bookkeeping of kernels: where shares are made, and where they meet what they weigh."""

import torch
from torch import Tensor

from glassformer.inside.watching.beneath.marks import NONE, Bookkeeping, Marks

X, W, V = torch.zeros(5, 7), torch.zeros(5, 7), torch.zeros(7, 3)


def kinds(marks: Marks) -> set[str]:
    return {mark.kind for mark in marks}


def softmaxed(book: Bookkeeping) -> Marks:
    return book.after("_softmax", [(X, NONE, False)], W, [X, -1])[0]


def test_a_softmax_that_meets_other_numbers_was_attention() -> None:
    book = Bookkeeping()
    weights = softmaxed(book)
    assert kinds(weights) == {"weights"}
    _, met = book.after("mm", [(W, weights, False), (V, NONE, False)], W @ V, [W, V])
    assert [(meeting.made_by, meeting.learned) for meeting in met] == [("softmax", False)]


def test_with_a_matrix_of_the_model_it_is_a_layer_of_shares() -> None:
    book = Bookkeeping()
    _, met = book.after("mm", [(W, softmaxed(book), False), (V, NONE, True)], W @ V, [W, V])
    assert [meeting.learned for meeting in met] == [True]


def test_powers_over_their_sum_are_shares() -> None:
    book = Bookkeeping()
    powers, _ = book.after("exp", [(X, NONE, False)], X, [X])
    column = X.sum(-1, keepdim=True)
    total, _ = book.after("sum", [(X, powers, False)], column, [X, [-1], True])
    assert (kinds(powers), kinds(total)) == ({"power"}, {"sum"})
    shares, met = book.after("div", [(X, powers, False), (column, total, False)], X, [X, column])
    assert "weights" in kinds(shares)
    assert met == []
    _, met = book.after("mm", [(X, shares, False), (V, NONE, False)], X @ V, [X, V])
    assert "exp and sum" in {meeting.made_by for meeting in met}


def test_shares_that_multiply_place_by_place_are_told_until_they_are_added_up() -> None:
    book = Bookkeeping()
    weights = softmaxed(book)
    assert book.after("mul", [(X, NONE, False), (W, weights, False)], X, [X, W])[1] == []  # a gate, column by column
    column, rows = W.unsqueeze(-1), torch.zeros(5, 7, 3)  # each of seven weights across a row of three
    spread, (apart,) = book.after("mul", [(rows, NONE, False), (column, weights, False)], rows, [rows, column])
    assert "spread" in kinds(spread)
    assert apart.apart
    _, met = book.after("sum", [(rows, spread, False)], rows.sum(1), [rows, [1]])
    assert [(meeting.apart, meeting.number) for meeting in met] == [(False, apart.number)]
    assert book.after("mul", [(rows, NONE, True), (column, weights, False)], rows, [rows, column])[1] == []  # a layer


def test_shares_along_another_axis_or_turned_are_no_gate() -> None:
    book = Bookkeeping()
    along = book.after("_softmax", [(X, NONE, False)], W, [X, 0])[0]
    turned = book.after("transpose", [(W.T, softmaxed(book), False)], W, [W.T, 0, 1])[0]
    for weights in (along, turned):
        (met,) = book.after("mul", [(X, NONE, False), (W, weights, False)], X, [X, W])[1]
        assert met.apart


def test_a_relu_bends_products_but_not_ordinary_numbers() -> None:
    book = Bookkeeping()

    def bent(marks: Marks) -> set[str]:
        return kinds(book.after("relu", [(X, marks, False)], X, [X])[0])

    product, met = book.after("mm", [(X, NONE, False), (X.T, NONE, False)], X @ X.T, [X, X.T])
    assert (kinds(product), met) == ({"product"}, [])
    assert "bent" in bent(product)
    assert bent(NONE) == set()


def test_a_norm_ends_a_mark_and_a_shape_alone_carries_none() -> None:
    book = Bookkeeping()
    operand: tuple[Tensor, Marks, bool] = (W, softmaxed(book), False)
    assert book.after("native_layer_norm", [operand], W, [W])[0] == NONE
    assert book.after("zeros_like", [operand], W, [W])[0] == NONE
    assert kinds(book.after("transpose", [operand], W.T, [W])[0]) == {"weights"}

"""The bookkeeping of kernels: where shares are made, and where they meet what they weigh."""

import torch

from glassformer.inside.watching.beneath.bookkeeping import Bookkeeping
from glassformer.inside.watching.beneath.marks import NONE, Carried, Marks

X, W, V = torch.zeros(5, 7), torch.zeros(5, 7), torch.zeros(7, 3)


def kinds(marks: Marks) -> set[str]:
    return {mark.kind for mark in marks}


def softmaxed(book: Bookkeeping) -> Marks:
    return book.after("_softmax", [Carried(X)], W, [X, -1])[0]


def test_a_softmax_that_meets_other_numbers_was_attention() -> None:
    book = Bookkeeping()
    weights = softmaxed(book)
    assert kinds(weights) == {"weights"}
    _, met = book.after("mm", [Carried(W, weights), Carried(V)], W @ V, [W, V])
    assert [(meeting.made_by, meeting.learned) for meeting in met] == [("softmax", False)]


def test_with_a_matrix_of_the_model_it_is_a_layer_of_shares() -> None:
    book = Bookkeeping()
    weights, matrix = Carried(W, softmaxed(book)), Carried(V, fixed=True, learned=True)
    assert [meeting.learned for meeting in book.after("mm", [weights, matrix], W @ V, [W, V])[1]] == [True]
    assert book.after("mm", [weights, matrix._replace(learned=False)], W @ V, [W, V])[1] == []  # a mean of constants


def test_powers_over_their_sum_are_shares() -> None:
    book = Bookkeeping()
    powers, _ = book.after("exp", [Carried(X)], X, [X])
    column = X.sum(-1, keepdim=True)
    total, _ = book.after("sum", [Carried(X, powers, False)], column, [X, [-1], True])
    assert (kinds(powers), kinds(total)) == ({"power"}, {"sum"})
    shares, met = book.after("div", [Carried(X, powers, False), Carried(column, total, False)], X, [X, column])
    assert "weights" in kinds(shares)
    assert met == []
    _, met = book.after("mm", [Carried(X, shares, False), Carried(V)], X @ V, [X, V])
    assert "exp and sum" in {meeting.made_by for meeting in met}


def test_shares_that_multiply_place_by_place_are_told_until_they_are_added_up() -> None:
    book = Bookkeeping()
    weights = softmaxed(book)
    assert book.after("mul", [Carried(X), Carried(W, weights)], X, [X, W])[1] == []  # a gate, column by column
    column, rows = W.unsqueeze(-1), torch.zeros(5, 7, 3)  # each of seven weights across a row of three
    spread, (apart,) = book.after("mul", [Carried(rows), Carried(column, weights)], rows, [rows, column])
    assert "spread" in kinds(spread)
    assert apart.apart
    _, met = book.after("sum", [Carried(rows, spread)], rows.sum(1), [rows, [1]])
    assert [(meeting.apart, meeting.number) for meeting in met] == [(False, apart.number)]
    assert (
        book.after("mul", [Carried(rows, fixed=True), Carried(column, weights)], rows, [rows, column])[1] == []
    )  # a layer


def test_shares_along_another_axis_or_turned_are_no_gate() -> None:
    book = Bookkeeping()
    along = book.after("_softmax", [Carried(X)], W, [X, 0])[0]
    turned = book.after("transpose", [Carried(W.T, softmaxed(book), False)], W, [W.T, 0, 1])[0]
    for weights in (along, turned):
        (met,) = book.after("mul", [Carried(X), Carried(W, weights)], X, [X, W])[1]
        assert met.apart


def test_a_relu_bends_products_but_not_ordinary_numbers() -> None:
    book = Bookkeeping()

    def bent(marks: Marks) -> set[str]:
        return kinds(book.after("relu", [Carried(X, marks, False)], X, [X])[0])

    product, met = book.after("mm", [Carried(X), Carried(X.T)], X @ X.T, [X, X.T])
    assert (kinds(product), met) == ({"product", "fitting"}, [])
    assert "bent" in bent(product)
    once = book.after("tanh", [Carried(X, product)], X, [X])[0]
    assert "bent" in bent(once)  # and bent again
    assert "bent" in kinds(book.after("native_layer_norm", [Carried(X, product)], X, [X])[0])
    assert "bent" not in kinds(book.after("convolution", [Carried(X, once)], X, [X])[0])  # a layer makes rows of them
    assert "bent" not in bent(NONE)


def test_a_norm_ends_a_mark_but_that_of_weights_and_a_shape_alone_carries_none() -> None:
    book = Bookkeeping()
    operand, powers = Carried(W, softmaxed(book), False), Carried(X, book.after("exp", [Carried(X)], X, [X])[0])
    assert kinds(book.after("native_layer_norm", [operand], W, [W])[0]) == {"columns", "weights"}
    assert kinds(book.after("native_layer_norm", [powers], X, [X])[0]) == {"columns"}
    assert book.after("zeros_like", [operand], W, [W])[0] == NONE
    assert kinds(book.after("transpose", [operand], W.T, [W])[0]) == {"weights"}


def test_steps_of_a_sum_are_a_sum() -> None:
    """RWKV's way: powers enter the sum above and the one below step by step."""
    book = Bookkeeping()
    first, second = (book.after("exp", [Carried(each)], each, [each])[0] for each in (X, W))
    above, _ = book.after("mul", [Carried(X, second), Carried(W)], X, [X, W])
    assert "mixed" in kinds(above)
    below, _ = book.after("add", [Carried(X, first), Carried(W, second)], X, [X, W])
    assert kinds(below) == {"sum"}
    (met,) = book.after("div", [Carried(X, above), Carried(W, below)], X, [X, W])[1]
    assert (met.made_by, met.certain) == ("exp and sum", True)


def test_a_gate_by_powers_is_no_sum() -> None:
    book = Bookkeeping()
    powers, _ = book.after("exp", [Carried(X)], X, [X])
    above, _ = book.after("mul", [Carried(X, powers), Carried(W)], X, [X, W])
    below, _ = book.after("add", [Carried(X, powers)], X, [X, 1.0])
    assert book.after("div", [Carried(X, above), Carried(W, below)], X, [X, W])[1] == []


def test_shares_of_experts_weigh_their_answers() -> None:
    """Seven columns that a layer made of one row, and seven answers to that row side by side."""
    book = Bookkeeping()
    columns, _ = book.after("mm", [Carried(V.T), Carried(X.T @ X, fixed=True, learned=True)], V.T @ X.T @ X, [])
    assert kinds(columns) == {"columns"}
    shares, _ = book.after("_softmax", [Carried(W, columns)], W, [W, -1])
    assert {mark.columns for mark in shares} == {True}
    answers = Carried(V, fan=frozenset((7,)))
    assert book.after("mm", [Carried(W, shares), answers], W @ V, [W, V])[1] == []
    assert len(book.after("mm", [Carried(W, shares), Carried(V)], W @ V, [W, V])[1]) == 1


def test_rows_that_add_up_to_one_weigh_whoever_made_them() -> None:
    book = Bookkeeping()
    weights = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    (met,) = book.after("mm", [Carried(weights), Carried(V[:2])], V[:2], [])[1]
    assert met.made_by == "a matrix whose rows add up to one"
    assert book.after("mm", [Carried(torch.eye(2)), Carried(V[:2])], V[:2], [])[1] == []  # they choose


def test_powers_worked_out_twice_are_the_same_powers() -> None:
    book = Bookkeeping()
    first, again, other = (book.after("exp", [Carried(each)], each, [each])[0] for each in (X, X, W))
    assert first == again
    assert first != other


def test_shares_times_the_logarithms_of_shares_along_one_axis_are_an_entropy() -> None:
    book, column = Bookkeeping(), W.sum(0)

    def added_up(axis: int, other: int) -> list[str]:
        weights = book.after("_softmax", [Carried(X)], W, [X, axis])[0]
        logs = book.after("_log_softmax", [Carried(X)], W, [X, other])[0]
        spread, _ = book.after("mul", [Carried(W, weights), Carried(W.clone(), logs)], W, [W, W])
        return [meeting.made_by for meeting in book.after("sum", [Carried(W, spread)], column, [W, [0]])[1]]

    assert added_up(0, 0) == []
    assert added_up(0, 1) == ["softmax"]


def test_a_norm_does_not_make_features_of_weights() -> None:
    book = Bookkeeping()
    normed, _ = book.after("native_layer_norm", [Carried(W, softmaxed(book))], W, [W])
    (met,) = book.after("mm", [Carried(W, normed), Carried(V)], W @ V, [W, V])[1]
    assert met.certain

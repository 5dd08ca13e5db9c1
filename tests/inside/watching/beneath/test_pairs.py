"""Scores that become weights without a softmax, and state-space layers that look like them."""

import torch

from glassformer.inside.watching.beneath.bookkeeping import Bookkeeping
from glassformer.inside.watching.beneath.marks import Carried, Marks
from glassformer.inside.watching.beneath.pairs import ONE, TWICE
from glassformer.inside.watching.beneath.windows import LAID

ROWS, SQUARE, OTHER = torch.zeros(5, 3), torch.zeros(5, 5), torch.zeros(5, 5)


def met(book: Bookkeeping, *operands: Carried) -> list[str]:
    return [meeting.doubt for meeting in book.after("mm", operands, ROWS, [])[1]]


def product(book: Bookkeeping, left: Marks = frozenset(), right: Marks = frozenset()) -> Marks:
    return book.after("mm", [Carried(ROWS, left), Carried(ROWS.T, right)], SQUARE, [])[0]


def test_two_products_of_rows_are_doubted_and_with_a_matrix_they_are_not() -> None:
    book = Bookkeeping()
    scores = product(book)
    assert {mark.kind for mark in scores} == {"product", "fitting"}
    assert met(book, Carried(SQUARE, scores), Carried(ROWS)) == [TWICE]
    assert met(book, Carried(SQUARE, scores), Carried(ROWS, fixed=True)) == []


def test_what_weights_pooled_is_doubted_where_its_rows_are_added_up_again() -> None:
    book = Bookkeeping()
    weights = book.after("_softmax", [Carried(SQUARE)], SQUARE, [SQUARE, -1])[0]
    pooled, _ = book.after("mm", [Carried(SQUARE, weights), Carried(ROWS)], ROWS, [])
    assert {mark.kind for mark in pooled} == {"pooled"}
    assert met(book, Carried(OTHER), Carried(ROWS, pooled)) == [TWICE]
    assert met(book, Carried(ROWS, pooled), Carried(torch.zeros(3, 3))) == []  # its columns: how well they fit
    turned, _ = book.after("clone", [Carried(ROWS.T, pooled)], torch.zeros(3, 5), [])
    assert met(book, Carried(torch.zeros(3, 5), turned), Carried(OTHER)) == [TWICE]
    rows, _ = book.after("add", [Carried(ROWS, pooled), Carried(torch.ones(5, 3))], ROWS, [])
    assert "pooled" not in {mark.kind for mark in rows}


def test_a_product_that_other_rows_were_added_to_is_rows_again() -> None:
    book = Bookkeeping()
    scores = product(book)
    state, _ = book.after("add", [Carried(SQUARE, scores), Carried(OTHER, product(book))], SQUARE, [])
    assert met(book, Carried(SQUARE, state), Carried(ROWS))[:1] == [TWICE]
    rows, _ = book.after("add", [Carried(SQUARE, scores), Carried(OTHER)], SQUARE, [])
    assert met(book, Carried(SQUARE, rows), Carried(ROWS)) == []


def test_a_step_that_scales_and_fades_is_of_a_state_space_layer() -> None:
    book = Bookkeeping()
    step, _ = book.after("softplus", [Carried(ROWS)], ROWS, [ROWS])
    fading, _ = book.after("exp", [Carried(SQUARE, step)], SQUARE, [])
    faded, _ = book.after("mul", [Carried(SQUARE, product(book)), Carried(OTHER, fading)], SQUARE, [])
    entering, _ = book.after("mul", [Carried(ROWS), Carried(ROWS, step)], ROWS, [])
    assert met(book, Carried(SQUARE, faded), Carried(ROWS, entering)) == []
    assert met(book, Carried(SQUARE, faded), Carried(ROWS)) == [TWICE]  # a gate that only fades


def test_rows_laid_against_rows_are_pairs() -> None:
    book = Bookkeeping()
    wide = torch.zeros(5, 5, 3)
    pairs, _ = book.after("add", [Carried(ROWS[:, None]), Carried(ROWS[None])], wide, [])
    assert {mark.kind for mark in pairs} == {"pair"}
    bent, _ = book.after("tanh", [Carried(wide, pairs)], wide, [])
    assert met(book, Carried(SQUARE, bent), Carried(ROWS)) == [LAID]
    one_way, _ = book.after("add", [Carried(ROWS), Carried(ROWS[:1])], ROWS, [])
    assert {mark.kind for mark in one_way} == {"facing"}


def test_one_number_that_a_layer_makes_of_each_row_is_doubted_where_it_adds_up_others() -> None:
    book, column, matrix = Bookkeeping(), torch.zeros(5, 1), torch.zeros(3, 1)
    single, _ = book.after("mm", [Carried(ROWS), Carried(matrix, fixed=True, learned=True)], column, [])
    assert {mark.kind for mark in single} == {"single", "fitting"}
    bent, _ = book.after("sigmoid", [Carried(column, single)], column, [column])
    across = column.T
    assert ONE in met(book, Carried(across, bent), Carried(ROWS))
    assert met(book, Carried(across, bent), Carried(ROWS, fixed=True)) == []  # a layer
    assert met(book, Carried(torch.zeros(1, 1), single), Carried(ROWS[:1])) == []  # nothing is added up
    gated, _ = book.after("mul", [Carried(ROWS), Carried(column, single)], ROWS, [ROWS, column])
    assert "single" not in {mark.kind for mark in gated}


def test_one_row_against_several_added_up_is_a_fit_of_each() -> None:
    book, question = Bookkeeping(), ROWS[:1]
    crossed, _ = book.after("mul", [Carried(question), Carried(ROWS)], ROWS, [question, ROWS])
    assert {mark.kind for mark in crossed} == {"crossed", "facing"}
    assert book.after("sum", [Carried(ROWS, crossed)], ROWS.sum(0), [ROWS, [0]])[0] == frozenset()  # along the rows
    fits, _ = book.after("sum", [Carried(ROWS, crossed)], ROWS.sum(1), [ROWS, [1]])
    assert {mark.kind for mark in fits} == {"fit", "fitting"}
    column = torch.zeros(5, 1)
    laid, _ = book.after("mul", [Carried(column, fits), Carried(ROWS)], ROWS, [column, ROWS])
    assert LAID in {meeting.doubt for meeting in book.after("sum", [Carried(ROWS, laid)], ROWS.sum(0), [ROWS, [0]])[1]}

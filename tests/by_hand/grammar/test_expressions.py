"""Trees: two sides that say the same have the same key, and a tree can be walked and rebuilt."""

import pytest
from helpers.formulas import tree

from glassformer.by_hand.grammar import expressions as ex
from glassformer.by_hand.grammar.expressions import Number, Span


@pytest.mark.parametrize(
    ("text", "percent", "value", "decimals"),
    [("2.50", False, 2.5, 2), ("12", False, 12, None), ("12", True, 0.12, 2), ("3e-2", False, 0.03, 2),
     ("12e3", False, 12000, -3), ("1.", False, 1, None), ("inf", False, float("inf"), None)],
)  # fmt: skip
def test_a_number_keeps_every_digit(text: str, percent: bool, value: float, decimals: int | None) -> None:
    number = Number(text, Span(0, 1), percent=percent)
    assert (number.value, number.decimals) == (pytest.approx(value), decimals)


def test_products_and_sums_are_flat() -> None:
    assert tree("a (b c)").key == tree("(a b) c").key == "a · b · c"
    assert tree("a + (b + c)").key == "(a + b + c)"
    assert tree("Q K^T / √d_k").key == tree("Q K^T · 1/√d_k").key == "Q · (K)ᵀ · 1/(sqrt(d_k))"


def test_a_tree_is_easy_on_the_eye() -> None:
    assert ex.readable(tree("Q K^T / √d_k")) == "Q Kᵀ / √d_k"
    assert ex.readable(tree("2 · 3 + x^2")) == "2 × 3 + x²"


def test_a_tree_around_its_own_children_is_the_same_tree() -> None:
    for text in ("softmax(Q K^T / √d) V", "[[1, a], [2 + b, 3]]", "-x^2", "3", "a"):
        found = tree(text)
        assert ex.with_children(found, ex.children(found)).key == found.key
    assert ex.names_in(tree("softmax(Q K^T) V")) == {"Q", "K", "V"}


def test_what_is_printed_and_what_is_a_formula() -> None:
    assert ex.is_printed(tree("[1, -2]"))
    assert not ex.is_printed(tree("[1, a]"))
    assert ex.has_matrix(tree("[1, a]"))
    assert not ex.has_matrix(tree("[a, b]"))
    assert ex.is_symbolic(tree("Q K^T / 2"))
    assert not ex.is_symbolic(tree("0.5 Q"))

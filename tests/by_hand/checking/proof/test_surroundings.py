"""What stands around a number and says that it may be meant otherwise."""

import pytest
from helpers.formulas import tree

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.proof.surroundings import counts_otherwise, dash_read_otherwise, is_set_by_program
from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import parse


def test_a_dash_of_a_list_may_be_a_minus() -> None:
    source = "- 0.5 + 1"
    after_the_dash = parse(lex(Ground("0.5 + 1", 2, "text")))
    turned = dash_read_otherwise(after_the_dash, source)
    assert turned is not None
    assert turned.key == "(-0.5 + 1)"


def test_a_minus_may_be_the_dash_of_a_list() -> None:
    turned = dash_read_otherwise(tree("- 0.5 + 1"), "- 0.5 + 1")
    assert turned is not None
    assert turned.key == "(0.5 + 1)"
    assert dash_read_otherwise(tree("0.5 + 1"), "0.5 + 1") is None


@pytest.mark.parametrize(
    ("after", "otherwise"), [("th place", True), (" percent", True), ("$nd", True), (" then", False)]
)
def test_hundredths_and_places_are_counted_otherwise(after: str, otherwise: bool) -> None:
    assert counts_otherwise(Span(0, 2), "90" + after) is otherwise


def test_a_program_sets_a_name() -> None:
    source = "v = np.array([1, 1])"
    assert is_set_by_program(Span(source.index("["), len(source) - 1), source)
    assert not is_set_by_program(Span(4, 10), "v = [1, 1]")


def test_shapes_in_comments_and_ratios() -> None:
    notes = "```python\nscores = [[8, 8]]\nweights = softmax(scores)  # [8, 8]\n```\n"
    assert check_text(notes).findings == []
    assert check_text("weights: $\\frac{1}{2} : \\frac{1}{5} : \\frac{1}{10} = 5 : 2 : 1$\n").findings == []

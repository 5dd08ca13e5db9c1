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


WRONG = "2.5 + 3.1 = 6.6\n"


@pytest.mark.parametrize(
    "before",
    [
        "## Common mistakes\n\n### Adding\n\n",
        "## Hata avı\n\n",
        "Find the error:\n\n",
        "❌ ",
        "Which of these are right?\n\n(a) ",
    ],
)
def test_what_is_shown_as_wrong_or_asked_is_no_claim(before: str) -> None:
    assert check_text(before + WRONG).findings == []


@pytest.mark.parametrize(
    "before", ["", "## Mistakes\n\nNone.\n\n## Adding\n\n", "The error is\n\n", "That was wrong. Now:\n\n"]
)
def test_what_was_wrong_before_excuses_nothing(before: str) -> None:
    assert [finding.right for finding in check_text(before + WRONG).findings] == ["5.6"]


def test_a_remark_after_a_chain_counts_too() -> None:
    assert check_text("2.5 + 3.1 = 6.6 (wrong)\n").findings == []


def test_a_name_may_have_its_earlier_value_again() -> None:
    notes = """
A = [[1, 2], [0, 3]], B = [[2, 1], [1, 0]]

AB = [[4, 1], [3, 0]]

C = [[0, 1], [1, 0]]

AB = AC

AB = [[4, 1], [3, 0]]
"""
    assert check_text(notes).findings == []


def test_large_units_after_a_formula() -> None:
    assert check_text("It is $2^{128} = 340$ undecillion; $2^3 = 8$, $2^4 = 16$.\n").findings == []

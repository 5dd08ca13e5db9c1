"""A known expression laid over a printed one: what was put in for what."""

import pytest
from helpers.formulas import tree

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.alignment import Laid, with_blocks_joined


def pairs(known: str, side: str) -> list[tuple[str, str]]:
    return [(ours.key, theirs.key) for ours, theirs in Laid().lay(tree(known), tree(side)).pairs]


def test_parts_of_one_form_are_paired() -> None:
    assert pairs("y / z", "1.5 / 0.56") == [("y", "1.5"), ("z", "0.56")]
    assert pairs("softmax(Q K^T)", "softmax([1, 2] K^T)") == [("Q", "[1, 2]"), ("K", "K")]


def test_parts_of_another_form_are_a_pair_as_they_are() -> None:
    assert pairs("softmax(Q)", "relu(Q)") == [("softmax(Q)", "relu(Q)")]
    assert not Laid().lay(tree("a + b"), tree("1 + c")).is_whole
    assert Laid().lay(tree("a + b"), tree("1 + 2")).is_whole


def test_blocks_side_by_side_are_one_matrix() -> None:
    side = with_blocks_joined(tree("X W"), tree("[[1, 2]] [[3], [5]] [[7], [11]]"))
    assert side.key == "[1, 2] · [3, 7; 5, 11]"
    unlike = tree("[[1, 2]] [[3], [5]]")
    assert with_blocks_joined(tree("X W"), unlike) is unlike


@pytest.mark.parametrize(("printed", "wrong"), [("[1, 0] [[1, 0], [1, 1]]", []), ("[1, 0] [[1, 0], [1, 2]]", ["2"])])
def test_numbers_put_in_for_a_name_are_compared_with_it(printed: str, wrong: list[str]) -> None:
    notes = f"X = [1, 0]\n\nW = [[1, 0], [1, 1]]\n\nX W = {printed} = [1, 0]\n"
    assert [finding.printed for finding in check_text(notes).findings] == wrong


def test_a_given_of_another_example_is_not_held_against_this_one() -> None:
    notes = "c = 6.0\n\n{between}t = 2.0 × (-3.0) = -6.0\n\nd = t + c = -6.0 + 9.0 = 3.0\n"
    assert [finding.printed for finding in check_text(notes.format(between="")).findings] == ["9.0"]
    assert check_text(notes.format(between="### Exercise 2.2\n\n")).findings == []

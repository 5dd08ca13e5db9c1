"""Chains A = B = C: a claim at every equals sign."""

import pytest

from glassformer.by_hand.check import check_text


def test_a_chain_is_a_claim_at_every_equals_sign() -> None:
    report = check_text("1 + 2 + 3 = 3 + 3 = 7 = 6 + 1")
    assert [(f.printed, f.right) for f in report.findings] == [("7", "6")]
    assert report.claims == 3


def test_a_number_said_once_more_in_per_cent() -> None:
    right = check_text("0.20 / 0.31 = 0.645 = 64.5%\n")
    assert (right.coverage.checked, right.coverage.look_like_results, right.findings) == (2, 2, [])
    other = check_text("0.20 / 0.31 = 0.645 = 35.5%\n")  # another share, perhaps
    assert (other.coverage.checked, other.coverage.look_like_results, other.findings) == (1, 2, [])


def test_the_words_of_the_line_are_not_asked_where_a_name_says_more() -> None:
    notes = "S = [[1, 3], [0, 2]]\n\nsoftmax weights of another row, B\n= [[0.5, 0.5], [0.2, 0.8]]\n"
    assert check_text(notes).findings == []


@pytest.mark.parametrize("line", ["Q = K = V = X", "```python\nQ = X\nK = X\n```", "Here $Q = K = X$."])
def test_names_of_one_matrix(line: str) -> None:
    notes = "X = [[1, 0], [0, 2]]\n\n{}\n\n$Q K^T = [[1, 0], [0, {}]]$\n"
    assert check_text(notes.format(line, 4)).coverage.checked == 4
    assert [f.right for f in check_text(notes.format(line, 5)).findings] == ["4"]


def test_a_name_that_has_its_numbers_keeps_them() -> None:
    notes = "x = [1, 2]\n\ny = [3, 4]\n\ny = x\n\ny + y = [6, 8]\n"
    assert check_text(notes).findings == []

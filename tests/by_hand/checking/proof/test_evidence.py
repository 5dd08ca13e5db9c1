"""Whether numbers that do not follow prove a mistake."""

from glassformer.by_hand.check import check_text


def test_the_usual_meaning_of_a_name_is_no_ground() -> None:
    assert check_text("Q = [[2, 1], [1, 3]]\n\nK = [[1, 1], [3, 0]]\n\nscores = [[3, 6], [4, 5]]\n").findings == []
    said = check_text("Q = [[2, 1], [1, 3]]\n\nK = [[1, 1], [3, 0]]\n\nS = Q K^T = [[3, 6], [4, 5]]\n").first_wrong
    assert said is not None
    assert said.sure == "impossible"


def test_a_usual_name_confirms_and_never_accuses() -> None:
    given = "Q = [[1, 0], [1, 1]]\n\nK = [[0, 1], [1, 0]]\n\n"
    right = check_text(given + "scores = [[0, 1], [1, 1]]\n")
    assert (right.checked, right.findings) == (1, [])
    other = check_text(given + "scores = [[0, 1], [1, 2]]\n")
    assert (other.checked, other.findings) == (0, [])


def test_a_name_that_means_something_else_is_no_mistake() -> None:
    notes = "Q = [[1, 0], [1, 1]]\n\nK = [[0, 1], [1, 0]]\n\nscores = [[7, 3], [8, 4]]\n"
    assert not check_text(notes).findings

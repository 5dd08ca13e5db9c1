"""One document from its first statement to its last: what is claimed, checked and unreadable."""

from glassformer.by_hand.checking.checker import Checker
from glassformer.by_hand.checking.ledger import Ledger
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import read_statements


def checked(notes: str) -> Ledger:
    return Checker(read_statements(open_bytes(notes.encode(), "notes"))).run()


def test_every_claim_has_its_status() -> None:
    ledger = checked("Q = [1, 2]\n\n2 · 3 = 6\n\nZ W = 3\n\n[1, 2 = 5\n")
    assert [(claim.status, claim.why) for claim in ledger.claims] == [
        ("not checkable", "a given"),
        ("checked", ""),
        ("not checkable", "nothing is known of 'Z'"),
        ("unreadable", "'[' is never closed"),
    ]
    assert ledger.flaws == []


def test_a_matrix_under_a_caption_is_the_result_that_the_caption_names() -> None:
    notes = "Q = [[1, 2]]\n\nK = [[3, 5]]\n\nraw scores = Q K^T\n\nRaw scores:\n\n[[{}]]\n"
    assert checked(notes.format(13)).flaws == []
    assert len(checked(notes.format(14)).flaws) == 1


def test_a_row_that_was_copied_says_from_where() -> None:
    twice = "[[2, 0, 0], [0, 2, 0]] + [[2, 0, 0], [0, 2, 0]]"
    notes = f"B = [[7, 13, 29], [1, 3, 5]]\n\n{twice} = [[4, 0, 0], [7, 13, 29]]\n"
    (flaw,) = checked(notes).flaws
    assert flaw.cause == "the same row stands in line 1"


def test_a_name_with_zero_counts_rows_from_zero() -> None:
    assert "x" in checked("x_0 = [1, 2]\n").scope.origins

"""The same words with new rows: which belong together, and when they are checked."""

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.labelled_rows import find_rows
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import read_statements

# By pencil: [a, b] [[2, 1], [0, 3]] = [2a, a + 3b].
GIVEN = "tea\n[1.5, 0.2]\nmilk\n[0.4, 1.1]\nbread\n[0.7, 0.3]\nsalt\n[2.1, 0.5]\n\nW_V = [[2, 1], [0, 3]]\n\nValues\n"
RIGHT = "tea\n[3.0, 2.1]\nwarm\nmilk\n[0.8, 3.7]\nwhite\nbread\n[1.4, 1.6]\nfresh\nsalt\n[4.2, 3.6]\n"


def told(notes: str) -> list[tuple[int, str, str]]:
    return [(finding.line, finding.printed, finding.right) for finding in check_text(notes, suffix=".txt").findings]


def opened(notes: str) -> Document:
    return open_bytes(notes.encode(), "notes.txt", ".txt")


def test_rows_are_found_under_their_labels() -> None:
    tables = find_rows(read_statements(opened(GIVEN + RIGHT)).statements)
    assert [list(table.rows) for table in tables] == [["tea", "milk", "bread", "salt"]] * 2
    assert [len(table.matrix.rows) for table in tables] == [4, 4]


def test_rows_that_a_known_matrix_gives_are_checked() -> None:
    assert told(GIVEN + RIGHT) == []
    assert check_text(GIVEN + RIGHT, suffix=".txt").coverage.checked == 8
    assert told(GIVEN + RIGHT.replace("3.7", "7.3")) == [(17, "7.3", "3.7")]


def test_rows_that_come_from_elsewhere_are_left_alone() -> None:
    other = (
        RIGHT.replace("3.0", "9.1")
        .replace("0.8", "5.5")
        .replace("1.4", "6.6")
        .replace("3.6", "8.8")
        .replace("1.6", "2")
    )
    assert told(GIVEN + other) == []
    assert told(GIVEN.replace("W_V", "W_Q").replace("[[2, 1]", "[[5, 1]") + RIGHT) == []

"""Matrices printed one number to a line: read where the page says where they end, and left alone elsewhere."""

import pytest

from glassformer.by_hand.check import check_text

SIZED = "W_V (2×3)\n1\n0\n2\n0\n3\n1\n\nX = [[1, 2]]\n\n"
ABOVE = "Weights (2x2 each)\nWV (values)\nTurns words into values\n1\n2\n3\n5\n\nX = [[1, 1]]\n\n"
CLOSED = "q\n[\n1\n0\n2\n]\nk\n[\n3\n1\n5\n]\n\n"


def told(notes: str) -> tuple[str, list[tuple[str, str]]]:
    report = check_text(notes, "notes.txt", ".txt")
    return report.outcome, [(finding.printed, finding.right) for finding in report.findings]


@pytest.mark.parametrize(
    ("given", "right", "wrong", "slip"),
    [
        (SIZED, "X W_V = [[1, 6, 4]]", "X W_V = [[1, 6, 7]]", ("7", "4")),  # 1×2 + 2×1
        (ABOVE, "V = X WV = [[4, 7]]", "V = X WV = [[4, 8]]", ("8", "7")),
        (CLOSED, "q · k = 13", "q · k = 11", ("11", "13")),  # 1×3 + 0×1 + 2×5
    ],
)
def test_numbers_below_a_name(given: str, right: str, wrong: str, slip: tuple[str, str]) -> None:
    assert told(given + right) == ("fine", [])
    assert told(given + wrong) == ("wrong", [slip])


@pytest.mark.parametrize(
    "given",
    [
        SIZED.replace(" (2×3)", ""),  # 2×3, 3×2 or a column?
        SIZED.replace("2×3", "3×3"),
        SIZED.replace("W_V (2×3)", "2×3 and 3×2\nW_V"),
    ],
)
def test_numbers_whose_rows_cannot_be_told_are_no_matrix(given: str) -> None:
    assert told(given + "X W_V = [[1, 6, 7]]") == ("nothing checked", [])

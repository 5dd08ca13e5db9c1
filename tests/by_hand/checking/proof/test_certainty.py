"""What is wrong beyond doubt, and what is only to be looked at again."""

import pytest

from glassformer import check_text
from glassformer.by_hand.checking.proof.certainty import (
    FAR,
    FEW_DIGITS,
    FEW_RIGHT,
    FINE,
    GIVEN_ANEW,
    OTHER_AXIS,
    OTHER_SIGN,
)


def levels(notes: str) -> list[tuple[str, str]]:
    """Each finding's level, and how sure it is."""
    return [(finding.level, finding.sure) for finding in check_text(notes).findings]


@pytest.mark.parametrize(
    "notes",
    [
        "15 × tanh(0.6) ≈ 8.36\n",  # one digit of three
        "2 + 2 = 5\n",  # nothing else on the line, and off by one
        "T = 0.31×1 + 0.24×0 + 0.31×1 = 0.92\n",  # one digit of two, and nothing else on the line
        "$\\lceil (64 - (2 + 1) + 2 \\cdot 0)/2 \\rceil = \\lceil (63)/2 \\rceil = 32$\n",  # all else is the same
        "[2×3, 1×2, 4×2] = [6, 2, 7]\n",
        "A = [[1, 2], [3, 4]]\n\nB = A + A = [[2, 4], [6, 9]]\n",
    ],
)
def test_wrong_beyond_doubt(notes: str) -> None:
    assert levels(notes) == [("wrong", "impossible")]


@pytest.mark.parametrize(
    ("notes", "why"),
    [
        ("15 × tanh(0.8) ≈ 10.65\n", FAR),
        ("3 · 4 + 7 = 29 (about)\n", FEW_DIGITS),
        ("[1, 2] · [[1, 0], [0, 1]] = [3, 5]\n", FEW_RIGHT),
        ("$\\ln 2 = 0.69314615$\n", FINE),
    ],
)
def test_to_be_looked_at_again(notes: str, why: str) -> None:
    found = levels(notes)
    assert found
    assert ("look again", why) in found


def test_workings_of_one_shape_that_are_right_speak_for_a_number_that_is_close() -> None:
    right = "tanh(0.1) = 0.0997\n\ntanh(0.5) = 0.4621\n\ntanh(1.2) = 0.8337\n\n"
    assert levels(right + "tanh(0.8) = 0.6213\n") == [("wrong", "impossible")]
    assert [level for level, _ in levels("tanh(0.8) = 0.6213\n")] == ["look again"]


@pytest.mark.parametrize(
    ("notes", "level"),
    [
        ("a3 = 4.113 / 8.169 ~ 0.904\n", "wrong"),  # 0.503: nobody rounds so far
        ("4.113 / 8.169 ≈ 0.51\n", "look again"),  # about
        ("1.43 + 2.57 = 5.00\n", "wrong"),
        ("mean = (0.1 + 0.3 - 0.2 + 0.8) / 4\n     = 1.0 / 4\n     = 0.95\n", "wrong"),
        ("0.1 × 0.3 = 0.95\n", "look again"),  # thirty times as large: something else may be meant
    ],
)
def test_decimals_that_are_added_and_multiplied_alone_in_a_line_need_no_likeness(notes: str, level: str) -> None:
    assert [found for found, _ in levels(notes) if found != "rounding"] == [level]


def test_a_given_number_may_have_been_given_anew() -> None:
    notes = "x = 0.25 and y = 1\n\n{}$u = y - x = 1.5 - 0.25 = 1.25$\n"
    assert levels(notes.format("")) == [("wrong", "impossible")]
    assert levels(notes.format("Now y is 1.5 instead.\n\n")) == [("look again", GIVEN_ANEW)]


def test_a_function_must_be_written_out_to_be_another_one() -> None:
    spelled = check_text("sigmoid([1.2, 0.7, 0.1]) = [0.49, 0.30, 0.16]\n").findings
    assert [(each.verdict, each.right) for each in spelled] in ([("formula", "softmax")], [])
    letter = check_text("$\\sigma([1.2, 0.7, 0.1]) = [0.50, 0.30, 0.20]$\n").findings
    assert all(each.level != "wrong" or each.sure == OTHER_SIGN for each in letter)


def test_what_is_to_be_looked_at_again_is_not_checked_and_not_mended() -> None:
    report = check_text("2 + 3 = 5\n\n15 × tanh(0.8) ≈ 10.65\n")
    assert report.outcome == "fine"
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)
    assert (report.coverage.checked, report.coverage.look_like_results) == (1, 2)
    assert not any(correction.certain for correction in report.corrections["text"])
    assert report.findings[0].to_dict()["level"] == "look again"


def test_numbers_that_are_said_to_be_exact_prove_everything() -> None:
    assert [level for level, _ in levels("All given numbers are exact.\n\n15 × tanh(0.8) ≈ 10.65\n")] == ["wrong"]


SCORES = "S = [[0, 0.71, 0.71], [0.71, 0.71, 1.41], [0.71, 1.41, 2.12]]\n\n"
OVER_COLUMNS = "A = softmax(S) = [[0.20, 0.25, 0.14], [0.40, 0.25, 0.28], [0.40, 0.50, 0.58]]\n"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", {("look again", OTHER_AXIS)}),
        ("Each row is divided by its sum.\n\n", {("wrong", "impossible")}),
        ("S = Q K^T / 1.41\n\n", {("wrong", "impossible")}),
        ("The last column of the table is x.\n\n", {("look again", OTHER_AXIS)}),  # says nothing of tokens
        ("s = k^T q\n\n", {("look again", OTHER_AXIS)}),  # of two vectors, as everybody writes
        ("Every token is a column.\n\n", set()),
        ("Z = K^T Q\n\n", set()),
        ("The softmax goes column by column.\n\n", set()),
    ],
)
def test_a_softmax_over_columns_is_wrong_only_where_rows_are_meant(said: str, found: set[tuple[str, str]]) -> None:
    assert set(levels(said + SCORES + OVER_COLUMNS)) == found


def test_plain_arithmetic_alone_in_its_line_is_looked_at_again_whatever_else_gives_its_result() -> None:
    report = check_text("w = 0.8 - 0.1 * 2.5 = 0.45\n")  # 0.55, whose complement is 0.45
    assert [(found.level, found.right) for found in report.findings] == [("look again", "0.55")]
    assert report.exit_code(strict=True) == 1

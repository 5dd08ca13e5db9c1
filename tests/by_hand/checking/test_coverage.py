"""What looks like a result, and how much of it was checked: no tick says more than it knows."""

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.notes.reading import open_bytes


def counted(notes: str, suffix: str = ".md") -> tuple[int, int]:
    """How many numbers were checked, and how many look like results."""
    coverage = check_text(notes, suffix=suffix).coverage
    return coverage.checked, coverage.look_like_results


@pytest.mark.parametrize(
    ("notes", "wanted"),
    [
        ("1 + 1 = 2", (1, 1)),
        ("$W = [a_1, a_2]$\n\n$W = [0.5, 0.7]$", (0, 0)),  # entries that are only given names
        ("a = 1\n\nb = 2\n\n$W = [a, b]$\n\n$W = [1, 2]$", (2, 2)),  # put together from what is known
        ("2 × 3 = 6 = 12 / 2 = 6", (2, 2)),
        ("X = [[1, 0]]\n\nW = [[1, 2], [3, 4]]\n\nX W = [[1, 2]]", (2, 2)),  # the given numbers are not results
        ("Q = X W\n\nQ = [[1, 2]]", (0, 2)),  # a formula is given for its name
        ("$$X W = \\boxed{5}$$", (0, 1)),  # however it is dressed up
        ("softmax(z) ≈ [0.1, 0.9]", (0, 2)),
        ("lr = 0.01, d = 512\n\nshape = (2, 3)", (0, 0)),
        ("There are 3 tokens and 12 heads.", (0, 0)),
        ("On 2024-05-01 we used version 1.2.3, see section 4.1.", (0, 0)),
        ("θ·x + b = 0 is the boundary, and the weights sum to 1.", (0, 0)),  # a condition
        ("---\nweight = 2 * 3 = 6\n---\n\n1 + 1 = 2\n", (1, 1)),  # front matter
        ("![a](plots/x=2*3=6.png) and [b](http://a.b/?q=1+1=2)", (0, 0)),
        ("<!-- 2 * 3 = 7 -->\n\n1 + 1 = 2", (1, 1)),
        ("```javascript\nfor (let i = 0; i < 3; i++) { total = 2; }\n```", (0, 0)),
        ("| layer | width |\n|---|---|\n| 1 | 512 |\n| 2 | 256 |", (0, 0)),
        ("- [1. Intro](#intro)\n- [2. Results](#results)\n", (0, 0)),
    ],
)
def test_what_looks_like_a_result(notes: str, wanted: tuple[int, int]) -> None:
    assert counted(notes) == wanted


def test_numbers_put_in_for_a_name_are_no_results() -> None:
    assert counted("X = [[1, 0]]\n\nY = X [[2], [3]] = [[1, 0]] [[2], [3]] = 2") == (1, 1)


def test_what_was_not_checked_has_its_line_its_reason_and_its_numbers() -> None:
    coverage = check_text("1 + 1 = 2\n\nX W = [[1, 2], [3, 4], [5, 6]]\n").coverage
    assert (coverage.checked, coverage.look_like_results, coverage.share) == (1, 7, 1 / 7)
    (entry,) = coverage.unchecked
    assert (entry.line, entry.why, entry.printed, entry.count) == (3, "nothing is known of 'X'", "1, 2, 3, 4 …", 6)


@pytest.mark.parametrize(
    ("notes", "outcome"),
    [
        ("1 + 1 = 2", "fine"),
        ("1 + 1 = 3", "wrong"),
        ("1 + 1 = 2\n\nX W = 5", "fine"),
        ("X W = 5", "nothing checked"),
        ("X = [[1, 2]]", "nothing checked"),
        ("", "nothing checked"),
    ],
)
def test_there_are_three_outcomes(notes: str, outcome: str) -> None:
    assert check_text(notes).outcome == outcome


def test_a_damaged_file_is_not_fine() -> None:
    from glassformer.by_hand.check import check_document

    assert check_document(open_bytes(b"\x00\x01", "x.md")).outcome == "nothing checked"


@pytest.mark.processor_seconds(20)
@pytest.mark.parametrize(
    "piece", ["1234567890", "[", "<!--", "<a", "= 1 ", "1 + ", "(", "![a](", "---\n", "\\boxed{1", "1.,"]
)
def test_counting_takes_no_longer_than_the_text(piece: str) -> None:
    counted(piece * (60_000 // len(piece)) + "x")
    counted(f"1 + 1 = {piece * 150}x\n" * 30)


@pytest.mark.parametrize(
    ("notes", "wanted"),
    [
        ("x = [1, 0]\n\nW = [[3, 1], [2, 8]] → q = x W = [3, 1]\n", (2, 2)),
        ("y = 3 × 2 = 6\n\nFor y = 2:\n", (1, 1)),
        ("![a figure](figures/one.png){width=100%}\n", (0, 0)),
    ],
)
def test_givens_are_no_results(notes: str, wanted: tuple[int, int]) -> None:
    assert counted(notes) == wanted


def test_numbers_under_a_formula_that_was_not_read_are_results_not_checked() -> None:
    rows = "| 1 | 0.10 | 0.050 |\n| 2 | 0.08 | 0.900 |\n"
    report = check_text(f"| step | lr | lr × grad (grad = 0.5) |\n|---|---|---|\n{rows}\nAnd 0.5 × 0.8 = 0.40.\n")
    assert (report.coverage.checked, report.coverage.look_like_results) == (1, 3)
    assert "lr × grad" in report.coverage.unchecked[0].why
    plain = check_text(f"| step | lr | warm lr |\n|---|---|---|\n{rows}\nAnd 0.5 × 0.8 = 0.40.\n")
    assert plain.coverage.look_like_results == 1

"""Verdicts: cut off is milder than wrong, and given numbers that were rounded excuse."""

from glassformer.by_hand.check import check_text


def test_rounded_given_numbers_excuse_what_exact_ones_do_not() -> None:
    notes = "X = [[0.5, 1.5]]\n\nW = [[0.25], [0.75]]\n\nY = X W = [[1.28]]\n"
    doubtful = check_text(notes)
    assert [f.verdict for f in doubtful.findings] == ["doubtful"]
    assert doubtful.exit_code() == 0
    assert doubtful.exit_code(strict=True) == 1
    exact = check_text(notes, exact=True)
    assert [(f.verdict, f.right) for f in exact.findings] == [("wrong", "1.25")]
    assert [f.verdict for f in check_text("All given numbers are exact.\n\n" + notes).findings] == ["wrong"]


def test_many_numbers_that_rounding_hardly_gives_have_no_tick() -> None:
    notes = "X = [[1.0, 1.0]]\n\nW = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]\n\nY = X W = [[{}]]\n"
    near = check_text(notes.format("2.1, 4.1, 6.1"))  # 2, 4, 6, each with at least 0.2 of room
    assert (near.outcome, near.rounded_givens, near.coverage.checked) == ("fine", 3, 3)
    strained = check_text(notes.format("2.2, 4.3, 6.4"))  # nearly all of it: every given number rounded down
    assert (strained.outcome, strained.rounded_givens, strained.coverage.checked) == ("nothing checked", 3, 0)
    assert (
        strained.coverage.unchecked[0].why == "it fits only if the given numbers were rounded before they were printed"
    )
    assert not strained.numbers


def test_a_wrong_fraction_is_shown_whole() -> None:
    (finding,) = check_text(r"$\frac{1}{2} + \frac{1}{4} = \frac{1}{4}$").findings
    assert (finding.printed, finding.right, finding.name) == (r"\frac{1}{4}", "0.7500", "1/2 + 1/4")


def test_digits_judges_to_so_many_decimals_only() -> None:
    assert check_text("1/3 = 0.3334").first_wrong is not None
    assert check_text("1/3 = 0.3334", digits=3).first_wrong is None


def test_cut_off_is_milder_than_wrong() -> None:
    report = check_text("[2, 5] / 3 = [0.66, 1.66]")
    assert {f.verdict for f in report.findings} == {"cut-off"}
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)


def test_of_numbers_that_may_be_meant_otherwise_none_is_called_cut_off() -> None:
    report = check_text("[68.68, 91.32] / 2 = [34.34, 45.66] ≈ [35, 45]\n")  # whole numbers between these
    assert (report.findings, report.coverage.checked, report.coverage.look_like_results) == ([], 2, 4)


def test_a_wrong_number_is_pinned_down_within_an_expression() -> None:
    (finding,) = check_text("s = 1 / (1 + e^(-0.4512)) = 1 / (1 + 0.63706) = 1 / 1.63706 = 0.61092\n").findings
    assert (finding.printed, finding.right, finding.arithmetic) == ("0.63706", "0.63686", "e^(-0.4512) = 0.63686")


def test_names_are_spelled_as_the_author_spells_them() -> None:
    (finding,) = check_text("$$\\hat{y}_{t} = 2 \\cdot 3 = 7$$\n").findings
    assert finding.name == "\\hat{y}_{t}"
    (finding,) = check_text("Total Cost = 2 × 3 = 7\n").findings
    assert finding.name == "Total Cost"

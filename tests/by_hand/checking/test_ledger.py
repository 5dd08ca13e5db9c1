"""Everything known so far, section by section, and what later numbers show of a mistake."""

from glassformer.by_hand.check import check_text


def test_a_new_example_starts_anew_and_a_repeated_heading_goes_on() -> None:
    notes = "# Example 1\n\nA = [[1, 2]]\n\n# Example 1\n\nA + A = [[2, 4]]\n\n# Example 2\n\nA + A = [[9, 9]]\n"
    report = check_text(notes)
    assert report.first_wrong is None
    assert report.checked == 1
    assert [(r.line, r.why) for r in report.not_checkable if r.line == 11] == [(11, "nothing is known of 'A'")]


def test_a_heading_above_holds_for_the_examples_below() -> None:
    notes = "# Notes\n\nW = [[2]]\n\n## Example 1\n\n[3] W = [6]\n\n## Example 2\n\n[4] W = [9]\n"
    report = check_text(notes)
    assert [(f.line, f.right) for f in report.findings] == [(11, "8")]


def test_names_given_further_down_prove_nothing_about_lines_above() -> None:
    notes = "$$Q K^T = [[0, 5]]$$\n\nQ = [1, 0]\n\nK = [[0, 1], [1, 1]]\n"
    report = check_text(notes)
    assert report.findings == []
    assert "nothing is known of 'Q'" in {remark.why for remark in report.not_checkable}


def test_a_mistake_carried_on_is_not_wrong_again() -> None:
    notes = "Q = [[5, 2]] [[1, 0], [0, 1]] = [[5, 3]]\n\nS = Q [[2], [1]] = [[13]]\n\nT = S + S = [[26]]\n"
    report = check_text(notes)
    assert [(f.line, f.verdict, f.follows) for f in report.findings] == [(1, "carried", (3, 5))]
    assert report.marks == {"numbers": 4, "right": 3, "follow_through": 2}


def test_a_slip_of_the_pen_is_told_from_a_mistake_carried_on() -> None:
    notes = "Q = [[1, 2]] [[1, 0], [0, 1]] = [[1, 3]]\n\nS = Q [[2], [1]] = [[4]]\n"
    assert [(f.verdict, f.follows) for f in check_text(notes).findings] == [("slip", ())]


def test_a_written_product_far_from_its_printed_result_is_told_though_a_given_may_be_rounded() -> None:
    notes = "x = 1.0\n\ny = 0.069\n\n$$w = y \\cdot x = 0.069 \\cdot 1.0 = {}$$\n"
    assert check_text(notes.format("0.069")).findings == []
    (finding,) = check_text(notes.format("0.065")).findings
    assert (finding.level, finding.right) == ("rounding", "0.069")


def test_a_half_that_is_lost_has_no_tick() -> None:
    for line in ("5 / 2 = 2", "-7 / 2 = -3"):
        report = check_text(line + "\n")
        assert (report.findings, report.coverage.checked, report.coverage.look_like_results) == ([], 0, 1), line
    for line in ("-1 / 2 = 0", "1 - 1.5 = 0"):
        assert check_text(line + "\n").coverage.checked == 0, line
    for line in ("5 / 2 = 3", "-7 / 2 = -4", "7 / 3 = 2", "2.5 · 1 = 2.5"):
        assert check_text(line + "\n").coverage.checked == 1, line


def test_infinity_where_infinity_is_printed_is_compared_without_a_warning() -> None:
    check_text("[0.5 -inf; 1.4 0.2] = [0.5 -inf; 1.4 0.3]\n")  # warnings are errors here

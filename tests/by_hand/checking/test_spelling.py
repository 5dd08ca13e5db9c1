"""How one number comes about, spelled out."""

from glassformer.by_hand.check import check_text


def test_no_arithmetic_is_shown_with_a_name_that_was_given_anew() -> None:
    report = check_text("w = [0.50, 0.20]\n\ng = [0.40, 0.80]\n\nw = w - 0.25 g = [0.45, 0.00]\n")
    (finding,) = report.findings
    assert (finding.printed, finding.right) == ("0.45", "0.40")
    assert "0.3" not in finding.arithmetic

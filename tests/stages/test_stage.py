"""What a stage is: its two symbols, its ways, and formulas filled with what was there."""

from glassformer.stages.stage import Way, described, fill


def test_the_latex_of_a_symbol_stands_after_two_spaces() -> None:
    assert (
        described("a", "Z̃  \\tilde{Z}", "B T", "score", "A.").latex,
        described("b", "W_Q", "", "plain", "B.").latex,
    ) == (
        "\\tilde{Z}",
        "W_Q",
    )
    assert described("a", "Z", "B T", "score", "A.").axes == ("B", "T")


def test_a_part_without_its_operand_is_left_out() -> None:
    assert fill("@0 @1< + @2>", ["X", "W_Q", None]) == "X W_Q"
    assert fill("@0 @1< + @2>", ["X", "W_Q"]) == "X W_Q"
    assert fill("@0 @1< + @2>", ["X", "W_Q", "b_Q"]) == "X W_Q + b_Q"


def test_a_way_is_found_by_name() -> None:
    way = Way("relu", ("a",), "@0", "@0", how="relu")
    made = described("b", "B", "", "plain", "B.", way)
    assert made.way("relu") is way
    assert made.way("gelu") is None

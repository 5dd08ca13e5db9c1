"""Rows that belong together are the rows of one matrix."""

from glassformer.by_hand.check import check_text


def test_rows_make_a_matrix() -> None:
    notes = "W_Q = [[1, 0], [1, 1]]\n\nW_K = [[0, 1], [1, 0]]\n\n"
    notes += "".join(f"{word}: {row} · {w} = {result}\n\n" for word, row, w, result in [
        ("tea", "[1, 0]", "W_Q", "[1, 0]"), ("milk", "[0, 1]", "W_Q", "[1, 1]"),
        ("tea", "[1, 0]", "W_K", "[0, 1]"), ("milk", "[0, 1]", "W_K", "[1, 0]"),
    ])  # fmt: skip
    report = check_text(notes + "scores = Q K^T = [[0, 1], [1, 2]]\n")
    assert [(f.row, f.col, f.printed, f.right) for f in report.findings] == [(2, 2, "2", "1")]

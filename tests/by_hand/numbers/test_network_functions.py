"""Losses, pooling and convolution: right, wrong, and right in a way that others mean."""

import pytest

from glassformer.by_hand.check import check_text

SQUARE = "X = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\n\nK = [[1, 0], [0, 2]]\n\n"  # 1 + 2×5, 2 + 2×6, 4 + 2×8, 5 + 2×9
SPOKEN = f"Convolution slides a kernel over a picture.\n\n{SQUARE}"
POOLED = "X = [[1, 2, 5, 6], [3, 4, 7, 8], [1, 1, 2, 2], [0, 9, 3, 1]]\n\n"


def told(notes: str) -> tuple[str, list[tuple[str, str]]]:
    report = check_text(notes)
    return report.outcome, [
        (finding.printed, finding.right) for finding in report.findings if finding.level != "rounding"
    ]


@pytest.mark.parametrize(
    ("notes", "right", "wrong"),
    [
        ("cross_entropy([0, 1, 0], [0.20, 0.75, 0.05]) = {}", "0.288", "0.388"),  # −ln 0.75
        ("$\\text{{CE}}([0, 1, 0], [0.20, 0.75, 0.05]) = {}$", "0.288", "0.388"),
        ("$L = -\\log(0.75) = {}$", "0.288", "0.388"),
        ("BCE(1, 0.75) = {}", "0.288", "0.388"),
        ("y = [1, 2]\n\nt = [2, 4]\n\nMSE(y, t) = {}", "2.5", "3.5"),  # (1 + 4) / 2
        (SQUARE + "conv(X, K) = [[11, 14], [20, {}]]", "23", "24"),
        (SQUARE + "conv2d(X, K) = [[11, 14], [20, {}]]", "23", "24"),
        (SQUARE + "Convolving X with the kernel K gives [[11, 14], [20, {}]].", "23", "24"),
        (SPOKEN + "X * K = [[11, 14], [20, {}]]", "23", "24"),
        ("A kernel: [1, 2, 3, 4] * [1, 0, -1] = [-2, {}]", "-2", "-7"),  # 1 − 3, 2 − 4
        (POOLED + "maxpool(X) = [[4, 8], [9, {}]]", "3", "5"),
        (POOLED + "max_pool(X) = [[4, 8], [9, {}]]", "3", "5"),
        ("X = [[12, 34], [56, 78]]\n\nglobal_max_pool(X) = {}", "78", "76"),
    ],
)
def test_right_and_wrong(notes: str, right: str, wrong: str) -> None:
    assert told(notes.format(right)) == ("fine", [])
    assert told(notes.format(wrong)) == ("wrong", [(wrong, right)])


@pytest.mark.parametrize(
    "notes",
    [
        SPOKEN + "X * K = [[7, 10], [16, 19]]",  # flipped: 2×1 + 5
        "A kernel: [1, 2, 3, 4] * [1, 0, -1] = [2, 2]",
        "A filter.\n\nA = [[1, 2], [3, 4]]\n\nB = [[1, 0], [2, 1]]\n\nA * B = [[1, 0], [6, 4]]",  # entry by entry
        "A filter.\n\nA = [[1, 2], [3, 4]]\n\nB = [[1, 0], [2, 1]]\n\nA * B = [[5, 2], [11, 4]]",  # as matrices
        "A filter.\n\nA = [[1, 2], [3, 4]]\n\nB = [[1, 0], [2, 1]]\n\nA * B = 11",  # slid: 1 + 3×2 + 4
        "[4, 2, 3] * [3, 2] = [4, 2]",  # nobody speaks of convolution: shapes
        SPOKEN + "X * K = [[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0], [0, 0, 0, 0]]",  # padded, perhaps
        "CE([0.20, 0.75, 0.05], [0, 1, 0]) = 0.288",  # the target comes second
        "CE([0, 1, 0], [0.20, 0.75, 0.05]) = 0.415",  # to base 2
        "MSE([1, 2], [2, 4]) = 1.25",  # halved
        "MSE([1, 2], [2, 4]) = 5",  # the sum
        POOLED + "maxpool(X) = 9",  # of all
        POOLED + "maxpool(X) = [[4, 7, 8], [4, 7, 8], [9, 9, 3]]",  # a stride of 1
    ],
)
def test_right_in_a_way_that_others_mean(notes: str) -> None:
    assert told(notes)[1] == []

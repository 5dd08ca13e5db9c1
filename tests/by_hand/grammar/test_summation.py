"""Sums over an index, and one step of a recurrent network by its formulas."""

import pytest

from glassformer.by_hand.check import check_text

CLASSES = "y = [0, 1, 0]\n\np = [0.20, 0.75, 0.05]\n\n"
PAIRS = "y = [1, 2]\n\n$\\hat{y} = [2, 4]$\n\n"
LSTM = (
    "Gates by the sigmoid.\n\n$$f_t = \\sigma(1.0) = 0.731$$\n$$i_t = \\sigma(0.5) = 0.622$$\n"
    "$$\\tilde{c}_t = \\tanh(0.5) = 0.462$$\n$$o_t = \\sigma(0) = 0.5$$\n$$c_{t-1} = 2$$\n"
)
GRU = "z_t = 0.25\n\nr_t = 0.50\n\n$h_{t-1} = 0.80$\n\n$\\tilde{h}_t = \\tanh(0.5 + r_t \\cdot h_{t-1}) = 0.716$\n\n"


def told(notes: str) -> tuple[str, list[tuple[str, str]]]:
    report = check_text(notes)
    return report.outcome, [
        (finding.printed, finding.right) for finding in report.findings if finding.level != "rounding"
    ]


@pytest.mark.parametrize(
    ("given", "claim", "right", "wrong"),
    [
        (CLASSES, "$L = -\\sum_i y_i \\log p_i = @$", "0.288", "0.388"),
        (CLASSES, "$L = -\\sum_{i=1}^{3} y_i \\log(p_i) = @$", "0.288", "0.388"),
        (CLASSES, "L = -∑ yᵢ log(pᵢ) = @", "0.288", "0.388"),
        (PAIRS, "$L = \\frac{1}{n}\\sum_{i=1}^n (y_i - \\hat{y}_i)^2 = @$", "2.5", "3.5"),  # (1 + 4) / 2
        ("w = [2, 3]\n\nx = [5, 7]\n\nb = 1\n\n", "$z = \\sum_i w_i x_i + b = @$", "32", "42"),
        (LSTM, "$$c_t = f_t \\odot c_{t-1} + i_t \\odot \\tilde{c}_t = @$$", "1.750", "1.850"),
        (LSTM, "$$h_t = o_t \\odot \\tanh(f_t \\odot c_{t-1} + i_t \\odot \\tilde{c}_t) = @$$", "0.471", "0.571"),
        (GRU, "$h_t = (1 - z_t) h_{t-1} + z_t \\tilde{h}_t = @$", "0.779", "0.979"),
    ],
)
def test_right_and_wrong(given: str, claim: str, right: str, wrong: str) -> None:
    assert told(given + claim.replace("@", right)) == ("fine", [])
    assert told(given + claim.replace("@", wrong)) == ("wrong", [(wrong, right)])


@pytest.mark.parametrize(
    "notes",
    [
        CLASSES + "$L = -\\sum_{i=1}^{2} y_i \\log p_i = 0.388$",  # two of three
        CLASSES + "$L = -\\sum_{i \\neq 2} y_i \\log p_i = 0.388$",
        "y = [[0, 1], [1, 0]]\n\np = [[0.2, 0.8], [0.6, 0.4]]\n\n$L = -\\sum_i y_i \\log p_i = 0.9$",  # over rows?
        CLASSES + "n = 5\n\n$L = -\\sum_{i=1}^n y_i \\log p_i = 0.388$",
    ],
)
def test_a_sum_over_something_else_is_not_called_wrong(notes: str) -> None:
    assert told(notes)[1] == []

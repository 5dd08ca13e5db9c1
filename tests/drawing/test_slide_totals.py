"""The totals as slides print them: numbers of four bytes, megabytes of 1,048,576."""

import pytest

from glassformer.drawing.slide_totals import MEGABYTE, SlideTotals, in_megabytes

POOLED = SlideTotals(mult_adds=27_579_584, input=64 * 500, forward=2 * 92_034, parameters=2_806_402)


def test_the_slides_own_lines() -> None:
    assert str(POOLED).splitlines() == [
        "mult-adds                    27.58 M",
        "input size                   0.12 MB",
        "forward/backward pass size   0.70 MB",
        "params size                 10.71 MB",
        "estimated total size        11.53 MB",
    ]


def test_many_mult_adds_are_billions() -> None:
    assert SlideTotals(15_470_264_320, 0, 0, 0).lines()[0] == ("mult-adds", "15.47 G")


def test_a_quarter_of_a_megabyte_of_numbers_is_a_megabyte() -> None:
    assert in_megabytes(MEGABYTE // 4) == "1.00 MB"


def test_plain_data() -> None:
    content = POOLED.to_dict()
    assert content["mult_adds"] == 27_579_584
    assert content["total_mb"] == pytest.approx(content["input_mb"] + content["forward_mb"] + content["parameters_mb"])

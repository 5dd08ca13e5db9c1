"""Charts: round numbers at the axes, names that do not stand on one another, and points where a pencil puts them."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.drawing.charts import COLOURS, Line, Scale, apart, line_chart, round_numbers, thinned_points, whisker


def shown(number: float) -> str:
    return f"{number:g}"


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.0, 1.0, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (0.0, 60.0, [0.0, 20.0, 40.0, 60.0]),
        (0.685, 0.712, [0.69, 0.70, 0.71]),
        (3.0, 3.0, [3.0]),
    ],
)
def test_the_axes_have_round_numbers(low: float, high: float, wanted: list[float]) -> None:
    assert round_numbers(low, high) == pytest.approx(wanted)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_there_are_a_few_numbers_and_all_are_within(low: float, span: float) -> None:
    found = round_numbers(low, low + span)
    assert 1 <= len(found) <= 6
    slack = 1e-6 * span + 1e-9 * abs(low)
    assert all(low - slack <= each <= low + span + slack for each in found)


def test_names_are_moved_apart_and_stay_within() -> None:
    assert apart([10.0, 50.0, 90.0], 12.0) == [10.0, 50.0, 90.0]
    assert apart([50.0, 51.0, 52.0], 12.0) == [50.0, 62.0, 74.0]
    assert apart([97.0, 98.0, 99.0], 12.0) == [76.0, 88.0, 100.0]
    assert apart([], 12.0) == []


@given(st.lists(st.floats(0, 100), max_size=8))
def test_no_two_names_are_nearer_than_they_may_be(places: list[float]) -> None:
    found = apart(sorted(places), 12.0)
    assert all(after - before >= 12.0 - 1e-9 for before, after in pairwise(found))
    assert all(place <= 100 for place in found)


def test_a_long_curve_keeps_its_last_point() -> None:
    points = [(float(i), 0.0) for i in range(1001)]
    found = thinned_points(points)
    assert len(found) <= 401
    assert found[0] == points[0]
    assert found[-1] == points[-1]
    assert thinned_points(points[:7]) == points[:7]


def test_a_curve_runs_where_a_pencil_puts_it() -> None:
    drawn = line_chart([Line("loss", [(0.0, 1.0), (5.0, 0.5), (10.0, 0.0)], dotted=True)], shown, shown, "a fall")
    places = re.findall(r'points="([^"]+)"', drawn)[0].split()
    top = 100 - 100 * 1.0 / 1.05  # a twentieth of the span is left free above
    assert places == [f"0.00,{top:.2f}", f"50.00,{(100 + top) / 2:.2f}", "100.00,100.00"]
    assert drawn.count("<circle") == 3
    assert 'aria-label="a fall"' in drawn


def test_faint_lines_have_no_name_and_a_ninth_begins_again() -> None:
    points = [(0.0, 1.0), (1.0, 0.5)]
    drawn = line_chart([Line("first", points), Line("again", points, colour=COLOURS, faint=True)], shown, shown, "")
    assert drawn.count(">first</text>") == 1
    assert ">again</text>" not in drawn
    assert 'class="curve c0 faint"' in drawn


def test_nothing_is_drawn_of_nothing_and_names_stay_names() -> None:
    assert line_chart([], shown, shown, "") == ""
    drawn = line_chart([Line("<script>", [(0.0, 1.0), (1.0, 2.0)], dotted=True)], shown, shown, '"><script>')
    assert "<script>" not in drawn


def test_a_whisker_stands_on_its_scale() -> None:
    drawn = whisker(0.75, (0.5, 1.0), [0.6, 0.9], Scale(0.0, 1.0), colour=2)
    assert 'x1="50.00%" x2="100.00%"' in drawn
    assert 'cx="75.00%"' in drawn
    assert drawn.count('class="each"') == 2
    assert "c2" in drawn
    assert Scale(0.0, 1.0).place(7.0) == 100.0

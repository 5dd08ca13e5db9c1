"""Curves: an average that starts at the first point, a forecast of a power law, and a drawing of the right shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.drawing.curves import dotted, drawn, forecast, smoothed


def test_a_constant_is_its_own_average() -> None:
    assert smoothed([(t, 3.0) for t in range(1, 8)])[0] == (1, pytest.approx(3.0))
    assert all(value == pytest.approx(3.0) for _, value in smoothed([(t, 3.0) for t in range(1, 8)]))


def test_the_average_by_hand() -> None:
    (_, first), (_, second) = smoothed([(0, 2.0), (1, 4.0)], weight=0.5)
    assert first == 2.0
    assert second == pytest.approx((0.5 * 0.5 * 2 + 0.5 * 4) / 0.75)


def test_a_power_of_the_time_is_forecast() -> None:
    """From 2,000 on to 4,000: by the slope −0.3 the average falls to 2^−0.3 of itself, or to 2^−0.075, or to 2^−0.6."""
    points = [(t, 5.0 * t**-0.3) for t in range(1, 2001)]
    found = forecast(points, 4000.0)
    assert found is not None
    now = smoothed(points)[-1][1]
    assert found[0] == pytest.approx(now * 2**-0.6, rel=0.01)
    assert found[1] == pytest.approx(now * 2**-0.075, rel=0.01)
    longer = [(t, 5.0 * t**-0.3) for t in range(1, 4001)]
    assert found[0] < smoothed(longer)[-1][1] < found[1]


def test_too_few_points_foretell_nothing_and_a_rise_is_not_drawn_out() -> None:
    assert forecast([(1, 2.0), (2, 1.5)], 10.0) is None
    assert forecast([(2.0, 1.0)] * 12, 10.0) is None
    rising = [(t, 1.0 + 0.1 * t) for t in range(1, 12)]
    assert forecast(rising, 1000.0) == (pytest.approx(1.1), pytest.approx(1.1))
    level = [(t, 3.0) for t in range(1, 12)]
    assert forecast(level, 1000.0) == (pytest.approx(3.0), pytest.approx(3.0))


@given(st.lists(st.floats(1e-3, 1e3), min_size=10, max_size=60), st.floats(0.1, 1000.0))
def test_it_is_never_above_what_was_reached(losses: list[float], more: float) -> None:
    """Of a falling loss, 1.373 by now, it once said: 1.816 at the end."""
    points = [(float(t), loss) for t, loss in enumerate(losses, 1)]
    found = forecast(points, len(losses) + more)
    assert found is not None
    assert 0 <= found[0] <= found[1] <= min(value for _, value in smoothed(points))


def test_the_drawing_falls_from_left_to_right() -> None:
    lines = drawn([(t, 10.0 - t) for t in range(10)], width=10, height=5)
    assert len(lines) == 5
    assert lines[0].startswith("  10.000 █")
    assert lines[-1].startswith("   1.000 ")
    filled = ["".join(line[9 + column] for line in lines).strip() for column in range(10)]
    assert [len(each) for each in filled] == sorted((len(each) for each in filled), reverse=True)
    assert drawn([]) == []


def test_two_curves_stand_in_one_frame() -> None:
    """From 50 to 100 %, over two epochs; where they meet, it is said."""
    lines = dotted([[(1, 0.5), (2, 1.0)], [(1, 0.5), (2, 0.75)]], "○●", width=4, height=3)
    assert lines == [" 100.0 %     ○", "             ●", "  50.0 %   ◉"]
    assert dotted([[], []], "○●") == []

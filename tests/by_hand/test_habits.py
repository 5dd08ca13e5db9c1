"""Habits of people who write notes: asides, decimal commas, bars, calls. None of them raises a false alarm."""

import pytest
from helpers.checked_notes import told

from glassformer.by_hand.check import check_text


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (r"With $c = 2$ and $b = 1$: $y = c [1, 2] + b = [3, 5]$", ()),
        ("Divide by √4 ≈ 2.0: [3, 6] / 2.0 → [1.5, 3]", ()),
        ("Divide by 8 ( √dk, with dk = 64 ): 112 / 8 = 15", ("15", "14")),
        (r"loss $= -\ln 0.5 = 0.693$, gain $= 0.8$; rate $= 0.10 + 0.20 = 0.40$.", ("0.40", "0.30")),
        ("**Query.** W_Q = [[1, 0], [0, 1]]. So **q = [1, 2] W_Q = [1, 3]**.", ("3", "2")),
        (r"$\log_2 8 = 3$, $\ln(2) \approx 0.693$ and $\max(1, 4, 2) = 5$", ("5", "4")),
        (r"sigmoid: $\sigma(0) = 0.5$, $\sigma([2, -1]) = [0.88, 0.73]$", ("0.73", "0.27")),
        ("3.2 × 10^{-3} + 1 = 1.0034", ("1.0034", "1.0032")),
    ],
)
def test_lines_as_people_write_them(line: str, wrong: tuple[str, ...]) -> None:
    assert told(line + "\n") == ([(1, *wrong)] if wrong else [])


def test_a_word_has_another_row_at_every_step() -> None:
    notes = "cat → [1, 0]\n\nsat → [0, 2]\n\ncat·sat = [2, 1] · [3, 0] = 2×3 + 1×0 = 7\n"
    assert told(notes) == [(5, "7", "6")]


def test_decimal_commas() -> None:
    assert told("Q = [1,5; 0,5]\n\n0,5 · 0,4 = 0,3\n") == [(3, "0,3", "0,2")]
    assert told("softmax([2; 1; 0,1]) = [0,659; 0,422; 0,099]\n") == [(1, "0,422", "0,242")]
    assert told(r"$0{,}5 \cdot 0{,}4 = 0{,}3$") == [(1, "0{,}3", "0{,}2")]
    assert told("A = [1,0,1] + [0,1,2] = [1,1,4]\n") == [(1, "4", "3")]
    assert told("S;1,5;0,5\n2 S = S + S;3,0;1,5\n", ".csv") == [(2, "1.5", "1.0")]


def test_calls_with_keywords_are_programs() -> None:
    report = check_text("```python\nconfig = dict(d_model=512, heads=8)\nmodel = Model(d=2)\n```\n")
    assert report.claims == 0


def test_two_vectors_on_one_line_are_no_product() -> None:
    assert told("q = [1,0] k = [0,1]\n\nq + k = [1, 2]\n") == [(3, "2", "1")]
    assert told("W = [[1, 0], [0, 1]]\n\nq = [1,0] W = [1,1]\n") == [(3, "1", "0")]
    report = check_text("q = [1,0] W = [1,1]\n\nq + q = [9, 9]\n")
    assert [r.why for r in report.unreadable] == ["'W' may be a factor, or the name of what follows"]
    assert report.findings == []


def test_bars_and_letters_with_marks() -> None:
    assert told("x = -3, |x| = 3 and |2 - 5| = 4") == [(1, "4", "3")]
    assert told("v = [3, 4], ‖v‖ = 6 and ||v|| = 5") == [(1, "6", "5")]
    assert told("x̄ = (1 + 2)/2 = 1.6 and ŷ = 2 x̄ = 3.0") == [(1, "1.6", "1.5")]
    report = check_text("v = [3, -4], |v| = 7")
    assert "|…| of several numbers may be their length, or each without its sign" in {
        r.why for r in report.not_checkable
    }


@pytest.mark.parametrize(
    "line",
    [
        "n² = 1024² = 1,048,576 entries × 2 bytes and so on",
        "the: q = [1, 0]  k = [0, 1]  v = [1, 2]",
        r"Mask: $[2.0, 1.0, -10^9] \to [0.731, 0.269, 0]$",
        "a = (1,2), b = (3,4). Then a + b = (4,6), a·b = 11, 2a = (2,4). Also 0 + 1 = 1",
        "N = 1,000 and M = 2,500, so N + M = 3,500.",
        "accuracy = 0.91 (was 0.87), loss = 0.3 → 0.2",
        r"$S = [2, 2]$, $\mathrm{softmax}\!\left(S\right) = [0.5, 0.5]$",
        "cos(1/10000^(2/4)) = cos(0.01) = 1.000",
        "[1,0].[1,1] = 1",
        "(0.6+0.9)/2≈0.71(0.6 + 0.9) / 2 ≈ 0.71",  # a page's formula, run together with its source
    ],
)
def test_right_lines_raise_no_alarm(line: str) -> None:
    assert told(line + "\n") == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("See (1,5). 3,50 · 2 = 7,10", "'3,50' may be one number with a decimal comma, or several numbers"),
        ("x = .5\n\n5/9 = 0,55. So", "'0,55' may be one number with a decimal comma, or several numbers"),
        ("x = .5\n\n2 + 2 = 0,1,2", "'0,1,2' may be one number with a decimal comma, or several numbers"),
        ("4 · 512 = 2 MB", "a number with the unit 'MB'"),
    ],
)
def test_what_may_mean_two_things_is_not_guessed(line: str, why: str) -> None:
    report = check_text(line + "\n")
    assert not report.findings
    assert why in [remark.why for remark in (*report.unreadable, *report.not_checkable)]
    assert not report.coverage.checked


@pytest.mark.parametrize(
    "line",
    ["See (1,5). 3,50 · 2 = 7,00", "0.98 - 0.03 = 0,95", "x = .5\n\n5/9 = 0,556. So", "1.5 and 2 · (0,3 - 0,1) = 0,4"],
)
def test_a_decimal_comma_among_points_is_one_if_it_comes_out(line: str) -> None:
    report = check_text(line + "\n")
    assert (report.outcome, report.coverage.checked, report.coverage.look_like_results) == ("fine", 1, 1)


@pytest.mark.parametrize(
    ("line", "n"),
    [
        (r"\[\boxed{15-3=12}\]", 1),
        (r"$$r = \frac{85,350}{85,851} \approx 0.9942$$", 1),  # thousands
        ("each filter has `3×3×3 = 27` weights plus 1 bias", 1),
        (r"$$2 \cdot 2.56 = 5.12 ≈ 5.1$$", 2),
        ("```\nE[Ŷ] = (9.8+10.3)/2 = 10.05\n```", 1),
        (r"$$\begin{array}{c} a = 2 \cdot 3 = 6 \\ b = 4 \cdot 0.5 = 2.0 \end{array}$$", 2),
    ],
)
def test_workings_in_frames_quotes_and_columns_are_read(line: str, n: int) -> None:
    report = check_text(line + "\n")
    assert (report.outcome, report.coverage.checked, report.coverage.look_like_results) == ("fine", n, n)


def test_what_stands_in_frames_quotes_and_columns_may_be_wrong() -> None:
    assert told(r"$$\boxed{0.5 \cdot 3 = 1.6}$$") == [(1, "1.6", "1.5")]
    assert told("each has `0.5 × 3 = 1.6` weights") == [(1, "1.6", "1.5")]
    (finding,) = check_text(r"$$\begin{array}{c} 2 \cdot 3.5 = 7.0 \\ 4 \cdot 0.5 = 2.5 \end{array}$$").findings
    assert (finding.printed, finding.right) == ("2.5", "2.0")


def test_arrays_in_brackets_are_matrices_and_a_number_after_a_number_is_no_claim() -> None:
    array = r"\left[\begin{{array}}{{cc}} 1 & {} \\ 3 & 4 \end{{array}}\right]"
    assert told(f"$$A = {array.format(2)}$$\n\n$$A = {array.format(2)}$$\n") == []
    report = check_text("$$2 + 2.5 = 4.5 ≈ 4.6$$\n")
    assert (report.findings, report.coverage.checked, report.coverage.look_like_results) == ([], 1, 2)


def test_what_was_read_by_a_guess_is_gone_on_with_only_if_it_came_out() -> None:
    assert check_text("p = .5\n\ns = 3/10 = 0,3\n\n2 s = 0.6\n").coverage.checked == 2
    report = check_text("p = .5\n\nx = 0,5\n\nx + 1 = 7\n")  # 0 and 5, perhaps
    assert not report.findings
    assert "nothing is known of 'x'" in [remark.why for remark in report.not_checkable]

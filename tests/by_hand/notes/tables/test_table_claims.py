"""Tables as matrices, and as columns that follow from each other."""

from helpers.checked_notes import found, told

from glassformer.by_hand.check import check_text


def test_tables_with_labels_are_matrices() -> None:
    given = "Q = [[2, 1], [1, 3]] and K = [[1, 1], [3, 0]]\n\n"
    rule, rows = "|---|---|---|\n", "| cat | 3 | 6 |\n| sat | 4 | **5** |\n"
    assert told(f"{given}| QKᵀ | cat | sat |\n{rule}{rows}") == [(6, "5", "3")]
    assert told(f"{given}Attention scores:\n\n| query / key | cat | sat |\n{rule}{rows}") == []  # by its name alone
    assert told(f"{given}| model | layers | heads |\n{rule}| base | 6 | 8 |\n| big | 6 | 16 |\n") == []
    assert told(f"{given}| QKᵀ | cat | note |\n{rule}| cat | 3 | so so |\n| sat | 4 | fine |\n") == []


def test_tables_with_numbers_for_labels() -> None:
    given = "Q = [[2, 1], [1, 3]] and K = [[1, 1], [3, 0]]\n\n"
    rows = "|---|---|---|\n| 1 | 3 | 6 |\n| 2 | 4 | 5 |\n"
    assert told(f"{given}| QKᵀ | 1 | 2 |\n{rows}") == [(6, "5", "3")]
    plain = check_text(f"{given}| epoch | loss | rate |\n{rows}")
    assert (3, "a table of numbers without a name or a formula") in [(r.line, r.why) for r in plain.not_checkable]
    assert plain.findings == []


def test_tables_with_a_formula_for_each_column() -> None:
    waves = "| pos | sin(pos) | cos(pos/100^(2/d)) |\n|---|---|---|\n| 0 | 0 | 1 |\n| 1 | 0.84 | 1.00 |\n"
    waves += "| 2 | 0.19 | 0.98 |\n"  # sin 2 = 0.909, cos(2/10) = 0.980
    assert told("d = 4\n\n" + waves) == [(7, "0.19", "0.91")]
    assert told("| x | y | x·y | x/y |\n|---|---|---|---|\n| 3 | 4 | 12 | 0.75 |\n| 2 | 8 | 15 | 0.25 |\n") == [
        (4, "15", "16")
    ]
    assert told("| x | e^x | softmax(x) |\n|---|---|---|\n| 0 | 1 | 0.50 |\n| 0 | 1 | 0.60 |\n") == [
        (4, "0.60", "0.50")
    ]
    assert told("| x | 2·x |\n|---|---|\n| 0,5 | 1,0 |\n| 1,5 | 2,0 |\n\n0,5 · 0,4 = 0,2\n") == [(4, "2,0", "3,0")]


def test_columns_that_cannot_be_worked_out_say_so() -> None:
    table = "| x | 2·x + | x² | x/z |\n|---|---|---|---|\n| 1 | 2 | so | 3 |\n| 2 | 4 | la | 6 |\n"
    report = check_text(table)
    assert [(r.line, r.why) for r in report.unreadable] == [
        (1, "the column '2·x +': the end is not expected here"),
        (1, "the column 'x²': it does not stand on numbers alone"),
    ]
    assert {r.why for r in report.not_checkable} == {"nothing is known of 'z'"}
    assert report.claims == report.checked + len(report.not_checkable) + len(report.unreadable)


def test_a_row_of_sums_is_none_of_the_formula() -> None:
    table = "| i | x | x² |\n|---|---|---|\n| 1 | 0.4 | 0.16 |\n| 2 | -0.4 | 0.16 |\n| 3 | 0.5 | 0.52 |\n"
    for label in ("Σ", "**Total**", "mean"):
        assert found(f"{table}| {label} | 0.5 | 0.57 |\n") == [(5, "0.52", "0.25")]


def test_a_column_called_e_holds_errors_and_not_the_number_of_euler() -> None:
    table = "| i | e | e² |\n|---|---|---|\n| 1 | 0.4 | 0.16 |\n| 2 | 0.3 | 0.09 |\n| 3 | 1.2 | 1.45 |\n"
    assert found(table) == [(5, "1.45", "1.44")]
    assert found("| x | e^x |\n|---|---|\n| 1 | 2.718 |\n| 2 | 7.389 |\n| 3 | 20.068 |\n") == [(5, "20.068", "20.086")]


def test_a_heading_may_name_what_it_works_out() -> None:
    table = "| x | y | z = 2x - y | e = y - x | e² |\n|---|---|---|---|---|\n| 3 | 4.5 | 1.5 | 1.5 | 2.25 |\n"
    assert found(f"{table}| 2.5 | 4.25 | 0.75 | 1.75 | 3.0625 |\n") == []
    assert found(f"{table}| 2.5 | 4.25 | 0.57 | 1.75 | 3.0625 |\n") == [(4, "0.57", "0.75")]
    assert found(f"{table}| 2.5 | 4.25 | 0.75 | 1.75 | 3.6025 |\n") == [(4, "3.6025", "3.0625")]


def test_a_bar_over_a_column_is_its_mean() -> None:
    heading = "| x | y | x - x̄ | (x - x̄)² | (x_i - x̄)(y_i - ȳ) |\n|--|--|--|--|--|\n"
    rows = "| 3 | 4 | 2 | 4 | 4 |\n| 2 | 2 | 1 | 1 | 0 |\n| 1 | 3 | 0 | 0 | 0 |\n| -1 | 1 | -2 | 4 | 2 |\n"
    last, sums = "| 0 | 0 | -1 | 1 | 2 |\n", "| 5 | 10 | 0 | 10 | 8 |\n"
    report = check_text(heading + rows + last + sums)
    assert report.findings == []
    assert report.coverage.checked == 15  # none of the row of sums
    assert check_text(heading + "| 3 | 4 | 2 | 4 | 4 |\n| 1 | 2 | 1 | 1 | 0 |\n").coverage.checked == 0  # too few


def test_a_letter_e_beside_a_column_may_be_anything() -> None:
    report = check_text("| x | x·e |\n|---|---|\n| 3 | 1.2 |\n| 2 | -1.6 |\n| 1 | 1.0 |\n")
    assert report.findings == []
    assert any("may mean this or that" in each.why for each in report.unreadable)

"""A worked worksheet: read, asked and shown."""

import pytest

from glassformer import check_text
from glassformer.by_hand.worksheets.solution import explain
from glassformer.errors import InputError


def test_a_solution_shows_itself_in_python() -> None:
    solution = explain("masked")
    assert repr(solution).startswith("Solution('masked', ")
    assert len(repr(solution)) < 100
    assert "A = softmax(Z̃), row by row" in str(solution)
    assert "\x1b" not in str(solution)
    assert solution._repr_markdown_() == solution.to_markdown()
    with pytest.raises(InputError, match="precision is 16; expected 2 to 15"):
        solution.to_latex(16)


def test_columns_are_a_way_to_show_any_working_that_has_tokens() -> None:
    page = " ".join(str(explain("masked").in_columns()).replace("▌", " ").split())
    assert "Tokens stand in columns, and every matrix before what it works on." in page
    assert "A = soft(arg)max(Z̃), column by column" in page
    assert "one row per" not in page
    written = explain("i-love-ai").in_columns().to_markdown(number="A[2,0]")
    assert "Tokens, one per column: I, love, AI." in written
    assert r"S = K^{\top} Q" in written
    assert "Row “AI”, column “I” of A, from column “I” of Z:" in written
    document = explain("i-love-ai").in_columns().to_dict()
    assert document["tokens_in"] == "columns"
    assert next(stage["values"] for stage in document["stages"] if stage["name"] == "inputs") == [[1, 0, 1], [0, 1, 1]]
    assert explain("i-love-ai").in_columns().in_columns().explain().address == "weights"
    with pytest.raises(InputError, match="max pooling has no tokens that could stand in columns"):
        explain("max-pooling").in_columns()


def test_the_number_that_is_shown_unasked_is_the_same_in_both_conventions() -> None:
    rows, columns = explain("cross"), explain("cross").in_columns()
    assert rows.explain().number == columns.explain().number
    assert rows.explain().index[-2:] == columns.explain().index[:-3:-1]


def test_beta_can_be_set() -> None:
    warm = explain("i-love-ai").scaled_by(0.0)
    assert warm.trace["weights"].tolist() == [[[[1 / 3] * 3] * 3]]
    assert explain("thinking-machines").scaled_by(1.0).trace["scaled"].tolist() == [[[[112, 96]]]]
    with pytest.raises(InputError, match="β is the scale of an attention; this is a worksheet of the layer 'rnn step'"):
        explain("rnn-step").scaled_by(1.0)
    with pytest.raises(InputError, match="finite number; it is inf"):
        explain("i-love-ai").scaled_by(float("inf"))


def test_it_is_said_why_k_is_turned_over() -> None:
    page = explain("i-love-ai").to_markdown()
    assert "Why Kᵀ: 3×2 · 3×2 does not fit, 3×2 · 2×3 does." in page
    assert r"A = soft(arg)max\_β(Q Kᵀ) says both steps at once: times β, the inverse temperature, then softmax." in page
    turned = explain("i-love-ai").in_columns().to_markdown()
    assert "Why Kᵀ: 2×3 · 2×3 does not fit, 3×2 · 2×3 does." in turned
    square = {"queries": [[1, 0], [0, 1]], "keys": [[1, 2], [3, 4]]}
    assert (
        "Why Kᵀ: 2×2 · 2×2 fits by chance, but only with it does each query meet each" in explain(square).to_markdown()
    )
    assert "why Kᵀ: 3×2 · 3×2 does not fit" in str(explain("i-love-ai"))


@pytest.mark.parametrize("name", ["i-love-ai", "masked", "cross", "sigmoid"])
def test_the_checker_reads_a_working_in_columns(name: str) -> None:
    report = check_text(explain(name).in_columns().to_markdown())
    assert (report.outcome, report.findings) == ("fine", [])
    assert report.coverage.share > 0.75

"""Worksheets in TOML and YAML, and what is wrong with others."""

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.reports.wording import ending

TOML = """title = "A sheet"
inputs = [[1, 0], [0, 1]]
[given]
W_Q = [[1, 0],
       [1, 1]]
[formulas]
Q = "X W_Q"
[work]
Q = [[1, 0], [2, 1]]
"""
YAML = """given:
  X: [[1, 0], [0, 1]]
  W_Q:
    - [1, 0]
    - [1, 1]
formulas:
  Q: X W_Q
work:
  Q: [[1, 0], [2, 1]]
"""


@pytest.mark.parametrize(("text", "suffix"), [(TOML, ".toml"), (YAML, ".yaml")])
def test_worksheets(text: str, suffix: str) -> None:
    report = check_text(text, f"sheet{suffix}", suffix)
    assert [(f.name, f.line, f.row, f.col, f.printed, f.right) for f in report.findings] == [("Q", 9, 2, 1, "2", "1")]
    assert not report.unreadable


def test_a_worksheet_by_the_names_of_the_catalogue() -> None:
    text = (
        "mask = 'causal'\ninputs = [[1, 0], [0, 1]]\nquery_weight = [[1, 0], [1, 1]]\nkey_weight = [[0, 1], [1, 0]]\n"
    )
    text += "value_weight = [[1, 2], [0, 1]]\n[work]\nqueries = [[1, 0], [1, 1]]\nkeys = [[0, 1], [1, 0]]\n"
    text += "values = [[1, 2], [0, 1]]\nscores = [[0, 1], [1, 1]]\nscaled = [[0, 0.71], [0.71, 0.71]]\n"
    text += "masked = [[0, -inf], [0.71, 0.71]]\nweights = [[1, 0], [0.5, 0.5]]\nmixed = [[1, 2], [0.5, 1.8]]\n"
    report = check_text(text, "sheet.toml", ".toml")
    assert [(f.name, f.row, f.col, f.printed, f.right) for f in report.findings] == [("mixed", 2, 2, "1.8", "1.5")]
    assert report.checked == 8


@pytest.mark.parametrize(
    ("text", "suffix", "why"),
    [
        ("[given]\nX = [[1, 0]\n", ".toml", "this is not TOML"),
        ("[givven]\nX = 1\n[work]\nY = 2\n", ".toml", "did you mean 'given'?"),
        ("given: [1, 2\n", ".yaml", "this is not YAML"),
        ("x: 3\n", ".yaml", "a worksheet needs one of the tables given, formulas, work"),
        ("{]", ".ipynb", "this is not a Jupyter notebook"),
        ("PK", ".xlsx", "this is not an Excel workbook"),
    ],
)
def test_strict_files_say_what_is_wrong(text: str, suffix: str, why: str) -> None:
    report = check_text(text, f"sheet{suffix}", suffix)
    assert why in report.unreadable[0].why


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "layer = 'rnn step'\nstep_input = [1]\nW_hh = [[1]]\n[work]\nnew_state = [1]\n",
            "Line 3: 'W_hh' is not known",
        ),
        ("layer = 'rnn step'\nstep_input = [1]\nW_hh = [[1]]\n", "it is called state_weight"),
        ("inputs = [[1]]\nquery_wieght = [[1]]\n[work]\nqueries = [[1]]\n", "did you mean 'query_weight'"),
        (
            "layer = 'encoder block'\ninputs = [[1]]\n[work]\nscores = [[1]]\n",
            "given for the layer 'encoder block'",
        ),
    ],
)
def test_a_worksheet_with_a_name_that_nobody_knows_gets_no_tick(text: str, said: str) -> None:
    report = check_text(text, "a.toml", ".toml")
    assert report.outcome == "nothing checked"
    assert said in ending(report)

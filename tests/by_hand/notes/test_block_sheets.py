"""Worksheets of a whole block: parts, letters, what follows from a slip, several heads, and what is refused."""

import re
import tomllib
from typing import Any

import numpy as np
import pytest

import glassformer as gf
from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.block_sheets import SEVERAL_HEADS, is_block
from glassformer.by_hand.worksheets.worksheet import example_text

SHEET = example_text("encoder-block")
IN_YAML = """
layer: encoder block
inputs: [[1, 0, 1], [0, 2, 1]]
self:
  query_weight: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  key_weight: [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
  value_weight: [[1, 1, 0], [0, 1, 0], [0, 0, 2]]
  output_weight: [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
feed_forward:
  expand_weight: [[1, -1], [0, 1], [1, 0]]
  expand_bias: [0, 0.5]
  contract_weight: [[1, 0, 0], [0, 1, -1]]
work:
  self:
    scores: [[1, 3], [3, 2]]
    norm: {mean: [2.6667, 3]}
"""


def checked(work: str, sheet: str = SHEET) -> Report:
    return check_text(f"{sheet}\n{work}", "block.toml", ".toml")


def told(report: Report) -> list[tuple[str, str, str]]:
    assert not report.unreadable
    return [(each.name, each.printed, each.right) for each in report.findings]


def digits(rows: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{x:.4f}" for x in row) + "]" for row in rows) + "]"


def test_what_a_block_is() -> None:
    assert is_block({"layer": "encoder block"})
    assert not is_block({"layer": "add and norm"})
    assert not is_block(["encoder block"])


@pytest.mark.parametrize(
    "work",
    [
        "[work.self]\nscores = [[1, 3], [3, 2]]",
        "[work]\nself.scores = [[1, 3], [3, 2]]",
        "[work.self]  # by hand\nscores = [\n  [1, 3],  # the first\n  [3, 2],\n]",
        "[work.self]\nS = [[1, 3], [3, 2]]",
    ],
)
def test_a_stage_is_named_by_table_by_address_or_by_its_letter(work: str) -> None:
    report = checked(work)
    assert told(report) == [("self.scores", "2", "1")]
    assert report.findings[0].line == SHEET.count("\n") + 2 + re.split(r"(?<=\n)(?=.*2\])", work)[0].count("\n")


def test_yaml_says_the_same() -> None:
    report = check_text(IN_YAML, "block.yaml", ".yaml")
    assert told(report) == [("self.scores", "2", "1")]
    assert report.numbers == 6


def test_one_number_for_each_row_may_stand_in_a_row_or_in_a_column() -> None:
    assert told(checked("[work.self.norm]\nmean = [2.6667, 3.0000]")) == []
    assert told(checked("[work.self.norm]\nmean = [[2.6667], [3.0000]]")) == []
    assert told(checked("[work.self.norm]\nmean = [2.6667, 3.1000]")) == [("self.norm.mean", "3.1000", "3.0000")]


def test_what_follows_from_a_slip_is_no_second_one() -> None:
    """added is wrong by 1 in one place; its mean and variance are those of the wrong row."""
    work = "[work.self]\nadded = [[3.2396, 1.7604, 3], [2.7604, 3.2396, 4]]\n[work.self.norm]\nmean = [2.6667, 3.3333]"
    report = checked(work + "\nvariance = [0.4203, 0.2604]")
    assert told(report) == [("self.added", "4", "3")]
    assert report.following == 2


def test_a_later_stage_alone_is_worked_from_what_is_given() -> None:
    right = gf.explain("encoder-block").trace["feed_forward.norm.normed"][0]
    assert told(checked(f"[work.feed_forward.norm]\nnormed = {digits(right)}")) == []
    work = f"[work.feed_forward.norm]\nnormed = {digits(right - np.array([[0, 0, 0], [0.1, 0, 0]]))}"
    assert told(checked(work)) == [("feed_forward.norm.normed", "-0.5036", "-0.4036")]


def test_norm_first_and_another_bend_are_worked_as_they_are_said() -> None:
    sheet = 'norm = "first"\nactivation = "gelu"\n' + SHEET
    trace = gf.explain({"norm": "first", "activation": "gelu", **tomllib.loads(SHEET)}).trace
    for address in ("self.norm.normed", "self.scores", "feed_forward.activated", "feed_forward.added"):
        values = trace[address].reshape(-1, trace[address].shape[-1])
        assert told(checked(f"[work]\n{address} = {digits(values)}", sheet)) == [], address
        wrong = values.copy()
        wrong[0, 0] += 0.3
        found = told(checked(f"[work]\n{address} = {digits(wrong)}", sheet))
        assert [name for name, _, _ in found] == [address]


def test_of_several_heads_it_is_said_that_they_are_not_checked() -> None:
    weights = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"
    attention = "\n".join(f"{name}_weight = {weights}" for name in ("query", "key", "value", "output"))
    sheet = (
        'layer = "encoder block"\nheads = 2\nnorm = "first"\ninputs = [[1, 0, 2, 1], [0, 1, 1, 3]]\n'
        f"[self]\n{attention}\n[feed_forward]\nexpand_weight = [[1], [0], [1], [0]]\ncontract_weight = [[1, 0, 0, 1]]\n"
    )
    report = checked("[work.self]\nnorm.mean = [1, 2]\noutput = [[1, 0, 0, 2], [0, 0, 0, 2]]", sheet)
    assert told(report) == [("self.norm.mean", "2", "1.25")]
    assert [each.why for each in report.not_checkable].count(SEVERAL_HEADS) == 1
    with_more = checked(
        "[work.self]\noutput = [[1, 0, 0, 2], [0, 0, 0, 2]]\nadded = [[2, 0, 2, 3], [0, 1, 1, 6]]", sheet
    )
    assert told(with_more) == []
    assert with_more.outcome == "nothing checked"


@pytest.mark.parametrize(
    ("work", "why"),
    [
        ("[work.self]\nskore = [[1, 3], [3, 1]]", "self.skore"),
        ("[work.self]\nquery_weight = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "self.query_weight is given"),
        ("[work.self]\nscores = 'none'", "is not expected here"),
    ],
)
def test_what_cannot_be_checked_is_said(work: str, why: str) -> None:
    report = checked(work)
    assert not report.findings
    assert any(why in each.why for each in report.unreadable), report.unreadable
    assert report.unreadable[0].line == SHEET.count("\n") + 3


def test_a_sheet_that_cannot_be_worked_says_why() -> None:
    report = checked("[work.self]\nscores = [[1, 3], [3, 1]]", SHEET.replace("inputs = [[1, 0, 1], [0, 2, 1]]", ""))
    assert "inputs must be given" in report.unreadable[0].why

"""The room *By hand*: worked by the core, every number explained, notes checked in place."""

import json
from typing import Any

import numpy as np
import pytest
from helpers.studio_visits import Visitor, asked

from glassformer.by_hand.exercises.exercise_sheets import make_exercise
from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import example_names


@pytest.mark.parametrize("name", example_names())
def test_an_example_is_worked_by_the_core_and_its_sheet_gives_the_same_again(visitor: Visitor, name: str) -> None:
    found = asked(visitor, "by-hand/example", name=name)
    again = asked(visitor, "by-hand/work", sheet=found["sheet"])
    assert found["stages"] == again["stages"]
    trace = explain(name).trace
    for stage in found["stages"]:
        shown = np.array(stage["values"], dtype=object).reshape(-1)
        true = trace[stage["name"]].reshape(-1)
        assert [float(each) for each in shown] == pytest.approx(true.astype(float), abs=1e-9)


def test_a_changed_number_changes_what_follows_and_nothing_else(visitor: Visitor) -> None:
    found = asked(visitor, "by-hand/example", name="i-love-ai")
    sheet = found["sheet"]
    sheet["value_weight"][0][0] = 3
    after = asked(visitor, "by-hand/work", sheet=sheet)["stages"]
    changed = {new["name"] for old, new in zip(found["stages"], after, strict=True) if old["values"] != new["values"]}
    assert changed == {"value_weight", "values", "mixed", "joined", "output"}


def test_one_number_is_explained_and_says_what_it_was_made_of(visitor: Visitor) -> None:
    sheet = asked(visitor, "by-hand/example", name="i-love-ai")["sheet"]
    found = asked(visitor, "by-hand/number", sheet=sheet, stage="scores", index=[2, 1])
    assert (found["figure"], found["operation"], found["pattern"], found["total"]) == ("2", "dot", "", "2")
    assert [term["figure"] for term in found["terms"]] == ["2", "0"]
    assert {(cell["address"], tuple(cell["index"][-2:])) for term in found["terms"] for cell in term["cells"]} == {
        ("queries", (2, 0)), ("queries", (2, 1)), ("keys", (1, 0)), ("keys", (1, 1)),
    }  # fmt: skip


def test_where_a_number_stands_is_counted_from_one(visitor: Visitor) -> None:
    sheet = asked(visitor, "by-hand/example", name="two-heads")["sheet"]
    weight = asked(visitor, "by-hand/number", sheet=sheet, stage="weights", index=[1, 1, 2])["where"]
    assert weight.startswith("head 2, row “fish”, column “swims” of A")
    query = asked(visitor, "by-hand/number", sheet=sheet, stage="queries", index=[0, 1, 0])["where"]
    assert query.startswith("head 1, row “fish”, column 1 of Q")


def test_settings_can_be_changed(visitor: Visitor) -> None:
    sheet = asked(visitor, "by-hand/example", name="two-heads")["sheet"]
    for change in ({"weigher": "sigmoid"}, {"mask": "causal"}, {"mask": [[1, 0, 1]] * 3}, {"scale": 2.0}, {"heads": 1}):
        found = asked(visitor, "by-hand/work", sheet={**sheet, **change})
        assert found["sheet"][next(iter(change))] == next(iter(change.values()))
    assert asked(visitor, "by-hand/work", sheet=sheet)["heads"] == [1, 2, 4]
    for scorer in ("dense synthesizer", "random synthesizer", "dot product"):
        sheet = asked(visitor, "by-hand/refit", sheet=sheet, scorer=scorer)["sheet"]
        assert sheet["scorer"] == scorer


def test_a_wrong_worksheet_is_told_in_words(visitor: Visitor) -> None:
    answer = visitor.ask("by-hand/work", {"sheet": {"inputs": [[1, 2], [3]]}})
    assert answer.status == 422
    assert "equal length" in answer.json["error"]
    huge = visitor.ask("by-hand/work", {"sheet": {"inputs": [[0] * 200] * 200}})
    assert huge.status == 422
    assert "20,000" in huge.json["error"]


def test_notes_are_checked_in_place(visitor: Visitor) -> None:
    solution = make_exercise(3).solution
    assert asked(visitor, "by-hand/check", text=solution)["right"]
    last = solution.rindex("0.") if "0." in solution else solution.rindex(".")
    wrong = solution[: last + 2] + str((int(solution[last + 2]) + 5) % 10) + solution[last + 3 :]
    found = asked(visitor, "by-hand/check", text=wrong)
    assert not found["right"]
    assert [each["first"] for each in found["findings"]].count(True) == 1
    assert '"data-mark": "0"' in json.dumps(found["notes"])


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "Q = \x00 [[1]]", "]]>&amp;<![CDATA[", "\u202e Q=1 ﷽", "$<b>$"]
)
def test_hostile_notes_are_only_text(visitor: Visitor, text: str) -> None:
    found = asked(visitor, "by-hand/check", text=text)

    def tags(tree: list[Any]) -> set[str]:
        return {tree[0]}.union(*(tags(each) for each in tree[2:] if isinstance(each, list)))

    assert not tags(found["notes"]) & {"script", "b", "img", "iframe"}


def test_the_laboratory_finds_the_one_mask_that_is_always_right(visitor: Visitor) -> None:
    sheet = asked(visitor, "by-hand/example", name="masked")["sheet"]
    found = asked(visitor, "by-hand/laboratory", sheet=sheet)["experiments"]
    assert asked(visitor, "by-hand/laboratory", sheet=sheet)["own_mask"]
    plain = asked(visitor, "by-hand/example", name="i-love-ai")["sheet"]
    assert not asked(visitor, "by-hand/laboratory", sheet=plain)["own_mask"]  # a causal one is tried, and it is said
    right = [{trial["style"] for trial in experiment["trials"] if trial["right"]} for experiment in found]
    assert set.intersection(*right) == {"add −∞"}


def test_a_sentence_of_ones_own(visitor: Visitor) -> None:
    found = asked(visitor, "by-hand/sentence", sentence="glass is clear", heads=2, width=4)
    assert found["rows"] == ["glass", "is", "clear"]
    assert visitor.ask("by-hand/sentence", {"sentence": "  "}).status == 422

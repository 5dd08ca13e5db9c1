"""The rooms of the studio, asked as the page asks them: what comes back is the core's; changes change the answer."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.small_runs import small_run
from helpers.studio_visits import TOKEN, Visitor

from glassformer.by_hand.exercises.exercise_sheets import make_exercise
from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import example_names
from glassformer.runs.run import load
from glassformer.studio.rooms.inside import reading_look
from glassformer.studio.rooms.train import _thinned

TEXT = "the film was not good"


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    root = tmp_path_factory.mktemp("studio")
    for objective in ("classes", "pairs", "answers"):
        small_run(root / objective, objective)
    found = Visitor(root / "runs", *(root / name for name in ("classes", "pairs", "answers")))
    yield found
    found.studio.close()


def asked(visitor: Visitor, action: str, /, **content: Any) -> Any:
    answer = visitor.ask(action, content)
    assert answer.status == 200, answer.body
    return answer.json


def refused(visitor: Visitor, action: str, /, **content: Any) -> str:
    answer = visitor.ask(action, content)
    assert answer.status == 422, answer.body
    return str(answer.json["error"])


# --- by hand ------------------------------------------------------------------------------------------------------


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
    right = [{trial["style"] for trial in experiment["trials"] if trial["right"]} for experiment in found]
    assert set.intersection(*right) == {"add −∞"}


def test_a_sentence_of_ones_own(visitor: Visitor) -> None:
    found = asked(visitor, "by-hand/sentence", sentence="glass is clear", heads=2, width=4)
    assert found["rows"] == ["glass", "is", "clear"]
    assert visitor.ask("by-hand/sentence", {"sentence": "  "}).status == 422


# --- inside -------------------------------------------------------------------------------------------------------


def logits(visitor: Visitor, text: str, **write: Any) -> np.ndarray:
    return reading_look(visitor.studio.shelf.get("classes"), text, write=write.get("write")).trace["logits"]


def share(found: Any, name: str) -> float:
    return next(each["share"] for each in found["items"] if each["name"] == name)


def test_the_shelf_says_what_stands_on_it(visitor: Visitor) -> None:
    models = asked(visitor, "inside/start")["models"]
    mine, came_along = ["classes", "pairs", "answers"], ["english-german", "sentiment", "shakespeare"]
    assert [each["name"] for each in models] == [*mine, *came_along]
    assert all(each["first"] for each in models)


@pytest.mark.parametrize(
    ("model", "text"), [("classes", TEXT), ("pairs", "the third of May 1984"), ("answers", "3 1 2 =")]
)
def test_a_look_shows_what_the_model_did(visitor: Visitor, model: str, text: str) -> None:
    found = asked(visitor, "inside/look", model=model, text=text)
    assert found["before"] is None
    assert found["data"]["format"] == "glassformer-view/1"
    assert found["data"]["off"] == []


def test_the_answer_of_a_look_is_the_models(visitor: Visitor) -> None:
    found = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["answer"]
    told = load(visitor.studio.shelf.folder("classes")).predict([TEXT])[0]
    assert found["items"][0]["name"] == told.label  # type: ignore[union-attr]


def test_a_head_switched_off_adds_nothing_and_the_answer_is_shown_before_and_after(visitor: Visitor) -> None:
    change = {"kind": "head off", "address": "blocks.0.self.mixed", "head": 1}
    addresses = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    change["address"] = next(each["address"] for each in addresses if each["name"] == "mixed")
    found = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[change])

    def off(stage: torch.Tensor) -> torch.Tensor:
        stage[:, 1] = 0
        return stage

    wanted = torch.tensor(logits(visitor, TEXT, write={change["address"]: off})).softmax(-1)[0]
    labels = visitor.studio.shelf.get("classes").card.labels
    for label, each in zip(labels, wanted.tolist(), strict=True):
        assert share(found["data"]["answer"], label) == pytest.approx(each, abs=1e-6)
    assert found["data"]["off"] == [f"{change['address'].removesuffix('.mixed')}/1"]
    assert found["before"] == asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["answer"]
    assert found["before"] != found["data"]["answer"]


def test_how_much_a_head_matters_is_what_moves_without_it(visitor: Visitor) -> None:
    matters = asked(visitor, "inside/matters", model="classes", text=TEXT)["matters"]
    assert len(matters) == 6  # two layers of three heads
    name, moved = max(matters.items(), key=lambda pair: pair[1])
    scope, _, head = name.partition("/")
    change = {"kind": "head off", "address": f"{scope}.mixed", "head": int(head)}
    found = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[change])
    label = found["before"]["items"][0]["name"]
    assert moved == pytest.approx(abs(share(found["before"], label) - share(found["data"]["answer"], label)), abs=1e-6)


def test_an_answer_is_written_whole_and_a_head_matters_by_all_of_it(visitor: Visitor) -> None:
    text = "3 1 2 ="
    answer = asked(visitor, "inside/look", model="answers", text=text)["data"]["answer"]
    run = load(visitor.studio.shelf.folder("answers"))
    written = "".join(step["given"]["name"] for step in answer["steps"][answer["read"] - 1 :] if step["given"])
    assert written
    assert written == "".join(run.stream(text, temperature=0))[: len(written)]
    matters = asked(visitor, "inside/matters", model="answers", text=text)["matters"]
    assert all(0 <= share <= 1 for share in matters.values())


def test_a_poet_writes_on_as_far_as_can_be_looked_at(visitor: Visitor) -> None:
    text = "ROMEO:\n"
    longer = asked(visitor, "inside/write", model="shakespeare", text=text)["text"]
    assert longer.startswith(text)
    assert len(longer) == len(text) + 24
    assert asked(visitor, "inside/write", model="shakespeare", text=text)["text"] == longer
    nearly = asked(visitor, "inside/write", model="shakespeare", text="x" * 125)["text"]
    assert len(nearly) == 128
    assert asked(visitor, "inside/look", model="shakespeare", text=nearly)["before"] is None
    assert "no room left" in refused(visitor, "inside/write", model="shakespeare", text=nearly)
    assert "Only a model of running text" in refused(visitor, "inside/write", model="classes", text=text)


def test_a_number_a_frozen_pattern_and_a_patch(visitor: Visitor) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    scores = next(each["address"] for each in stages if each["name"] == "scores")
    changes: list[dict[str, Any]] = [
        {"kind": "number", "address": scores, "index": [0, 1, 2, 3], "value": 40},
        {"kind": "take", "address": weights, "head": 2, "text": "a dull and weak film"},
        {"kind": "take", "address": weights, "head": None, "text": "a dull and weak film"},
    ]
    for change in changes:
        found = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[change])
        assert found["before"] != found["data"]["answer"]
    same = asked(visitor, "inside/look", model="classes", text=TEXT, changes=[{**changes[2], "text": TEXT}])
    for before, after in zip(same["before"]["items"], same["data"]["answer"]["items"], strict=True):
        assert before["name"] == after["name"]
        assert before["share"] == pytest.approx(after["share"], abs=1e-6)  # the fused kernel adds in another order


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "take", "address": "{weights}", "head": None, "text": "short"}, "as many tokens"),
        ({"kind": "number", "address": "{weights}", "index": [0, 9, 9, 9], "value": 1}, "no number at"),
        ({"kind": "head off", "address": "{weights}", "head": 7}, "no head 7"),
        ({"kind": "number", "address": "nowhere", "index": [0], "value": 1}, "nowhere"),
        ({"kind": "number", "address": "{weights}", "index": [0, 0, 0, 0], "value": "1"}, "must be a number"),
        ({"kind": "explode", "address": "x"}, "explode"),
    ],
)
def test_a_change_that_cannot_be_is_told_in_words(visitor: Visitor, change: dict[str, Any], said: str) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    answer = visitor.ask(
        "inside/look",
        {
            "model": "classes",
            "text": TEXT,
            "changes": [{**change, "address": change["address"].format(weights=weights)}],
        },
    )
    assert answer.status == 422
    assert said in answer.json["error"]


def test_one_head_of_a_stage_can_be_fetched(visitor: Visitor) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    found = asked(visitor, "inside/head", model="classes", text=TEXT, address=weights, head=1)
    assert set(found) == {"kind", "base64"}


def test_a_text_that_is_too_long_or_empty_is_told(visitor: Visitor) -> None:
    assert "tokens" in visitor.ask("inside/look", {"model": "classes", "text": "good " * 500}).json["error"]
    assert visitor.ask("inside/look", {"model": "classes", "text": " "}).status == 422
    assert "did you mean" in visitor.ask("inside/look", {"model": "clases", "text": "x"}).json["error"]


# --- train and race -----------------------------------------------------------------------------------------------


def test_a_run_is_begun_stopped_and_resumed_and_its_checkpoints_are_shown(tmp_path: Path) -> None:
    visitor = Visitor(tmp_path / "runs")
    try:
        begun = asked(visitor, "train/begin", task="classify", data="negation", minutes=1, name="mine")
        assert begun == {"name": "mine"}
        assert (
            "being trained"
            in visitor.ask("train/begin", {"task": "classify", "data": "negation", "minutes": 1, "name": "other"}).json[
                "error"
            ]
        )
        while not (state := asked(visitor, "train/state", name="mine"))["validations"]:
            assert state["running"], state["said"]
            time.sleep(0.2)
        asked(visitor, "train/stop", name="mine")
        while (state := asked(visitor, "train/state", name="mine"))["running"]:
            time.sleep(0.2)
        assert not state["finished"]
        assert not state["said"]
        frame = asked(visitor, "train/frame", name="mine", step=state["checkpoints"][-1])
        assert np.array(frame["patterns"][0]["heads"]).sum(-1) == pytest.approx(1, abs=1e-2)
        assert {each["says"] for each in frame["answers"]} <= {"positive", "negative"}
        asked(visitor, "train/resume", name="mine")
        assert asked(visitor, "train/state", name="mine")["running"]
    finally:
        visitor.studio.close()
    assert not visitor.studio.train.state({"name": "mine"})["running"]


def test_names_and_files_are_kept_in_their_place(visitor: Visitor, tmp_path: Path) -> None:
    for name in ("", "..", "a/b", "../x", ".hidden", "a b", "x" * 61, "-", "ü"):
        assert (
            visitor.ask("train/begin", {"task": "classify", "data": "negation", "minutes": 1, "name": name}).status
            == 422
        )
        assert visitor.ask("train/state", {"name": name}).status == 422
    for name in ("", "../x.csv", "a/b.csv", ".csv", "x.py", "x.pt", "x%00.csv%00", "a\\b.csv"):
        answer = visitor.send(
            "POST",
            f"/{TOKEN}/do/train/upload",
            {"content-type": "application/octet-stream"},
            query=f"name={name}",
            body=b"x",
        )
        assert answer.status == 422, name


def test_a_file_arrives_whole(visitor: Visitor) -> None:
    kind = {"content-type": "application/octet-stream"}
    answer = visitor.send(
        "POST", f"/{TOKEN}/do/train/upload", kind, query="name=my%20notes.csv", pieces=[b"text,", b"label\n"]
    )
    assert answer.json == {"file": "my notes.csv", "bytes": 11}
    uploads = visitor.studio.train.root / "uploads"
    assert [path.name for path in uploads.iterdir()] == ["my notes.csv"]
    assert (uploads / "my notes.csv").read_bytes() == b"text,label\n"


def test_curves_are_thinned_but_keep_their_end() -> None:
    points = [{"step": step} for step in range(1009)]
    assert _thinned(points)[-1] == {"step": 1008}
    assert len(_thinned(points)) <= 400
    assert _thinned(points[:3]) == points[:3]


def test_a_race_is_shown_and_every_model_asked(tmp_path: Path) -> None:
    for model in ("transformer", "conv-pool"):
        folder = small_run(tmp_path / "race" / f"{model}-0", "classes", model)
        folder.log({"event": "judged", "step": 1, "seconds": 2.0, "loss": 0.7, "best": True})
    facts = {
        "terms": {"data": "negation"}, "score": "accuracy", "samples": 11, "guess": 0.5,
        "models": [
            {"model": model, "parameters": 7, "seconds": 2.0, "accuracy": 0.5, "runs": [f"{model}-0"]}
            for model in ("transformer", "conv-pool")
        ],
    }  # fmt: skip
    (tmp_path / "race" / "race.json").write_text(json.dumps(facts))
    visitor = Visitor(tmp_path / "runs", tmp_path / "race")
    assert asked(visitor, "race/start") == {"races": ["race", "negation-race"]}
    table = asked(visitor, "race/table", race="race")
    assert table["first"] == "this film is not good but dull"
    assert [each["curves"] for each in table["models"]] == [[[[2.0, 0.7]]]] * 2
    answers = asked(visitor, "race/ask", race="race", text=TEXT)["answers"]
    assert [bool(each["looked"]) for each in answers] == [True, False]
    assert sum(each["share"] for each in answers[0]["looked"]) == pytest.approx(1, abs=1e-5)
    assert all(each["says"] in each["scores"] for each in answers)

"""The room *Train*: a run is begun, stopped and resumed, and names and files are kept in their place."""

import time
from pathlib import Path

import numpy as np
import pytest
from helpers.small_runs import small_run
from helpers.studio_visits import TOKEN, Visitor, asked, refused

from glassformer.commands.ship_models.certify import certify
from glassformer.lock import held
from glassformer.studio.rooms.train import Train, _thinned
from glassformer.studio.shelf import Shelf

SETTINGS = """
[run]
task = "classify"
model = "transformer"
minutes = 0.5
[data]
source = "negation:300"
seed = 0
"""


@pytest.mark.slow
def test_a_run_is_begun_stopped_and_resumed_and_its_checkpoints_are_shown(tmp_path: Path) -> None:
    visitor = Visitor(tmp_path / "runs")
    try:
        begun = asked(visitor, "train/begin", task="classify", data="negation", minutes=5, name="mine")
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


def test_a_finished_run_says_whether_it_has_learnt(visitor: Visitor) -> None:
    folder = small_run(visitor.studio.train.root / "guesser")
    folder.write_scores({"accuracy": 0.5, "confusion": {"labels": ["a", "b"], "table": [[7, 6], [5, 4]]}})
    certify(str(folder.path), json=True)
    state = asked(visitor, "train/state", name="guesser")
    assert state["finished"]
    assert state["certificate"]["passed"]
    assert state["certificate"]["learnt"]["verdict"] == "no better than the majority class"


def test_a_run_that_hardly_trained_says_so(visitor: Visitor) -> None:
    folder = small_run(visitor.studio.train.root / "short")
    (folder.path / "config.toml").write_text(SETTINGS)
    folder.log({"event": "step", "step": 2, "seconds": 0.47, "loss": 0.7})
    (told,) = asked(visitor, "train/state", name="short")["went"]
    assert told.startswith("Of the 30 s asked for, 0.5 s were spent on training.")
    folder.log({"event": "step", "step": 900, "seconds": 21.0, "loss": 0.1})
    assert asked(visitor, "train/state", name="short")["went"] == []


def test_a_run_goes_on_as_a_new_one(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_run(visitor.studio.train.root / "taste")
    assert "go on with it in a terminal" in refused(visitor, "train/again", name="taste", kind="longer", minutes=5)
    (folder.path / "config.toml").write_text(SETTINGS)
    begun: list[list[str]] = []
    monkeypatch.setattr(visitor.studio.train, "_spawn", lambda name, words: begun.append([name, *words]))
    assert asked(visitor, "train/again", name="taste", kind="longer", minutes=5) == {"name": "taste-2"}
    assert begun[-1][:2] == ["taste-2", "classify"]
    assert begun[-1][-4:] == ["--from", str(folder.path), "--out", str(visitor.studio.train.root / "taste-2")]
    assert "No linear model" in refused(visitor, "train/again", name="taste", kind="linear", minutes=5)
    folder.write_certificate({"learnt": {"baselines": [{"baseline": "majority"}, {"baseline": "ngrams"}]}})
    asked(visitor, "train/again", name="taste", kind="linear", minutes=5)
    assert begun[-1][-4:-2] == ["--model", "ngrams"]


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


def test_the_end_of_a_run_is_told_with_its_intervals(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "runs" / "mine")
    scores = {"part": "test", "accuracy": 1.0, "accuracy_interval": [0.91, 1.0], "samples": 39, "in_training": 7}
    folder.write_scores(scores)
    state = Train(Shelf(), tmp_path / "runs").state({"name": "mine"})
    assert state["scores"] == [("accuracy", "100.0 %  (91.0 to 100.0 %)")]
    assert state["tried"] == {"part": "test", "samples": 39}
    assert state["caution"].startswith("7 of the 39 samples stand in the training part too")


def test_a_run_that_somebody_trains_in_a_terminal_is_not_deleted(visitor: Visitor) -> None:
    folder = small_run(visitor.studio.train.root / "busy").path
    with held(folder, "trained"):
        assert "is being trained just now" in refused(visitor, "train/delete", name="busy", again="busy")
    assert (folder / "config.toml").exists()


def test_a_place_that_cannot_be_written_is_told_and_not_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    visitor = Visitor(tmp_path / "file" / "runs")
    try:
        begun = visitor.ask("train/begin", {"task": "classify", "data": "negation", "minutes": 1, "name": "mine"})
        kind = {"content-type": "application/octet-stream"}
        sent = visitor.send("POST", f"/{TOKEN}/do/train/upload", kind, query="name=a.csv", body=b"x")
        for answer in (begun, sent):
            assert (answer.status, "cannot be written: Not a directory" in answer.json["error"]) == (409, True)
    finally:
        visitor.studio.close()


@pytest.mark.parametrize("edited", ['{"accuracy": "x"}', '{"accuracy": 0.5, "accuracy_interval": [0.5]}', "[]", "{"])
def test_a_run_whose_scores_were_edited_hides_no_other(edited: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        small_run(tmp_path / name)
        (tmp_path / name / "scores.json").write_text('{"part": "test", "accuracy": 0.5}', encoding="utf-8")
    (tmp_path / "one" / "scores.json").write_text(edited, encoding="utf-8")
    runs = {each["name"]: each["score"] for each in Train(Shelf([]), tmp_path).start({})["runs"]}
    assert runs["one"] == ""
    assert "50" in runs["two"]


def test_a_run_is_deleted_only_by_its_name_said_twice(visitor: Visitor) -> None:
    folder = small_run(visitor.studio.train.root / "doomed").path
    brief = next(each for each in asked(visitor, "train/start")["runs"] if each["name"] == "doomed")
    assert brief["bytes"] == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert brief["begun"] == (folder / "config.toml").stat().st_mtime
    assert "Say the name 'doomed' again" in refused(visitor, "train/delete", name="doomed")
    assert "Say the name" in refused(visitor, "train/delete", name="doomed", again="other")
    assert folder.is_dir()
    assert asked(visitor, "train/delete", name="doomed", again="doomed") == {"deleted": "doomed"}
    assert not folder.exists()
    assert "no run called" in refused(visitor, "train/delete", name="doomed", again="doomed")
    assert "no run called" in refused(visitor, "train/delete", name="../classes", again="../classes")


def test_a_run_names_the_file_that_stays_when_it_is_deleted(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "meals.csv").write_text("text,label\n")
    root = visitor.studio.train.root
    for name, source in (("eaten", str(tmp_path / "meals.csv")), ("made", "negation:300")):
        config = small_run(root / name).path / "config.toml"
        config.write_text(SETTINGS.replace("negation:300", source))
    files = {each["name"]: each["file"] for each in asked(visitor, "train/start")["runs"]}
    assert (files["eaten"], files["made"]) == (str(tmp_path / "meals.csv"), "")


def test_a_run_is_looked_at_under_a_name_of_its_own_though_another_has_it(tmp_path: Path) -> None:
    mine = small_run(tmp_path / "runs" / "sentiment").path
    visitor = Visitor(tmp_path / "runs")
    shelf = visitor.studio.shelf
    for model in (
        asked(visitor, "train/shelve", name="sentiment")["model"],
        asked(visitor, "train/state", name="sentiment")["model"],
    ):
        assert (model, shelf.folder(model)) == ("sentiment-2", mine)
    assert "no run called '..'" in refused(visitor, "train/shelve", name="..")
    asked(visitor, "train/delete", name="sentiment", again="sentiment")
    assert "sentiment" in shelf.names  # the one that came along stays
    assert "sentiment-2" not in shelf.names
    visitor.studio.close()

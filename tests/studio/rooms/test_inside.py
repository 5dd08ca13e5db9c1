"""The room *Inside*, asked as the page asks it: what comes back is the core's; changes change the answer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.hugging_folders import hugging_folder
from helpers.small_runs import small_run
from helpers.studio_visits import Visitor, asked, refused

from glassformer.runs.run import load
from glassformer.runs.texts_to_try import LECTURE_REVIEWS, SHORT_REVIEW
from glassformer.studio.rooms.inside import FOR_ANY, first_text, reading_look
from glassformer.text.made_sets import MADE
from glassformer.text.tasks import TASKS

TEXT = "the film was not good"
SLIDERS = {"temperature": 0.8, "top_k": 0, "top_p": 1.0}


# --- inside -------------------------------------------------------------------------------------------------------


def logits(visitor: Visitor, text: str, **write: Any) -> np.ndarray:
    return reading_look(visitor.studio.shelf.get("classes"), text, write=write.get("write")).trace["logits"]


def share(found: Any, name: str) -> float:
    return next(each["share"] for each in found["items"] if each["name"] == name)


def test_the_shelf_says_what_stands_on_it(visitor: Visitor) -> None:
    models = asked(visitor, "inside/start")["models"]
    mine, came_along = ["classes", "pairs", "answers"], ["sentiment", "english-german", "shakespeare"]
    assert [each["name"] for each in models] == [*mine, *came_along]
    assert all(each["first"] for each in models)
    reviews = next(each for each in models if each["name"] == "sentiment")["examples"]
    assert reviews == [SHORT_REVIEW, *(each.text for each in LECTURE_REVIEWS)]
    assert next(each for each in models if each["name"] == "classes")["examples"] == [MADE["negation"].first]
    read = {each["name"]: each["read_before"] for each in models}
    assert read["sentiment"]["texts"] == reviews[1:]
    assert "has read these four" in read["sentiment"]["note"]
    assert read["classes"] == read["shakespeare"] == {"note": "", "texts": []}


def test_a_run_that_is_asked_for_is_opened_or_refused_by_its_name(tmp_path: Path) -> None:
    small_run(tmp_path / "runs" / "coin")
    visitor = Visitor(tmp_path / "runs")
    start = asked(visitor, "inside/start", model="coin")["models"]
    assert "error" not in next(each for each in start if each["name"] == "coin")
    assert asked(visitor, "inside/why", model="coin", text=TEXT)["words"]
    missing = asked(visitor, "inside/start", model="cone")["models"][-1]
    assert missing == {"name": "cone", "error": "There is no model called 'cone'; did you mean 'coin'?"}
    assert "no model called 'cone'" in refused(visitor, "inside/why", model="cone", text=TEXT)
    visitor.studio.close()


def test_a_twin_is_made_by_swapping_or_negating(visitor: Visitor) -> None:
    twin = {"text": "the plot is dull but the cast is good"}
    assert asked(visitor, "inside/twin", **twin, swap=["dull", "good"])["text"] == (
        "the plot is good but the cast is dull"
    )
    assert asked(visitor, "inside/twin", **twin, negate=True)["text"] == "the plot is not dull but the cast is good"
    assert "has no word 'bad'" in refused(visitor, "inside/twin", **twin, swap=["bad", "good"])
    assert "must be a list of 2 texts" in refused(visitor, "inside/twin", **twin, swap=["good"])


def test_why_is_the_runs_own_answer(visitor: Visitor) -> None:
    run = visitor.studio.shelf.get("pairs")
    how = {"at": 2, "target": "1984", "rival": "0", "instead": "the ninth of May"}
    found = asked(visitor, "inside/why", model="pairs", text="the third of May", **how)
    why = run.why("the third of May", at=2, target="1984", rival="0", instead="the ninth of May")
    assert found["sentences"] == why.sentences
    assert [word["share"] for word in found["words"]] == pytest.approx([word.share for word in why.reasons.words])
    assert asked(visitor, "inside/why", model="pairs", text="the third of May")["at"] == 1
    by_id = asked(
        visitor, "inside/why", model="pairs", text="the third of May", **how | {"rival_id": found["rival_id"]}
    )
    assert by_id["sentences"] == found["sentences"]
    assert all(each["why"] for each in asked(visitor, "inside/start")["models"])
    assert "no token of this model" in refused(visitor, "inside/why", model="pairs", text="May", rival="§")
    assert "'at' must be" in refused(visitor, "inside/why", model="pairs", text="May", at=0)


def test_a_run_begins_with_a_text_that_it_validated_on(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    assert first_text(folder.path, "negation:300", "classify") == MADE["negation"].first
    assert first_text(folder.path, "mine.csv", "classify") == TASKS["classify"].first
    folder.write_about({"first": "my own words"})
    assert first_text(folder.path, "mine.csv", "classify") == "my own words"
    (folder.path / "about.json").write_text("{")
    assert first_text(folder.path, "mine.csv", "classify") == TASKS["classify"].first


@pytest.mark.parametrize(
    ("model", "text"),
    [("classes", "Was it NOT good? Xylophone"), ("pairs", "the third of May"), ("answers", "3 1 2 =")],
)
def test_the_way_of_a_text_into_the_model_is_the_runs(visitor: Visitor, model: str, text: str) -> None:
    found = asked(visitor, "inside/tokens", model=model, text=text)
    run = visitor.studio.shelf.get(model)
    way = run.tokenize([text, found["company"]])
    assert found["company"] != text
    assert (found["tokens"], found["ids"]) == (list(way.texts[0].tokens), list(way.texts[0].ids))
    assert (found["batch"], found["real"]) == (way.ids.tolist(), way.real.tolist())
    assert way.rows is not None
    assert found["rows"] == way.rows[0, :5, :6].tolist()
    assert found["width"] == way.rows.shape[2]
    assert found["standardised"] == ("was it not good ? xylophone" if model == "classes" else None)


def test_of_a_long_text_the_beginning_is_shown(visitor: Visitor) -> None:
    found = asked(visitor, "inside/tokens", model="classes", text="good " * 101)
    assert (found["count"], found["lost"]) == (67, 34)
    assert len(found["tokens"]) == len(found["batch"][0]) == 60
    assert found["shape"][1] == 67


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
    assert sum("/" in part for part in matters) == 6  # two layers of three heads
    assert len(matters) == 6 + 2  # and a network each
    name, moved = max((pair for pair in matters.items() if "/" in pair[0]), key=lambda pair: pair[1])
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
    longer = asked(visitor, "inside/write", model="shakespeare", text=text, **SLIDERS)["text"]
    assert longer.startswith(text)
    assert len(longer) == len(text) + 24
    assert asked(visitor, "inside/write", model="shakespeare", text=text, **SLIDERS)["text"] == longer
    nearly = asked(visitor, "inside/write", model="shakespeare", text="x" * 125, **SLIDERS)["text"]
    assert len(nearly) == 128
    assert asked(visitor, "inside/look", model="shakespeare", text=nearly)["before"] is None
    coldest = {**SLIDERS, "temperature": 0.05, "top_k": 1}
    written = asked(visitor, "inside/write", model="shakespeare", text=text, **coldest)["text"]
    run = load(visitor.studio.shelf.folder("shakespeare"))
    assert written == text + "".join(run.stream(text, longest=24, temperature=0))
    assert "no room left" in refused(visitor, "inside/write", model="shakespeare", text=nearly, **SLIDERS)
    assert "Only a model of running text" in refused(visitor, "inside/write", model="classes", text=text)


def test_one_head_of_a_stage_can_be_fetched(visitor: Visitor) -> None:
    stages = asked(visitor, "inside/look", model="classes", text=TEXT)["data"]["stages"]
    weights = next(each["address"] for each in stages if each["name"] == "weights")
    found = asked(visitor, "inside/head", model="classes", text=TEXT, address=weights, head=1)
    assert set(found) == {"kind", "base64"}


def test_a_text_that_is_too_long_or_empty_is_told(visitor: Visitor) -> None:
    assert "tokens" in visitor.ask("inside/look", {"model": "classes", "text": "good " * 500}).json["error"]
    assert visitor.ask("inside/look", {"model": "classes", "text": " "}).status == 422
    assert "did you mean" in visitor.ask("inside/look", {"model": "clases", "text": "x"}).json["error"]


# --- a model that is not ours -------------------------------------------------------------------------------------


def test_a_folder_of_hugging_face_is_looked_at_and_changed(tmp_path: Path) -> None:
    visitor = Visitor(tmp_path / "runs", Path(f"hf:{hugging_folder(tmp_path / 'tiny')}"))
    try:
        first = asked(visitor, "inside/start")["models"][0]
        assert (first["name"], first["first"]) == ("tiny", FOR_ANY)
        change = {"kind": "head off", "address": "transformer.h.0.attn.mixed", "head": 1}
        found = asked(visitor, "inside/look", model="tiny", text=FOR_ANY, changes=[change])
        assert found["before"] != found["data"]["answer"]
        assert found["data"]["off"] == ["transformer.h.0.attn/1"]
        matters = asked(visitor, "inside/matters", model="tiny", text=FOR_ANY)["matters"]
        assert len(matters) == 6
        assert max(matters.values()) > 0
        assert "Only a model of running text" in refused(visitor, "inside/write", model="tiny", text=FOR_ANY)
    finally:
        visitor.studio.close()

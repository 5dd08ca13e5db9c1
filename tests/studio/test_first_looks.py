"""What is said in advance of a model is what the model says."""

import json
from pathlib import Path
from typing import Any

import pytest

from glassformer.inside.head_names import FEWEST
from glassformer.inside.head_names import NAMES as NAMES_OF_HEADS
from glassformer.runs.run import pocket_folders
from glassformer.studio import first_looks
from glassformer.studio.first_looks import first_look, keep_first_look
from glassformer.studio.rooms.inside import Inside, first_text
from glassformer.studio.shelf import FIRST, Shelf, facts_of

NAMES = [folder.name for folder in pocket_folders()]


def near(one: Any, other: Any) -> bool:
    """The same words, and numbers that differ by rounding only."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-3, abs=1e-3)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(near(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_the_model_says(name: str) -> None:
    shelf = Shelf()
    run, kept = shelf.get(name), first_look(shelf.folder(name))
    facts = json.loads(json.dumps(facts_of(run)))
    assert kept["about"] == facts
    assert kept["text"] == first_text(shelf.folder(name), facts["data"], facts["task"])
    live = json.loads(json.dumps(run.why(kept["text"], at=None).to_dict()))
    assert near(kept["why"], live)


def test_the_room_opens_without_loading_a_model() -> None:
    shelf = Shelf()
    found = Inside(shelf).start({})["models"]
    assert [each["name"] for each in found] == sorted(NAMES, key=lambda name: name != FIRST)
    assert all(each["look"]["words"] for each in found)
    assert not shelf.loaded


@pytest.mark.parametrize("folder", pocket_folders(), ids=lambda folder: folder.name)
def test_heads_have_names_by_measure_over_enough_texts(folder: Path) -> None:
    heads = first_look(folder)["heads"]
    assert heads["looks"] >= FEWEST
    for found in heads["names"].values():
        assert found["name"] in ("", *NAMES_OF_HEADS)
        assert not found["name"] or found["share"] >= NAMES_OF_HEADS[found["name"]]


def test_what_is_written_down_is_read_again_and_no_other_model_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert first_look(tmp_path) == {}
    monkeypatch.setattr(first_looks, "pocket_folders", lambda: [tmp_path])
    monkeypatch.setattr(first_looks, "_place", lambda name: tmp_path / f"{name}.json")
    assert first_look(tmp_path) == {}
    keep_first_look(tmp_path.name, {"text": "π"})
    assert first_look(tmp_path) == {"text": "π"}

"""What may be asked for: a request that contradicts itself is named, and its settings give it back."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.objectives.lessons import Windows
from glassformer.storage import DamagedError
from glassformer.text.samples import Labelled, Plain
from glassformer.training import machine
from glassformer.training import request as request_module
from glassformer.training.loop import Loop
from glassformer.training.prepare import prepare
from glassformer.training.recipes import recipe_for
from glassformer.training.request import (
    Decided,
    Request,
    as_settings,
    from_settings,
    kept_tokens,
    read_corpus,
    token_place,
)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"minutes": 1.0}, "minutes and steps were given"),
        ({"threads": 100_000}, "`threads` must be a whole number from 1 to 1,024; it is 100000"),
        ({"limit": -1}, "limit must be a number from 0 on; it is -1"),
        ({"steps": 0, "minutes": math.nan}, "minutes must be a number from 0 on; it is nan"),
        ({"steps": 0, "epochs": math.inf}, "epochs must be a number from 0 on; it is inf"),
        ({"data": "films\udcff.csv"}, "is none in UTF-8, which settings are written in: rename it"),
        ({"model": "gpt"}, "'gpt' is a language model, which cannot classify"),
        ({"objective": "pairs"}, "the objective is classes or masked"),
    ],
)
def test_a_bad_request_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prepare(Request(**{"task": "classify", "data": "negation:300", "steps": 3, **options}))


def test_the_data_have_the_seed_of_the_run_or_one_of_their_own() -> None:
    assert Request(task="classify", data="negation:300", seed=5).seed_of_data == 5
    assert Request(task="classify", data="negation:300", seed=5, data_seed=0).seed_of_data == 0


def test_what_needs_no_labels_is_read_as_plain_text(tmp_path: Path) -> None:
    lines = "".join(f"film {i},{'good' if i % 3 else 'bad'}\n" for i in range(30))
    (tmp_path / "films.csv").write_text("text,label\n" + lines, encoding="utf-8")
    asked = Request(task="classify", data=str(tmp_path / "films.csv"), limit=20)
    assert {type(sample) for sample in read_corpus(asked).train} == {Labelled}
    assert {type(sample) for sample in read_corpus(replace(asked, objective="masked")).train} == {Plain}


def test_settings_give_the_request_and_the_recipe_back() -> None:
    asked = Request(task="classify", data="negation:300", model="rnn", objective="classes", steps=7, limit=20)
    recipe = recipe_for("classify", "classes", "rnn", 1000, 20)
    settings = as_settings(Decided(asked, recipe, threads=3, identity="abc"), {"width": 12, "vocabulary": 29})
    assert settings["data"] == {"source": "negation:300", "seed": 0, "limit": 20}
    assert settings["model"] == {"width": 12}  # the vocabulary follows from the data
    again = from_settings(settings)
    assert (again.threads, again.identity) == (3, "abc")
    assert again.request == replace(asked, data_seed=0)
    assert (again.recipe.plan, again.recipe.tokens) == (recipe.plan, recipe.tokens)


@pytest.mark.parametrize(
    ("table", "name", "value", "said"),
    [
        ("run", "steps", "7", "steps in [run] must be a whole number; it is '7'"),
        ("run", "steps", 10**30, "steps in [run] must be a whole number; it is 1000"),
        ("run", "seed", True, "seed in [run] must be a whole number; it is True"),
        ("run", "device", math.nan, "device in [run] must be a word; it is nan"),
        ("run", "task", ["classify"], "task in [run] must be a word"),
        ("run", "task", None, "task is missing in [run]"),
        ("data", "source", True, "source in [data] must be a word"),
        ("data", "more", "films.csv", "more in [data] must be a list of words; it is 'films.csv'"),
        ("data", "columns", {"text": 3}, "columns in [data] must be a table of words"),
        ("tokens", "min_frequency", "x", "min_frequency in [tokens] must be a whole number"),
        ("lessons", "tokens_per_batch", 2**62, "tokens_per_batch in [lessons] must be a whole number"),
        ("lessons", "crop", [], "crop in [lessons] must be a number; it is []"),
        ("plan", "weight_decay", math.nan, "weight_decay in [plan] must be a number; it is nan"),
        ("plan", "stepz", 3, "[plan] knows no 'stepz'"),
        ("model", "", 3, "[model] must be a table; it is 3"),
        ("plan", "", None, "[plan] must be a table; it is missing"),
    ],
)
def test_settings_that_were_edited_are_refused_by_name(table: str, name: str, value: Any, said: str) -> None:
    asked = Request(task="classify", data="negation:300", model="rnn", objective="classes", steps=7)
    recipe = recipe_for("classify", "classes", "rnn", 1000, 20)
    settings = as_settings(Decided(asked, recipe, threads=3, identity="abc"), {"width": 12})
    of = settings[table] if name else settings
    of.pop(name or table, None)
    if value is not None:
        of[name or table] = value
    with pytest.raises(DamagedError, match=re.escape(said)):
        from_settings(settings)


# --- text that is too large for memory --------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """A text that counts as large here."""
    (tmp_path / "big.txt").write_text("The same line again, and once more.\n" * 900, encoding="utf-8")
    monkeypatch.setattr(request_module, "LARGE", 10_000)
    monkeypatch.setattr(machine, "usable_cores", lambda: 1)
    return Request(
        task="generate", data=str(tmp_path / "big.txt"), steps=3, settings={"vocabulary": 300, "longest": 16}
    )


def test_a_large_text_stays_on_the_disk_and_is_trained_from_there(large: Request, tmp_path: Path) -> None:
    said: list[tuple[int, int]] = []
    folder = kept_tokens(large, lambda done, whole: said.append((done, whole)))
    assert folder is not None
    assert folder.path == tmp_path / "big.txt.tokens" == token_place(large)
    assert said[-1][0] == said[-1][1]
    prepared = prepare(large)
    assert isinstance(prepared.lessons.train, Windows)
    assert prepared.tokens == folder.tokens
    assert any("are read from" in note for note in prepared.notes)
    again = replace(large, data=str(folder.path), limit=5)
    assert "which --limit does not shorten" in read_corpus(again).report.notes[-1]
    loop = Loop(prepared.model, prepared.lessons, replace(prepared.recipe.plan, steps=3))
    assert loop.step().loss > loop.validation_loss() > 0


def test_a_small_text_and_other_data_are_read_as_ever(large: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    assert token_place(replace(large, task="classify")) is None
    assert token_place(replace(large, data="shakespeare")) is None
    monkeypatch.setattr(request_module, "LARGE", 10**9)
    assert token_place(large) is None
    assert kept_tokens(large) is None


def test_what_token_files_cannot_do_is_refused(large: Request) -> None:
    folder = kept_tokens(large)
    assert folder is not None
    kept = replace(large, data=str(folder.path))
    for wrong, said in (
        (replace(kept, task="classify"), "from which a model can only learn to generate"),
        (replace(kept, without=("line",)), "From token files nothing can be left out"),
        (replace(kept, more=("lines.txt",)), "To token files nothing can be added"),
        (replace(kept, objective="spans"), "From token files the objective is stream; 'spans' needs text in memory"),
        (replace(kept, settings={"longest": 100_000}), "a context of 100000 needs"),
    ):
        with pytest.raises(InputError, match=said):
            prepare(wrong)

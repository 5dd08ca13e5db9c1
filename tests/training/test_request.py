"""What may be asked for: a request that contradicts itself is named, and its settings give it back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.text.samples import Labelled, Plain
from glassformer.training.prepare import prepare
from glassformer.training.recipes import recipe_for
from glassformer.training.request import Decided, Request, as_settings, from_settings, read_corpus


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"minutes": 1.0}, "minutes and steps were given"),
        ({"limit": -1}, "limit cannot be below 0"),
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

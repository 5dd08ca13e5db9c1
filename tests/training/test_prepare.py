"""From a request to all that a run needs, and the same again from its settings."""

import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.small_models import small
from helpers.small_requests import counting, request

from glassformer.errors import InputError
from glassformer.training import machine
from glassformer.training.course import teach
from glassformer.training.forecasting.budget import budget
from glassformer.training.prepare import inherit, prepare, prepare_again, settings_of
from glassformer.training.request import Request


def test_two_parallel_files_are_one_corpus(tmp_path: Path) -> None:
    for name in ("en", "de"):
        (tmp_path / f"talk.{name}").write_text("".join(f"{name} line {i}\n" for i in range(40)), encoding="utf-8")
    asked = request("translate", f"{tmp_path}/talk.en,{tmp_path}/talk.de")
    assert len(prepare(asked).corpus.train) + len(prepare(asked).corpus.valid) + len(prepare(asked).corpus.test) == 40


def test_settings_give_the_same_run_again() -> None:
    asked = request("translate", "dates:300", settings={"learning_rate": 0.007, "tokens_per_batch": 512})
    prepared = prepare(asked)
    plan, _ = budget(prepared, time.monotonic())
    again, plan_again, threads = prepare_again(settings_of(prepared, plan, 1))
    assert (plan_again, threads) == (plan, 1)
    assert again.card == prepared.card
    assert again.tokens == prepared.tokens


def test_data_that_changed_are_noticed(tmp_path: Path) -> None:
    notes = tmp_path / "notes.csv"
    notes.write_text("text,label\n" + "".join(f"word{i} good,a\nbad word{i},b\n" for i in range(30)), encoding="utf-8")
    prepared = prepare(request("classify", str(notes)))
    settings = settings_of(prepared, replace(prepared.recipe.plan, steps=3), 1)
    notes.write_text(
        "text,label\n" + "".join(f"other{i} good,a\nbad thing{i},b\n" for i in range(30)), encoding="utf-8"
    )
    with pytest.raises(InputError, match="no longer what they were"):
        prepare_again(settings)


def test_a_parent_of_another_kind_is_refused(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "first")
    with pytest.raises(InputError, match="is a 'transformer'"):
        prepare(Request(task="classify", data="negation:300", model="rnn", parent=str(tmp_path / "first")))


def test_n_grams_are_counted_in_the_training_part_alone() -> None:
    prepared = prepare(counting(steps=3))
    texts = [sample.text.lower().split() for sample in prepared.corpus.train]
    pairs = {(one, two) for words in texts for one, two in pairwise(words)}
    model: Any = prepared.model
    base = len(prepared.tokens) + 1
    known = [divmod(key, base) for key in model.keys.tolist() if base <= key < base**2]
    names = {tuple(prepared.tokens.strings([one - 1, two - 1])) for one, two in known}
    assert names == pairs


def test_a_model_that_counts_takes_no_parent(tmp_path: Path) -> None:
    teach(counting(steps=1), tmp_path / "first")
    with pytest.raises(InputError, match="leave --from out"):
        prepare(counting(steps=1, parent=str(tmp_path / "first")))


def test_a_model_too_large_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(task="classify", data="negation:300", steps=1, settings={"width": 200_000, "heads": 2})
    with pytest.raises(InputError, match=r"would have [\d,]{12,} numbers; at most 1,000,000,000 are built"):
        prepare(asked)
    small = replace(machine.facts(), memory=1_000_000)
    monkeypatch.setattr(machine, "facts", lambda: small)
    with pytest.raises(InputError, match=r"has [\d,]+ parameters, and takes [\d,]+ GB to train; this machine has 0 GB"):
        prepare(replace(asked, settings={}))


@pytest.mark.parametrize("headless", [False, True])
def test_a_head_that_has_learnt_nothing_is_not_inherited(headless: bool) -> None:
    parent, child = small("transformer"), small("transformer")
    with torch.no_grad():
        for weight in parent.parameters():
            weight.add_(1)
    before = {name: value.clone() for name, value in child.state_dict().items()}
    said = inherit(child, parent, "parent", headless=headless)
    for name, value in child.state_dict().items():
        own = headless and name.startswith("head.")
        assert torch.equal(value, before[name] if own else parent.state_dict()[name]), name
    assert ("; new: head." in said) == headless

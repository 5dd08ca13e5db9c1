"""The models that are served: each by its name, and only for what it can do."""

from pathlib import Path

import pytest
from helpers.server_visits import Caller
from helpers.small_runs import language_run

from glassformer.errors import InputError
from glassformer.serving.served import Capacity, Roster, UnknownModelError, named


def test_each_model_can_do_what_it_learnt(caller: Caller) -> None:
    assert {name: each.abilities for name, each in caller.server.roster.models.items()} == {
        "classes": ["classify", "embeddings", "trace", "why"],
        "pairs": ["translate", "trace", "why"],
        "answers": ["completions", "trace", "why"],
        "stream": ["completions", "trace", "why"],
    }


def test_the_only_one_that_can_need_not_be_named(caller: Caller) -> None:
    roster = caller.server.roster
    assert roster.find(None, "classify").name == "classes"
    for name, ability in ((None, "completions"), ("pairs", "classify"), ("nobody", "trace")):
        with pytest.raises(UnknownModelError):
            roster.find(name, ability)


def test_two_folders_of_one_name_are_told_apart() -> None:
    folders = [Path("a/run"), Path("b/run"), Path("c/other"), Path("d/run")]
    assert list(named(folders)) == ["run", "run-2", "other", "run-3"]


def test_capacity_is_sane() -> None:
    for wrong in ({"slots": 0}, {"slots": 5000}, {"waiting": 0}):
        with pytest.raises(InputError, match="slots is from 1"):
            Capacity(**wrong)


def test_the_workshops_are_counted_and_closed() -> None:
    roster = Roster({"stream": language_run()}, Capacity(), lambda wanted, text: text)
    names = [gauge[0] for gauge in roster.gauges()]
    assert names == [
        "glassformer_waiting", "glassformer_turns_total", "glassformer_working", "glassformer_tokens_total",
    ]  # fmt: skip
    roster.close()

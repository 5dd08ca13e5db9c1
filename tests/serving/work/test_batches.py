"""Requests that ask for the same are one call, and each gets its own answers back."""

import asyncio
from collections.abc import Sequence
from typing import Any

from glassformer.errors import InputError
from glassformer.serving.work.batches import Batches, BatchWork
from glassformer.serving.work.workshop import Job


def job(what: str, *texts: str) -> Job:
    return Job(BatchWork(what, texts), 0.0, asyncio.Queue(), asyncio.new_event_loop())


def test_those_that_are_alike_are_worked_together() -> None:
    calls: list[tuple[str, list[str]]] = []

    def answers(what: str, texts: Sequence[str]) -> list[str]:
        calls.append((what, list(texts)))
        return [f"{what} {text}" for text in texts]

    craft = Batches(answers)
    jobs = [job("x", "1", "2"), job("y", "3"), job("x", "4")]
    assert craft.begin(jobs) == []
    assert (craft.busy, craft.places) == (True, 61)
    assert craft.work() == [(jobs[0], ["x 1", "x 2"]), (jobs[2], ["x 4"])]
    assert craft.work() == [(jobs[1], ["y 3"])]
    assert calls == [("x", ["1", "2", "4"]), ("y", ["3"])]
    assert not craft.busy
    for each in jobs:
        each.loop.close()


def test_one_that_cannot_be_answered_spoils_no_other() -> None:
    def answers(what: str, texts: Sequence[str]) -> list[str]:
        if "bad" in texts:
            raise InputError("bad")
        return list(texts)

    craft = Batches(answers)
    jobs = [job("x", "1"), job("x", "bad"), job("x", "2")]
    craft.begin(jobs)
    found: list[Any] = [part for _, part in craft.work()]
    assert (found[0], found[2]) == (["1"], ["2"])
    assert isinstance(found[1], InputError)
    craft.begin(jobs[:1])
    assert craft.drop() == jobs[:1]
    assert not craft.busy
    for each in jobs:
        each.loop.close()

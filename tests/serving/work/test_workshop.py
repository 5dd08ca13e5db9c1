"""A workshop: jobs in turn, a bounded queue, nobody waits for ever, and a fault ends nothing."""

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.own_loop import awaited

from glassformer.errors import InputError
from glassformer.serving.work.workshop import Delivery, FullError, Job, LateError, Workshop


class Echo:
    """A craft that says back what it is asked, one job a turn, when the gate is open."""

    def __init__(self, places: int = 1) -> None:
        self.gate, self.taken, self._places = threading.Event(), list[Job](), places
        self.gate.set()
        self.seen: list[Any] = []

    @property
    def busy(self) -> bool:
        return bool(self.taken)

    @property
    def places(self) -> int:
        return self._places - len(self.taken)

    def begin(self, jobs: Sequence[Job]) -> list[Delivery]:
        self.taken += jobs
        return []

    def work(self) -> list[Delivery]:
        self.gate.wait(10)
        job = self.taken.pop(0)
        self.seen.append(job.asked)
        if job.asked == "fault":
            raise ZeroDivisionError("a fault")
        return [(job, job.asked)]

    def drop(self) -> list[Job]:
        dropped, self.taken = self.taken, []
        return dropped


def jobs(asked: Sequence[Any], seconds: float = 60.0) -> tuple[list[Job], "asyncio.Queue[tuple[Job, Any]]"]:
    inbox: asyncio.Queue[tuple[Job, Any]] = asyncio.Queue()
    loop, deadline = asyncio.get_running_loop(), time.monotonic() + seconds
    return [Job(each, deadline, inbox, loop) for each in asked], inbox


def answers(workshop: Workshop, asked: Sequence[Any], seconds: float = 60.0) -> list[Any]:
    async def all_of_them() -> list[Any]:
        given, inbox = jobs(asked, seconds)
        workshop.submit(given)
        return [(await inbox.get())[1] for _ in given]

    return awaited(all_of_them())


def test_jobs_are_done_in_turn() -> None:
    workshop = Workshop("t", Echo(), 7)
    assert answers(workshop, ["a", "b", "c"]) == ["a", "b", "c"]
    assert (workshop.turns, workshop.waiting) == (3, 0)
    workshop.close()


def test_what_does_not_fit_into_the_queue_is_refused_whole() -> None:
    craft = Echo()
    craft.gate.clear()
    workshop = Workshop("t", craft, 2)

    async def too_many() -> list[Any]:
        given, inbox = jobs(["a", "b", "c", "d"])
        workshop.submit(given[:2])
        while workshop.waiting > 1:  # until the first is at work
            await asyncio.sleep(0)
        with pytest.raises(FullError, match="try again"):
            workshop.submit(given[2:])
        with pytest.raises(InputError, match="3 texts are asked at once, and at most 2 may ever wait"):
            workshop.submit(given[:3])
        craft.gate.set()
        return [(await inbox.get())[1] for _ in range(2)]

    assert awaited(too_many()) == ["a", "b"]
    assert craft.seen == ["a", "b"]
    workshop.close()


def test_who_has_gone_is_not_worked_for_and_who_is_late_is_told() -> None:
    craft = Echo()
    workshop = Workshop("t", craft, 9)
    craft.gate.clear()

    async def some() -> list[Any]:
        given, inbox = jobs(["first", "gone", "last"])
        late, _ = jobs(["late"], seconds=-1.0)
        late[0].inbox = inbox
        workshop.submit([given[0], given[1], late[0], given[2]])
        given[1].gone = True
        craft.gate.set()
        return [(await inbox.get())[1] for _ in range(3)]

    first, late, last = awaited(some())
    assert (first, last) == ("first", "last")
    assert isinstance(late, LateError)
    assert craft.seen == ["first", "last"]
    workshop.close()


def test_a_fault_is_told_to_those_it_hits_and_the_work_goes_on() -> None:
    workshop = Workshop("t", Echo(), 7)
    (fault,) = answers(workshop, ["fault"])
    assert isinstance(fault, ZeroDivisionError)
    assert answers(workshop, ["next"]) == ["next"]
    workshop.close()


def test_a_closed_one_finishes_what_it_has_and_takes_no_more() -> None:
    craft = Echo()
    workshop = Workshop("t", craft, 7)
    craft.gate.clear()

    async def closing() -> list[Any]:
        given, inbox = jobs(["a", "b"])
        workshop.submit(given)
        ending = asyncio.get_running_loop().run_in_executor(None, workshop.close)
        craft.gate.set()
        await ending
        with pytest.raises(FullError, match="shutting down"):
            workshop.submit(given)
        return [(await inbox.get())[1] for _ in given]

    assert awaited(closing()) == ["a", "b"]


def test_an_asker_whose_loop_is_closed_harms_nobody() -> None:
    craft = Echo()
    workshop = Workshop("t", craft, 7)
    craft.gate.clear()

    async def leaving() -> None:
        workshop.submit(jobs(["a"])[0])

    awaited(leaving())
    craft.gate.set()
    assert answers(workshop, ["b"]) == ["b"]
    workshop.close()


def test_who_would_not_find_room_is_told_before() -> None:
    workshop = Workshop("small", Echo(), waiting=3)
    workshop.must_have_room(3)
    with pytest.raises(InputError, match="at most 3 may ever wait; ask for fewer"):
        workshop.must_have_room(4)
    workshop.close()
    with pytest.raises(FullError, match="shutting down"):
        workshop.must_have_room(1)

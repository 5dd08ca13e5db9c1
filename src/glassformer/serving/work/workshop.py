"""A workshop: one thread that does the work of many askers in turn. What is worked, and how together, is its craft's.

Jobs wait in a queue that is bounded: what does not fit is refused at once. A job whose asker has gone, or whose time is
over, is dropped, before its turn or in the midst of it. It knows nothing of models.
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from glassformer.errors import GlassformerError, InputError


class FullError(GlassformerError):
    """More was asked than can wait."""


class LateError(GlassformerError):
    """The deadline passed before the answer was there."""


@dataclass(eq=False)
class Job:
    """What is asked, by when, and where the answer goes: into `inbox`, in the loop of the asker."""

    asked: Any
    deadline: float  # by time.monotonic()
    inbox: "asyncio.Queue[tuple[Job, Any]]"
    loop: asyncio.AbstractEventLoop
    gone: bool = field(default=False)  # set by the asker, who does not wait any more

    @property
    def late(self) -> bool:
        """Whether its time is over."""
        return time.monotonic() > self.deadline

    def too_late(self) -> LateError:
        """What is said then."""
        return LateError("The deadline passed before the answer was there; ask for less, or give it more time.")


Delivery = tuple[Job, Any]  # a part of the answer, or an exception


class Craft(Protocol):
    """How jobs are worked together."""

    @property
    def busy(self) -> bool:
        """Whether there is work begun and not finished."""

    @property
    def places(self) -> int:
        """How many jobs can be taken in now."""

    def begin(self, jobs: Sequence[Job]) -> list[Delivery]:
        """Takes jobs in."""

    def work(self) -> list[Delivery]:
        """One turn of work on all that was taken in."""

    def drop(self) -> list[Job]:
        """Gives up all that was taken in: something went wrong."""


class Workshop:
    """A thread, its queue and its craft."""

    def __init__(self, name: str, craft: Craft, waiting: int) -> None:
        self.craft, self._most = craft, waiting
        self._queue: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self.turns = 0
        self._thread = threading.Thread(target=self._run, name=f"serve {name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self._queue)

    def must_have_room(self, count: int) -> None:
        """Refuses so many jobs if they cannot wait: who is refused before anything is read costs little."""
        if self._closing:
            raise FullError("The server is shutting down.")
        if count > self._most:
            raise InputError(f"{count} texts are asked at once, and at most {self._most} may ever wait; ask for fewer.")
        if len(self._queue) + count > self._most:
            raise FullError("More is asked than can wait; try again in a moment.")

    def submit(self, jobs: Sequence[Job]) -> None:
        """Puts jobs in the queue, all of them or none."""
        with self._changed:
            self.must_have_room(len(jobs))
            self._queue.extend(jobs)
            self._changed.notify()

    def close(self, patience: float = 10.0) -> None:
        """Finishes what was asked, within some seconds, and takes no more."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(patience)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self.craft.busy:
                    if self._closing:
                        return
                    self._changed.wait()
                taken, lost = self._taken()
            self._turn(taken, lost)

    def _turn(self, taken: Sequence[Job], found: list[Delivery]) -> None:
        """Takes in new jobs, works once on all, and hands out what was made."""
        try:
            if taken:
                found += self.craft.begin(taken)
            if self.craft.busy:
                found += self.craft.work()
                self.turns += 1
        except Exception as error:  # a fault in one turn must not end the thread: all who wait are told
            found += [(job, error) for job in {*self.craft.drop(), *taken}]
        _hand_out(found)

    def _taken(self) -> tuple[list[Job], list[Delivery]]:
        """The jobs whose turn it is, and what those are told whose time was over."""
        taken: list[Job] = []
        late: list[Delivery] = []
        while self._queue and len(taken) < self.craft.places:
            job = self._queue.popleft()
            if job.late and not job.gone:
                late.append((job, job.too_late()))
            elif not job.gone:
                taken.append(job)
        return taken, late


def _hand_out(found: Sequence[Delivery]) -> None:
    """Brings each part to its asker, in one go for each loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Delivery]] = {}
    for job, part in found:
        by_loop.setdefault(job.loop, []).append((job, part))
    for loop, parts in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_put, parts)


def _put(parts: Sequence[Delivery]) -> None:
    for job, part in parts:
        job.inbox.put_nowait((job, part))

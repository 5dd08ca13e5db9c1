"""One request from its fields to its answer: jobs are submitted, waited for until the deadline, and given up when the
asker leaves. What is asked, and how it is answered, each operation says for itself.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from glassformer.errors import GlassformerError
from glassformer.serving.requests.fields import Fields, Schema
from glassformer.serving.served import Roster
from glassformer.serving.work.workshop import Job, Workshop

JSON = dict[str, Any]
T = TypeVar("T")
WARNINGS: Schema = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What was not read as it stands: of a text that is too long only a part, or no word of it is known.",
}
SHORT = 2000  # characters or ids of texts that are cut into tokens at once; longer ones by a thread, so nobody waits


class LeftError(GlassformerError):
    """Who asked has gone."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What can be asked at one address.

    fields    of the request
    answer    the schema of what is answered
    example   a request that is answered by a model of this ability
    ability   what a model must be able to do
    """

    path: str
    summary: str
    says: str
    fields: Fields
    answer: Schema
    example: Mapping[str, Any]
    ability: str
    do: Callable[["Visit", JSON], Awaitable[Response]]
    streams: bool = False


@dataclass
class Visit:
    """A request, the models it may ask, and how many seconds it may take."""

    request: Request
    roster: Roster
    seconds: float

    async def answers(self, workshop: Workshop, asked: Any) -> Any:
        """The answer to one job."""
        async with aclosing(self.parts(workshop, [asked], lambda part: True)) as parts:
            async for _, part in parts:
                return part
        raise LeftError("There was no answer.")

    async def parts(
        self, workshop: Workshop, asked: Sequence[Any], is_last: Callable[[Any], bool]
    ) -> AsyncGenerator[tuple[int, Any]]:
        """Which of the jobs, and a part of its answer, as they come, until each has had its last."""
        deadline = time.monotonic() + self.seconds
        inbox: asyncio.Queue[tuple[Job, Any]] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        jobs = [Job(each, deadline, inbox, loop) for each in asked]
        numbers = {job: i for i, job in enumerate(jobs)}
        workshop.submit(jobs)
        leaving = asyncio.ensure_future(self._leave(inbox, jobs[0]))
        left = len(jobs)
        try:
            while left:
                try:
                    async with asyncio.timeout(max(0.0, deadline - time.monotonic()) + 1.0):
                        job, part = await inbox.get()
                except TimeoutError:
                    raise jobs[0].too_late() from None
                if isinstance(part, Exception):
                    raise part
                left -= is_last(part)
                yield numbers[job], part
        finally:
            for job in jobs:
                job.gone = True
            leaving.cancel()

    async def _leave(self, inbox: "asyncio.Queue[tuple[Job, Any]]", job: Job) -> None:
        """Tells when the other side has gone away."""
        while (await self.request.receive())["type"] != "http.disconnect":
            pass
        inbox.put_nowait((job, LeftError("Who asked has gone.")))


async def beside(size: int, work: Callable[[], T]) -> T:
    """What is worked from texts of this size, in a thread if they are long."""
    return work() if size <= SHORT else await asyncio.to_thread(work)


class Events(Response):
    """Server-sent events, one after the other as they are made."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        super().__init__(media_type="text/event-stream")
        self.events = events
        del self.headers["content-length"]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Sends them; who has left is not sent anything more."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        with contextlib.suppress(OSError, LeftError):
            async for each in self.events:
                await send({"type": "http.response.body", "body": each, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def told(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A JSON answer."""
    return JSONResponse(content, status, dict(headers or {}))

"""The desk where work waits its turn: a few pieces at a time, some in the queue, the rest told to come back later.

Work runs in threads, so that the page is answered meanwhile. It knows nothing of what is worked on.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from glassformer.errors import GlassformerError

AT_ONCE = 2
WAITING = 32
Answer = TypeVar("Answer")


class BusyError(GlassformerError):
    """More was asked than can wait."""


class Desk:
    """Work in turn. A piece whose asker has gone before its turn came is not begun."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="studio")
        self._most = at_once + waiting
        self.taken = 0

    async def do(self, work: Callable[[], Answer]) -> Answer:
        """The answer of a piece of work, when its turn has come."""
        if self.taken >= self._most:
            raise BusyError("The studio has too much to do just now; try again in a moment.")
        self.taken += 1
        future = self._threads.submit(work)
        future.add_done_callback(lambda _: self._done())
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.cancel()
            raise

    def _done(self) -> None:
        self.taken -= 1

    def close(self) -> None:
        """Takes no more; what has begun is finished."""
        self._threads.shutdown(wait=False, cancel_futures=True)

"""The desk where work waits its turn: a few pieces at a time, some in the queue, the rest told to come back later.

Work runs in threads, so that the page is answered meanwhile, and is broken off when its asker has gone. It knows
nothing of what is worked on.
"""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from glassformer.errors import GlassformerError

AT_ONCE = 2
WAITING = 32
Answer = TypeVar("Answer")


class BusyError(GlassformerError):
    """More was asked than can wait."""


class GoneError(BaseException):
    """Who asked has gone. No `except Exception` of the work holds it back."""


class Desk:
    """Work in turn. A piece whose asker has gone is not begun, or is broken off."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="studio")
        self._most = at_once + waiting
        self.taken = 0

    async def do(self, work: Callable[[], Answer]) -> Answer:
        """The answer of a piece of work, when its turn has come. To cancel this is to go away."""
        if self.taken >= self._most:
            raise BusyError("The studio has too much to do just now; try again in a moment.")
        self.taken += 1
        piece = Piece(work)
        future = self._threads.submit(piece.do)
        future.add_done_callback(lambda _: self._done())
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.cancel()
            piece.leave()
            raise

    def _done(self) -> None:
        self.taken -= 1

    def close(self) -> None:
        """Takes no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Piece(Generic[Answer]):
    """Work that one thread does and another may break off: at its next step of Python, not within a step."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self._work = work
        self._lock = threading.Lock()  # held while a thread is told to stop, so that it is never told later than that
        self._thread = 0
        self._gone = False

    def do(self) -> Answer:
        """Its answer, unless its asker goes meanwhile."""
        try:
            with self._lock:
                if self._gone:
                    raise GoneError
                self._thread = threading.get_ident()
            return self._work()
        finally:
            with self._lock:
                _interrupt(self._thread, None)  # what this thread does next is another's
                self._thread = 0

    def leave(self) -> None:
        """Nobody waits for the answer any more."""
        with self._lock:
            self._gone = True
            _interrupt(self._thread, GoneError)


def _interrupt(thread: int, error: type[BaseException] | None) -> None:
    """Has a thread raise an error at its next step of Python; None takes back one that it has not raised yet."""
    if thread:
        raised = ctypes.py_object(error) if error else None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)

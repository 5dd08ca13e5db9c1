"""The desk where work waits its turn: a few pieces at a time, some in the queue, the rest told to come back later.

Work runs in threads, so that the page is answered meanwhile, and is broken off when its asker has gone: it asks before
every operation of torch, and never stops elsewhere, so that no lock stays held. It knows nothing of what is worked on.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import torch
from torch.overrides import TorchFunctionMode

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
    """Work that one thread does, and that another may end: before its next operation of torch."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self._work = work
        self._gone = threading.Event()

    def do(self) -> Answer:
        """Its answer, unless its asker goes meanwhile."""
        if self._gone.is_set():
            raise GoneError
        with torch.set_grad_enabled(torch.is_grad_enabled()), _Asking(self._gone):  # whatever the work left switched
            return self._work()

    def leave(self) -> None:
        """Nobody waits for the answer any more."""
        self._gone.set()


class _Asking(TorchFunctionMode):
    """Asks before every operation of torch in this thread whether anybody still waits for it."""

    def __init__(self, gone: threading.Event) -> None:
        super().__init__()
        self._gone = gone

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The operation, as it is."""
        if self._gone.is_set():
            raise GoneError
        return function(*args, **(kwargs or {}))

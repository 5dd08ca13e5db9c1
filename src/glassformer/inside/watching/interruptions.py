"""Errors of our own looking, in words, and those that a signal raised in the middle of it, which are not ours to keep.

A handler for SIGALRM or SIGTERM may raise anything, between any two lines. It knows nothing of watching.
"""

import signal
from types import CodeType

from glassformer.errors import InputError


def from_a_signal(error: BaseException) -> bool:
    """Whether the error came out of somebody's signal handler."""
    handlers = [_code(signal.getsignal(number)) for number in signal.valid_signals()]
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code in handlers:
            return True
        frame = frame.tb_next
    return False


def in_words(error: Exception) -> str:
    """Why looking failed, as a part of a sentence."""
    why = str(error).strip().partition("\n")[0].partition(". ")[0].rstrip(".")
    return why if isinstance(error, InputError) else f"looking on failed with a {type(error).__name__}: {why}"


def _code(handler: object) -> CodeType | None:
    if not callable(handler):
        return None
    found = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
    return found if isinstance(found, CodeType) else None

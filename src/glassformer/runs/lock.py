"""One writer at a time: a folder is held while a run is written into it. It knows no run.

The folder itself is locked, so nothing is left behind, and the system lets go of what a killed process held. Where
there are no such locks, on Windows and on some network drives, nobody is refused.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.errors import InputError


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder, made if it is not there, for as long as this lasts. Who comes second is told so."""
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    import fcntl  # there is none on Windows

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{folder} is being trained just now, by another process or thread; wait for it, or stop it first."
        ) from error
    except OSError:  # a drive that knows no locks
        return

"""One writer at a time: a folder is held while somebody writes into it. It knows nothing of what is written.

The folder itself is locked, so nothing is left behind, and the system lets go of what a killed process held. Where
there are no such locks, on Windows and on some network drives, nobody is refused.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.errors import InputError

LONGEST = 120  # signs of a command that are told


@contextmanager
def held(folder: Path, doing: str) -> Iterator[None]:
    """The folder, made if it is not there, for as long as this lasts. Who comes second is told so: `doing` is what is
    being done with it, as in "trained"."""
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder, doing)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path, doing: str) -> None:
    import fcntl  # there is none on Windows

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{folder} is being {doing} just now, by {_holder(handle)}; wait for it, or stop it first."
        ) from error
    except OSError:  # a drive that knows no locks
        return


def _holder(handle: int) -> str:
    """Who holds it, as far as the system tells: Linux lists all locks, others do not."""
    about = os.fstat(handle)
    place = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    for line in _read(Path("/proc/locks")).splitlines():
        words = line.split()
        if words[1:2] == ["FLOCK"] and place in words and (number := words[words.index(place) - 1]).isdecimal():
            if int(number) == os.getpid():
                return "another thread of this process"
            command = " ".join(_read(Path("/proc") / number / "cmdline").split("\0")).strip()
            return f"process {number}" + (f" ({_shortened(command)})" if command else "")
    return "another process"


def _shortened(command: str) -> str:
    return command if len(command) <= LONGEST else f"{command[:LONGEST]}…"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

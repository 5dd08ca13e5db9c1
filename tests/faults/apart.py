"""Work in a child of its own: its exit code, what it said, its seconds and its memory. A child that hangs is killed.

The parent must have one thread only; `alone` gives such a process to a test.
"""

import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent
PATIENCE = 60.0  # seconds until a child counts as hanging
FAULT = "fault of Glassformer"
HUNG = -signal.SIGKILL


@dataclass(frozen=True)
class Outcome:
    """What became of a child."""

    code: int
    said: str
    seconds: float
    peak: int = 0  # the most bytes it held at once, those that it has from its parent included

    @property
    def sound(self) -> bool:
        """Whether it ended by itself, and by no fault of ours."""
        return self.code not in (HUNG, 3) and FAULT not in self.said and "Traceback" not in self.said


def apart(work: Callable[[], Any], patience: float = PATIENCE) -> Outcome:
    """Does the work in a child. The child's code is what the work gives or exits with, 0 for None."""
    with tempfile.TemporaryFile() as told:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _work(work, told.fileno())
        code, peak = _waited(child, patience)
        told.seek(0)
        said = told.read().decode("utf-8", "replace")
    return Outcome(code, said, time.monotonic() - began, peak)


def _work(work: Callable[[], Any], told: int) -> None:
    """In the child, which never comes back."""
    code: Any = 1
    os.dup2(told, 1)
    os.dup2(told, 2)
    said = io.TextIOWrapper(os.fdopen(told, "wb", closefd=False), encoding="utf-8", errors="replace")
    try:
        with redirect_stdout(said), redirect_stderr(said):
            try:
                code = work()
            except SystemExit as leaving:
                code = leaving.code
            except BaseException:
                import traceback

                traceback.print_exc()
        said.flush()
    finally:
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _waited(child: int, patience: float) -> tuple[int, int]:
    """How it ended, and the most memory it held."""
    handle = os.pidfd_open(child)
    try:
        if not select.select([handle], [], [], patience)[0]:
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(handle)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024


def command(*words: str | Path) -> Callable[[], Any]:
    """The `glassformer` command, as work."""

    def work() -> None:
        from glassformer.commands.main import main

        sys.argv = ["glassformer", *map(str, words)]
        main()

    return work


def alone(module: str, *words: Any) -> Any:
    """What `main` of a module of these tests prints as JSON, in a process of its own with one thread."""
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    program = f"import json, sys; from faults.{module} import main; print(json.dumps(main(*json.loads(sys.argv[1]))))"
    found = subprocess.run(
        [sys.executable, "-c", program, json.dumps([str(word) if isinstance(word, Path) else word for word in words])],
        env=environment, stdout=subprocess.PIPE, check=True, timeout=3000,
    )  # fmt: skip
    return json.loads(found.stdout.splitlines()[-1])

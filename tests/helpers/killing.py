"""Work that is killed again and again, at any moment: kill -9, so that nothing can be put in order before the end."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path


def killed_in_a_loop(times: int, work: Callable[[Callable[[int], None]], None], look: Callable[[int], int]) -> None:
    """Begins the work anew in a child of this process and kills it at a random moment, so many times. The work says
    which number it has come to; after each death `look` is told the last one, and answers with the one it finds.

    Three of four children live until they have said a number, and then for up to as long again: whatever the machine,
    some die in every part of the work."""
    os.fsync = lambda _: None  # a kill is no power cut: what was written stays, and the work is many times quicker
    draw = random.Random(7)
    said = 0
    for turn in range(times):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                work(partial(_say, writing))
            finally:
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            begun = time.monotonic()
            heard = pipe.readline() if turn % 4 else b""
            time.sleep(draw.uniform(0.0, time.monotonic() - begun if heard else 0.05))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
            numbers = [int(line) for line in (heard + pipe.read()).splitlines()]
        said = look(numbers[-1] if numbers else said)


def _say(pipe: int, number: int) -> None:
    os.write(pipe, f"{number}\n".encode())


def run_script(script: str, folder: Path) -> None:
    """A process of its own, for forks want to be alone."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, timeout=250, env=environment)

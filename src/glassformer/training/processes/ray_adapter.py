"""The same command on a Ray cluster: Ray Train starts the processes and tells them their numbers. Nothing else of ours
knows Ray; the package is needed only here.

Ctrl-C and SIGTERM reach the processes by a bell, an actor that the first worker listens to: Ray would only kill them.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from glassformer.errors import GlassformerError, InputError
from glassformer.training.processes.launching import KilledError
from glassformer.training.processes.team import numbered

LISTEN_EVERY = 0.5  # seconds
COMMAND = (sys.executable, "-P", "-m", "glassformer")  # -P: see launching.py


class Bell:
    """What is known to all: whether to stop, and how processes ended."""

    def __init__(self) -> None:
        self.stop = False
        self.codes: list[tuple[int, int]] = []

    def ring(self) -> None:
        """All are to save, and to end."""
        self.stop = True

    def rung(self) -> bool:
        """Whether they are."""
        return self.stop

    def ended(self, rank: int, code: int) -> None:
        """A process has ended with this code."""
        self.codes.append((rank, code))

    def endings(self) -> list[tuple[int, int]]:
        """The number and the code of each, in the order in which they ended."""
        return self.codes


def on_ray(words: Sequence[str], workers: int) -> int:
    """Runs `glassformer words…` in so many workers of the cluster that this machine is part of; where there is none,
    Ray starts one here. All workers must see the folder that this is called in. Gives the exit code, as `launched`."""
    if workers < 1:
        raise InputError(f"--ray is how many workers train together, 1 or more; it is {workers}.")
    if "-" in words:
        raise InputError("Standard input can be read only once; for several processes put the text in a file.")
    try:
        torch_trainer: Any = import_module("ray.train.torch").TorchTrainer
        train: Any = import_module("ray.train")
        ray: Any = import_module("ray")
    except ImportError as error:
        raise InputError(
            "To train on a Ray cluster needs the package ray, which is not installed: pip install 'glassformer[ray]'."
        ) from error
    from torch.cuda import is_available

    bell = ray.remote(num_cpus=0)(Bell).remote()
    trainer = torch_trainer(
        work,
        train_loop_config={"words": list(words), "place": str(Path.cwd()), "bell": bell},
        scaling_config=train.ScalingConfig(num_workers=workers, use_gpu=is_available()),
    )
    came, failure = _watched(trainer.fit, lambda: ray.get(bell.ring.remote()))
    if came:
        return 128 + came
    for rank, code in ray.get(bell.endings.remote()):
        if code < 0:
            raise KilledError(rank, workers, -code)
        if code > 0:
            return int(code)  # it has said why
    if failure:
        raise GlassformerError(f"Ray could not train it: {str(failure).splitlines()[0]}") from failure
    return 0


def _watched(fit: Callable[[], Any], ring: Callable[[], Any]) -> tuple[int, BaseException | None]:
    """The signal that came while it was fitted, or 0, and what went wrong. Ray catches signals where it is fitted in
    the main thread, so that is done in another; a second signal leaves at once."""
    failures: list[BaseException] = []

    def fitted() -> None:
        try:
            fit()
        except BaseException as error:
            failures.append(error)

    fitting = threading.Thread(target=fitted, daemon=True)
    with _noted() as came:
        fitting.start()
        rung = False
        while fitting.is_alive():
            fitting.join(LISTEN_EVERY)
            if came and not rung:
                ring()
                rung = True
    return (came[0] if came else 0), (failures[0] if failures else None)


@contextmanager
def _noted() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM, as they come."""
    came: list[int] = []

    def note(number: int, frame: object) -> None:
        if came:
            raise SystemExit(128 + number)
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def work(config: Mapping[str, Any]) -> None:
    """What each worker does: the command itself, in a process of its own, where it was called. RANK and the rest are
    set by Ray; its own processes are connected already, and agree on a port for ours."""
    ray: Any = import_module("ray")
    with socket.socket() as some:
        some.bind(("", 0))
        port = numbered(os.environ).told(some.getsockname()[1])
    command = [*COMMAND, *config["words"]]
    process = subprocess.Popen(command, cwd=config["place"], env={**os.environ, "MASTER_PORT": str(port)})
    rank, told = int(os.environ.get("RANK", "0")), False
    while (code := _ended(process)) is None:
        if rank == 0 and not told and (told := ray.get(config["bell"].rung.remote())):
            process.terminate()  # who is told to stop stops all of them at the same step
    ray.get(config["bell"].ended.remote(rank, code))
    if code not in (0, 128 + signal.SIGTERM):
        raise RuntimeError(f"The process ended with {code}.")  # for Ray, which then ends the others


def _ended(process: "subprocess.Popen[bytes]") -> int | None:
    try:
        return process.wait(LISTEN_EVERY)
    except subprocess.TimeoutExpired:
        return None

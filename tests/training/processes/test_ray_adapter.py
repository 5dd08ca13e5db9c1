"""Ray: what can be said without it, and what a worker runs. A cluster is tried by hand (docs/scale.md)."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glassformer.errors import GlassformerError, InputError
from glassformer.training.processes import ray_adapter
from glassformer.training.processes.launching import KilledError
from glassformer.training.processes.ray_adapter import Bell, on_ray, work
from glassformer.training.processes.team import ALONE


@pytest.mark.parametrize(
    ("words", "workers", "said"),
    [
        ((), 0, "--ray is how many workers train together, 1 or more; it is 0"),
        (("train", "classify", "-"), 2, "Standard input can be read only once"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], workers: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        on_ray(words, workers)


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.train", None)
    monkeypatch.setitem(sys.modules, "ray.train.torch", None)
    with pytest.raises(InputError, match=r"pip install 'glassformer\[ray\]'"):
        on_ray(["train"], 2)


class Here:
    """What stands in for Ray: actors and workers are called where they are asked, in this process."""

    def __init__(self, fit: Callable[["Here"], None] = lambda here: None) -> None:
        self.fit, self.made, self.bell = fit, {}, Bell()
        self.modules = {
            "ray": self,
            "ray.train": SimpleNamespace(ScalingConfig=lambda **named: named),
            "ray.train.torch": SimpleNamespace(TorchTrainer=self._trainer),
        }

    def _trainer(self, loop: Any, **named: Any) -> Any:
        self.made = {"loop": loop, **named}
        return SimpleNamespace(fit=lambda: self.fit(self))

    def remote(self, **_: Any) -> Any:
        return lambda kind: SimpleNamespace(remote=lambda: self.handle)

    def get(self, answer: Any) -> Any:
        return answer

    @property
    def handle(self) -> Any:
        names = ("ring", "rung", "ended", "endings")
        return SimpleNamespace(**{name: SimpleNamespace(remote=getattr(self.bell, name)) for name in names})


def on(here: Here, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(ray_adapter, "import_module", here.modules.__getitem__)
    monkeypatch.setattr(ray_adapter, "LISTEN_EVERY", 0.01)
    return on_ray(["train", "classify", "negation"], 2)


def test_ray_is_handed_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here()
    assert on(here, monkeypatch) == 0
    config = here.made["train_loop_config"]
    assert here.made["loop"] is work
    assert {name: config[name] for name in ("words", "place")} == {
        "words": ["train", "classify", "negation"],
        "place": str(Path.cwd()),
    }
    assert here.made["scaling_config"] == {"num_workers": 2, "use_gpu": False}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_rings_the_bell_and_is_the_exit_code(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray fits until the bell has rung, as it does when the processes have saved and ended."""
    before = signal.getsignal(number)

    def fit(here: Here) -> None:
        os.kill(os.getpid(), number)
        while not here.bell.rung():
            time.sleep(0.001)

    assert on(Here(fit), monkeypatch) == 128 + number
    assert signal.getsignal(number) == before


def test_a_second_signal_leaves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Ray still does."""
    over = threading.Event()

    def fit(here: Here) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        while not here.bell.rung():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGTERM)
        over.wait()

    with pytest.raises(SystemExit) as left:
        on(Here(fit), monkeypatch)
    over.set()
    assert left.value.code == 143


def failing(*endings: tuple[int, int]) -> Callable[[Here], None]:
    """Processes that end so, and Ray that makes pages of it."""

    def fit(here: Here) -> None:
        for rank, code in endings:
            here.bell.ended(rank, code)
        raise RuntimeError("Training failed due to worker errors:\nTraceback …")

    return fit


def test_a_killed_process_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KilledError, match=r"Process 1 of 2 was killed \(signal 9\)") as told:
        on(Here(failing((1, -9), (0, 1))), monkeypatch)
    assert told.value.exit_code == 137


def test_what_a_process_refused_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert on(Here(failing((0, 2), (1, 2))), monkeypatch) == 2


def test_what_ray_itself_cannot_is_told_in_its_first_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GlassformerError, match=r"^Ray could not train it: Training failed due to worker errors:$"):
        on(Here(failing()), monkeypatch)


PRINTS = "import os, sys; print(os.getcwd(), os.environ['MASTER_PORT'], *sys.argv[1:])"
WAITS = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
print("on", flush=True)
signal.pause()
"""


def at_work(program: str, rank: int, place: Path, monkeypatch: pytest.MonkeyPatch, here: Here) -> None:
    """A worker whose command is this program: a process, as ever."""
    monkeypatch.setattr(ray_adapter, "import_module", here.modules.__getitem__)
    monkeypatch.setattr(ray_adapter, "LISTEN_EVERY", 0.05)
    monkeypatch.setattr(ray_adapter, "COMMAND", (sys.executable, "-c", program))
    monkeypatch.setattr(ray_adapter, "numbered", lambda environment: ALONE)
    monkeypatch.setenv("RANK", str(rank))
    work({"words": ["train", "classify"], "place": str(place), "bell": here.handle})


def test_a_worker_runs_the_command_where_it_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    here = Here()
    at_work(PRINTS, 1, tmp_path, monkeypatch, here)
    place, port, *words = capfd.readouterr().out.split()
    assert (place, words) == (str(tmp_path), ["train", "classify"])
    assert 0 < int(port) < 2**16
    assert here.bell.endings() == [(1, 0)]


def test_the_first_worker_ends_its_process_when_the_bell_has_rung(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    here = Here()
    here.bell.rung = lambda: "on" in capfd.readouterr().out  # type: ignore[method-assign]  # once it can be told
    at_work(WAITS, 0, tmp_path, monkeypatch, here)
    assert here.bell.endings() == [(0, 143)]


def test_a_process_that_was_killed_is_told_to_ray_and_to_the_bell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Here()
    with pytest.raises(RuntimeError, match="ended with -9"):
        at_work("import os; os.kill(os.getpid(), 9)", 1, tmp_path, monkeypatch, here)
    assert here.bell.endings() == [(1, -9)]

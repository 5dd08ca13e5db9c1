"""Ray: what can be said without it, and what a worker runs. A cluster is tried by hand (docs/scale.md)."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.training.processes import ray_adapter
from glassformer.training.processes.ray_adapter import on_ray, work


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


def test_ray_is_handed_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Trainer:
        def __init__(self, *given: Any, **named: Any) -> None:
            made.append((given, named))

        def fit(self) -> None:
            made.append("fitted")

    modules = {
        "ray.train.torch": SimpleNamespace(TorchTrainer=Trainer),
        "ray.train": SimpleNamespace(ScalingConfig=lambda **named: named),
    }
    monkeypatch.setattr(ray_adapter, "import_module", modules.__getitem__)
    on_ray(["train", "classify", "negation"], 2)
    (given, named), last = made
    assert given == (work,)
    assert named["train_loop_config"] == {"words": ["train", "classify", "negation"], "place": str(Path.cwd())}
    assert named["scaling_config"] == {"num_workers": 2, "use_gpu": False}
    assert last == "fitted"


def test_a_worker_runs_the_command_where_it_was_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    ran: list[Any] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **how: ran.append((command, how)))
    work({"words": ["train", "classify"], "place": str(tmp_path)})
    ((command, how),) = ran
    assert command == [sys.executable, "-m", "glassformer", "train", "classify"]
    assert how["cwd"] == str(tmp_path)
    assert how["check"]
    assert 0 < json.loads(how["env"]["MASTER_PORT"]) < 2**16

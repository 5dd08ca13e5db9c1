"""The same command on a Ray cluster: Ray Train starts the processes and tells them their numbers. Nothing else of ours
knows Ray; the package is needed only here.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from glassformer.errors import InputError
from glassformer.training.processes.team import numbered


def on_ray(words: Sequence[str], workers: int) -> None:
    """Runs `glassformer words…` in so many workers of the cluster that this machine is part of; where there is none,
    Ray starts one here. All workers must see the folder that this is called in."""
    if workers < 1:
        raise InputError(f"--ray is how many workers train together, 1 or more; it is {workers}.")
    if "-" in words:
        raise InputError("Standard input can be read only once; for several processes put the text in a file.")
    try:
        torch_trainer: Any = import_module("ray.train.torch").TorchTrainer
        train: Any = import_module("ray.train")
    except ImportError as error:
        raise InputError(
            "To train on a Ray cluster needs the package ray, which is not installed: pip install 'glassformer[ray]'."
        ) from error
    from torch.cuda import is_available

    torch_trainer(
        work,
        train_loop_config={"words": list(words), "place": str(Path.cwd())},
        scaling_config=train.ScalingConfig(num_workers=workers, use_gpu=is_available()),
    ).fit()


def work(config: Mapping[str, Any]) -> None:
    """What each worker does: the command itself, in a process of its own, where it was called. RANK and the rest are
    set by Ray; its own processes are connected already, and agree on a port for ours."""
    with socket.socket() as some:
        some.bind(("", 0))
        port = numbered(os.environ).told(some.getsockname()[1])
    command = [sys.executable, "-m", "glassformer", *config["words"]]
    subprocess.run(command, check=True, cwd=config["place"], env={**os.environ, "MASTER_PORT": str(port)})

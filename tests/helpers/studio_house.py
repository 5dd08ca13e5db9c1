"""A studio that listens, with three small models and a race, and a way to open it in a browser."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import uvicorn
from playwright.sync_api import Page

from glassformer.serving.requests.limits import new_token
from glassformer.studio.app import Studio
from glassformer.studio.guard import Door
from helpers.small_runs import small_run

Open = Callable[..., Page]
DESK = {"width": 1440, "height": 900}


class House(NamedTuple):
    address: str
    studio: Studio


@contextmanager
def open_house(root: Path) -> Iterator[House]:
    """It listens as long as it is needed."""
    folders = [small_run(root / objective, objective).path for objective in ("classes", "pairs", "answers")]
    for model in ("transformer", "conv-pool"):
        small_run(root / "race" / f"{model}-0", "classes", model).log({"event": "judged", "seconds": 2.0, "loss": 0.7})
    models = [
        {"model": name, "parameters": 7, "seconds": 2.0, "accuracy": 0.5, "runs": [f"{name}-0"]}
        for name in ("transformer", "conv-pool")
    ]
    (root / "race" / "race.json").write_text(json.dumps({"score": "accuracy", "samples": 11, "models": models}))
    listening = socket.create_server(("127.0.0.1", 0))
    door = Door(listening.getsockname()[1], new_token())
    studio = Studio([*folders, root / "race"], door, root / "runs")
    how = uvicorn.Config(studio.app(), log_level="error", ws="none", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(how)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield House(door.address, studio)
    server.should_exit = True
    thread.join()
    studio.close()

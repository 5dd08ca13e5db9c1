"""`glassformer studio`: opens the studio in a browser. It finds a port and starts the server; the rooms do the rest."""

import signal
import socket
import sys
import webbrowser
from pathlib import Path
from types import FrameType
from urllib.parse import quote

import torch
import uvicorn

from glassformer.errors import InputError
from glassformer.layers.devices import device_called, in_words
from glassformer.serving.requests.limits import LARGEST_HEADERS, new_token
from glassformer.serving.requests.slow_headers import PatientProtocol
from glassformer.studio.app import Studio
from glassformer.studio.guard import Door

FIRST_PORT = 8765


def studio(
    *runs: Path, port: int = 0, device: str = "auto", no_browser: bool = False, lesson: Path | None = None
) -> None:
    """Open the studio: work by hand, look inside a model, race, train. Everything stays on this machine.

    Parameters
    ----------
    runs
        Run folders to look inside, race folders to compare, and folders of Hugging Face as hf:FOLDER, beside the models
        that came with the package.
    port
        Where to listen on this machine; else 8765, or any free one.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    no_browser
        Print the address only.
    lesson
        A lesson of your own, to begin with; `glassformer lesson` checks it.
    """
    where = device_called(device)
    listening = _listen(port)
    door = Door(listening.getsockname()[1], new_token())
    torch.set_num_threads(1)  # the models are small; two threads would only get in each other's way
    found = Studio(list(runs), door, lessons=[] if lesson is None else [lesson], device=str(where))
    address = f"{door.address}#lesson={quote(lesson.stem)}" if lesson else door.address
    config = uvicorn.Config(
        found.app(), log_level="error", access_log=False, ws="none", lifespan="off", server_header=False,
        http=PatientProtocol, h11_max_incomplete_event_size=LARGEST_HEADERS, timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    print(f"The studio is open at {address}", file=sys.stderr)
    if where.type != "cpu":
        print(f"It computes on {in_words(where)}.", file=sys.stderr)
    print("Stop it with Ctrl-C.", file=sys.stderr, flush=True)
    if not no_browser and not webbrowser.open(address):
        print("No browser could be opened here; open the address yourself.", file=sys.stderr, flush=True)
    signal.signal(signal.SIGTERM, _leave)  # the server stops first, and then hands the signal on to us
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        found.close()


def _listen(port: int) -> socket.socket:
    """A socket on this machine only; the usual port, another one if that is taken, or exactly the one asked for."""
    if not 0 <= port < 65536:
        raise InputError(f"There is no port {port}; choose one from 1 to 65535.")
    for each in (port,) if port else (FIRST_PORT, 0):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", each))
            listening.listen(1024)  # a browser that comes before the server is up waits a moment
        except OSError as error:
            listening.close()
            if port:
                raise InputError(f"Port {port} cannot be used: {error.strerror}. Choose another --port.") from error
        else:
            return listening
    raise InputError("No port of this machine is free; close some programs.")


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)

"""`glassformer serve`: trained models over HTTP. It opens a port and starts the server; serving/ does the rest."""

import os
import signal
import socket
import sys
from types import FrameType

import uvicorn

from glassformer.commands.on_device import load_on, take_threads
from glassformer.errors import InputError
from glassformer.runs.run import find, pocket_folders
from glassformer.serving.app import Policy, Server, settle
from glassformer.serving.requests.gate import LOOPBACK, Site
from glassformer.serving.requests.limits import LARGEST_HEADERS, new_token
from glassformer.serving.requests.slow_headers import PatientProtocol
from glassformer.serving.served import Capacity, named

SHORTEST_TOKEN = 16


def serve(
    *runs: str,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str = "",
    slots: int = 32,
    queue: int = 128,
    deadline: float = 120.0,
    engine: str = "auto",
    device: str = "auto",
    threads: int = 1,
) -> None:
    """Serve trained models to other programs, in the shape of OpenAI's interface where it has one.

    Ctrl-C or SIGTERM lets what was asked be finished, for ten seconds at most.

    Parameters
    ----------
    runs
        Run folders, or names of models that came with the package; without any, all of those.
    host
        Where to listen. On 127.0.0.1 only this machine can ask, and no token is needed; elsewhere it is.
    port
        The port; 0 is any free one.
    token
        What who asks must send as `Authorization: Bearer TOKEN`; else GLASSFORMER_TOKEN. Where one is needed and none
        is given, one is made and printed.
    slots
        Texts that a language model writes side by side.
    queue
        How much may wait for each model; what is asked beyond that is answered with 503.
    deadline
        Seconds that a request may take.
    engine
        torch, onnx (ONNX Runtime, used only if it gives the same), int8 (quicker, and slightly another model), or auto
        for the quickest exact one at hand.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    threads
        Threads of each piece of work.
    """
    take_threads(threads)
    policy = Policy(capacity=Capacity(slots=slots, waiting=queue), deadline=deadline)
    key = _token(token, host)
    folders = named([find(run) for run in runs] or pocket_folders())
    loaded = {name: load_on(folder, device) for name, folder in folders.items()}
    engines = {name: run.use(engine) for name, run in loaded.items()}
    listening = listen(host, port)
    site = Site(host, listening.getsockname()[1], key)
    server = Server(loaded, site, policy)
    config = uvicorn.Config(
        server.app(), log_level="error", access_log=False, ws="none", lifespan="off", server_header=False,
        http=PatientProtocol, h11_max_incomplete_event_size=LARGEST_HEADERS, timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
    )  # fmt: skip
    for name, each in server.roster.models.items():
        print(
            f"{name}: {', '.join(each.abilities) or 'can only be finetuned'}, by {engines[name].name}", file=sys.stderr
        )
        if engines[name].said:
            print(f"  {engines[name].said}", file=sys.stderr)
    page = f"{site.address}/{key}/" if key else f"{site.address}/"
    print(f"Serving at {site.address}/v1 (to try it: {page}). Stop it with Ctrl-C.", file=sys.stderr, flush=True)
    signal.signal(signal.SIGTERM, _leave)  # the server stops first, and then hands the signal on to us
    settle()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        server.close()


def _token(given: str, host: str) -> str:
    """The token that is asked for; none on this machine's own address, unless one was given."""
    token = given or os.environ.get("GLASSFORMER_TOKEN", "")
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise InputError(
            f"A token has at least {SHORTEST_TOKEN} letters, digits or signs, and no blanks; this one has {len(token)}."
        )
    if token or host in LOOPBACK:
        return token
    made = new_token()
    print(f"The token that clients must send: {made}", file=sys.stderr)
    return made


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address."""
    if not 0 <= port < 65536:
        raise InputError(f"There is no port {port}; choose one from 1 to 65535, or 0 for any.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)  # who comes before the server is up waits a moment
    except OSError as error:
        listening.close()
        raise InputError(f"{host}:{port} cannot be used: {error.strerror}. Choose another --port or --host.") from error
    return listening


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)

"""What the server does with those who send too much, too slowly, or leave: seconds until they are told or cut off,
memory, and how long its event loop is ever held up. Server and clients are processes on this machine. Prints Markdown.

    python bench/bounds.py [--run RUN]

The loop is watched from within: each thing it does is timed, by the clock and by the processor time of its thread. On a
busy machine the clock also counts how long others had the core.
"""

import argparse
import asyncio
import multiprocessing
import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import uvicorn
from serving import PROMPTS, ask, wanted

from glassformer.commands.ship_models.serve import listen
from glassformer.runs.run import find, load
from glassformer.serving.app import Policy, Server, settle
from glassformer.serving.requests.gate import Site
from glassformer.serving.requests.limits import LARGEST_HEADERS
from glassformer.serving.requests.slow_headers import PatientProtocol
from glassformer.serving.served import Capacity

PATIENCE = 30.0  # seconds after which a slow sender counts as never cut off
CROWD = 200


class Watch:
    """The longest that anything held up the event loop."""

    def __init__(self) -> None:
        self.by_clock = self.by_processor = 0.0
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            begun, worked = time.perf_counter(), time.thread_time()
            run(handle)
            self.by_processor = max(self.by_processor, time.thread_time() - worked)
            self.by_clock = max(self.by_clock, time.perf_counter() - begun)

        asyncio.Handle._run = timed  # type: ignore[method-assign]

    def begin(self) -> None:
        """Forgets what was."""
        self.by_clock = self.by_processor = 0.0

    def told(self) -> str:
        """In words."""
        return f"{1000 * self.by_processor:.0f} ms of its own work at most, {1000 * self.by_clock:.0f} ms by the clock"


def resident() -> float:
    """Megabytes that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


# --- clients, in a process of their own ---------------------------------------------------------------------------


def head(port: int, *lines: str, verb: str = "POST /v1/completions") -> bytes:
    """The beginning of a request."""
    own = [f"{verb} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"]
    return "\r\n".join([*own, *lines, "", ""]).encode()


def too_much(port: int) -> list[str]:
    """What is told to who sends too much, and after how many seconds."""
    pieces = b"".join(b"10000\r\n" + b"a" * 65_536 + b"\r\n" for _ in range(20)) + b"0\r\n\r\n"
    many = [f"x{i}: y" for i in range(70)]
    sent = {
        "a body of 1,000,001 bytes": head(port, "Content-Length: 1000001") + b"a" * 1_000_001,
        "a body of 30 MB": head(port, "Content-Length: 30000000") + b"a" * 30_000_000,
        "1.3 MB in pieces": head(port, "Transfer-Encoding: chunked") + pieces,
        "73 headers": head(port, *many, verb="GET /healthz"),
        "a header of 1 MB": head(port, "x: " + "a" * 1_000_000, verb="GET /healthz"),
        "a compressed body": head(port, "Content-Encoding: gzip", "Content-Length: 5") + b"abcde",
    }
    rows = []
    for name, content in sent.items():
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as there:
            begun = time.perf_counter()
            there.sendall(content)
            answer = there.recv(65_536)
            rows.append(f"| {name} | {answer.split()[1].decode()} | {time.perf_counter() - begun:.3f} |")
    return rows


def too_slow(port: int) -> list[str]:
    """After how many seconds who sends a byte each half second is cut off; all at once."""
    long = "Content-Length: 500000"
    kinds = {
        "nothing at all": (b"", b""),
        "headers": (b"GET /healthz HTTP/1.1\r\nx: ", b"a"),
        "a body": (head(port, long), b" "),
        "a body in pieces": (head(port, "Transfer-Encoding: chunked"), b"1\r\na\r\n"),
        "a body that nobody reads (GET)": (head(port, long, verb="GET /healthz"), b" "),
        "a body to an address that is not there": (head(port, long, verb="POST /nowhere"), b" "),
        "a body that is refused (chat)": (head(port, long, verb="POST /v1/chat/completions"), b" "),
    }
    rows = []

    def drip(name: str, begin: bytes, drop: bytes) -> None:
        begun = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port), timeout=0.5) as there:
            try:
                there.sendall(begin)
                while (seconds := time.perf_counter() - begun) < PATIENCE:
                    there.sendall(drop)
                    try:
                        if not there.recv(65_536) and not drop:
                            break
                    except TimeoutError:
                        continue
                    time.sleep(0.5)
            except OSError:
                seconds = time.perf_counter() - begun
        rows.append(f"| {name} | {'never' if seconds >= PATIENCE else f'{seconds:.1f}'} |")

    threads = [threading.Thread(target=drip, args=(name, *given)) for name, given in kinds.items()]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return rows


def many_halves(port: int, there: Any) -> None:
    """A hundred bodies of 900,000 bytes that are never whole, held until told."""
    held = []
    for _ in range(100):
        each = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        each.sendall(head(port, "Content-Length: 999999") + b" " * 900_000)
        held.append(each)
    there.send("held")
    there.recv()
    for each in held:
        each.close()


async def _vanish(port: int) -> tuple[int, int]:
    alone = [(await ask(port, wanted(i, 24)))[2]["choices"][0]["text"] for i in range(len(PROMPTS))]

    async def leave(i: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        body = b'{"prompt": "O", "max_tokens": 4000, "temperature": 0}'
        writer.write(head(port, f"Content-Length: {len(body)}") + body)
        await asyncio.sleep(0.01 * (i % 50))
        if i % 4 == 0:  # a reset in place of an end
            own = writer.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()

    found = await asyncio.gather(*(ask(port, wanted(i, 24)) if i % 2 else leave(i) for i in range(CROWD)))
    stayed = [(i, each) for i, each in enumerate(found) if each is not None]
    exact = sum(each[0] == 200 and each[2]["choices"][0]["text"] == alone[i % len(PROMPTS)] for i, each in stayed)
    return exact, len(stayed)


def vanish(port: int) -> tuple[int, int]:
    """Half of a crowd leave; how many of the others were answered as they would be alone, and how many they are."""
    return asyncio.run(_vanish(port))


# --- the server, in this one --------------------------------------------------------------------------------------


def elsewhere(work: Callable[[int], Any], port: int) -> Any:
    """What some work gives, done by another process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (port,))


def measure(server: Server, port: int, watch: Watch) -> None:
    """All of it, as Markdown."""
    elsewhere(vanish, port)  # warm
    before = resident()
    watch.begin()
    print("| too much | answer | after, s |\n|---|---:|---:|", *elsewhere(too_much, port), sep="\n")
    print(f"\nMemory +{resident() - before:.1f} MB; the loop: {watch.told()}.\n")
    watch.begin()
    print("| too slow: a byte each half second | cut off after, s |\n|---|---:|", *elsewhere(too_slow, port), sep="\n")
    print(f"\nMemory +{resident() - before:.1f} MB; the loop: {watch.told()}.")
    ours, theirs = multiprocessing.Pipe()
    client = multiprocessing.get_context("spawn").Process(target=many_halves, args=(port, theirs))
    client.start()
    ours.recv()
    time.sleep(1.0)
    print(f"A hundred bodies of 900,000 bytes, none ever whole: memory +{resident() - before:.1f} MB.")
    ours.send("done")
    client.join()
    watch.begin()
    exact, of = elsewhere(vanish, port)
    print(f"\n{CROWD} clients, of which half leave: of {of} others {exact} were answered exactly as alone.")
    model, begun = server.roster.models[next(iter(server.roster.models))], time.perf_counter()
    assert model.slots is not None
    while model.slots.taken or model.workshop.waiting:
        time.sleep(0.001)
    print(f"Nothing was left to be done {time.perf_counter() - begun:.2f} s after the last of them was answered.")
    print(f"The loop meanwhile: {watch.told()}.")
    print(f"\nLoad {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


def main() -> None:
    """Starts a server in this process, and clients in others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", default="shakespeare")
    torch.set_num_threads(1)
    run = load(find(parser.parse_args().run))
    run.use("auto")
    listening, watch = listen("127.0.0.1", 0), Watch()
    port = listening.getsockname()[1]
    policy = Policy(capacity=Capacity(slots=32, waiting=CROWD))
    server = Server({"model": run}, Site("127.0.0.1", port), policy)
    config = uvicorn.Config(
        server.app(), log_level="error", access_log=False, ws="none", lifespan="off", http=PatientProtocol,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
    )  # fmt: skip
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    settle()
    thread.start()
    try:
        measure(server, port, watch)
    finally:
        running.should_exit = True
        thread.join()
        server.close()


if __name__ == "__main__":
    main()

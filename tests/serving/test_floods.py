"""What a real server holds and says while it is flooded: with bodies that are too large, too slow or packed, with texts
as long as may be sent, and with more clients than it can serve.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

from glassformer.serving.requests import limits
from glassformer.serving.requests.limits import LARGEST_JSON

BENCH = Path(__file__).parents[2] / "bench" / "serving.py"
ROOM = 16 * 2**20  # bytes that refusing may take
PLACE = {**os.environ, "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("floods")]


@contextmanager
def a_server(*runs: Path) -> Iterator[tuple[int, int]]:
    """A server in a process of its own: its port, and the number of the process."""
    words = [sys.executable, "-m", "glassformer", "serve", *map(str, runs), "--port", "0", "--engine", "torch"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=PLACE) as process:
        assert process.stderr is not None
        try:
            line = next(each for each in process.stderr if each.startswith("Serving at"))
            yield int(line.split("/v1")[0].rpartition(":")[2]), process.pid
        finally:
            process.terminate()
            process.wait()


def sent(port: int, path: str, body: bytes, *more: str, length: bool = True) -> tuple[int, bytes]:
    """The status of one request and what is answered; a server that has said no may hang up before it has it all."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json", "Connection: close"]
    lines += [*more, f"Content-Length: {len(body)}" if length else "Transfer-Encoding: chunked", "", ""]
    whole = body if length else b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    with socket.create_connection(("127.0.0.1", port), timeout=250) as there:
        with suppress(ConnectionError):
            there.sendall("\r\n".join(lines).encode() + whole)
        answer = b""
        while piece := there.recv(65536):
            answer += piece
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), rest


def held(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_is_refused_takes_no_memory(tmp_path: Path) -> None:
    """A hundred bodies that are too large by length, a hundred by what comes, packed ones, and headers."""
    large = b" " * (LARGEST_JSON + 200_000)
    with a_server(small_run(tmp_path / "run", "classes").path) as (port, pid):
        for _ in range(3):
            assert sent(port, "/v1/classify", b'{"input": "good"}')[0] == 200
        before = held(pid)
        for _ in range(100):
            assert sent(port, "/v1/classify", large)[0] == 413
            assert sent(port, "/v1/classify", large, length=False)[0] == 413
            assert sent(port, "/v1/classify", b"\x1f\x8b" + bytes(1000), "Content-Encoding: gzip")[0] == 415
            assert sent(port, "/v1/classify", b"{}", *(f"x-{i}: y" for i in range(70)))[0] == 431
            assert sent(port, "/v1/classify", b"{}", "x: " + "y" * 33_000)[0] == 431
        assert held(pid) - before <= ROOM
        assert sent(port, "/v1/classify", b'{"input": "good"}')[0] == 200


def test_texts_as_long_as_may_be_sent_take_little(tmp_path: Path) -> None:
    """What a model does not read is left out before anything is worked: half a million letters cost their tokens."""
    runs = [small_run(tmp_path / name, name).path for name in ("classes", "pairs", "answers")]
    long, words = "x" * 100_000, "good " * 16_000
    asked: list[tuple[str, dict[str, Any], int]] = [
        ("/v1/classify", {"input": [words] * 12}, 200),
        ("/v1/classify", {"input": long + "x"}, 422),
        ("/v1/embeddings", {"input": long}, 200),
        ("/v1/translate", {"input": long, "beam": 1}, 200),
        ("/v1/completions", {"prompt": long, "max_tokens": 1}, 422),
        ("/v1/trace", {"model": "classes", "input": words}, 422),
        ("/v1/why", {"model": "classes", "input": words}, 422),
        ("/v1/why", {"model": "classes", "input": words[:10_000]}, 422),
        ("/v1/why", {"model": "classes", "input": words[:300]}, 200),
    ]
    with a_server(*runs) as (port, pid):
        for path, content, _ in asked:  # each has been worked once
            sent(port, path, json.dumps({**content, "input": "3 1"} if "input" in content else content).encode())
        before = held(pid)
        for path, content, status in asked:
            found, said = sent(port, path, json.dumps(content).encode())
            assert found == status, (path, found, said[:200])
        assert held(pid) - before <= 4 * ROOM


def test_who_is_slow_is_given_ten_seconds() -> None:
    assert limits.SLOWEST == 10.0


@pytest.mark.timeout(600)  # a guard against a hang
def test_256_clients_for_a_minute_are_answered_or_told_to_come_again() -> None:
    """The benchmark itself, whole: two texts are written at once, 32 may wait."""
    words = [sys.executable, str(BENCH), "--overload", "60"]
    said = subprocess.run(words, capture_output=True, text=True, check=True, env=PLACE).stdout
    kinds = dict(re.findall(r"^- (\d{3}|reset|hang|503 without Retry-After): ([\d,]+)", said, re.MULTILINE))
    assert {*kinds} == {"200", "503"}, said
    assert int(kinds["200"].replace(",", "")) > 50, said
    grown = re.search(r"at its end \(([+−-][\d.]+)%\)", said)
    assert grown is not None, said
    assert float(grown[1]) <= 5.0, said

"""Two replicas behind nginx, set up as docs/deploy.md says: streams come through, who is down is passed over."""

import json
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from helpers.server_visits import events, serving
from helpers.small_runs import language_run

pytestmark = pytest.mark.slow  # the gate runs it, and installs nginx-light
DOCS = Path(__file__).parents[2] / "docs" / "deploy.md"
TOKEN = "for the tests only"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/opt/homebrew/bin") or "nginx"
AROUND = """
daemon off; pid {place}/pid; error_log {place}/error.log; events {{ }}
http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;
fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;
{written} }}
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def nginx(place: Path, replicas: list[str]) -> Iterator[str]:
    """The file of the docs, with these ports and without its certificate; its address."""
    block = re.search(r"```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    port = free_port()
    written = re.sub(r" +ssl_certificate.*\n", "", block[1]).replace("443 ssl", f"127.0.0.1:{port}")
    for documented, real in zip(("127.0.0.1:8000", "127.0.0.1:8001"), replicas, strict=True):
        assert documented in written
        written = written.replace(documented, real)
    (place / "nginx.conf").write_text(AROUND.format(place=place, written=written))
    with subprocess.Popen([NGINX, "-c", place / "nginx.conf", "-p", place]) as process:
        try:
            while not _answers(port):
                assert process.poll() is None, (place / "error.log").read_text()
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def asked(address: str, **more: Any) -> bytes:
    content = json.dumps({"prompt": "the cat", "max_tokens": 11, "temperature": 0, **more}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {TOKEN}", "host": "models.example.org"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}/v1/completions", content, headers), timeout=60
    ) as it:
        return bytes(it.read())


def text_of(body: bytes) -> str:
    return str(json.loads(body)["choices"][0]["text"])


def test_two_replicas_answer_as_one_and_one_may_go_away(tmp_path: Path) -> None:
    run = language_run()
    with ExitStack() as second, serving({"book": run}, TOKEN) as (_, here):
        there = second.enter_context(serving({"book": run}, TOKEN))[1]
        with nginx(tmp_path, [each.removeprefix("http://") for each in (here, there)]) as proxy:
            alone = text_of(asked(here))
            assert [text_of(asked(proxy)) for _ in range(8)] == [alone] * 8
            parts = events(asked(proxy, stream=True))
            assert "".join(each["choices"][0]["text"] for each in parts[:-1]) == alone
            second.close()
            assert [text_of(asked(proxy)) for _ in range(8)] == [alone] * 8
            with pytest.raises(urllib.error.HTTPError, match="401") as refused:
                urllib.request.urlopen(f"{proxy}/v1/models", timeout=60)
            refused.value.close()


class Full(BaseHTTPRequestHandler):
    """A replica whose queue is full."""

    def do_POST(self) -> None:
        self.send_error(503)

    def log_message(self, format: str, *given: Any) -> None:
        """Nothing is printed."""


def test_a_replica_whose_queue_is_full_is_passed_over(tmp_path: Path) -> None:
    full = HTTPServer(("127.0.0.1", 0), Full)
    thread = threading.Thread(target=full.serve_forever)
    thread.start()
    try:
        with (
            serving({"book": language_run()}, TOKEN) as (_, here),
            nginx(tmp_path, [f"127.0.0.1:{full.server_port}", here.removeprefix("http://")]) as proxy,
        ):
            assert len({text_of(asked(proxy)) for _ in range(6)}) == 1
    finally:
        full.shutdown()
        thread.join()
        full.server_close()

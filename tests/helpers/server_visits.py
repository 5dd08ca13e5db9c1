"""Visits to the server: single requests without a network, word for word as they would arrive, and a real one."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from glassformer.runs.run import Run, load
from glassformer.serving.app import Policy, Server
from glassformer.serving.requests.gate import Site
from helpers.small_runs import language_run, small_run
from helpers.studio_visits import Answer

PORT = 8000
HOST = f"127.0.0.1:{PORT}"


def small_models(root: Path) -> dict[str, Run]:
    """A classifier, a translator, a model that answers, and one that goes on with a text."""
    found = {name: load(small_run(root / name, name).path) for name in ("classes", "pairs", "answers")}
    return {**found, "stream": language_run()}


class Caller:
    """Asks a server."""

    def __init__(self, runs: dict[str, Run], *, token: str = "", host: str = "127.0.0.1", **policy: Any) -> None:
        self.server = Server(runs, Site(host, PORT, token), Policy(**policy))
        self.app = self.server.app()
        self.token = token

    def routes(self) -> list[tuple[str, str]]:
        return [
            ("POST" if path.startswith("/v1/") and not path.startswith("/v1/models") else "GET", path)
            for path in self.server.paths
        ]

    def ask(self, path: str, /, **content: Any) -> Answer:
        return self.send("POST", path, body=json.dumps(content).encode())

    def told(self, path: str, /, **content: Any) -> Any:
        answer = self.ask(path, **content)
        assert answer.status == 200, answer.body
        return answer.json

    def refused(self, path: str, /, status: int = 422, **content: Any) -> str:
        answer = self.ask(path, **content)
        assert answer.status == status, (answer.status, answer.body)
        return str(answer.json["error"]["message"])

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def send(
        self, method: str, path: str, headers: dict[str, str] | list[tuple[str, str]] | None = None, *,
        body: bytes = b"", pieces: list[bytes] | None = None, hang: bool = False, leave: bool = False,
    ) -> Answer:  # fmt: skip
        """One request. `headers` are added to those of a program, or, as a list, are all there are."""
        ours = {"host": HOST, "content-type": "application/json"}
        if self.token:
            ours["authorization"] = f"Bearer {self.token}"
        pairs = headers if isinstance(headers, list) else list({**ours, **(headers or {})}.items())
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs], "scheme": "http",
            "http_version": "1.1", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 5), "root_path": "",
        }  # fmt: skip
        waiting = [body] if pieces is None else list(pieces)
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not waiting and leave:
                return {"type": "http.disconnect"}
            if hang or not waiting:
                await asyncio.sleep(3600)
            piece = waiting.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        with ThreadPoolExecutor(1) as apart:
            apart.submit(asyncio.run, self.app(scope, receive, send)).result()
        first = next(each for each in sent if each["type"] == "http.response.start")
        content = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
        return Answer(first["status"], {k.decode(): v.decode() for k, v in first["headers"]}, content)


@contextmanager
def serving(runs: dict[str, Run], token: str = "", **policy: Any) -> Iterator[tuple[Server, str]]:
    """A real server on this machine, and its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        site = Site("127.0.0.1", listening.getsockname()[1], token)
        server = Server(runs, site, Policy(**policy))
        config = uvicorn.Config(server.app(), log_level="error", access_log=False, ws="none", lifespan="off")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not running.started:
                thread.join(0.01)
            yield server, site.address
        finally:
            running.should_exit = True
            thread.join()
            server.close()


def events(body: bytes) -> list[Any]:
    """Server-sent events; the last is the word [DONE]."""
    lines = body.decode().split("\n\n")
    assert lines.pop() == ""
    assert all(line.startswith("data: ") for line in lines)
    return [json.loads(line[6:]) if line != "data: [DONE]" else "[DONE]" for line in lines]

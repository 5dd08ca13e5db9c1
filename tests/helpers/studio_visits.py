"""Visits to the studio without a browser or a network: one request, word for word as it would arrive."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassformer.studio.app import Studio
from glassformer.studio.guard import Door

PORT = 8765
TOKEN = "k" * 43
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Visitor:
    """Knocks at a studio's door."""

    def __init__(self, root: Path, *folders: Path) -> None:
        self.studio = Studio(list(folders), Door(PORT, TOKEN), root)
        self.app = self.studio.app()

    def routes(self) -> list[tuple[str, str]]:
        routes = self.app.app.routes  # type: ignore[attr-defined]
        return [(method, route.path) for route in routes for method in route.methods if method != "HEAD"]

    def ask(self, name: str, content: Any = None) -> Answer:
        """As our own page asks."""
        return self.send("POST", f"/{TOKEN}/do/{name}", body=json.dumps(content or {}).encode())

    def send(
        self, method: str, path: str, headers: dict[str, str] | list[tuple[str, str]] | None = None, *,
        body: bytes = b"", pieces: list[bytes] | None = None, query: str = "", hang: bool = False,
        leaves: threading.Event | None = None, left: threading.Event | None = None,
    ) -> Answer:  # fmt: skip
        """One request. `headers` are added to those of our page, or, as a list, are all there are. Who asks goes away
        when `leaves` is set, and sets `left`."""
        ours = {"host": HOST, "origin": ORIGIN, "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        pairs = headers if isinstance(headers, list) else list({**ours, **(headers or {})}.items())
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs], "scheme": "http",
            "http_version": "1.1", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 5), "root_path": "",
        }  # fmt: skip
        waiting = [body] if pieces is None else list(pieces)
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if leaves and left and not waiting:
                while not leaves.is_set():
                    await asyncio.sleep(0.001)
                left.set()
                return {"type": "http.disconnect"}
            if hang or not waiting:
                await asyncio.sleep(3600)
            piece = waiting.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        with ThreadPoolExecutor(1) as apart:  # a browser in the same process has a loop of its own running here
            apart.submit(asyncio.run, self.app(scope, receive, send)).result()
        first = next(each for each in sent if each["type"] == "http.response.start")
        content = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
        return Answer(first["status"], {k.decode(): v.decode() for k, v in first["headers"]}, content)


def asked(visitor: Visitor, action: str, /, **content: Any) -> Any:
    answer = visitor.ask(action, content)
    assert answer.status == 200, answer.body
    return answer.json


def refused(visitor: Visitor, action: str, /, **content: Any) -> str:
    answer = visitor.ask(action, content)
    assert answer.status == 422, answer.body
    return str(answer.json["error"])

"""The server's doors: which address leads to which operation, and how errors are told. The workshops do the work.

Files of the page are a fixed table, so that no path is ever put together from what a request says.
"""

import gc
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from glassformer.errors import GlassformerError, InputError
from glassformer.runs.run import Run
from glassformer.serving.completions import COMPLETIONS
from glassformer.serving.metrics import Counts
from glassformer.serving.openapi import document
from glassformer.serving.plain_answers import CLASSIFY, EMBEDDINGS, TRANSLATE
from glassformer.serving.requests.fields import read_fields
from glassformer.serving.requests.gate import Gate, Site
from glassformer.serving.requests.limits import App, Message, Receive, RefusedError, Scope, Send, error_body, headers_of
from glassformer.serving.requests.strict_json import read_json
from glassformer.serving.served import Capacity, Roster, UnknownModelError
from glassformer.serving.traces import TRACE, traced
from glassformer.serving.visits import LeftError, Operation, Visit, told
from glassformer.serving.whys import WHY, Questioned, reasoned
from glassformer.serving.work.workshop import FullError, LateError

OPERATIONS = (COMPLETIONS, CLASSIFY, TRANSLATE, EMBEDDINGS, TRACE, WHY)
Handler = Callable[[Request], Awaitable[Response]]
_FILES = MappingProxyType({"": "text/html", "try.js": "text/javascript", "try.css": "text/css"})
CHATS = ("/v1/chat/completions", "/v1/responses")
NO_CHAT = (
    "These models have not learnt to chat: they go on with a text, or answer a prompt. Ask at /v1/completions, with "
    "`prompt` in place of `messages` or `input`."
)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How it serves: how much at once, and how many seconds a request may take."""

    capacity: Capacity = field(default_factory=Capacity)
    deadline: float = 120.0

    def __post_init__(self) -> None:
        if not 0.0 < self.deadline <= 86_400.0:
            raise InputError(f"A deadline is above 0 and at most 86,400 seconds; it is {self.deadline}.")


def _looked(wanted: Any, text: str) -> Any:
    return reasoned(wanted, text) if isinstance(wanted, Questioned) else traced(wanted, text)


class Server:
    """All models, and the doors to them."""

    def __init__(self, runs: Mapping[str, Run], site: Site, policy: Policy | None = None) -> None:
        self.policy, self.site = policy or Policy(), site
        self.roster, self.counts = Roster(runs, self.policy.capacity, _looked), Counts()
        self.paths: set[str] = set()

    def app(self) -> Gate:
        """The whole as one ASGI application, behind its gate."""
        pages = resources.files("glassformer.serving") / "page"
        gets: dict[str, Handler] = {
            **{f"/{name}": _file(Path(str(pages / (name or "index.html"))), kind) for name, kind in _FILES.items()},
            "/v1/models": self._models,
            "/v1/models/{model:path}": self._model,
            "/healthz": self._health,
            "/metrics": self._metrics,
            "/openapi.json": self._document,
        }
        posts = {operation.path: self._operation(operation) for operation in OPERATIONS}
        routes = [Route(path, handler, methods=["GET"]) for path, handler in gets.items()]
        routes += [Route(path, handler, methods=["POST"]) for path, handler in posts.items()]
        routes += [Route(path, _no_chat, methods=["GET", "POST"]) for path in CHATS]
        self.paths = {route.path for route in routes}
        handlers: Mapping[Any, Any] = {
            FullError: _busy, LateError: _said(504), LeftError: _said(499), UnknownModelError: _said(404),
            InputError: _said(422), GlassformerError: _said(409), RefusedError: _refused, HTTPException: _http,
            ClientDisconnect: _said(499), Exception: _unforeseen,
        }  # fmt: skip
        doors = Starlette(routes=routes, exception_handlers=handlers)
        doors.router.redirect_slashes = False
        return Gate(self._counted(doors), self.site)

    def _counted(self, app: App) -> App:
        """The same, with every answer counted; what has no door is counted as one."""

        async def counting(scope: Scope, receive: Receive, send: Send) -> None:
            begun, status = time.perf_counter(), 0

            async def noting(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            try:
                await app(scope, receive, noting)
            finally:
                path = scope["path"] if scope["path"] in self.paths else "other"
                self.counts.add(path, status, time.perf_counter() - begun)

        return counting

    def _operation(self, operation: Operation) -> Handler:
        async def answer(request: Request) -> Response:
            asked = read_fields(read_json(await request.body()), operation.fields)
            return await operation.do(Visit(request, self.roster, self._seconds(request)), asked)

        return answer

    def _seconds(self, request: Request) -> float:
        """How long it may take: as the policy says, or less where the request says so."""
        said = request.headers.get("x-deadline-seconds")
        if said is None:
            return self.policy.deadline
        try:
            seconds = 0.0 if "_" in said else float(said)
        except ValueError:
            seconds = 0.0
        if not 0.0 < seconds <= 86_400.0:
            raise InputError(f"X-Deadline-Seconds must be a number above 0, 86,400 at most; it is {said[:40]!r}.")
        return min(seconds, self.policy.deadline)

    async def _models(self, request: Request) -> Response:
        return told({"object": "list", "data": [each.about() for each in self.roster.models.values()]})

    async def _model(self, request: Request) -> Response:
        name = request.path_params["model"]
        if name not in self.roster.models:
            raise UnknownModelError(f"There is no model called '{name[:80]}' here; /v1/models lists them.")
        return told(self.roster.models[name].about())

    async def _health(self, request: Request) -> Response:
        return told({"status": "ok"})

    async def _metrics(self, request: Request) -> Response:
        text = self.counts.text(self.roster.gauges())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def _document(self, request: Request) -> Response:
        return told(document(OPERATIONS))

    def close(self) -> None:
        """Finishes what was asked, and ends."""
        self.roster.close()


def settle() -> None:
    """What is loaded by now stays, and the collector of garbage need not go through it again: with torch that takes a
    tenth of a second and more, in which nobody is answered."""
    gc.collect()
    gc.freeze()


def _file(path: Path, kind: str) -> Handler:
    async def answer(request: Request) -> Response:
        return Response(path.read_bytes(), media_type=kind)

    return answer


async def _no_chat(request: Request) -> Response:
    return told(error_body(404, NO_CHAT), 404)


# --- errors, in words ---------------------------------------------------------------------------------------------


def _said(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        return told(error_body(status, str(error)), status)

    return answer


async def _busy(request: Request, error: Exception) -> Response:
    return told(error_body(503, str(error)), 503, headers_of(503))


async def _refused(request: Request, error: RefusedError) -> Response:
    return told(error_body(error.status, error.why), error.status, headers_of(error.status))


async def _http(request: Request, error: HTTPException) -> Response:
    words = {404: "There is nothing at this address.", 405: "This address is not asked in this way."}
    said = words.get(error.status_code, "This cannot be done.")
    return told(error_body(error.status_code, said), error.status_code, error.headers)


async def _unforeseen(request: Request, error: Exception) -> Response:
    """A fault of ours: told in the terminal, and not to who asked."""
    traceback.print_exception(error, file=sys.stderr)
    return told(error_body(500, "Something went wrong in the server; its terminal says what."), 500)

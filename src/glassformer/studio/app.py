"""The studio's doors: which address leads to which room, and how errors are told. The rooms do the work.

Files are a fixed table, so that no path is ever put together from what a request says.
"""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from glassformer.errors import GlassformerError, InputError, lacks_memory
from glassformer.serving.requests.limits import RefusedError, new_token
from glassformer.serving.requests.strict_json import read_json
from glassformer.studio.asking import Content
from glassformer.studio.guard import Door, Guard
from glassformer.studio.lessons.lesson_room import LessonRoom
from glassformer.studio.lessons.places import Places
from glassformer.studio.rooms import by_hand
from glassformer.studio.rooms.inside import Inside
from glassformer.studio.rooms.next_tokens import NextTokens
from glassformer.studio.rooms.race import Races, is_race
from glassformer.studio.rooms.train import Train
from glassformer.studio.shelf import Shelf
from glassformer.studio.work_queue import BusyError, Desk

JSON = dict[str, Any]
Action = Callable[[Content], JSON]
CHANGES = frozenset(
    {"train/begin", "train/resume", "train/stop", "train/delete"}
)  # done to their end, whoever has gone
GONE = 499  # for nobody: who asked has gone
_KINDS = MappingProxyType({".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"})


class Studio:
    """All rooms, and the desk they share."""

    def __init__(
        self, folders: list[Path], door: Door, root: Path = Path("runs"), lessons: Sequence[Path] = (),
        device: str = "auto",
    ) -> None:  # fmt: skip
        """`folders` are runs and races to show; new runs go into `root`; `lessons` are files beside those taught; all
        compute on one `device`."""
        races = [folder for folder in folders if is_race(folder)]
        self.door, self.desk = door, Desk()
        self.shelf = Shelf((folder for folder in folders if folder not in races), device, root)
        self.train = Train(self.shelf, root)
        inside = Inside(self.shelf)
        all_races = Races(self.shelf, races)
        taught = LessonRoom(Places(self.shelf, all_races), list(lessons))
        self.actions: dict[str, Action] = {
            **by_hand.ACTIONS, **inside.actions, **NextTokens(inside).actions, **all_races.actions,
            **self.train.actions, **taught.actions,
        }  # fmt: skip

    def app(self) -> Guard:
        """The whole as one ASGI application, behind its guard."""
        files = [Route(f"/{name}", _file(path), methods=["GET"]) for name, path in static_files().items()]
        actions = [
            Route(f"/do/{name}", self._action(name, action), methods=["POST"]) for name, action in self.actions.items()
        ]
        handlers: Mapping[Any, Any] = {
            BusyError: _busy, InputError: _said(422), GlassformerError: _said(409), RefusedError: _refused,
            HTTPException: _http, Exception: _unforeseen,
        }  # fmt: skip
        upload = Route("/do/train/upload", self._upload, methods=["POST"])
        rooms = Starlette(routes=[*files, *actions, upload], exception_handlers=handlers)
        rooms.router.redirect_slashes = False  # an address is right or wrong; a redirect would lose the token
        return Guard(rooms, self.door)

    async def _upload(self, request: Request) -> Response:
        """A file to train on, part by part to the disk; it gets its name when it is whole."""
        name = request.query_params.get("name", "")
        place = self.train.upload_place(name)
        half = place.with_name(f".{new_token()}.part")
        try:
            with half.open("xb") as file:
                async for piece in request.stream():
                    file.write(piece)
            half.replace(place)
        finally:
            half.unlink(missing_ok=True)
        return JSONResponse({"file": name, "bytes": place.stat().st_size})

    def _action(self, name: str, action: Action) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            body = await request.body()
            work = asyncio.ensure_future(self.desk.do(lambda: action(read_json(body))))
            leaving = asyncio.ensure_future(_left(request))
            try:
                await asyncio.wait([work] if name in CHANGES else [work, leaving], return_when=asyncio.FIRST_COMPLETED)
                return JSONResponse(work.result()) if work.done() else Response(status_code=GONE)
            except asyncio.CancelledError:
                raise BusyError("The studio is being closed.") from None
            finally:
                work.cancel()
                leaving.cancel()

        return answer

    def close(self) -> None:
        """Leaves nothing running."""
        self.desk.close()
        self.train.close()


async def _left(request: Request) -> None:
    """Comes back when the tab that asked was closed."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def static_files() -> dict[str, Path]:
    """Every file the page may load, by its address."""
    package = Path(str(resources.files("glassformer")))
    found = {"": package / "studio" / "static" / "index.html"}
    for folder, prefix in ((package / "studio" / "static", ""), (package / "inside" / "page", "page/")):
        within = sorted(path for path in folder.rglob("*") if path.suffix in _KINDS)
        found |= {f"{prefix}{path.relative_to(folder).as_posix()}": path for path in within}
    return found


def _file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(path.read_bytes(), media_type=_KINDS[path.suffix])

    return answer


# --- errors, in words ---------------------------------------------------------------------------------------------


def _said(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, status)

    return answer


async def _busy(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503, {"retry-after": "1"})


async def _refused(request: Request, error: RefusedError) -> Response:
    return JSONResponse({"error": error.why}, error.status, {"connection": "close"})


async def _http(request: Request, error: HTTPException) -> Response:
    words = {404: "There is nothing at this address.", 405: "This address is not asked in this way."}
    return JSONResponse({"error": words.get(error.status_code, "This cannot be done.")}, error.status_code)


async def _unforeseen(request: Request, error: Exception) -> Response:
    """A fault of ours: told in the terminal, and not to the page. Want of memory is none."""
    if lacks_memory(error):
        return JSONResponse({"error": "There is not enough memory for this; try a smaller one."}, 503)
    if not isinstance(error, ClientDisconnect):
        traceback.print_exception(error, file=sys.stderr)
    return JSONResponse({"error": "Something went wrong in the studio; its terminal says what."}, 500)

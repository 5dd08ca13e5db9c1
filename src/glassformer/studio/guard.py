"""The guard before every room of the studio: token, host, origin, size, and the content policy of what is sent back.

The token is the first word of every address, so a page on another site can name no door of ours, and there is no cookie
that a browser would send along by itself. What changes something needs the token a second time, in a header, which
only our own page can set. The guard decides on the raw path, and knows nothing of what lies behind the doors.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_JSON = 1_000_000  # bytes
LARGEST_UPLOAD = 50_000_000
MOST_HEADERS, LARGEST_HEADERS = 64, 32_768
SLOWEST = 10.0  # seconds a body may take, and an upload between two pieces
SAFE = frozenset({"GET", "HEAD"})
KINDS = frozenset({b"application/json", b"application/octet-stream"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = MappingProxyType(
    {
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }
)


def new_token() -> str:
    """32 bytes that nobody can guess."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Door:
    """Where the studio can be reached: the port, and the token that opens."""

    port: int
    token: str

    @property
    def hosts(self) -> frozenset[bytes]:
        """The three names of this machine for itself, with our port, and no other spelling of them."""
        return frozenset(f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def origins(self) -> frozenset[bytes]:
        """The pages that may change something: our own."""
        return frozenset(b"http://" + host for host in self.hosts)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"


class RefusedError(Exception):
    """A request that does not come in: the status, and why in words."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Guard:
    """Lets through what is allowed, with the token taken off the path; all else is refused here."""

    def __init__(self, app: App, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _with_headers(send)
        try:
            limit = self._admit(scope)
            body = Body(receive, limit)
            path = scope["path"][len(self.door.token) + 1 :]
            await self.app({**scope, "path": path, "raw_path": path.encode()}, body.receive, send)
        except RefusedError as refused:
            await _refuse(send, refused)

    def _admit(self, scope: Scope) -> int:
        """How many bytes it may bring, if it may come in at all."""
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        if len(headers) > MOST_HEADERS or sum(len(name) + len(value) for name, value in headers) > LARGEST_HEADERS:
            raise RefusedError(431, f"At most {MOST_HEADERS} headers of {LARGEST_HEADERS:,} bytes together are read.")
        hosts = _values(headers, b"host")
        if len(hosts) != 1:
            raise RefusedError(400, "A request names one host.")
        if hosts[0] not in self.door.hosts:
            raise RefusedError(421, "The studio answers on this machine only, under the address it printed.")
        if not self._knows(_first_word(scope["path"])):
            raise RefusedError(401, "The address lacks the studio's token. Open the address that was printed at start.")
        if scope["method"] in SAFE:
            return 0
        return self._admit_change(headers)

    def _admit_change(self, headers: list[tuple[bytes, bytes]]) -> int:
        """What changes something comes from our own page, which alone can set this header."""
        origins = _values(headers, b"origin")
        if len(origins) != 1 or origins[0] not in self.door.origins:
            raise RefusedError(403, "Only the studio's own page may do this.")
        if not any(self._knows(each.removeprefix(b"Bearer ")) for each in _values(headers, b"authorization")):
            raise RefusedError(401, "The request lacks the studio's token in its Authorization header.")
        if _values(headers, b"content-encoding"):
            raise RefusedError(415, "Compressed requests are not read; send it plain.")
        kind = b"".join(_values(headers, b"content-type")).partition(b";")[0].strip().lower()
        if kind not in KINDS:
            raise RefusedError(415, "A request is application/json, or application/octet-stream for a file.")
        limit = LARGEST_JSON if kind == b"application/json" else LARGEST_UPLOAD
        length = b"".join(_values(headers, b"content-length")) or b"0"
        if not length.isdigit() or int(length) > limit:
            raise RefusedError(413, f"This is larger than {limit:,} bytes, the most that is read.")
        return limit

    def _knows(self, word: bytes) -> bool:
        return hmac.compare_digest(word, self.door.token.encode())


class Body:
    """What a request brings: no more than it may, and not for ever."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self.left, self.limit = receive, limit, limit
        self.whole = False

    async def receive(self) -> Message:
        """The next piece. Once all is there, this only waits for the other side to go away."""
        if self.whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), SLOWEST)
        except TimeoutError:
            raise RefusedError(408, f"Nothing came for {SLOWEST:.0f} seconds.") from None
        self.left -= len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self.left < 0:
            raise RefusedError(413, f"This is larger than {self.limit:,} bytes, the most that is read.")
        return message


def _first_word(path: str) -> bytes:
    """The first word of a path, if a slash follows it."""
    parts = path.split("/")
    return parts[1].encode() if len(parts) > 2 and not parts[0] else b""


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]


def _with_headers(send: Send) -> Send:
    """The same, with our headers on every answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *ours]}
        await send(message)

    return sent


async def _refuse(send: Send, refused: RefusedError) -> None:
    content = json.dumps({"error": refused.why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if refused.status in (408, 413, 431):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})

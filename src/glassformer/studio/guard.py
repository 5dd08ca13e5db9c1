"""The guard before every room of the studio: token, host and origin. What any request may bring is limits.py's.

The token is the first word of every address, so a page on another site can name no door of ours, and there is no cookie
that a browser would send along by itself. What changes something needs the token a second time, in a header, which
only our own page can set. The guard decides on the raw path, and knows nothing of what lies behind the doors.
"""

import hmac
import json
from dataclasses import dataclass
from types import MappingProxyType

from glassformer.serving.requests.limits import (
    LARGEST_JSON,
    SAFE,
    App,
    Body,
    Headers,
    Receive,
    RefusedError,
    Scope,
    Send,
    check_body,
    check_headers,
    check_host,
    own_hosts,
    refuse,
    values,
    with_headers,
)

LARGEST_UPLOAD = 50_000_000  # bytes
KINDS = MappingProxyType({b"application/json": LARGEST_JSON, b"application/octet-stream": LARGEST_UPLOAD})


@dataclass(frozen=True)
class Door:
    """Where the studio can be reached: the port, and the token that opens."""

    port: int
    token: str

    @property
    def hosts(self) -> frozenset[bytes]:
        """The names under which it answers."""
        return own_hosts(self.port)

    @property
    def origins(self) -> frozenset[bytes]:
        """The pages that may change something: our own."""
        return frozenset(b"http://" + host for host in self.hosts)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"


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
        send = with_headers(send)
        try:
            limit = self._admit(scope)
            body = Body(receive, limit)
            path = scope["path"][len(self.door.token) + 1 :]
            await self.app({**scope, "path": path, "raw_path": path.encode()}, body.receive, send)
        except RefusedError as refused:
            await refuse(send, refused.status, json.dumps({"error": refused.why}).encode())

    def _admit(self, scope: Scope) -> int:
        """How many bytes it may bring, if it may come in at all."""
        headers: Headers = list(scope["headers"])
        check_headers(headers)
        check_host(headers, self.door.hosts, "The studio answers on this machine only, under the address it printed.")
        if not self._knows(_first_word(scope["path"])):
            raise RefusedError(401, "The address lacks the studio's token. Open the address that was printed at start.")
        if scope["method"] in SAFE:
            return 0
        return self._admit_change(headers)

    def _admit_change(self, headers: Headers) -> int:
        """What changes something comes from our own page, which alone can set this header."""
        origins = values(headers, b"origin")
        if len(origins) != 1 or origins[0] not in self.door.origins:
            raise RefusedError(403, "Only the studio's own page may do this.")
        if not any(self._knows(each.removeprefix(b"Bearer ")) for each in values(headers, b"authorization")):
            raise RefusedError(401, "The request lacks the studio's token in its Authorization header.")
        return check_body(headers, KINDS, "A request is application/json, or application/octet-stream for a file.")

    def _knows(self, word: bytes) -> bool:
        return hmac.compare_digest(word, self.door.token.encode())


def _first_word(path: str) -> bytes:
    """The first word of a path, if a slash follows it."""
    parts = path.split("/")
    return parts[1].encode() if len(parts) > 2 and not parts[0] else b""

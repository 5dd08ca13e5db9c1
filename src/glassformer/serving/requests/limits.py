"""The limits of every request, whoever serves it: headers, bytes, seconds, and the headers of what is sent back.

It refuses with a status and a sentence. It knows no token, no address and nothing of what is asked.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from types import MappingProxyType
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

LARGEST_JSON = 1_000_000  # bytes
MOST_HEADERS, LARGEST_HEADERS = 64, 32_768
SLOWEST = 10.0  # seconds for headers, for a body of no more than LEAST bytes, and for each LEAST bytes more
LEAST = 100_000
MOST_UNFINISHED = 8_000_000  # bytes of all bodies together that are still on their way
_TOO_SLOW = f"What is sent comes too slowly: less than {LEAST:,} bytes in {SLOWEST:.0f} seconds."
SAFE = frozenset({"GET", "HEAD"})
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


def own_hosts(port: int) -> frozenset[bytes]:
    """The three names of this machine for itself, with our port, and no other spelling of them."""
    return frozenset(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost", "[::1]"))


class RefusedError(Exception):
    """A request that does not come in: the status, and why in words."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


def check_headers(headers: Headers) -> None:
    """Refuses too many of them."""
    if len(headers) > MOST_HEADERS or sum(len(name) + len(value) for name, value in headers) > LARGEST_HEADERS:
        raise RefusedError(431, f"At most {MOST_HEADERS} headers of {LARGEST_HEADERS:,} bytes together are read.")


def check_host(headers: Headers, known: frozenset[bytes], why: str) -> None:
    """Refuses another name than ours; a page elsewhere could have had its name point here."""
    hosts = values(headers, b"host")
    if len(hosts) != 1:
        raise RefusedError(400, "A request names one host.")
    if hosts[0] not in known:
        raise RefusedError(421, why)


def check_body(headers: Headers, kinds: Mapping[bytes, int], why: str) -> int:
    """How many bytes a body may have, by its kind; other kinds, and compressed ones, are refused."""
    if values(headers, b"content-encoding"):
        raise RefusedError(415, "Compressed requests are not read; send it plain.")
    kind = b"".join(values(headers, b"content-type")).partition(b";")[0].strip().lower()
    if kind not in kinds:
        raise RefusedError(415, why)
    limit = kinds[kind]
    length = b"".join(values(headers, b"content-length")) or b"0"
    if not length.isdigit() or int(length) > limit:
        raise RefusedError(413, _too_large(limit))
    return limit


class Body:
    """What a request brings: no more than it may, and not for ever.

    beside   how many bytes have come of each body that is still on its way, this one among them; without it, what comes
             is not held, and not counted
    """

    def __init__(self, receive: Receive, limit: int, beside: "dict[Body, int] | None" = None) -> None:
        self._receive, self.left, self.limit, self._beside = receive, limit, limit, beside
        self.whole = False
        self._begun = time.monotonic()

    async def receive(self) -> Message:
        """The next piece. Once all is there, this only waits for the other side to go away."""
        if self.whole:
            return await self._receive()
        try:  # what has come while the server was busy is taken
            message = await asyncio.wait_for(self._receive(), max(SLOWEST / 10, self._until - time.monotonic()))
        except TimeoutError:
            raise RefusedError(408, _TOO_SLOW) from None
        self.left -= len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self.whole:
            self.end()
        else:
            self._count()
        if not self.whole and time.monotonic() > self._until:
            raise RefusedError(408, _TOO_SLOW)
        if self.left < 0:
            raise RefusedError(413, _too_large(self.limit))
        return message

    def end(self) -> None:
        """It is not on its way any more."""
        if self._beside is not None:
            self._beside.pop(self, None)

    def _count(self) -> None:
        if self._beside is None:
            return
        self._beside[self] = self.limit - self.left
        if sum(self._beside.values()) > MOST_UNFINISHED:
            raise RefusedError(503, "More is being sent than can be held; try again in a moment.")

    @property
    def _until(self) -> float:
        """When the next piece must be there."""
        return self._begun + SLOWEST * (1 + (self.limit - self.left) // LEAST)


def values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    """All values of a header."""
    return [value for key, value in headers if key == name]


def with_headers(send: Send) -> Send:
    """The same, with our headers on every answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *ours]}
        await send(message)

    return sent


def headers_of(status: int) -> dict[str, str]:
    """What is said with a refusal. Who is too slow is hung up on; who sends too much is not, or the answer would be
    lost with what is still on its way, and is soon done or cut off."""
    known = {401: {"www-authenticate": "Bearer"}, 408: {"connection": "close"}, 503: {"retry-after": "1"}}
    return known.get(status, {})


async def refuse(send: Send, status: int, content: bytes) -> None:
    """Answers with JSON."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in headers_of(status).items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _too_large(limit: int) -> str:
    return f"This is larger than {limit:,} bytes, the most that is read."


_TYPES = MappingProxyType(
    {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 503: "overloaded_error",
     504: "timeout_error", 500: "server_error"}
)  # fmt: skip


def error_body(status: int, why: str) -> dict[str, dict[str, str | None]]:
    """An error as clients of the OpenAI interface read it."""
    return {"error": {"message": why, "type": _TYPES.get(status, "invalid_request_error"), "param": None, "code": None}}

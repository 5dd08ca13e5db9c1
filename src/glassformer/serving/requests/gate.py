"""The gate before everything that is served: who may ask, from where, and how much. It knows nothing of what is asked.

On this machine's own address no token is needed, and only the three names of this machine are answered. Everywhere
else, or where a token was given, every address needs it, in a header, or as the first word of the path of a page. A
page of another site can neither ask nor read: what asks for work is JSON, names no foreign origin, and no answer ever
allows one.
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
    error_body,
    own_hosts,
    refuse,
    values,
    with_headers,
)

KINDS = MappingProxyType({b"application/json": LARGEST_JSON})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Site:
    """Where the server stands: host and port, and the token that opens; an empty one opens to all of this machine."""

    host: str
    port: int
    token: str = ""

    @property
    def at_home(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    @property
    def address(self) -> str:
        """What to point a client at."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


class Gate:
    """Lets through what is allowed; all else is refused here, in the words of the OpenAI interface."""

    def __init__(self, app: App, site: Site) -> None:
        self.app, self.site = app, site
        self._on_their_way: dict[Body, int] = {}

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
            path, limit = self._admit(scope)
            body = Body(receive, limit, self._on_their_way)
            try:
                await self.app({**scope, "path": path, "raw_path": path.encode()}, body.receive, send)
            finally:
                body.end()
        except RefusedError as refused:
            await refuse(send, refused.status, json.dumps(error_body(refused.status, refused.why)).encode())

    def _admit(self, scope: Scope) -> tuple[str, int]:
        """The path that is meant and how many bytes may come, if the request may come in at all."""
        headers: Headers = list(scope["headers"])
        check_headers(headers)
        if self.site.at_home and not self.site.token:  # with a token, a proxy may give it any name
            check_host(headers, own_hosts(self.site.port), "This server answers on its own machine only.")
        path = self._opened(scope["path"], scope["method"], headers)
        if scope["method"] in SAFE:
            return path, 0
        self._check_origin(headers)
        return path, check_body(headers, KINDS, "A request is JSON: send it with Content-Type: application/json.")

    def _opened(self, path: str, method: str, headers: Headers) -> str:
        """The path without a token in front; no path opens without the token, where there is one."""
        if not self.site.token:
            return path
        if any(self._knows(_word(each)) for each in values(headers, b"authorization")):
            return path
        parts = path.split("/", 2)
        if method in SAFE and len(parts) == 3 and not parts[0] and self._knows(parts[1].encode()):
            return "/" + parts[2]
        raise RefusedError(401, "The token is missing or wrong: send the header Authorization: Bearer TOKEN.")

    def _check_origin(self, headers: Headers) -> None:
        """A program names no origin; a browser names that of its page."""
        hosts = frozenset(values(headers, b"host")) if self.site.token else own_hosts(self.site.port)
        own = {scheme + host for host in hosts for scheme in (b"http://", b"https://")}
        if any(origin not in own for origin in values(headers, b"origin")):
            raise RefusedError(403, "A page of another site may not ask here.")

    def _knows(self, word: bytes) -> bool:
        return hmac.compare_digest(word, self.site.token.encode())


def _word(authorization: bytes) -> bytes:
    """What stands behind `Bearer`, which may be written large or small."""
    scheme, _, word = authorization.partition(b" ")
    return word if scheme.lower() == b"bearer" else authorization

"""Connections that bring nothing: cut after some seconds. uvicorn waits for ever for headers, and for the rest of a
body that was answered before it was read, so that a few hundred half-open connections hold a server. What is no HTTP is
answered in our words. It knows nothing of what is asked."""

import asyncio
import json
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from glassformer.serving.requests.limits import LARGEST_HEADERS, SLOWEST, error_body

LINGER = 2.0  # seconds in which who sends too much may still read that it was


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but the headers of a request must be there SLOWEST seconds after it could begin, and
    the rest of its body so long after its answer."""

    _cutting: asyncio.TimerHandle | None = None
    _draining: asyncio.TimerHandle | None = None
    hung_up = False  # what comes is not read any more

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From here on the first request may come."""
        super().connection_made(transport)
        self.transport = cast(asyncio.Transport, _Lingering(transport, self))
        self._cutting = self.loop.call_later(SLOWEST, transport.abort)

    def handle_events(self) -> None:
        """After each piece: whether its request has begun, or is still being waited for."""
        super().handle_events()
        if self.conn.their_state is not h11.SEND_BODY:
            self._drain_no_more()
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._cutting is None and self.conn.trailing_data[0]:
            self._cutting = self.loop.call_later(SLOWEST, self.transport.abort)

    def on_response_complete(self) -> None:
        """What is still to come of a body was of no interest, and is thrown away, but not for ever."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY and self._draining is None:
            self._draining = self.loop.call_later(SLOWEST, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """What is no request: 431 if more headers came than are read, else 400."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()  # an answer is on its way already
            return
        status, why = 400, "This is not HTTP."
        if len(self.conn.trailing_data[0]) > LARGEST_HEADERS:
            status, why = 431, f"At most {LARGEST_HEADERS:,} bytes of headers are read."
        content = json.dumps(error_body(status, why)).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(content))), ("connection", "close")]
        for event in (
            h11.Response(status_code=status, headers=headers), h11.Data(data=content), h11.EndOfMessage(),
        ):  # fmt: skip
            self.transport.write(self.conn.send(event) or b"")
        self.hang_up()

    def hang_up(self) -> None:
        """Ends our side. Were the other closed now, with a body on its way, the answer would be lost; it is thrown away
        for a little while."""
        if self.hung_up:
            return
        self.hung_up = True
        self.transport.write_eof()
        self.flow.resume_reading()
        self._drain_no_more()
        self._draining = self.loop.call_later(LINGER, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """After we have hung up, nothing more is read."""
        if not self.hung_up:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing left to cut."""
        self._wait_no_more()
        self._drain_no_more()
        super().connection_lost(exc)

    def _wait_no_more(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None

    def _drain_no_more(self) -> None:
        if self._draining is not None:
            self._draining.cancel()
            self._draining = None


class _Lingering:
    """A transport that hangs up before it closes, where a body is still on its way."""

    def __init__(self, transport: asyncio.Transport, protocol: PatientProtocol) -> None:
        self._transport, self._protocol = transport, protocol

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._protocol.hung_up or self._transport.is_closing()

    def close(self) -> None:
        if self._protocol.conn.their_state is h11.SEND_BODY and not self._transport.is_closing():
            self._protocol.hang_up()
        else:
            self._transport.close()

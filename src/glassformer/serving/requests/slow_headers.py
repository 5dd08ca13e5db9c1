"""Connections on which no request comes: cut after some seconds. uvicorn waits for the headers for ever, so that a few
hundred half-open connections hold a server. It knows nothing of what is asked."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from glassformer.serving.requests.limits import SLOWEST


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but the headers of a request must be there SLOWEST seconds after it could begin."""

    _cutting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From here on the first request may come."""
        super().connection_made(transport)
        self._cutting = self.loop.call_later(SLOWEST, transport.abort)

    def handle_events(self) -> None:
        """After each piece: whether its request has begun, or is still being waited for."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._cutting is None and self.conn.trailing_data[0]:
            self._cutting = self.loop.call_later(SLOWEST, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing left to cut."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait_no_more(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None

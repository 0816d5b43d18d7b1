"""Connections with limits on what uvicorn lets clients do, and an end that loses no request."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["BoundedProtocol"]

MAX_HEAD = 1 << 16  # bytes of a request line and headers, as h11 allows
ENDING = 0.5  # seconds in which connections may still bring requests when the server ends
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 26\r\nconnection: close\r\n\r\nThe headers are too large."
)


class BoundedProtocol(HttpToolsProtocol):
    """A connection that is closed if headers do not arrive in time, or are too large.

    Without it a client could keep connections, and fill memory with headers, for ever: uvicorn
    begins to measure time only after the first reply, and stops at every byte that arrives. When
    the server ends, it would reset connections whose next request has arrived but was not read.

    Parameters
    ----------
    head_timeout : float
        Seconds from the first byte of a request until its headers must be complete.
    """

    def __init__(self, *given: Any, head_timeout: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timeout = head_timeout
        self._head_timer: asyncio.TimerHandle | None = None
        self._n_unparsed = 0  # bytes since the parser last completed headers or a piece of a body
        self._is_ending = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        self._n_unparsed += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._n_unparsed > MAX_HEAD:
            self._refuse_head()
        # What arrives after a reply is the next request, or the rest of a body that is not read.
        elif self._head_timer is None and not self._is_answering:
            self._head_timer = self.loop.call_later(
                self._head_timeout, self.timeout_keep_alive_handler
            )

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        self._n_unparsed = 0
        self._stop_head_timer()
        super().on_headers_complete()
        if self._is_ending:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._n_unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._n_unparsed = 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """Close after the reply to the request under way, or to one that comes in a moment."""
        self._is_ending = True
        if self._is_answering:
            self.cycle.keep_alive = False
            return
        # At most half of the time after which the server no longer waits.
        seconds = min(ENDING, (self.config.timeout_graceful_shutdown or 2 * ENDING) / 2)
        self.loop.call_later(seconds, self._close_if_idle)

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _close_if_idle(self) -> None:
        if not self._is_answering:
            self.transport.close()

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse_head(self) -> None:
        if not self._is_answering:  # else this would stand in the middle of another reply
            self.transport.write(TOO_LARGE)
        self.transport.close()

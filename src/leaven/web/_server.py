"""Starting and ending of an HTTP server."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

__all__ = ["NotifyingServer", "end_unread", "listening_socket"]

ENDING = (signal.SIGINT, signal.SIGTERM)


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket of this address; port 0 is one that is free."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a name"
        raise OSError(
            f"host {host!r} must be an address or a name of this machine ({reason}); correct --host"
        ) from error
    # With its protocol named, asyncio switches off Nagle's algorithm for connections, which
    # would delay the body of every reply by 40 ms.
    opened = socket.socket(family, kind, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind(address)
    except OSError as error:
        opened.close()
        raise OSError(
            f"port {port} of {host} cannot be used ({error.strerror}); choose another with --port, "
            "or leave it out"
        ) from error
    return opened


def end_unread(listening: socket.socket, seconds: float) -> None:
    """Let the system end connections whose clients read nothing of a reply for so long.

    The server cannot tell that itself, as a slow client may still read what the system buffers.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; connections inherit it
        milliseconds = min(max(1, round(1000 * seconds)), 2**31 - 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


class NotifyingServer(uvicorn.Server):
    """Tells when it can be asked, and that it ends, before it waits for requests under way."""

    on_ready: Callable[[], None] | None = None
    on_exit: Callable[[], None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal, which is the usual way to end; uvicorn would raise it again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in ENDING}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.on_ready is not None:
            self.on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.on_exit is not None:
            self.on_exit()
        await super().shutdown(sockets)

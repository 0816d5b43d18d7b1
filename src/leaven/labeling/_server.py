"""The server of the labeling page: on this machine only, until Ctrl-C."""

import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from leaven.labeling._app import make_app
from leaven.labeling._session import LabelingSession

__all__ = ["LabelingServer"]

ADDRESS = "127.0.0.1"
SECONDS_TO_END = 2  # for requests under way
ENDING = (signal.SIGINT, signal.SIGTERM)


class LabelingServer:
    """Serves a session under an address with a token, which only this machine can reach."""

    def __init__(self, session: LabelingSession, port: int = 0, token: str | None = None) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32) if token is None else token
        # With its protocol named, asyncio switches off Nagle's algorithm for connections, which
        # would delay the body of every reply by 40 ms.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((ADDRESS, port))
        except OSError as error:
            self._socket.close()
            raise OSError(
                f"port {port} of {ADDRESS} cannot be used ({error.strerror}); choose another "
                "with --port, or leave it out"
            ) from error
        self.port: int = self._socket.getsockname()[1]
        hosts = {f"{name}:{self.port}" for name in (ADDRESS, "localhost")}
        config = uvicorn.Config(
            make_app(session, self.token, hosts),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_END,
            limit_concurrency=200,
        )
        self._server = _Server(config)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    def run(self, on_ready: Callable[[], None] | None = None) -> None:
        """Serve until SIGINT or SIGTERM."""
        self._server.on_ready = on_ready
        self._server.on_exit = self.session.end_events
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End serving soon, from another thread."""
        self.session.end_events()
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """Tells when it can be asked, and ends streams of events before it waits for requests."""

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

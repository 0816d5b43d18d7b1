"""The server of the labeling page: on this machine only, until Ctrl-C."""

import secrets
from collections.abc import Callable

import uvicorn

from leaven.labeling._app import make_app
from leaven.labeling._session import LabelingSession
from leaven.web._server import NotifyingServer, listening_socket

__all__ = ["LabelingServer"]

ADDRESS = "127.0.0.1"
SECONDS_TO_END = 2  # for requests under way


class LabelingServer:
    """Serves a session under an address with a token, which only this machine can reach."""

    def __init__(self, session: LabelingSession, port: int = 0, token: str | None = None) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32) if token is None else token
        self._socket = listening_socket(ADDRESS, port)
        self.port: int = self._socket.getsockname()[1]
        hosts = {f"{name}:{self.port}" for name in (ADDRESS, "localhost")}
        config = uvicorn.Config(
            make_app(session, self.token, hosts),
            http="h11",  # which leaves odd headers to the guard, whose errors have one form
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_END,
            limit_concurrency=200,
        )
        self._server = NotifyingServer(config)

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

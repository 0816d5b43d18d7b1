"""The server of predictions: an event loop in a thread, signals in the main one."""

import gc
import logging
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn

from leaven.serving._front import Front
from leaven.serving._service import Service
from leaven.web._connections import BoundedProtocol
from leaven.web._server import NotifyingServer, end_unread, listening_socket

__all__ = ["PredictionServer"]

logger = logging.getLogger("leaven.serving")
ENDING = (signal.SIGINT, signal.SIGTERM)
RELOADING = getattr(signal, "SIGHUP", None)  # which Windows does not have
SWITCH = 0.001  # seconds after which a thread that computes lets the event loop go on
WAITING = 1024  # connections that the system accepts ahead of the server


class PredictionServer:
    """Serves predictions until SIGINT or SIGTERM, and loads models anew at SIGHUP.

    The event loop does not run in the main thread: compiled code runs in the thread that calls it
    only if that is another one (see ``leaven._base.compile``), and signals find the main thread
    waiting.
    """

    def __init__(self, service: Service, host: str = "127.0.0.1", port: int = 0) -> None:
        self.service, self.host = service, host
        self._socket = listening_socket(host, port)
        end_unread(self._socket, service.limits.timeout)
        self.port: int = self._socket.getsockname()[1]
        limits = service.limits
        front = Front(service)
        self.bodies = front.bodies
        config = uvicorn.Config(
            front,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            backlog=WAITING,
            # Callable as the class that uvicorn expects.
            http=partial(BoundedProtocol, head_timeout=limits.timeout),  # type: ignore[arg-type]
            timeout_keep_alive=limits.keep_alive,  # type: ignore[arg-type]
            timeout_graceful_shutdown=limits.shutdown_timeout,  # type: ignore[arg-type]
        )
        self._server = NotifyingServer(config)
        self._received: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="leaven-serve", daemon=True)
        self._failure: BaseException | None = None
        self._is_reloading = threading.Lock()
        self._is_waiting = threading.Event()  # a reload that has not begun to read files

    @property
    def address(self) -> str:
        """Where requests go to."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def run(self, on_ready: Callable[[], None] | None = None) -> int | None:
        """Serve until a signal, which is returned; None if ``stop`` ended it."""
        self._server.on_ready = on_ready
        ended_by = None
        with self._signals():
            self._thread.start()
            while (number := self._received.get()) is not None:
                if number == RELOADING:
                    self._begin_reload()
                    continue
                if ended_by is not None:  # asked again: without waiting for requests
                    self._server.force_exit = True
                ended_by = ended_by or number
                self._server.should_exit = True
            self._thread.join()
        if self._failure is not None:
            raise self._failure
        return ended_by

    def close(self) -> None:
        """Give up the address of a server that was never run."""
        self.service.batcher.close()
        self._socket.close()

    def stop(self) -> None:
        """End serving soon, from another thread."""
        self._server.should_exit = True

    def reload(self) -> dict[str, bool]:
        """Load the model files anew, in this thread, while the loop goes on serving."""
        with self._is_reloading:
            self._is_waiting.clear()  # what is written from now on may be missed
            replaced = self.service.shelf.reload()
            self.service.add_reloads(replaced)
        gc.collect()  # of the models that were replaced
        return replaced

    def _begin_reload(self) -> None:
        """Reload in a thread, after a reload that is under way."""
        if self._is_waiting.is_set():
            return  # that one will read the files as they are now
        self._is_waiting.set()
        threading.Thread(target=self.reload, name="leaven-reload", daemon=True).start()

    def _serve(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        # What was loaded stays: it need not be searched for garbage again and again.
        gc.collect()
        gc.freeze()
        try:
            self._server.run(sockets=[self._socket])
        except BaseException as error:
            self._failure = error
        finally:
            gc.unfreeze()
            sys.setswitchinterval(before)
            self.service.batcher.close()
            self._socket.close()
            self._received.put(None)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Inside, signals are received by this object, if this is the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [*ENDING, *([] if RELOADING is None else [RELOADING])]

        def receive(number: int, _frame: Any) -> None:
            self._received.put(number)

        before = {number: signal.signal(number, receive) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

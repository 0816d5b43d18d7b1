"""An iterable that is one step ahead of its reader, in a thread of its own."""

import queue
import threading
from collections.abc import Generator, Iterable
from typing import Any, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")

_END = object()


def ahead(items: Iterable[T], how_many: int = 1) -> Generator[T, None, None]:
    """The items, of which up to ``how_many`` are made while the reader works on another.

    So files are read while documents are counted. An exception reaches the reader; a reader
    that stops early stops the thread.
    """
    waiting: queue.Queue[Any] = queue.Queue(how_many)
    stopped = threading.Event()

    def offer(item: Any) -> bool:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def fill() -> None:
        try:
            for item in items:
                if not offer((item, None)):
                    return
            offer((_END, None))
        except BaseException as error:
            offer((_END, error))

    worker = threading.Thread(target=fill, name="leaven-ahead", daemon=True)
    worker.start()
    try:
        while True:
            item, error = waiting.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        stopped.set()
        worker.join()

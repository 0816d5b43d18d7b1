"""Prefetching: an iterable that runs ahead of its consumer, in a separate thread."""

import queue
import threading
from collections.abc import Generator, Iterable
from typing import Any, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")

_END = object()


def ahead(items: Iterable[T], how_many: int = 1) -> Generator[T, None, None]:
    """Yield the items; up to ``how_many`` are prepared while the consumer works on another.

    So files are read while documents are counted. An exception is raised in the consumer; a
    consumer that stops early stops the thread.
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

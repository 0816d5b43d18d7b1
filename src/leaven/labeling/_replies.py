"""Replies to the newest requests: one that is sent again is answered the same."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from leaven.labeling._errors import StoreError
from leaven.labeling._session import Json

__all__ = ["Replies"]

MOST_KEPT = 500


class Replies:
    """Does what requests ask for one after the other, and each once.

    A page that got no reply sends its request again. The store recognizes it too, but the reply may
    depend on what changed since: which documents a search finds, or what a model predicts.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[bytes, Json]] = OrderedDict()

    def once(self, request: str, asked: str, do: Callable[[], Json]) -> Json:
        """The reply of ``do``, or the one that there was; ``asked`` is all of the request."""
        digest = hashlib.sha256(asked.encode()).digest()
        with self._lock:
            if request not in self._kept:
                self._kept[request] = (digest, do())
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            before, reply = self._kept[request]
        if before != digest:
            raise StoreError(
                "request_reused",
                f"request {request!r} was used for another action: send a fresh UUID with each",
            )
        return reply

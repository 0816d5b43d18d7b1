"""Bodies of requests within the limits of size, time and memory."""

from asyncio import timeout

from leaven.serving._batches import RETRY_AFTER
from leaven.serving._service import Limits
from leaven.web._asgi import Receive, Refused, Scope, received_body

__all__ = ["Bodies"]

SMALL = 1 << 16  # bytes that arrive together with the headers, or soon after


class Bodies:
    """Receives bodies; all of those that are being received have a limit together."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._n_held = 0  # bytes

    async def received(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request, or a refusal."""
        limits, length = self.limits, None
        for name, value in scope["headers"]:
            if name == b"content-length":
                length = value
        n_bytes = limits.max_body
        if length is not None and length.isdigit():
            n_bytes = min(int(length[:20]), n_bytes)
        if self._n_held + n_bytes > limits.max_held:
            message = "too many large requests are under way; try again later"
            raise Refused(503, "overloaded", message, RETRY_AFTER)
        self._n_held += n_bytes
        try:
            async with timeout(limits.timeout):
                return await received_body(receive, length, limits.max_body)
        except TimeoutError:
            message = f"a request must arrive within {limits.timeout:g} seconds; send it again"
            raise Refused(408, "timeout", message) from None
        finally:
            self._n_held -= n_bytes

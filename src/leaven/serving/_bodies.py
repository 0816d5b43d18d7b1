"""Bodies of requests within the limits of size, time and memory."""

from asyncio import timeout
from collections.abc import Awaitable, Callable

from leaven.serving._batches import RETRY_AFTER
from leaven.serving._service import Limits
from leaven.web._asgi import Message, Receive, Refused, Scope, received_body

__all__ = ["Bodies"]

CLOSE = ((b"connection", b"close"),)  # what would follow is the rest of a body


class Bodies:
    """Receives bodies; all of those that are not answered yet have a limit together."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.n_held = 0  # bytes

    async def answered(
        self, scope: Scope, receive: Receive, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> bytes:
        """What ``answer`` replies to the body of a request, or a refusal."""
        limits, n_own = self.limits, 0

        async def counted() -> Message:
            # Bytes that have arrived, not those that a header announces: a client could reserve
            # all of the memory and send nothing.
            nonlocal n_own
            message = await receive()
            n_bytes = len(message.get("body", b""))
            if self.n_held + n_bytes > limits.max_held:
                told = "too many large requests are under way; try again later"
                raise Refused(503, "overloaded", told, RETRY_AFTER)
            self.n_held += n_bytes
            n_own += n_bytes
            return message

        try:
            body = await self._received(counted, _announced(scope))
            return await answer(body)
        finally:
            self.n_held -= n_own

    async def _received(self, receive: Receive, length: bytes | None) -> bytes:
        try:
            async with timeout(self.limits.timeout):
                return await received_body(receive, length, self.limits.max_body)
        except TimeoutError:
            message = f"a request must arrive within {self.limits.timeout:g} seconds; send it again"
            raise Refused(408, "timeout", message, CLOSE) from None


def _announced(scope: Scope) -> bytes | None:
    """The length of a body according to its header."""
    length = None
    for name, value in scope["headers"]:
        if name == b"content-length":
            length = value
    return length

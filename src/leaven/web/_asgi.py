"""Requests and replies as ASGI passes them: bounded bodies, and one form of errors."""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

__all__ = [
    "App",
    "Message",
    "Receive",
    "Refused",
    "Scope",
    "Send",
    "error_body",
    "headers_of",
    "received_body",
    "send_json",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_DIGITS = 20  # of a length that is looked at


class Refused(Exception):
    """A request that is answered with an error; ``code`` is for programs."""

    def __init__(
        self, status: int, code: str, message: str, headers: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, tuple(headers)


def error_body(code: str, message: str) -> dict[str, Any]:
    """The one form of all errors."""
    return {"error": {"code": code, "message": message}}


def headers_of(scope: Scope) -> dict[str, str]:
    """Headers by their names in lower case; the last of those with one name."""
    return {name.decode("latin-1").lower(): v.decode("latin-1") for name, v in scope["headers"]}


async def received_body(receive: Receive, length: str | bytes | None, limit: int) -> bytes:
    """The whole body, which must not be longer than the limit, whatever its header says."""
    refusal = Refused(413, "too_large", f"a request may have at most {limit:,} bytes")
    if length is not None and (
        not length.isascii() or not length.isdigit() or int(length[:MOST_DIGITS]) > limit
    ):
        raise refusal
    parts, n_received = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Refused(400, "bad_request", "the request ended before its body did")
        part = message.get("body", b"")
        n_received += len(part)
        if n_received > limit:
            raise refusal
        if not message.get("more_body", False):
            return part if not parts else b"".join([*parts, part])
        parts.append(part)


async def send_json(
    send: Send, status: int, content: Any, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send a reply that is JSON: as bytes, or as what they are made of."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    own = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})

"""Who may talk to the page: this machine's browser with the token, from the page itself.

A page on 127.0.0.1 can be reached by every program of the machine and by every site that its
browser shows. So the token is needed for everything, the name of the host must be ours (or a
site could point its own name here), and writes must come from our own page.
"""

import hmac
import logging
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from leaven.web._asgi import (
    App,
    Message,
    Receive,
    Refused,
    Scope,
    Send,
    error_body,
    headers_of,
    received_body,
    send_json,
)

__all__ = ["COOKIE", "Guard"]

logger = logging.getLogger("leaven.labeling")
COOKIE = "leaven_token"
FAILED = "leaven could not do this; its messages in the terminal say more"
READS = ("GET", "HEAD")
WRITES = ("POST", "PATCH")
LARGEST_BODY = 1 << 20  # bytes
LARGEST_IMPORT = 64 << 20
IMPORT_PATH = "/api/import"
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Lets requests through to an application, or answers them with an error.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        Needed once in the address, which gives the browser a cookie, and then in the cookie.
    hosts : set of str
        Names with ports under which the page may be asked for.
    """

    def __init__(self, app: App, token: str, hosts: set[str]) -> None:
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        has_begun = False

        async def guarded_send(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        try:
            headers = headers_of(scope)
            self._check_host(headers)
            if self._is_first_visit(scope):
                await _enter(self.token, guarded_send)
                return
            self._check_token(headers)
            self._check_write(scope, headers)
            if scope["method"] in WRITES:
                limit = LARGEST_IMPORT if scope["path"] == IMPORT_PATH else LARGEST_BODY
                receive = await _received(receive, headers, limit)
            await self.app(scope, receive, guarded_send)
        except Refused as error:
            body = error_body(error.code, str(error))
            await send_json(guarded_send, error.status, body)
        except Exception as error:  # the application has answered, if it could
            logger.error("a request failed: %s: %s", type(error).__name__, error)
            logger.debug("where it failed", exc_info=True)
            if not has_begun:
                await send_json(guarded_send, 500, error_body("internal", FAILED))

    def _check_host(self, headers: dict[str, str]) -> None:
        if headers.get("host", "").lower() not in self.hosts:
            raise Refused(
                403, "wrong_host", "the page is only served under the address that leaven printed"
            )

    def _is_first_visit(self, scope: Scope) -> bool:
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        if not given:
            return False
        if not _is_same(given[0], self.token):
            raise Refused(403, "wrong_token", "the address is of another session: use the last one")
        return True

    def _check_token(self, headers: dict[str, str]) -> None:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        if cookie is None or not _is_same(cookie.value, self.token):
            raise Refused(
                401, "no_token", "open the address that leaven printed, which has the token in it"
            )

    def _check_write(self, scope: Scope, headers: dict[str, str]) -> None:
        method = scope["method"]
        if method in READS:
            return
        if method not in WRITES:
            raise Refused(405, "method_not_allowed", f"{method} is not used here")
        if headers.get("origin") not in {f"http://{host}" for host in self.hosts}:
            raise Refused(403, "wrong_origin", "writes must come from the page itself")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "not_json", "the content type of writes must be application/json")


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


async def _received(receive: Receive, headers: dict[str, str], limit: int) -> Receive:
    """What gives the whole body at once, then what comes after it."""
    body = await received_body(receive, headers.get("content-length"), limit)
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


async def _enter(token: str, send: Send) -> None:
    """Give the browser the token as a cookie, and take it out of the address."""
    cookie = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"
    headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

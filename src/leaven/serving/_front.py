"""The front of the server: measures requests, and gives predictions a short way of their own."""

import logging
import time
from typing import Any

from leaven.serving._app import FAILED, make_app
from leaven.serving._bodies import Bodies
from leaven.serving._service import Service
from leaven.web._asgi import Receive, Refused, Scope, Send, error_body, send_json

__all__ = ["Front"]

logger = logging.getLogger("leaven.serving")
OTHER = "other"  # what metrics call an address that does not exist
PREDICT = "/predict"
MODELS, PREDICT_OF_MODEL = "/models/", "/models/{name}/predict"
JSON_TYPE = (b"content-type", b"application/json")


class Front:
    """Takes requests: measures them, and turns every failure into a reply.

    Predictions do not pass through FastAPI, which takes longer to find and call a route than a
    short text takes to classify.
    """

    def __init__(self, service: Service) -> None:
        self.service, self.bodies = service, Bodies(service.limits)
        self._app = make_app(service, self.bodies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # nothing here speaks WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        start = time.perf_counter()
        path, route, name = scope["path"], "", None
        if scope["method"] == "POST":
            if path == PREDICT:
                route = PREDICT
            elif path.startswith(MODELS) and path.endswith(PREDICT):
                name = path[len(MODELS) : -len(PREDICT)]
                route = PREDICT_OF_MODEL if name else ""
        if route:
            status = await self._predict(scope, receive, send, name)
        else:
            status = await self._others(scope, receive, send)
            route = getattr(scope.get("route"), "path", OTHER)
        self.service.metrics.add_request(route, status, time.perf_counter() - start)

    async def _predict(self, scope: Scope, receive: Receive, send: Send, name: str | None) -> int:
        """Answer a request for predictions; returns the status."""
        try:
            reply = await self.bodies.answered(
                scope, receive, lambda body: self.service.predict(body, name)
            )
        except Refused as refused:
            return await self._refuse(refused, send)
        except Exception as error:
            return await self._fail(error, send)
        headers = [JSON_TYPE, (b"content-length", b"%d" % len(reply))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": reply})
        return 200

    async def _others(self, scope: Scope, receive: Receive, send: Send) -> int:
        status = 0

        async def seen_send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, seen_send)
        except Exception as error:  # the application has answered, if it could
            failed = await self._fail(error, send, has_begun=bool(status))
            status = status or failed
        return status

    async def _refuse(self, refused: Refused, send: Send) -> int:
        self.service.add_refusal(refused)
        body = error_body(refused.code, str(refused))
        await send_json(send, refused.status, body, refused.headers)
        return refused.status

    async def _fail(self, error: Exception, send: Send, has_begun: bool = False) -> int:
        logger.error("a request failed: %s: %s", type(error).__name__, error)
        logger.debug("where it failed", exc_info=True)
        if not has_begun:
            await send_json(send, 500, error_body("internal", FAILED))
        return 500

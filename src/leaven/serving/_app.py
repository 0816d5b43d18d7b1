"""The routes and their description; the front takes requests for predictions by a shorter way."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from leaven._version import __version__
from leaven.serving._batches import FAILED
from leaven.serving._bodies import Bodies
from leaven.serving._metrics import CONTENT_TYPE
from leaven.serving._replies import (
    ErrorReply,
    ExplanationReply,
    Health,
    ModelInfo,
    ModelInfos,
    PredictionOfText,
    Predictions,
)
from leaven.serving._requests import ExplainRequest, PredictRequest
from leaven.serving._service import Service
from leaven.web._asgi import Refused, error_body

__all__ = ["FAILED", "make_app"]

CODES = {404: "not_found", 405: "method_not_allowed"}
MEANINGS = {
    400: "The body is not JSON in UTF-8.",
    404: "There is no model of this name.",
    408: "The body did not arrive in time.",
    413: "The body has too many bytes or texts.",
    422: "A value of the request is missing or not allowed.",
    503: "Too much is waiting; Retry-After says after how many seconds to try again.",
}


def make_app(service: Service, bodies: Bodies) -> FastAPI:
    """The application behind the front, which also describes the API."""
    # The interactive documentation of FastAPI would load scripts from other sites.
    app = FastAPI(
        title="leaven",
        version=__version__,
        description="Predictions of text classifiers.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    _add_errors(app, service)
    _add_reads(app, service)
    _add_writes(app, service, bodies)
    return app


def _add_errors(app: FastAPI, service: Service) -> None:
    @app.exception_handler(Refused)
    async def refused(_: Request, error: Refused) -> Response:
        service.add_refusal(error)
        headers = {name.decode(): value.decode() for name, value in error.headers}
        return JSONResponse(error_body(error.code, str(error)), error.status, headers)

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        message = str(error.detail)
        if error.status_code == 404:
            message = "there is no such address; /openapi.json lists those that there are"
        elif error.status_code == 405:
            message = f"the method {request.method[:20]!r} is not allowed here; see /openapi.json"
        code = CODES.get(error.status_code, "bad_request")
        headers = dict(error.headers or {})
        return JSONResponse(error_body(code, message), error.status_code, headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        return JSONResponse(error_body("internal", FAILED), 500)  # the front logs it


def _add_reads(app: FastAPI, service: Service) -> None:
    @app.get("/health", response_model=Health, summary="Whether requests are answered")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "models": list(service.shelf.models)}

    @app.get("/info", response_model=ModelInfos, summary="How all models were trained")
    async def info() -> dict[str, Any]:
        return {"models": {name: each.about for name, each in service.shelf.models.items()}}

    @app.get(
        "/models/{name}",
        response_model=ModelInfo,
        summary="How one model was trained",
        responses=_errors(404, 422),
    )
    async def model_info(name: str) -> Any:
        return service.model(name).about

    @app.get(
        "/metrics",
        summary="Metrics in the text format of Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def metrics() -> Response:
        shown = service.metrics.text(service.batcher.n_waiting)
        return Response(shown, headers={"content-type": CONTENT_TYPE})


def _add_writes(app: FastAPI, service: Service, bodies: Bodies) -> None:
    predicted: Any = PredictionOfText | Predictions
    predicting = _documented("Classify texts", PredictRequest, predicted)
    explaining = _documented("Explain a prediction", ExplainRequest, ExplanationReply)

    async def replied(request: Request, answer: Callable[[bytes], Awaitable[bytes]]) -> Response:
        reply = await bodies.answered(request.scope, request.receive, answer)
        return Response(reply, media_type="application/json")

    @app.post("/predict", **predicting)
    async def predict(request: Request) -> Response:
        return await replied(request, service.predict)

    @app.post("/models/{name}/predict", **predicting)
    async def predict_with(request: Request, name: str) -> Response:
        return await replied(request, lambda body: service.predict(body, name))

    @app.post("/explain", **explaining)
    async def explain(request: Request) -> Response:
        return await replied(request, service.explain)

    @app.post("/models/{name}/explain", **explaining)
    async def explain_with(request: Request, name: str) -> Response:
        return await replied(request, lambda body: service.explain(body, name))


def _documented(summary: str, request: type[BaseModel], reply: Any) -> dict[str, Any]:
    """Options of a route that reads its body itself, and still describes it."""
    content = {"application/json": {"schema": request.model_json_schema()}}
    return {
        "summary": summary,
        "openapi_extra": {"requestBody": {"required": True, "content": content}},
        "response_class": Response,
        "responses": {200: {"model": reply, "description": "OK"}, **_errors(*MEANINGS)},
    }


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorReply, "description": MEANINGS[status]} for status in statuses}

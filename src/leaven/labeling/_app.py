"""The labeling page over HTTP: routes, bodies of requests, and one form of errors."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from importlib import resources
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from jinja2 import Environment, PackageLoader, select_autoescape
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from leaven._base.printing import printable
from leaven._version import __version__
from leaven.labeling._guard import FAILED, Guard
from leaven.labeling._replies import Replies
from leaven.labeling._session import Json, LabelingSession
from leaven.labeling._status import progress as progress_of
from leaven.labeling._status import state as state_of
from leaven.labeling._store import StoreError
from leaven.labeling._transfer import FORMATS, exported, imported
from leaven.labeling._views import document_view, listed, question_views
from leaven.web._asgi import App, error_body

__all__ = ["make_app"]

STATUS = {  # of errors that are not plain bad requests
    "unknown_class": 404,
    "unknown_document": 404,
    "name_taken": 409,
    "nothing_to_undo": 409,
    "request_reused": 409,
    "read_only": 403,
    "disk_full": 507,
    "disk_error": 500,
    "store_damaged": 500,
    "locked": 503,
}
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STILL_ALIVE = 15.0  # seconds between comments in the stream of events
MOST_ASKED, MOST_LISTED = 50, 200
Number = Annotated[int, Field(ge=0, lt=2**53)]
RequestId = Annotated[str, Field(min_length=1, max_length=100)]


class Body(BaseModel):
    """What all writes have."""

    model_config = ConfigDict(extra="forbid", strict=True)
    request: RequestId


class AnswerBody(Body):
    document: Number
    classes: list[Number] | None = Field(None, max_length=1000)
    skip: bool = False
    clear: bool = False
    why: Literal["typical", "uncertain", "audit", "random", "asked"] | None = None
    model: Number | None = None
    accepted: bool = False
    milliseconds: Number | None = None


class BulkBody(Body):
    classes: list[Number] = Field(max_length=1000)
    documents: list[Number] | None = Field(None, max_length=100_000)
    search: str | None = Field(None, min_length=1, max_length=1000)
    only_unlabeled: bool = True


class ClassBody(Body):
    name: str = Field(max_length=10_000)


class ClassChange(Body):
    name: str | None = Field(None, max_length=10_000)
    key: str | None = Field(None, max_length=10)
    merge_into: Number | None = None


class ImportBody(Body):
    csv: str


class ModelBody(Body):
    method: str | None = None


def make_app(session: LabelingSession, token: str, hosts: set[str]) -> App:
    """The application, behind the guard."""
    # The interactive documentation of FastAPI would load scripts from other sites.
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    _add_errors(app)
    _add_page(app, session)
    _add_reads(app, session)
    _add_writes(app, session)
    return Guard(app, token, hosts)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(StoreError)
    def refused(_: Request, error: StoreError) -> JSONResponse:
        return JSONResponse(error_body(error.code, str(error)), STATUS.get(error.code, 400))

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"][1:]) or "the request"
        return JSONResponse(error_body("bad_request", printable(f"{place}: {first['msg']}")), 422)

    @app.exception_handler(HTTPException)
    def not_found(_: Request, error: HTTPException) -> JSONResponse:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "bad_request")
        return JSONResponse(error_body(code, str(error.detail)), error.status_code)

    @app.exception_handler(Exception)
    def failed(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse(error_body("internal", FAILED), 500)  # the guard logs it


def _add_page(app: FastAPI, session: LabelingSession) -> None:
    loader = PackageLoader("leaven.labeling", "templates")
    page = Environment(loader=loader, autoescape=select_autoescape()).get_template("page.html")
    folder = resources.files("leaven.labeling") / "static"
    # Read once: a name that is not a file of ours is not looked for on the disk.
    files = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}

    @app.get("/")
    def index() -> HTMLResponse:
        return HTMLResponse(page.render(name=session.documents.name, version=__version__))

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such file")
        ending = name[name.rfind(".") :]
        return Response(files[name], media_type=TYPES.get(ending, "application/octet-stream"))


def _add_reads(app: FastAPI, session: LabelingSession) -> None:
    @app.get("/api/state")
    def state() -> Json:
        return state_of(session)

    @app.get("/api/next")
    def questions(
        n: Annotated[int, Query(ge=1, le=MOST_ASKED)] = 5,
        without: Annotated[str, Query(max_length=2000, pattern=r"^(\d{1,15}(,\d{1,15})*)?$")] = "",
    ) -> Json:
        held = [int(each) for each in without.split(",") if each]
        return {"questions": question_views(session, session.questions(n, held))}

    @app.get("/api/documents/{number}")
    def document(number: Annotated[int, Path(ge=0, lt=2**53)]) -> Json:
        session.check_document(number)
        return document_view(session, number)

    @app.get("/api/documents")
    def documents(
        view: Literal["search", "class", "disputed", "history"] = "search",
        search: Annotated[str, Query(max_length=1000)] = "",
        number: Annotated[int | None, Query(alias="class", ge=0, lt=2**53)] = None,
        offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
    ) -> Json:
        return listed(session, view, words=search, number=number, offset=offset, limit=limit)

    @app.get("/api/progress")
    def progress() -> Json:
        return progress_of(session)

    @app.get("/api/events")
    async def events(request: Request) -> StreamingResponse:
        return StreamingResponse(_events(session, request), media_type="text/event-stream")

    @app.get("/api/export")
    def export(
        format: Literal["csv", "jsonl", "parquet"] = "csv",
        what: Literal["all", "labeled"] = "all",
    ) -> Response:
        return _download(session, format, what == "labeled")


def _add_writes(app: FastAPI, session: LabelingSession) -> None:
    replies = Replies()

    def once(body: Body, path: str, do: Callable[[], Json]) -> Json:
        if session.store.read_only:
            raise StoreError("read_only", "this page only shows labels: nothing can be changed")
        found = replies.once(body.request, f"{path} {body.model_dump_json()}", do)
        return {**found, "state": state_of(session)}

    @app.post("/api/answers")
    def answer(body: AnswerBody) -> Json:
        return once(body, "answers", lambda: _answered(session, body))

    @app.post("/api/undo")
    def undo(body: Body) -> Json:
        return once(body, "undo", lambda: _undone(session, body))

    @app.post("/api/bulk")
    def bulk(body: BulkBody) -> Json:
        return once(body, "bulk", lambda: {"n": _labeled(session, body)})

    @app.post("/api/classes")
    def add_class(body: ClassBody) -> Json:
        def add() -> Json:
            created = session.change_classes(lambda store: store.add_class(body.name, body.request))
            classes = state_of(session)["classes"]
            return {"class": next((each for each in classes if each["id"] == created.id), None)}

        return once(body, "classes", add)

    @app.patch("/api/classes/{number}")
    def change_class(number: Annotated[int, Path(ge=0, lt=2**53)], body: ClassChange) -> Json:
        def change() -> Json:
            session.change_classes(_class_change(number, body))
            return {}

        return once(body, f"classes/{number}", change)

    @app.post("/api/import")
    def import_labels(body: ImportBody) -> Json:
        def take() -> Json:
            n_labeled, n_unmatched = imported(session, body.csv, body.request)
            return {"n": n_labeled, "n_unmatched": n_unmatched}

        return once(body, "import", take)

    @app.post("/api/model")
    def model(body: ModelBody) -> Json:
        def train() -> Json:
            try:
                session.train_fully(body.method)
            except ValueError as error:
                raise StoreError("bad_method", str(error)) from error
            return {}

        return once(body, "model", train)


def _answered(session: LabelingSession, body: AnswerBody) -> Json:
    if sum([body.skip, body.clear, body.classes is not None]) != 1:
        raise StoreError("bad_request", "an answer must have classes, skip or clear: give one")
    if body.classes is None:
        change = session.skip if body.skip else session.clear
        return change(body.document, body.request)
    return session.answer(
        body.document,
        body.classes,
        body.request,
        why=body.why,
        model=body.model,
        accepted=body.accepted,
        milliseconds=body.milliseconds,
    )


def _undone(session: LabelingSession, body: Body) -> Json:
    undone = session.undo(body.request)
    documents = [each for each in undone.documents if each >= 0]
    question = None
    if len(documents) == 1:
        (question,) = question_views(session, [(documents[0], session.reason(documents[0]))])
    return {"undone": undone.text, "documents": documents[:1000], "question": question}


def _labeled(session: LabelingSession, body: BulkBody) -> int:
    """Label documents together; returns how many."""
    if (body.documents is None) == (body.search is None):
        raise StoreError("bad_request", "give either documents or a search, not both")
    numbers = body.documents
    if body.search is not None:
        numbers = session.documents.search(body.search).tolist()
        labels = session.snapshot().labels if body.only_unlabeled else {}
        numbers = [each for each in numbers if each not in labels]
    return session.answer_many(numbers or [], body.classes, body.request)


def _class_change(number: int, body: ClassChange) -> Callable[[Any], Any]:
    given = [name for name in ("name", "key", "merge_into") if getattr(body, name) is not None]
    if len(given) != 1:
        raise StoreError("bad_request", "give one of name, key and merge_into")
    if body.name is not None:
        return lambda store: store.rename_class(number, body.name, body.request)
    if body.key is not None:
        return lambda store: store.set_key(number, body.key, body.request)
    return lambda store: store.merge_class(number, body.merge_into, body.request)


async def _events(session: LabelingSession, request: Request) -> AsyncIterator[str]:
    """The state, now and after every change; several changes at once are told once."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    changed.set()

    def tell() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(changed.set)

    unsubscribe = session.subscribe(tell)
    try:
        while not await request.is_disconnected() and not session.is_closed:
            try:
                await asyncio.wait_for(changed.wait(), STILL_ALIVE)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            changed.clear()
            state = await asyncio.to_thread(state_of, session)
            yield f"event: state\ndata: {json.dumps(state)}\n\n"
    finally:
        unsubscribe()


def _download(session: LabelingSession, format: str, only_labeled: bool) -> Response:
    """A file of all rows, written beside and sent in pieces."""
    import tempfile

    from leaven.documents._writers import write_tables

    with tempfile.TemporaryDirectory(prefix="leaven-") as folder:
        path = f"{folder}/labels.{format}"
        write_tables(exported(session, format, only_labeled), path, format)
        written = open(path, "rb")  # noqa: SIM115 - which outlives its name, until it is sent

    def pieces() -> Iterator[bytes]:
        with written:
            while piece := written.read(1 << 16):
                yield piece

    stem = session.store.path.name.removesuffix(".labels.sqlite").encode("ascii", "replace")
    name = f"{stem.decode().rpartition('.')[0] or 'documents'}.labeled.{format}"
    safe = "".join(each if each.isalnum() or each in "._- " else "_" for each in name)
    headers = {"content-disposition": f'attachment; filename="{safe}"'}
    return StreamingResponse(
        pieces(),
        media_type=FORMATS[format],
        headers=headers,
        background=BackgroundTask(written.close),
    )

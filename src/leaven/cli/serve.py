"""``leaven serve``: predictions over HTTP."""

import logging
import signal
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.printing import printable
from leaven.cli._common import INTERRUPTED, Quiet, Talk
from leaven.cli._help import LIMITS, OUTPUT, WHERE

if TYPE_CHECKING:
    from leaven.experts import Explanation
    from leaven.serving._server import PredictionServer
    from leaven.serving._service import Limits

__all__ = ["open_server", "serve_command"]

NO_WEB = "serving needs fastapi and uvicorn; install leaven[web]"


def open_server(
    models: list[str],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limits: "Limits | None" = None,
) -> "PredictionServer":
    """Load models, given as FILE or NAME=FILE, and take an address for them."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{NO_WEB} (missing: {error.name})") from None
    from leaven.cli.info import describe_model
    from leaven.serving._models import ModelShelf, named_paths
    from leaven.serving._server import PredictionServer
    from leaven.serving._service import Limits, Service

    shelf = ModelShelf(named_paths(models), describe_model)
    return PredictionServer(Service(shelf, _explained, limits or Limits()), host, port)


def _explained(explanation: "Explanation") -> dict[str, Any]:
    from leaven.cli.explain import explanation_json

    return explanation_json(explanation)


def serve_command(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL",
            help="Model files that leaven train wrote, as FILE or NAME=FILE; the name of a plain "
            "FILE is that of the file without its ending.",
        ),
    ],
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen at; 0.0.0.0 is every one of this machine, which all who reach "
            "it can then ask.",
            rich_help_panel=WHERE,
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=65535,
            help="Port to listen at; 0 is one that is free.",
            rich_help_panel=WHERE,
        ),
    ] = 8000,
    max_batch: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Most texts of different requests that are computed together; 1 computes each "
            "request by itself.",
            rich_help_panel=LIMITS,
        ),
    ] = 64,
    max_waiting: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Most texts that may wait; further requests get status 503 and Retry-After.",
            rich_help_panel=LIMITS,
        ),
    ] = 1024,
    max_body: Annotated[
        int,
        typer.Option(
            metavar="BYTES", min=1, help="Longest request; 413 beyond.", rich_help_panel=LIMITS
        ),
    ] = 1 << 20,
    max_texts: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Most texts of a request; 413 beyond.", rich_help_panel=LIMITS
        ),
    ] = 1000,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.001,
            help="How long a request may take to arrive, and may wait.",
            rich_help_panel=LIMITS,
        ),
    ] = 30.0,
    keep_alive: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.001,
            help="After how long an idle connection is closed.",
            rich_help_panel=LIMITS,
        ),
    ] = 65.0,
    shutdown_timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.001,
            help="How long accepted requests may take to finish when the server ends.",
            rich_help_panel=LIMITS,
        ),
    ] = 30.0,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Load and try the models, then exit: before a new one is put in place.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Answer requests for predictions over HTTP.

    POST /predict classifies {"text": ...} or {"texts": [...]}, POST /explain explains a
    prediction; GET /info, /health and /metrics tell about models and server, and /openapi.json
    describes all of it. Requests that arrive together are computed together.

    SIGHUP loads the model files anew, without a pause; SIGTERM and Ctrl-C end the server once
    accepted requests are answered.

    Example: leaven serve reviews.leaven

    Example: leaven serve tickets=a.leaven spam=b.leaven --host 0.0.0.0 --port 80
    """
    with Talk(quiet) as talk:
        from leaven.serving._service import Limits

        limits = Limits(
            max_batch, max_waiting, max_body, max_texts, timeout, shutdown_timeout, keep_alive
        )
        server = open_server(models, host=host, port=0 if check else port, limits=limits)
        talk.progress.stop()
        if check:
            server.close()
            talk.note(f"can be served: {', '.join(map(printable, server.service.shelf.models))}")
            return
        _log_to(talk)

        def ready() -> None:
            names = ", ".join(map(printable, server.service.shelf.models))
            typer.echo(f"Serving {names} at {server.address}")
            sys.stdout.flush()
            talk.note("Ctrl-C ends it.")

        ended_by = server.run(ready)
        if ended_by == signal.SIGINT:
            raise typer.Exit(INTERRUPTED)


class _Lines(logging.Handler):
    """Shows what the server logs, each message in one line."""

    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self._talk = talk

    def emit(self, record: logging.LogRecord) -> None:
        self._talk.say(f"{record.levelname.lower()}: {' '.join(record.getMessage().split())}")


def _log_to(talk: Talk) -> None:
    for name, level in (("leaven.serving", logging.INFO), ("uvicorn", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [_Lines(talk)]
        logger.setLevel(level)
        logger.propagate = False

"""``leaven label``: a page on which every answer trains the model."""

import webbrowser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven.cli._common import Quiet, Talk, Threads, save
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._help import DATA, OUTPUT, WHERE
from leaven.cli._methods import DEFAULT_METHOD
from leaven.cli._next import label_commands
from leaven.cli._outputs import Force, check_model
from leaven.cli._text_options import Html, html_option
from leaven.cli._train_options import MethodName, Seed
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    from leaven.labeling._session import LabelingSession

__all__ = ["label_command"]

SUFFIX = ".labels.sqlite"
NO_WEB = "the labeling page needs fastapi, uvicorn and jinja2; install leaven[web]"


@reads_documents()
def label_command(
    data: Data,
    reading: Reading,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="A,B,C",
            help="Classes to begin with; others can be added on the page.",
            show_default="those of the labels in DATA",
            rich_help_panel=DATA,
        ),
    ] = None,
    several_labels: Annotated[
        bool | None,
        typer.Option(
            "--several-labels/--one-label",
            help="Whether a document can have several labels.",
            show_default="as in DATA; one label if it has none",
            rich_help_panel=DATA,
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="SQLite file for the answers; continued if it exists.",
            show_default=f"DATA{SUFFIX}",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="Where the model is saved at the end.",
            show_default="DATA.leaven",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    method: MethodName = DEFAULT_METHOD,
    force: Force = False,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65535,
            help="Port of 127.0.0.1 for the page.",
            show_default="one that is free",
            rich_help_panel=WHERE,
        ),
    ] = 0,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser", help="Print the address and open no browser.", rich_help_panel=WHERE
        ),
    ] = False,
    read_only: Annotated[
        bool,
        typer.Option(
            "--read-only",
            help="Show labels and predictions; nothing can be changed.",
            rich_help_panel=WHERE,
        ),
    ] = False,
    seed: Seed = 0,
    html: Html = False,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Label the documents in DATA on a page in the browser.

    Every answer is stored at once, and trains the model that suggests the next ones. No label is
    needed to begin with; those in DATA are taken over. Ctrl-C ends it and saves the model; the same
    command continues. Only this machine can open the page.

    Example: leaven label tickets.csv --text body

    Example: leaven label tickets.csv --classes billing,shipping,returns
    """
    model = output or f"{data[0].rstrip('/')}.leaven"
    given = {
        "labels": labels,
        "output": output,
        "several_labels": several_labels or None,
        "html": html or None,
    }
    if method != DEFAULT_METHOD:
        given["method"] = method
    with Talk(quiet) as talk:
        if not read_only:
            check_model(model, data, force=force)  # which is written at the very end
        session = open_session(
            data,
            reading,
            labels=labels,
            classes=[] if classes is None else classes.split(","),
            several_labels=several_labels,
            method=method,
            text_options=html_option(html),
            read_only=read_only,
            n_jobs=threads,
            random_state=seed,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        try:
            _serve(session, talk, port, no_browser)
            if not read_only:
                _end(session, talk, model, label_commands(data, reading, model, given))
        finally:
            session.close()


def open_session(
    paths: list[str], reading: Reading, *, labels: str | None = None, **options: Any
) -> "LabelingSession":
    """Read documents and open their labels; ``options`` are those of the session."""
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{NO_WEB} (missing: {error.name})") from None
    from leaven.labeling._documents import LabelingDocuments
    from leaven.labeling._session import LabelingSession

    if "-" in paths and labels is None:
        raise typer.BadParameter("standard input has no name for its labels; give --labels FILE")
    documents = LabelingDocuments.read(
        paths,
        reading,
        options.get("on_progress"),
        html=bool((options.get("text_options") or {}).get("html")),
    )
    place = labels or f"{paths[0].rstrip('/')}{SUFFIX}"
    return LabelingSession(documents, place, **options)


def _serve(session: "LabelingSession", talk: Talk, port: int, no_browser: bool) -> None:
    from leaven.labeling._server import LabelingServer

    server = LabelingServer(session, port)

    def ready() -> None:
        n_documents, n_labeled = len(session.documents), session.store.n_labeled
        talk.note(
            f"{session.documents.name}: {n_documents:,} documents, {n_labeled:,} labeled; answers "
            f"go to {session.store.path}"
        )
        n_lost = len(session.store.lost())
        if n_lost:
            talk.note(
                f"{n_lost:,} labels wait for their texts, which are no longer in "
                f"{session.documents.name}"
            )
        typer.echo(f"Open {server.address}")
        talk.note("Ctrl-C ends labeling and saves the model.")
        if not no_browser:
            webbrowser.open(server.address)

    server.run(ready)


def _end(session: "LabelingSession", talk: Talk, path: str, after: tuple[str, str]) -> None:
    """Save the model, and say how to go on."""
    again, predict = after
    n_labeled, found = session.store.n_labeled, session.snapshot()
    talk.note("", f"{n_labeled:,} labels are in {session.store.path}")
    if not found.is_enough:
        talk.note("No model was saved: it needs labels of two classes.", f"Go on: {again}")
        return
    session.trainer.stop()
    fitted = session.fit_to_save(talk.progress)
    talk.progress.stop()
    save(fitted, path)
    talk.note(
        f"saved {path}: {fitted.report.expectation}",
        f"Go on: {again}",
        f"Predict: {predict}",
    )

"""``leaven compare``: every method on the same held-out labels of the user's data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.progress import Listener
from leaven.cli._common import (
    AsJson,
    Quiet,
    Talk,
    Threads,
    drawn,
    print_json,
    read_labeled_files,
    render,
    vectors_in,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._help import METHOD, OUTPUT
from leaven.cli._methods import listed, read_method
from leaven.cli._outputs import Force, check_picture
from leaven.cli._text_options import Html, html_option
from leaven.cli._train_options import Seed
from leaven.cli.evaluate import load_plots
from leaven.documents._reading import Reading
from leaven.methods import METHODS
from leaven.methods._registry import methods_where

if TYPE_CHECKING:
    from leaven.methods import Comparison

__all__ = ["compare", "compare_command"]


def compare(
    paths: Sequence[str],
    reading: Reading,
    *,
    methods: Sequence[str] | None = None,
    n_splits: int | None = None,
    text_options: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    on_progress: Listener | None = None,
) -> "Comparison":
    """Compare methods on the documents in files."""
    from leaven import compare as compare_texts

    documents = read_labeled_files(paths, reading, on_progress)
    return compare_texts(
        documents.texts,
        documents.labels,
        vectors=vectors_in(documents, reading, text_options),
        methods=methods,
        n_splits=n_splits,
        text_options=text_options,
        n_jobs=n_jobs,
        random_state=random_state,
        on_progress=on_progress,
    )


@reads_documents()
def compare_command(
    data: Data,
    reading: Reading,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME,…",
            help=f"Methods of leaven train to compare: {', '.join(METHODS)}.",
            show_default=f"all, but {listed(methods_where(is_slow=True))} only on small data",
            rich_help_panel=METHOD,
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            "--n-splits",
            metavar="N",
            min=2,
            help="Folds of labeled documents, each held out once; more take longer.",
            show_default="5; 3 beyond 10,000 documents",
            rich_help_panel=METHOD,
        ),
    ] = None,
    seed: Seed = 0,
    html: Html = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Plot the accuracies and their intervals: .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare all methods on the documents in DATA, and report the best.

    Labeled documents are held out in folds, the same folds for every method. A method is
    reported as best only if it is significantly better than every other; otherwise all that may
    be best are named. Prints accuracy with its 90 % confidence interval (Wilson), macro F1, and
    the seconds and peak memory of one fit. 20,000 documents of 20 classes take about a minute.
    For documents with several labels, methods that learn them are compared by exact match, the
    share of documents whose labels are all right, and micro and macro F1.

    Example: leaven compare reviews.csv --text body --label stars --plot comparison.png
    """
    names = None if methods is None else _read_methods(methods)
    with Talk(quiet) as talk:
        if plot is not None:
            check_picture(plot, data, force=force)
            load_plots("leaven compare --plot")
        found = compare(
            data,
            reading,
            methods=names,
            n_splits=folds,
            text_options=html_option(html),
            n_jobs=threads,
            random_state=seed,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        if plot is not None:
            load_plots("leaven compare --plot").draw_comparison(found, plot)
        if as_json:
            print_json({**found.to_json(), "warnings": talk.warnings})
        else:
            _print(found)
        if plot is not None:
            talk.note(f"wrote {plot}")


def _read_methods(given: str) -> list[str]:
    """``em,two-view,auto``, or an error that lists the methods."""
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter(f"--methods must name methods, as in nb,em; got {given!r}")
    try:
        return [read_method(name) for name in names]
    except typer.BadParameter as error:
        raise typer.BadParameter(f"--methods: {error.message}") from None


def _print(found: "Comparison") -> None:
    for text in (found.sentence, found.advice, found.warning):
        if text is not None:
            typer.echo(text)
    typer.echo()
    render(drawn(found.table()))
    typer.echo(found.basis)
    for note in found.notes:
        typer.echo(note)

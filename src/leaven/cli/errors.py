"""``leaven errors``: labels that may be wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    read_files,
    render,
    stdout_width,
    vectors_in,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._excerpts import EXCERPT, NARROWEST, excerpt
from leaven.cli._help import METHOD, OUTPUT
from leaven.cli._methods import DEFAULT_METHOD
from leaven.cli._outputs import Force, check_table
from leaven.cli._text_options import Html, html_option
from leaven.cli._train_options import MethodName, Seed
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    from leaven.documents import Documents
    from leaven.methods._label_errors import LabelErrors

__all__ = ["errors", "errors_command"]


def errors(
    paths: Sequence[str],
    reading: Reading,
    *,
    output: str | None = None,
    method: str = DEFAULT_METHOD,
    text_options: Mapping[str, Any] | None = None,
    n_splits: int | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    on_progress: Listener | None = None,
) -> "tuple[LabelErrors, Documents]":
    """Find labels in files that may be wrong; write those documents with all their columns.

    The columns added are ``suggested``, ``probability`` (of the suggested class) and
    ``label_probability``.
    """
    from leaven.documents._readers import no_labels_message
    from leaven.exceptions import DataError
    from leaven.methods._label_errors import find_label_errors

    files = reading.files(paths, needs_labels=True, keep_columns=True)
    documents = read_files(files, on_progress)
    assert documents.labels is not None
    if documents.labels.null_count == len(documents.labels):
        raise DataError(no_labels_message(files))
    found = find_label_errors(
        documents.texts,
        documents.labels,
        method=method,
        text_options=text_options,
        vectors=vectors_in(documents, reading, text_options),
        n_splits=n_splits,
        n_jobs=n_jobs,
        random_state=random_state,
        on_progress=on_progress,
    )
    if output is not None:
        _write(found, documents, output)
    return found, documents


def _write(found: "LabelErrors", documents: "Documents", output: str) -> None:
    import numpy as np
    import pyarrow as pa

    from leaven.classifier._predictions import free_names, rounded, with_columns
    from leaven.documents._writers import write_table

    assert documents.columns is not None
    disputed = found.disputed
    table = documents.columns.take(pa.array([each.number for each in disputed], pa.int64()))
    wanted = ["suggested", "probability", "label_probability"]
    values = [
        pa.array([str(each.suggested) for each in disputed], pa.string()),
        rounded(np.array([each.probability for each in disputed], np.float64)),
        rounded(np.array([each.label_probability for each in disputed], np.float64)),
    ]
    names = free_names(wanted, table.column_names)
    write_table(with_columns(table, names, values, documents.source), output)


@reads_documents()
def errors_command(
    data: Data,
    reading: Reading,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write all documents with a disputed label and all their columns: .csv, .tsv, "
            ".jsonl or .parquet.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    number: Annotated[
        int,
        typer.Option(
            "-n", metavar="N", min=0, help="How many documents to show.", rich_help_panel=OUTPUT
        ),
    ] = 20,
    method: MethodName = DEFAULT_METHOD,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            "--n-splits",
            metavar="N",
            min=2,
            help="Folds of labeled documents, each held out once; more take longer.",
            show_default="5",
            rich_help_panel=METHOD,
        ),
    ] = None,
    seed: Seed = 0,
    html: Html = False,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find labels in DATA that may be wrong.

    Every labeled document is held out once and classified by a model that is trained on the
    others and on all unlabeled documents. Its label is disputed if another class is at least
    five times as probable. Prints the most doubtful labels first; the model makes
    mistakes too, so check each one before changing it. Takes as long as five runs of leaven train.

    Example: leaven errors reviews.csv --text body --label stars -n 50

    Example: leaven errors reviews.csv --text body --label stars -o disputed.csv
    """
    if output == "-" and as_json:
        raise typer.BadParameter("-o - and --json would both write to standard output; choose one")
    with Talk(quiet) as talk:
        check_table(output, data, force=force)
        found, documents = errors(
            data,
            reading,
            output=output,
            method=method,
            text_options=html_option(html),
            n_splits=folds,
            n_jobs=threads,
            random_state=seed,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        if as_json:
            print_json({**_json(found, documents, number), "warnings": talk.warnings})
        elif output != "-":
            _print(found, documents, number)
        if output not in (None, "-"):
            n_disputed = len(found.disputed)
            noun = "document" if n_disputed == 1 else "documents"
            talk.note(f"wrote {output}: {n_disputed:,} {noun} with a disputed label")


def _json(found: "LabelErrors", documents: "Documents", number: int) -> dict[str, Any]:
    return {
        "method": found.method,
        "n_labeled": found.n_labeled,
        "n_held_out": found.n_held_out,
        "n_without_known_words": found.n_wordless,
        "n_splits": found.n_splits,
        "n_disputed": len(found.disputed),
        "disputed": [
            {
                "document": each.number + 1,
                "label": str(each.label),
                "suggested": str(each.suggested),
                "probability": each.probability,
                "label_probability": each.label_probability,
                "text": excerpt(documents, each.number, EXCERPT),
            }
            for each in found.disputed[:number]
        ],
    }


def _print(found: "LabelErrors", documents: "Documents", number: int) -> None:
    from leaven.methods import DisputedLabels

    n_disputed = len(found.disputed)
    verb = "is" if n_disputed == 1 else "are"
    typer.echo(
        f"{n_disputed:,} of {found.n_held_out:,} labels {verb} disputed: {found.method}, trained "
        "on the other labels, finds another class at least five times as probable"
    )
    n_alone = found.n_labeled - found.n_held_out
    if n_alone:
        noun = "label" if n_alone == 1 else "labels"
        typer.echo(f"{n_alone:,} {noun} could not be checked: no other document has that class")
    if found.n_wordless:
        noun = "document contains" if found.n_wordless == 1 else "documents contain"
        typer.echo(f"{found.n_wordless:,} labeled {noun} no known word and could not be checked")
    shown = found.disputed[:number]
    if not shown:
        return
    typer.echo()
    longest = max(len(str(each.label)) + len(str(each.suggested)) for each in shown)
    width = max(stdout_width() - longest - 48, NARROWEST)
    cut = (replace(each, excerpt=excerpt(documents, each.number, width)) for each in shown)
    render(drawn(DisputedLabels(cut).table()))
    if n_disputed > len(shown):
        typer.echo(f"{len(shown):,} of {n_disputed:,} shown; -n shows more, -o writes all")

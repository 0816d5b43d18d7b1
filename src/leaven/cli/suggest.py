"""``leaven suggest``: which documents to label next, for people who label in a spreadsheet."""

import os
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
    read_model,
    render,
    stdout_width,
    vectors_in,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._excerpts import EXCERPT, NARROWEST, excerpt
from leaven.cli._help import OUTPUT
from leaven.cli._methods import DEFAULT_METHOD
from leaven.cli._outputs import Force, check_table
from leaven.cli._text_options import Html, html_option
from leaven.cli._train_options import MethodName, Seed
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    from leaven.documents import Documents
    from leaven.methods import Suggestion

__all__ = ["suggest_command", "suggested"]

ADDED = ["document", "suggested_because", "predicted", "probability"]


def suggested(
    paths: Sequence[str],
    reading: Reading,
    n: int = 20,
    *,
    output: str | None = None,
    method: str = DEFAULT_METHOD,
    text_options: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    on_progress: Listener | None = None,
) -> "tuple[list[Suggestion], Documents]":
    """Documents of files to label next; written with all their columns and an empty label.

    The first path may be a model, which then says what it is unsure of.
    """
    from leaven.classifier._model_file import is_model
    from leaven.methods._suggest import suggest, suggest_for

    fitted = None
    if len(paths) > 1 and is_model(paths[0]):
        fitted = read_model(paths[0])
        reading, paths = reading.after(fitted.reading), paths[1:]
    elif is_model(paths[0]):
        raise ValueError(f"{paths[0]} is a model; also name the files with the documents")
    files = reading.files(paths, keep_columns=True)
    documents = read_files(files, on_progress)
    if fitted is not None:
        text_options = fitted.counter.options.to_json()
    given = vectors_in(documents, reading, text_options)
    labels = documents.labels
    is_labeled = labels is not None and labels.null_count < len(labels)
    if fitted is not None:
        is_open = None if labels is None else labels.is_null().to_numpy(zero_copy_only=False)
        found = suggest_for(
            fitted,
            documents.texts,
            n,
            is_open=is_open,
            given=given,
            n_threads=n_jobs,
            seed=random_state,
        )
    else:
        found = suggest(
            documents.texts,
            labels if is_labeled else None,
            n,
            method=method,
            text_options=text_options,
            vectors=given,
            n_jobs=n_jobs,
            random_state=random_state,
            on_progress=on_progress,
        )
    if output is not None:
        _write(found, documents, files.label_column, output)
    return found, documents


def _write(
    found: "list[Suggestion]", documents: "Documents", label: str | None, output: str
) -> None:
    import pyarrow as pa

    from leaven.classifier._predictions import free_names, with_columns
    from leaven.documents._writers import write_table

    assert documents.columns is not None
    table = documents.columns.take(pa.array([each.number for each in found], pa.int64()))
    if label is None:  # for the person to fill in
        empty = pa.array([None] * len(found), pa.string())
        table = with_columns(table, free_names(["label"], table.column_names), [empty], "")
    values = [
        pa.array([each.number + 1 for each in found], pa.int64()),
        pa.array([each.why for each in found], pa.string()),
        pa.array([_shown(each.predicted) for each in found], pa.string()),
        pa.array([each.probability for each in found], pa.float64()),
    ]
    names = free_names(ADDED, table.column_names)
    write_table(with_columns(table, names, values, documents.source), output)


@reads_documents()
def suggest_command(
    data: Data,
    reading: Reading,
    number: Annotated[
        int,
        typer.Option(
            "-n",
            metavar="N",
            min=1,
            help="How many documents to suggest.",
            rich_help_panel=OUTPUT,
        ),
    ] = 20,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write these documents with all their columns and a column for the label: .csv, "
            ".tsv, .jsonl or .parquet.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    method: MethodName = DEFAULT_METHOD,
    seed: Seed = 0,
    html: Html = False,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Suggest which documents in DATA to label next.

    With few labels or none: typical documents of groups that have no label yet. With more:
    documents that a model is unsure of and that many others are similar to. A model file may come
    before the data; otherwise one is trained on the labels in DATA. leaven label does the same on a
    page, and trains after every answer.

    Example: leaven suggest tickets.csv --text body -n 20 -o to-label.csv

    Example: leaven suggest model.leaven tickets.csv -n 50
    """
    if output == "-" and as_json:
        raise typer.BadParameter("-o - and --json would both write to standard output; choose one")
    with Talk(quiet) as talk:
        check_table(output, data, force=force)
        if output not in (None, "-") and os.path.isfile(output) and not force:
            raise ValueError(
                f"{output} exists, and somebody may have filled in its labels; choose another "
                "name, or overwrite it with --force"
            )
        found, documents = suggested(
            data,
            reading,
            number,
            output=output,
            method=method,
            text_options=html_option(html),
            n_jobs=threads,
            random_state=seed,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        if as_json:
            print_json({"suggested": _json(found, documents), "warnings": talk.warnings})
        elif output != "-":
            _print(found, documents)
        if output not in (None, "-"):
            talk.note(f"wrote {output}: {len(found):,} documents to label")


def _json(found: "list[Suggestion]", documents: "Documents") -> list[dict[str, Any]]:
    return [
        {
            "document": each.number + 1,
            "why": each.why,
            "predicted": each.predicted,
            "probability": each.probability,
            "text": excerpt(documents, each.number, EXCERPT),
        }
        for each in found
    ]


def _print(found: "list[Suggestion]", documents: "Documents") -> None:
    from leaven.methods import Suggestions

    if not found:
        typer.echo("every document has a label")
        return
    longest = max(len(_shown(each.predicted) or "") for each in found)
    width = max(stdout_width() - longest - 40, NARROWEST)
    cut = (replace(each, excerpt=excerpt(documents, each.number, width)) for each in found)
    render(drawn(Suggestions(cut).table()))


def _shown(predicted: Any) -> str | None:
    if predicted is None:
        return None
    return ", ".join(map(str, predicted)) if isinstance(predicted, tuple) else str(predicted)

"""``leaven predict``: a class for every document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from leaven.cli._common import (
    Data,
    Encoding,
    Format,
    Model,
    OnProgress,
    Talk,
    TextColumn,
    Threads,
    VectorColumn,
    check_folder,
    check_one_stdin,
    print_json,
    read_files,
    read_model,
    vectors_in,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from leaven._typing import FloatArray

__all__ = ["Predictions", "predict", "predict_command"]

DECIMALS = 6
SHOWN = 12  # classes in the summary


@dataclass(frozen=True)
class Predictions:
    """Documents with their predictions."""

    table: "pa.Table"  # all columns of the files, and the new ones
    counts: dict[str, int]  # class → documents predicted


def predict(
    model: str,
    paths: Sequence[str],
    *,
    text: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    vectors: str | None = None,
    proba: bool = False,
    n_threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Predictions:
    """Classify the documents in files; all their columns, and the predictions.

    The columns added are ``predicted``, ``probability`` and, with ``proba``, ``p_<class>``
    for every class; where the files have a column of that name, the new one is called
    ``predicted_2`` and so on, so that nothing of the files is lost.
    """
    import numpy as np
    import pyarrow as pa

    from leaven.text import DocumentFiles

    fitted = read_model(model)
    files = DocumentFiles(paths, text=text, format=format, encoding=encoding, keep_columns=True)
    documents = read_files(files, on_progress)
    assert documents.columns is not None

    def classified(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress("classifying", done, total)

    classified(0, len(documents.texts))
    probability = fitted.predict_proba(
        documents.texts,
        vectors=vectors_in(documents, vectors),
        n_threads=n_threads,
        on_progress=classified,
    )
    best = probability.argmax(axis=1)
    names = fitted.classes.tolist()
    table = documents.columns
    table = _append(table, "predicted", pa.array(names).take(pa.array(best)))
    table = _append(table, "probability", _rounded(probability.max(axis=1)))
    if proba:
        for code, name in enumerate(names):
            table = _append(table, f"p_{name}", _rounded(probability[:, code]))
    counts = np.bincount(best, minlength=len(names))
    return Predictions(table, dict(zip(map(str, names), counts.tolist(), strict=True)))


def _rounded(probability: "FloatArray") -> "pa.Array":
    import numpy as np
    import pyarrow as pa

    return pa.array(np.round(probability.astype(np.float64), DECIMALS))


def _append(table: "pa.Table", name: str, column: "pa.Array") -> "pa.Table":
    free, number = name, 1
    while free in table.column_names:
        number += 1
        free = f"{name}_{number}"
    return table.append_column(free, column)


def predict_command(
    model: Model,
    data: Data,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File to write, .csv, .tsv, .jsonl or .parquet (also .gz); - is stdout, as CSV.",
        ),
    ] = "-",
    text: TextColumn = None,
    vectors: VectorColumn = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Also write p_CLASS, the probability of each class.")
    ] = False,
    format: Format = None,
    encoding: Encoding = "utf-8",
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON Lines; with -o OUT, a summary as JSON.")
    ] = False,
) -> None:
    """Classify the documents in DATA with MODEL.

    Writes all columns of DATA with two more, predicted and probability. Where DATA has a column
    of that name already, the new one is called predicted_2, and so on.

    Example: leaven predict reviews.leaven new.csv --text body -o labeled.csv
    """  # fmt: skip
    check_one_stdin(model, data)
    with Talk() as talk:
        check_folder(output)
        predictions = predict(
            model,
            data,
            text=text,
            format=None if format is None else format.value,
            encoding=encoding,
            vectors=vectors,
            proba=proba,
            n_threads=threads,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        from leaven.text._writers import write_table

        write_table(predictions.table, output, "jsonl" if as_json and output == "-" else None)
        if output == "-":
            return
        n_documents = len(predictions.table)
        if as_json:
            print_json(
                {
                    "output": output,
                    "n_documents": n_documents,
                    "predicted": predictions.counts,
                    "warnings": talk.warnings,
                }
            )
            return
        talk.say(f"wrote {output}: {n_documents:,} documents")
        most = sorted(predictions.counts.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{name} {count:,}" for name, count in most[:SHOWN])
        talk.say(f"  {shown}" + (f", and {len(most) - SHOWN} more" if len(most) > SHOWN else ""))

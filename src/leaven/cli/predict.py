"""``leaven predict``: a class for every document."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.progress import Listener, Progress
from leaven.cli._common import (
    Model,
    Talk,
    Threads,
    check_folder,
    check_one_stdin,
    print_json,
    read_files,
    read_model,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._reading import (
    StreamThrough,
    warn_bad_files,
    warn_wordless,
)
from leaven.cli._where import DaskAddress, SkipBadFiles, check_where, connected, terminating
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from leaven.classifier import FittedClassifier, Tally
    from leaven.documents import DocumentFiles

    Batch = tuple[pa.Table, Tally]

__all__ = ["Predictions", "predict", "predict_command"]

SHOWN = 12  # classes in the summary


@dataclass(frozen=True)
class Predictions:
    """What was predicted."""

    counts: dict[str, int]  # class → documents
    n_bad_files: int  # left out

    @property
    def n_documents(self) -> int:
        return sum(self.counts.values())


def predict(
    model: str,
    paths: Sequence[str],
    output: str,
    reading: Reading,
    *,
    output_format: str | None = None,
    bom: bool = False,
    proba: bool = False,
    n_threads: int | None = None,
    stream: bool = False,
    client: Any = None,
    skip_bad: bool = False,
    on_progress: Listener | None = None,
) -> Predictions:
    """Classify the documents in files; write all their columns, and the predictions.

    The columns added are ``predicted``, ``probability`` and, with ``proba``, ``p_<class>``
    for every class; where the files have a column of that name, the new one is called
    ``predicted_2`` and so on, so that nothing of the files is lost.

    With ``stream`` the documents are read, classified and written in batches; with the
    ``client`` of a Dask cluster its workers read and classify them, and write them themselves
    if the output is a folder.
    """
    fitted = read_model(model)
    reading = reading.after(fitted.reading)
    files = reading.files(paths, keep_columns=True, skip_bad=skip_bad)
    how = _How(fitted, files, reading.vectors, proba, n_threads, on_progress)
    if client is not None and _is_folder(output):
        tally = how.parts(client, Path(os.path.abspath(output)))
    else:
        batches = how.on_cluster(client) if client is not None else how.here(stream)
        # CSV has the delimiter of the input, so that it opens in the same programs.
        delimiter = files.delimiter if files.delimiter in (";", "|") else ","
        tally = _written(batches, output, output_format, delimiter, bom)
    warn_bad_files(files)
    warn_wordless(tally.n_wordless, tally.n_documents)
    counts = zip(map(str, fitted.classes.tolist()), tally.counts.tolist(), strict=True)
    return Predictions(dict(counts), len(files.bad))


@dataclass(frozen=True, eq=False)
class _How:
    """What to classify, and how; nothing is done before batches are requested."""

    fitted: "FittedClassifier"
    files: "DocumentFiles"
    vectors: str | None
    proba: bool
    n_threads: int | None
    on_progress: Listener | None

    def predictor(self, existing: Iterable[str], n_threads: int | None) -> Any:
        from leaven.classifier._predictions import TablePredictor, new_columns

        names = new_columns(self.fitted, frozenset(existing), self.proba)
        return TablePredictor(self.fitted, names, self.vectors, n_threads)

    def here(self, stream: bool) -> "Iterator[Batch]":
        if stream:
            predictor = self.predictor(self.files.column_names, self.n_threads)
            self.files.report_to(Progress(self.on_progress).phase("reading"))
            yield from map(predictor, self.files.sound())
            return
        documents = read_files(self.files, self.on_progress)
        assert documents.columns is not None
        classified = Progress(self.on_progress).phase("classifying")
        if classified is not None:
            classified(0, len(documents.texts))
        predictor = self.predictor(documents.columns.column_names, self.n_threads)
        yield predictor(documents, classified)

    def on_cluster(self, client: Any) -> "Iterator[Batch]":
        from leaven.classifier.on_dask import predicted_tables
        from leaven.corpora.dask import Cluster

        predictor = self.predictor(self.files.column_names, 1)
        done = Progress(self.on_progress).phase("pieces")
        return predicted_tables(self.files, Cluster(client), predictor, done)

    def parts(self, client: Any, folder: Path) -> "Tally":
        from leaven.classifier.on_dask import write_parts
        from leaven.corpora.dask import Cluster

        predictor = self.predictor(self.files.column_names, 1)
        done = Progress(self.on_progress).phase("pieces")
        return write_parts(self.files, Cluster(client), predictor, folder, done)


def _written(
    batches: "Iterator[Batch]", output: str, format: str | None, delimiter: str, bom: bool
) -> "Tally":
    from leaven.documents._writers import write_tables

    total: Tally | None = None

    def tables() -> "Iterator[pa.Table]":
        nonlocal total
        for table, tally in batches:
            total = tally if total is None else total + tally
            yield table

    write_tables(tables(), output, format, delimiter=delimiter, bom=bom)
    assert total is not None
    return total


def _is_folder(output: str) -> bool:
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _check_output(output: str, dask: str | None) -> None:
    """Refuse an output that cannot be written, before any work is done."""
    if dask is None or not _is_folder(output):
        check_folder(output)
        return
    folder = Path(os.path.abspath(output))
    if folder.is_dir():
        if any(folder.glob("part-*.parquet")):
            raise FileExistsError(
                f"{output!r} holds part-*.parquet files already, which would be mixed with the new "
                "ones; remove them, or choose another folder"
            )
    elif folder.exists():
        raise NotADirectoryError(f"{output!r} is a file; give the name of a folder")
    else:
        check_folder(folder)


@reads_documents(labels=False)
def predict_command(
    model: Model,
    data: Data,
    reading: Reading,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File to write, .csv, .tsv, .jsonl, .json or .parquet (also .gz); - is stdout, "
            "as CSV. "
            "With --dask also a folder (OUT/), into which workers write Parquet files.",
        ),
    ] = "-",
    proba: Annotated[
        bool, typer.Option("--proba", help="Also write p_CLASS, the probability of each class.")
    ] = False,
    bom: Annotated[
        bool,
        typer.Option(
            "--bom", help="Begin CSV with a byte order mark, by which Excel recognizes UTF-8."
        ),
    ] = False,
    stream: StreamThrough = False,
    dask: DaskAddress = None,
    skip_bad_files: SkipBadFiles = False,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON Lines; with -o OUT, a summary as JSON.")
    ] = False,
) -> None:
    """Classify the documents in DATA with MODEL.

    Writes all columns of DATA with two more, predicted and probability. Where DATA has a column
    of that name already, the new one is called predicted_2, and so on.

    With --stream and --dask the first rows determine the columns of OUT; .jsonl takes all rows
    as they are. With --skip-bad-files a file is read to its end before its rows are written.

    Example: leaven predict reviews.leaven new.csv --text body -o labeled.csv

    Example: leaven predict reviews.leaven 'crawl/*.jsonl.gz' --stream -o labeled.parquet
    """  # fmt: skip
    check_one_stdin(model, data)
    check_where(stream, dask, data)
    with Talk() as talk, terminating():
        _check_output(output, dask)
        # A progress bar and rows would mix on one terminal.
        is_mixed = output == "-" and sys.stdout.isatty()
        with connected(dask, threads) as client:
            predictions = predict(
                model,
                data,
                output,
                reading,
                output_format="jsonl" if as_json and output == "-" else None,
                bom=bom,
                proba=proba,
                n_threads=threads,
                stream=stream,
                client=client,
                skip_bad=skip_bad_files,
                on_progress=None if is_mixed else talk.progress,
            )
        talk.progress.stop()
        if output != "-":
            _sum_up(talk, predictions, output, as_json)


def _sum_up(talk: Talk, predictions: Predictions, output: str, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "output": output,
                "n_documents": predictions.n_documents,
                "predicted": predictions.counts,
                "n_bad_files": predictions.n_bad_files,
                "warnings": talk.warnings,
            }
        )
        return
    talk.say(f"wrote {output}: {predictions.n_documents:,} documents")
    most = sorted(predictions.counts.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {count:,}" for name, count in most[:SHOWN])
    talk.say(f"  {shown}" + (f", and {len(most) - SHOWN} more" if len(most) > SHOWN else ""))

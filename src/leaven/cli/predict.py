"""``leaven predict``: a class for every document."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven._base.progress import Listener, Progress
from leaven.cli._common import (
    Model,
    Quiet,
    Talk,
    Threads,
    check_one_stdin,
    print_json,
    read_files,
    read_model,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._help import OUTPUT
from leaven.cli._outputs import Force, check_folder, check_table
from leaven.cli._reading import (
    StreamThrough,
    warn_bad_files,
    warn_other_columns,
    warn_wordless,
    write_counted,
)
from leaven.cli._where import DaskAddress, SkipBadFiles, check_where, connected
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from leaven.classifier import FittedClassifier, Tally
    from leaven.classifier._predictions import Columns
    from leaven.documents import DocumentFiles
    from leaven.text._embeddings import VectorSource

    Batch = tuple[pa.Table, Tally]

__all__ = ["Predictions", "predict", "predict_command"]

SHOWN = 12  # classes in the summary


@dataclass(frozen=True)
class Predictions:
    """What was predicted."""

    counts: dict[str, int]  # class → documents; one of several labels counts for each
    n_documents: int
    n_bad_files: int  # left out
    n_undecided: int = 0  # documents below the lowest probability allowed
    n_wordless: int = 0  # documents without a word that the model knows
    n_without_label: int | None = None  # documents; None where every document has one label

    @property
    def labels_per_document(self) -> float:
        """Mean number of labels of the documents that are decided."""
        return sum(self.counts.values()) / max(self.n_documents - self.n_undecided, 1)


def predict(
    model: str,
    paths: Sequence[str],
    output: str,
    reading: Reading,
    *,
    output_format: str | None = None,
    min_probability: float = 0.0,
    top: int = 0,
    bom: bool = False,
    proba: bool = False,
    neighbors: int = 0,
    n_threads: int | None = None,
    stream: bool = False,
    client: Any = None,
    skip_bad: bool = False,
    on_progress: Listener | None = None,
) -> Predictions:
    """Classify the documents in files; write all their columns, and the predictions.

    The columns added are ``predicted`` (null below ``min_probability``), ``probability``,
    ``note`` (null, or what to know about the prediction), ``top1``, ``top1_probability`` and so
    on for the ``top`` most probable classes and, with ``proba``, ``p_<class>`` for every class,
    and ``neighbors``, numbers from 1 of so many of the nearest training documents;
    where the files have a column of that name, the new one is called ``predicted_2`` and so on,
    so that nothing of the files is lost. Several labels are a list, in CSV a text.

    With ``stream`` the documents are read, classified and written in batches; with the
    ``client`` of a Dask cluster its workers read and classify them, and write them themselves
    if the output is a folder.
    """
    from leaven.classifier._predictions import Columns, label_separator
    from leaven.documents._writers import holds_lists
    from leaven.text._embeddings import vector_source

    fitted = read_model(model)
    is_list = _is_folder(output) or holds_lists(output, output_format)
    joined_by = None if is_list else label_separator(fitted)
    columns = Columns(min_probability, top, proba, neighbors, joined_by)
    columns.names(fitted, ())  # or an error, before anything is read
    reading = reading.after(fitted.reading)
    files = reading.files(paths, keep_columns=True, skip_bad=skip_bad)
    warn_other_columns(reading, files)
    source = vector_source(reading, fitted.counter.options.html)
    how = _How(fitted, files, source, columns, n_threads, on_progress)
    if client is not None and _is_folder(output):
        tally = how.parts(client, Path(os.path.abspath(output)))
    else:
        batches = how.on_cluster(client) if client is not None else how.here(stream)
        # CSV has the delimiter of the input, so that it opens in the same programs.
        delimiter = files.delimiter if files.delimiter in (";", "|") else ","
        tally = write_counted(batches, output, output_format, delimiter=delimiter, bom=bom)
    warn_bad_files(files)
    warn_wordless(tally.n_wordless, tally.n_documents)
    return Predictions(
        fitted.labels.by_name(tally.counts.tolist()),
        tally.n_documents,
        len(files.bad),
        tally.n_undecided,
        tally.n_wordless,
        tally.n_without_label if fitted.labels.has_sets else None,
    )


@dataclass(frozen=True, eq=False)
class _How:
    """What to classify, and how; nothing is done before batches are requested."""

    fitted: "FittedClassifier"
    files: "DocumentFiles"
    vectors: "VectorSource"
    columns: "Columns"
    n_threads: int | None
    on_progress: Listener | None

    def predictor(self, existing: Iterable[str], n_threads: int | None) -> Any:
        from leaven.classifier._predictions import TablePredictor

        names = self.columns.names(self.fitted, frozenset(existing))
        return TablePredictor(self.fitted, self.columns, names, self.vectors, n_threads)

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


def _is_folder(output: str) -> bool:
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _check_output(output: str, dask: str | None, inputs: Sequence[str], force: bool) -> None:
    """Refuse an output that cannot or should not be written, before any work is done."""
    if dask is None or not _is_folder(output):
        check_table(output, inputs, force=force)
        return
    folder = Path(os.path.abspath(output))
    if folder.is_dir():
        if any(folder.glob("part-*.parquet")):
            raise FileExistsError(
                f"{output!r} already contains part-*.parquet files, which would be mixed with the "
                "new ones; remove them, or choose another folder"
            )
    elif folder.exists():
        raise NotADirectoryError(f"{output!r} is a file; give the name of a folder")
    else:
        check_folder(folder)


@reads_documents(labels=False, learns=False)
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
            "as CSV. With --dask also a folder (OUT/), into which workers write Parquet files.",
            rich_help_panel=OUTPUT,
        ),
    ] = "-",
    min_probability: Annotated[
        float,
        typer.Option(
            metavar="P",
            min=0,
            max=1,
            help="Leave predicted empty, and the document undecided, where the most probable class "
            "has a lower probability; leaven evaluate --target-accuracy finds P.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0.0,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=1,
            help="Also write the K most probable classes: top1, top1_probability, top2 and so on.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    proba: Annotated[
        bool,
        typer.Option(
            "--proba",
            help="Also write p_CLASS, the probability of each class.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    neighbors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Also write the numbers of the N nearest training documents, as in 12;3;40; for "
            "nearest-neighbor methods, of those with the largest shares of the votes.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    bom: Annotated[
        bool,
        typer.Option(
            "--bom",
            help="Begin CSV with a byte order mark, by which Excel recognizes UTF-8.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    stream: StreamThrough = False,
    dask: DaskAddress = None,
    skip_bad_files: SkipBadFiles = False,
    threads: Threads = None,
    force: Force = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print JSON Lines; with -o OUT, a summary as JSON.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Classify the documents in DATA with MODEL.

    Writes all columns of DATA with three more: predicted, probability, and note, which is
    "no known word" where no word of a text is in the model's vocabulary, so that the prediction
    is not meaningful, and "undecided" below --min-probability. Where DATA
    already has a column of that name, the new one is called predicted_2, and so on.

    If documents have several labels, predicted is a list, in CSV and TSV a text such as a;b with
    the separator of training, and probability is that of exactly these labels.

    With --stream and --dask the first rows determine the columns of OUT; .jsonl keeps every
    row as it is. With --skip-bad-files a file is read to its end before its rows are written.

    Example: leaven predict reviews.leaven new.csv -o labeled.csv

    Example: leaven predict reviews.leaven new.csv --min-probability 0.8 --top 3

    Example: leaven predict reviews.leaven 'crawl/*.jsonl.gz' --stream -o labeled.parquet
    """  # fmt: skip
    check_one_stdin(model, data)
    check_where(stream, dask, data)
    with Talk(quiet) as talk:
        _check_output(output, dask, [model, *data], force)
        # A progress bar and rows would mix on one terminal.
        is_mixed = output == "-" and sys.stdout.isatty()
        with connected(dask, threads) as client:
            predictions = predict(
                model,
                data,
                output,
                reading,
                output_format="jsonl" if as_json and output == "-" else None,
                min_probability=min_probability,
                top=top or 0,
                bom=bom,
                proba=proba,
                neighbors=neighbors or 0,
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
                **_of_sets(predictions),
                "n_undecided": predictions.n_undecided,
                "n_without_known_words": predictions.n_wordless,
                "n_bad_files": predictions.n_bad_files,
                "warnings": talk.warnings,
            }
        )
        return
    n_undecided = predictions.n_undecided
    undecided = f", {n_undecided:,} of them undecided" if n_undecided else ""
    talk.note(f"wrote {output}: {predictions.n_documents:,} documents{undecided}")
    most = sorted(predictions.counts.items(), key=lambda item: -item[1])
    shown = [f"{name} {_count(count, predictions)}" for name, count in most[:SHOWN]]
    if len(most) > SHOWN:
        shown.append(f"and {len(most) - SHOWN} more")
    if predictions.n_without_label:
        from leaven.documents._label_sets import NO_LABEL

        shown.append(f"{NO_LABEL} {_count(predictions.n_without_label, predictions)}")
    talk.note(f"  {', '.join(shown)}")
    if predictions.n_without_label is not None:
        talk.note(f"  {predictions.labels_per_document:.2f} labels per document")


def _count(count: int, predictions: Predictions) -> str:
    """Documents of a label; of several labels also their share, which do not add up to 100 %."""
    if predictions.n_without_label is None:
        return f"{count:,}"
    return f"{count:,} ({percent(count / max(predictions.n_documents, 1))})"


def _of_sets(predictions: Predictions) -> dict[str, Any]:
    if predictions.n_without_label is None:
        return {}
    return {
        "n_without_label": predictions.n_without_label,
        "labels_per_document": predictions.labels_per_document,
    }

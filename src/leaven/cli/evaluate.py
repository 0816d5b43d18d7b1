"""``leaven evaluate``: how good a model is on labeled documents."""

import warnings
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven._base.progress import Listener, Progress
from leaven.cli._common import (
    AsJson,
    Model,
    Quiet,
    Talk,
    Threads,
    check_one_stdin,
    plain_table,
    print_json,
    read_files,
    read_model,
    render,
    stdout_width,
)
from leaven.cli._coverage import print_coverage
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._help import DATA, OUTPUT
from leaven.cli._outputs import Force, check_picture, check_table
from leaven.cli._reading import (
    StreamThrough,
    warn_bad_files,
    warn_other_columns,
    warn_wordless,
    write_errors,
)
from leaven.cli._where import DaskAddress, SkipBadFiles, check_where, connected
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    from leaven.classifier import Evaluation, FittedClassifier, Scorer, Sums, Target
    from leaven.documents import DocumentFiles

__all__ = ["evaluate", "evaluate_command"]

MOST_CLASSES_IN_MATRIX = 12
LARGEST_CONFUSIONS = 15


def evaluate(
    model: str,
    paths: Sequence[str],
    reading: Reading,
    *,
    errors: str | None = None,
    n_threads: int | None = None,
    stream: bool = False,
    client: Any = None,
    skip_bad: bool = False,
    include_training: bool = False,
    on_progress: Listener | None = None,
) -> "Evaluation":
    """Compare predictions with the labels in files.

    Unlabeled documents are skipped, and so are labeled ones that the model learned from,
    unless ``include_training``. Labels that are not classes of the model count as wrong,
    with a warning that names them. With ``stream``, or the ``client`` of a Dask cluster, batches
    of documents are counted and discarded. Misclassified documents are written to the file
    ``errors`` with all their columns: the most confident first, or in their order where the
    documents are not in memory.
    """
    from leaven.classifier import Scorer
    from leaven.documents._readers import no_labels_message
    from leaven.exceptions import DataError

    fitted = read_model(model)
    _check_case(reading, fitted)
    reading = reading.after(fitted.reading)
    files = reading.files(
        paths, needs_labels=True, keep_columns=errors is not None, skip_bad=skip_bad
    )
    warn_other_columns(reading, files)
    n_threads = n_threads if client is None else 1
    scorer = Scorer(fitted, reading.vectors, n_threads, include_training)
    if errors is not None:
        sums = write_errors(files, scorer, errors, stream, client, on_progress)
    elif client is not None:
        sums = _on_cluster(files, scorer, client, on_progress)
    else:
        sums = _here(files, scorer, stream, on_progress)
    if not sums.n_labeled or (sums.n_from_training and sums.n_wordless == sums.n_labeled):
        if sums.n_from_training:
            raise DataError(_only_training_message(files.source, sums.n_from_training))
        raise DataError(no_labels_message(files, "give labeled documents"))
    if sums.n_from_training:
        warnings.warn(_training_message(sums, fitted), stacklevel=2)
    warn_bad_files(files)
    if not sums.confusion.any():
        raise DataError(_all_unknown_message(files, sums, fitted))
    if sums.unknown:
        warnings.warn(_unknown_message(sums.n_unknown), stacklevel=2)
    warn_wordless(sums.n_wordless, sums.n_labeled)
    return sums.evaluation(len(files.bad))


def _here(
    files: "DocumentFiles", scorer: "Scorer", stream: bool, on_progress: Listener | None
) -> "Sums":
    if not stream:
        documents = read_files(files, on_progress)
        return scorer(documents, Progress(on_progress).phase("classifying"))
    files.report_to(Progress(on_progress).phase("reading"))
    return reduce(add, files.per_file(lambda batches: reduce(add, map(scorer, batches))))


def _on_cluster(
    files: "DocumentFiles", scorer: "Scorer", client: Any, on_progress: Listener | None
) -> "Sums":
    from leaven.classifier.on_dask import score_files
    from leaven.corpora.dask import Cluster

    return score_files(files, Cluster(client), scorer, Progress(on_progress).phase("pieces"))


def _all_unknown_message(files: "DocumentFiles", sums: "Sums", fitted: "FittedClassifier") -> str:
    return (
        f"none of the labels in {files.source} is a class of the model: column "
        f"{files.label_column!r} has {next(iter(sums.n_unknown))!r}, …, the model "
        f"{str(fitted.classes.tolist()[0])!r}, …; choose another column with --label, or give "
        "labels as in training"
    )


def _only_training_message(source: str, n_documents: int) -> str:
    return (
        f"all {n_documents:,} labeled documents in {source} were used in training, so the "
        "accuracy on them would be optimistic; give other labeled documents, see the expected "
        "accuracy in leaven info, or use --include-training"
    )


def _check_case(reading: Reading, fitted: "FittedClassifier") -> None:
    from leaven.documents._label_rules import one_spelling
    from leaven.exceptions import DataError

    other = next((name for name in fitted.labels.names if one_spelling(name) != name), None)
    if reading.ignore_case and other is not None:
        raise DataError(
            f"--ignore-case reads labels in lower case, but the model has a class {other!r}; "
            "train it with --ignore-case too"
        )


def _training_message(sums: "Sums", fitted: "FittedClassifier") -> str:
    from leaven.text._labeled_texts import MOST_REMEMBERED

    n_labeled = sums.n_documents - sums.n_unlabeled
    known, n_learned = len(fitted.labeled_hashes), fitted.report.n_labeled
    more = (
        f"; more may be among them, because the model remembers {known:,} of its {n_learned:,} "
        "labeled texts"
        if n_learned > MOST_REMEMBERED
        else ""
    )
    used = f"{sums.n_from_training:,} of {n_labeled:,} labeled documents were used in training"
    if sums.includes_training:
        return f"{used}, so the accuracy is optimistic"
    return f"{used} and are left out; --include-training includes them{more}"


def _unknown_message(counts: dict[str, int]) -> str:
    n_documents = sum(counts.values())
    shown = ", ".join(map(repr, list(counts)[:5])) + (", …" if len(counts) > 5 else "")
    noun = "label is" if len(counts) == 1 else "labels are"
    return (
        f"{len(counts)} {noun} not among the classes of the model ({shown}); their "
        f"{n_documents:,} documents count as wrong. Train with documents of these classes, or "
        "check --label"
    )


@reads_documents()
def evaluate_command(
    model: Model,
    data: Data,
    reading: Reading,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Plot the confusion matrix: .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    coverage_plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Plot the accuracy of the most confident predictions: .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    target_accuracy: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Find the lowest --min-probability of leaven predict with at least this accuracy, "
            "such as 0.95.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    errors: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the misclassified documents with all their columns, the most confident "
            "first (in file order with --stream and --dask): .csv, .tsv, .jsonl or .parquet.",
            show_default="none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Print the whole confusion matrix, however many classes there are.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    include_training: Annotated[
        bool,
        typer.Option(
            "--include-training",
            help="Also score labeled documents that MODEL was trained on.",
            rich_help_panel=DATA,
        ),
    ] = False,
    stream: StreamThrough = False,
    dask: DaskAddress = None,
    skip_bad_files: SkipBadFiles = False,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Score MODEL on the labeled documents in DATA.

    Prints accuracy with its 95 % confidence interval (Wilson), macro F1, how well calibrated
    the probabilities are, the scores of each class, the accuracy of the most confident
    predictions, and which classes are confused. Unlabeled documents are skipped, and labeled
    ones that MODEL was trained on are left out.

    Example: leaven evaluate reviews.leaven held-out.csv --plot confusion.png

    Example: leaven evaluate reviews.leaven held-out.csv --target-accuracy 0.95

    Example: leaven evaluate reviews.leaven held-out.csv --errors wrong.csv

    Example: leaven evaluate reviews.leaven 'held-out/*.parquet' --dask local
    """
    check_one_stdin(model, data)
    check_where(stream, dask, data)
    _check_target(target_accuracy)
    if errors == "-":
        raise typer.BadParameter("--errors must name a file: scores go to standard output")
    with Talk(quiet) as talk:
        if errors is not None:
            check_table(errors, [model, *data], force=force)
        for option, file in (("--plot", plot), ("--coverage-plot", coverage_plot)):
            if file is not None:
                check_picture(file, [model, *data], force=force)
                load_plots(f"leaven evaluate {option}")
        with connected(dask, threads) as client:
            scores = evaluate(
                model,
                data,
                reading,
                errors=errors,
                n_threads=threads,
                stream=stream,
                client=client,
                skip_bad=skip_bad_files,
                include_training=include_training,
                on_progress=talk.progress,
            )
        talk.progress.stop()
        if plot is not None:
            load_plots("leaven evaluate --plot").draw_confusion(
                scores.confusion, scores.classes, scores.accuracy, plot
            )
        if coverage_plot is not None:
            load_plots("leaven evaluate --coverage-plot").draw_coverage(
                scores.by_confidence, coverage_plot
            )
        target = None if target_accuracy is None else scores.by_confidence.target(target_accuracy)
        if as_json:
            found = {} if target is None else {"target": target.to_json()}
            print_json({**scores.to_json(), **found, "warnings": talk.warnings})
        else:
            _print(scores, full, target)
        for written in (plot, coverage_plot):
            if written is not None:
                talk.note(f"wrote {written}")
        if errors is not None:
            n_errors = scores.n_documents - int(scores.confusion.trace())
            noun = "document" if n_errors == 1 else "documents"
            talk.note(f"wrote {errors}: {n_errors:,} misclassified {noun}")


def load_plots(who: str) -> Any:
    """The module that draws, or an error that names the extra it needs."""
    try:
        from leaven.cli import _plots
    except ImportError:
        raise ImportError(f"`{who}` needs the plot extra: pip install 'leaven[plot]'") from None
    return _plots


def _check_target(accuracy: float | None) -> None:
    if accuracy is not None and not 0 < accuracy < 1:
        raise typer.BadParameter(
            f"--target-accuracy must be between 0 and 1, such as 0.95, got {accuracy:g}"
        )


def _print(scores: "Evaluation", full: bool, target: "Target | None" = None) -> None:
    low, high = scores.accuracy_interval
    skipped = f", {scores.n_unlabeled:,} unlabeled skipped" if scores.n_unlabeled else ""
    typer.echo(
        f"accuracy  {percent(scores.accuracy, 1)}  (95 % interval {percent(low, 1)} to "
        f"{percent(high, 1)}; "
        f"{scores.n_documents:,} labeled documents{skipped})"
    )
    typer.echo(f"macro F1  {percent(scores.macro_f1, 1)}")
    typer.echo(
        f"mean confidence  {percent(scores.mean_confidence, 1)}, calibration error "
        f"{scores.calibration_error:.3f}\n"
    )
    table = plain_table(
        "class", "precision", "recall", "F1", "documents",
        numeric=("precision", "recall", "F1", "documents"),
    )  # fmt: skip
    for name, measures in scores.per_class.items():
        shares = [percent(measures[key], 1) for key in ("precision", "recall", "f1")]
        table.add_row(name, *shares, f"{measures['support']:,}")
    render(table)
    typer.echo()
    print_coverage(scores.by_confidence, target)
    if full or len(scores.classes) <= MOST_CLASSES_IN_MATRIX:
        typer.echo("true classes in rows, predicted classes in columns:")
        render(_matrix(scores))
    else:
        _print_confusions(scores)


def _matrix(scores: "Evaluation") -> Any:
    from rich.text import Text

    n = len(scores.classes)
    width = max(map(len, scores.classes)) + sum(max(len(name), 5) + 2 for name in scores.classes)
    are_named = width <= stdout_width()
    # Names that do not fit side by side become the numbers of their rows.
    headers = scores.classes if are_named else [str(i + 1) for i in range(n)]
    table = plain_table("", *headers, numeric=headers)
    for i, row in enumerate(scores.confusion.tolist()):
        name = scores.classes[i] if are_named else f"{i + 1:>2} {scores.classes[i]}"
        cells = [
            Text(f"{count:,}" if count else "·", style="bold" if i == j else "" if count else "dim")
            for j, count in enumerate(row)
        ]
        table.add_row(name, *cells)
    return table


def _print_confusions(scores: "Evaluation") -> None:
    support = scores.confusion.sum(axis=1)
    wrong = [
        (int(scores.confusion[i, j]), i, j)
        for i in range(len(scores.classes))
        for j in range(len(scores.classes))
        if i != j and scores.confusion[i, j]
    ]
    wrong.sort(key=lambda entry: (-entry[0], entry[1:]))
    if not wrong:
        return
    typer.echo("largest confusions (--full prints the whole matrix):")
    table = plain_table(
        "true class", "predicted", "documents", "of the class",
        numeric=("documents", "of the class"),
    )  # fmt: skip
    for count, i, j in wrong[:LARGEST_CONFUSIONS]:
        table.add_row(
            scores.classes[i], scores.classes[j], f"{count:,}", percent(count / support[i], 1)
        )
    render(table)

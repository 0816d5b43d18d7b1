"""``leaven evaluate``: how good a model is on labeled documents."""

import warnings
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.progress import Listener, Progress
from leaven.cli._common import (
    AsJson,
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
    from leaven.classifier import (
        AnySums,
        Evaluation,
        FittedClassifier,
        Scorer,
        SetEvaluation,
        Target,
    )
    from leaven.classifier._scored import Totals
    from leaven.documents import DocumentFiles

__all__ = ["evaluate", "evaluate_command"]

NO_MATRIX = (
    "--plot draws a confusion matrix, but documents of this model can have several labels, which "
    "have none; leave it out, or use --coverage-plot"
)


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
    has_matrix: bool = False,
    on_progress: Listener | None = None,
) -> "Evaluation | SetEvaluation":
    """Compare predictions with the labels in files.

    Unlabeled documents are skipped, and so are labeled ones that the model learned from,
    unless ``include_training``. Labels that are not classes of the model count as wrong,
    with a warning that names them. With ``stream``, or the ``client`` of a Dask cluster, batches
    of documents are counted and discarded. Misclassified documents are written to the file
    ``errors`` with all their columns: the most confident first, or in their order where the
    documents are not in memory. ``has_matrix`` refuses documents with several labels, which have
    no confusion matrix.
    """
    from leaven.classifier import Scorer
    from leaven.documents._readers import no_labels_message
    from leaven.exceptions import DataError
    from leaven.text._embeddings import vector_source

    fitted = read_model(model)
    if has_matrix and fitted.labels.has_sets:
        raise DataError(NO_MATRIX)
    _check_case(reading, fitted)
    reading = reading.after(fitted.reading)
    files = reading.files(
        paths, needs_labels=True, keep_columns=errors is not None, skip_bad=skip_bad
    )
    warn_other_columns(reading, files)
    n_threads = n_threads if client is None else 1
    source = vector_source(reading, fitted.counter.options.html)
    scorer = Scorer(fitted, source, n_threads, include_training)
    if errors is not None:
        sums = write_errors(files, scorer, errors, stream, client, on_progress)
    elif client is not None:
        sums = _on_cluster(files, scorer, client, on_progress)
    else:
        sums = _here(files, scorer, stream, on_progress)
    totals = sums.totals
    if not totals.n_labeled or (totals.n_from_training and totals.n_wordless == totals.n_labeled):
        if totals.n_from_training:
            raise DataError(_only_training_message(files.source, totals.n_from_training))
        raise DataError(no_labels_message(files, "give labeled documents"))
    if totals.n_from_training:
        warnings.warn(_training_message(totals, fitted), stacklevel=2)
    warn_bad_files(files)
    if not sums.has_known:
        raise DataError(_all_unknown_message(files, sums, fitted))
    if sums.unknown:
        warnings.warn(_unknown_message(sums, fitted), stacklevel=2)
    warn_wordless(totals.n_wordless, totals.n_labeled)
    return sums.evaluation(len(files.bad))


def _here(
    files: "DocumentFiles", scorer: "Scorer", stream: bool, on_progress: Listener | None
) -> "AnySums":
    if not stream:
        documents = read_files(files, on_progress)
        return scorer(documents, Progress(on_progress).phase("classifying"))
    files.report_to(Progress(on_progress).phase("reading"))
    total: AnySums = reduce(add, files.per_file(lambda batches: reduce(add, map(scorer, batches))))
    return total


def _on_cluster(
    files: "DocumentFiles", scorer: "Scorer", client: Any, on_progress: Listener | None
) -> "AnySums":
    from leaven.classifier.on_dask import score_files
    from leaven.corpora.dask import Cluster

    return score_files(files, Cluster(client), scorer, Progress(on_progress).phase("pieces"))


def _all_unknown_message(
    files: "DocumentFiles", sums: "AnySums", fitted: "FittedClassifier"
) -> str:
    return (
        f"none of the labels in {files.source} is a class of the model: column "
        f"{files.label_column!r} has {sums.unknown_labels[0]!r}, …, the model "
        f"{fitted.labels.names[0]!r}, …; choose another column with --label, or give "
        f"labels as in training{_or_separator(fitted)}"
    )


def _or_separator(fitted: "FittedClassifier") -> str:
    """What else can help where documents have several labels."""
    trained = None if fitted.reading is None else fitted.reading.label_separator
    is_likely = fitted.labels.has_sets and trained is None
    return "; --label-separator divides a text into labels" if is_likely else ""


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


def _training_message(totals: "Totals", fitted: "FittedClassifier") -> str:
    from leaven.text._labeled_texts import MOST_REMEMBERED

    n_labeled = totals.n_documents - totals.n_unlabeled
    known, n_learned = len(fitted.labeled_hashes), fitted.report.n_labeled
    more = (
        f"; more may be among them, because the model remembers {known:,} of its {n_learned:,} "
        "labeled texts"
        if n_learned > MOST_REMEMBERED
        else ""
    )
    used = f"{totals.n_from_training:,} of {n_labeled:,} labeled documents were used in training"
    if totals.includes_training:
        return f"{used}, so the accuracy is optimistic"
    return f"{used} and are left out; --include-training includes them{more}"


def _unknown_message(sums: "AnySums", fitted: "FittedClassifier") -> str:
    names = sums.unknown_labels
    shown = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
    noun = "label is" if len(names) == 1 else "labels are"
    return (
        f"{len(names)} {noun} not among the classes of the model ({shown}); their "
        f"{sums.n_unknown:,} documents count as wrong. Train with documents of these classes, or "
        f"check --label{_or_separator(fitted)}"
    )


@reads_documents(learns=False)
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
            help="Print all classes, and the whole confusion matrix (beyond 200 classes, a list of "
            "all confusions); for several labels, all that are missed or added.",
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

    If documents have several labels, prints exact match (the whole label set is correct), micro and
    macro F1, Hamming loss, and which labels are most often missed and wrongly added.

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
                has_matrix=plot is not None,
                on_progress=talk.progress,
            )
        talk.progress.stop()
        if plot is not None and scores.has_sets is False:
            load_plots("leaven evaluate --plot").draw_confusion(
                scores.confusion, scores.classes, scores.accuracy, plot
            )
        if coverage_plot is not None:
            load_plots("leaven evaluate --coverage-plot").draw_coverage(
                scores.by_confidence,
                coverage_plot,
                "exact match" if scores.has_sets else "accuracy",
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
            noun = "document" if scores.n_errors == 1 else "documents"
            talk.note(f"wrote {errors}: {scores.n_errors:,} misclassified {noun}")


def _print(
    scores: "Evaluation | SetEvaluation", full: bool, target: "Target | None" = None
) -> None:
    from leaven.cli._scores import print_scores
    from leaven.cli._set_scores import print_set_scores

    if scores.has_sets is True:
        print_set_scores(scores, full, target)
    else:
        print_scores(scores, full, target)


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

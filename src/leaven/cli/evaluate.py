"""``leaven evaluate``: how good a model is on labeled documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven.cli._common import (
    AsJson,
    Data,
    Encoding,
    Format,
    LabelColumn,
    Model,
    OnProgress,
    Talk,
    TextColumn,
    Threads,
    VectorColumn,
    check_folder,
    check_one_stdin,
    plain_table,
    print_json,
    read_files,
    read_model,
    render,
    stdout_width,
    vectors_in,
)

if TYPE_CHECKING:
    from leaven._typing import IntArray

__all__ = ["Evaluation", "evaluate", "evaluate_command"]

MOST_CLASSES_IN_MATRIX = 12
LARGEST_CONFUSIONS = 15


@dataclass(frozen=True, eq=False)
class Evaluation:
    """True against predicted classes."""

    classes: list[str]  # the model's, then labels that it does not know
    confusion: "IntArray"  # (n_classes, n_classes) documents; rows are true, columns predicted
    n_unlabeled: int  # documents skipped
    mean_confidence: float  # mean probability of the predictions
    calibration_error: float  # expected: how far accuracy is from confidence, ten bins

    @property
    def n_documents(self) -> int:
        return int(self.confusion.sum())

    @property
    def accuracy(self) -> float:
        return float(self.confusion.trace() / self.confusion.sum())

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        from leaven.significance import wilson_interval

        return wilson_interval(int(self.confusion.trace()), self.n_documents)

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes that occur among the labels or the predictions."""
        occurring = self.confusion.sum(axis=0) + self.confusion.sum(axis=1) > 0
        scores = zip(self.per_class.values(), occurring.tolist(), strict=True)
        return float(sum(own["f1"] for own, occurs in scores if occurs) / occurring.sum())

    @property
    def per_class(self) -> dict[str, dict[str, float]]:
        """Precision, recall, F1 (0 where nothing was predicted, or nothing is there), support."""
        right = self.confusion.diagonal().tolist()
        predicted = self.confusion.sum(axis=0).tolist()
        support = self.confusion.sum(axis=1).tolist()
        return {
            name: {
                "precision": r / p if p else 0.0,
                "recall": r / s if s else 0.0,
                "f1": 2 * r / (p + s) if p + s else 0.0,
                "support": s,
            }
            for name, r, p, s in zip(self.classes, right, predicted, support, strict=True)
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.accuracy_interval),
            "macro_f1": self.macro_f1,
            "mean_confidence": self.mean_confidence,
            "calibration_error": self.calibration_error,
            "per_class": self.per_class,
            "confusion": {"classes": self.classes, "matrix": self.confusion.tolist()},
            "n_documents": self.n_documents,
            "n_unlabeled": self.n_unlabeled,
        }


def evaluate(
    model: str,
    paths: Sequence[str],
    *,
    text: str | None = None,
    label: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    vectors: str | None = None,
    n_threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Evaluation:
    """Compare predictions with the labels in files.

    Unlabeled documents are skipped. Labels that are not classes of the model count as wrong,
    with a warning that names them.
    """
    import warnings

    import numpy as np
    import pyarrow as pa

    from leaven._labels import encode_labels
    from leaven.blend import calibration_error
    from leaven.exceptions import DataError
    from leaven.text import DocumentFiles

    fitted = read_model(model)
    files = DocumentFiles(
        paths,
        text=text,
        label=label,
        format=format,
        encoding=encoding,
        needs_labels=True,
        keep_columns=vectors is not None,
    )
    documents = read_files(files, on_progress)
    labels = encode_labels(documents.labels)
    is_labeled = labels.codes >= 0
    if not is_labeled.any():
        raise DataError(
            f"no document in {documents.source} is labeled: column {files.label_column!r} is "
            "empty in every row; give labeled documents, or choose another column with --label"
        )
    known = [str(name) for name in fitted.classes.tolist()]
    unknown = [name for name in labels.classes.tolist() if name not in set(known)]
    if unknown:
        warnings.warn(_unknown_message(unknown, labels.counts, labels.classes), stacklevel=2)
    classes = known + unknown
    code = {name: i for i, name in enumerate(classes)}
    truth = np.array([code[name] for name in labels.classes])[labels.codes[is_labeled]]

    def classified(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress("classifying", done, total)

    texts = documents.texts.filter(pa.array(is_labeled))
    classified(0, len(texts))
    given = vectors_in(documents, vectors)
    probability = fitted.predict_proba(
        texts,
        vectors=None if given is None else given[is_labeled],
        n_threads=n_threads,
        on_progress=classified,
    )
    predicted, confidence = probability.argmax(axis=1), probability.max(axis=1)
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    return Evaluation(
        classes,
        confusion,
        int((~is_labeled).sum()),
        float(confidence.mean()),
        calibration_error(confidence, predicted == truth),
    )


def _unknown_message(unknown: list[str], counts: Any, classes: Any) -> str:
    how_many = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    n_documents = sum(how_many[name] for name in unknown)
    shown = ", ".join(repr(name) for name in unknown[:5]) + (", …" if len(unknown) > 5 else "")
    noun = "label is" if len(unknown) == 1 else "labels are"
    return (
        f"{len(unknown)} {noun} unknown to the model ({shown}); their {n_documents:,} documents "
        "count as wrong. Train with documents of these classes, or check --label"
    )


def evaluate_command(
    model: Model,
    data: Data,
    text: TextColumn = None,
    label: LabelColumn = None,
    vectors: VectorColumn = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the confusion matrix: .png, .svg or .pdf."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print the confusion matrix however many classes.")
    ] = False,
    format: Format = None,
    encoding: Encoding = "utf-8",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Score MODEL on the labeled documents in DATA.

    Prints accuracy with its 95 % confidence interval (Wilson's), macro F1, how honest the
    probabilities are, the scores of each class, and which classes are taken for which.
    Unlabeled documents are skipped.

    Example: leaven evaluate reviews.leaven held-out.csv --label stars --plot confusion.png
    """
    check_one_stdin(model, data)
    with Talk() as talk:
        if plot is not None:
            check_folder(plot)
            load_plots("leaven evaluate --plot")
        scores = evaluate(
            model,
            data,
            text=text,
            label=label,
            format=None if format is None else format.value,
            encoding=encoding,
            vectors=vectors,
            n_threads=threads,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        if plot is not None:
            load_plots("leaven evaluate --plot").draw_confusion(
                scores.confusion, scores.classes, scores.accuracy, plot
            )
        if as_json:
            print_json({**scores.to_json(), "warnings": talk.warnings})
        else:
            _print(scores, full)
        if plot is not None:
            talk.say(f"drew {plot}")


def load_plots(who: str) -> Any:
    """The module that draws, or an error that names the extra it needs."""
    try:
        from leaven.cli import _plots
    except ImportError:
        raise ImportError(f"`{who}` needs the plot extra: pip install 'leaven[plot]'") from None
    return _plots


def _print(scores: Evaluation, full: bool) -> None:
    low, high = scores.accuracy_interval
    skipped = f", {scores.n_unlabeled:,} unlabeled skipped" if scores.n_unlabeled else ""
    typer.echo(
        f"accuracy  {scores.accuracy:.1%}  (95 % interval {low:.1%} to {high:.1%}; "
        f"{scores.n_documents:,} labeled documents{skipped})"
    )
    typer.echo(f"macro F1  {scores.macro_f1:.1%}")
    typer.echo(
        f"mean confidence  {scores.mean_confidence:.1%}, calibration error "
        f"{scores.calibration_error:.3f}\n"
    )
    table = plain_table(
        "class", "precision", "recall", "F1", "documents",
        numeric=("precision", "recall", "F1", "documents"),
    )  # fmt: skip
    for name, own in scores.per_class.items():
        shares = [f"{own[key]:.1%}" for key in ("precision", "recall", "f1")]
        table.add_row(name, *shares, f"{own['support']:,}")
    render(table)
    typer.echo()
    if full or len(scores.classes) <= MOST_CLASSES_IN_MATRIX:
        typer.echo("true classes in rows, predicted classes in columns:")
        render(_matrix(scores))
    else:
        _print_confusions(scores)


def _matrix(scores: Evaluation) -> Any:
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


def _print_confusions(scores: Evaluation) -> None:
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
            scores.classes[i], scores.classes[j], f"{count:,}", f"{count / support[i]:.1%}"
        )
    render(table)

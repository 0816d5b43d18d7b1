"""``leaven demo``: what unlabeled documents are worth, on documents that every machine has."""

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven.cli._common import AsJson, Quiet, Talk, print_json, render
from leaven.cli._help import OUTPUT
from leaven.cli._outputs import Force, check_model, check_picture, check_table
from leaven.cli.evaluate import load_plots
from leaven.cli.explain import explanation_json, explanation_table, words_table

if TYPE_CHECKING:
    from leaven.datasets import TextDataset
    from leaven.experts import Explanation
    from leaven.methods import TextClassifier

__all__ = ["Example", "Point", "compare", "demo_command", "learn", "split"]

LABELS_PER_CLASS = (1, 2, 5, 10)
METHODS = ("nb", "em", "auto")
SHOWN_LABELS_PER_CLASS = 2
HELD_OUT = 0.4
WORDS = 8
EXAMPLE_WORDS = 5
READABLE = 300  # characters of an example
EXAMPLES = ((True, 2), (False, 1))  # how many right and wrong predictions are shown


@dataclass(frozen=True)
class Point:
    """Accuracies of one method with a number of labels per class, one per draw."""

    method: str
    labels_per_class: int
    accuracies: list[float]

    @property
    def mean(self) -> float:
        return sum(self.accuracies) / len(self.accuracies)

    @property
    def sd(self) -> float:
        n = len(self.accuracies)
        squares = sum((each - self.mean) ** 2 for each in self.accuracies)
        return float((squares / (n - 1)) ** 0.5) if n > 1 else 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "mean": self.mean, "sd": self.sd}


@dataclass(frozen=True)
class Split:
    """Documents to train on, few of them labeled, and documents to test on."""

    texts: list[str]
    labels: list[str | None]
    test_texts: list[str]
    test_labels: list[str]


@dataclass(frozen=True)
class Example:
    """A held-out document and why it was classified as it was."""

    text: str
    label: str
    explanation: "Explanation"


def split(corpus: "TextDataset", labels_per_class: int, draw: int) -> Split:
    """Hold out 40 % of every class; of the rest, label a few of every class.

    The documents labeled first are the same for every number of labels, so that a curve
    over that number shows what more labels add.
    """
    import numpy as np

    labels = np.array(corpus.labels, dtype=object)
    order = np.random.default_rng([draw, len(labels)]).permutation(len(labels))
    is_test = np.zeros(len(labels), dtype=bool)
    shown = np.full(len(labels), None, dtype=object)
    for name in sorted(set(corpus.labels)):
        members = order[labels[order] == name]
        n_test = round(HELD_OUT * len(members))
        is_test[members[:n_test]] = True
        shown[members[n_test : n_test + labels_per_class]] = name
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    return Split(
        [corpus.texts[i] for i in train],
        shown[train].tolist(),
        [corpus.texts[i] for i in test],
        labels[test].tolist(),
    )


def learn(data: Split, method: str) -> "TextClassifier":
    """Train on a split; the collapse of an unlucky draw shows in the accuracy."""
    from leaven import TextClassifier
    from leaven.exceptions import CollapseWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapseWarning)
        # Only accuracy is measured, and calibration does not change it.
        return TextClassifier(method, calibrate=False).fit(data.texts, data.labels)


def compare(
    corpus: "TextDataset", labels_per_class: int, n_draws: int, on_draw: Callable[[], None]
) -> list[Point]:
    """Accuracy of supervised naive Bayes, EM and the default, on the same draws."""
    accuracies: dict[str, list[float]] = {method: [] for method in METHODS}
    for draw in range(n_draws):
        data = split(corpus, labels_per_class, draw)
        for method in METHODS:
            right = learn(data, method).predict(data.test_texts) == data.test_labels
            accuracies[method].append(float(right.mean()))
        on_draw()
    return [Point(method, labels_per_class, accuracies[method]) for method in METHODS]


def examples(classifier: "TextClassifier", data: Split) -> list[Example]:
    """A few held-out documents that are short enough to read, right and wrong ones."""
    predicted = classifier.predict(data.test_texts).tolist()
    found = []
    for is_right, how_many in EXAMPLES:
        seen: set[str] = set()  # one document per class
        for text, label, guess in zip(data.test_texts, data.test_labels, predicted, strict=True):
            if (guess == label) is not is_right or label in seen or len(text) > READABLE:
                continue
            explanation = classifier.explain(text, EXAMPLE_WORDS)
            if not explanation.words:  # the model knows no word of it
                continue
            pull = explanation.words[0].pull
            if max(pull, key=pull.__getitem__) == guess:  # its strongest word explains it
                seen.add(label)
                found.append(Example(text, label, explanation))
            if len(seen) == how_many:
                break
    return found


def write_corpus(path: Path) -> None:
    """Write the corpus with columns text, label (10 per class, the rest empty) and truth."""
    import numpy as np
    import pyarrow as pa

    from leaven.datasets import load_docstrings
    from leaven.documents._writers import write_table

    corpus = load_docstrings()
    truth = np.array(corpus.labels, dtype=object)
    labels = np.full(len(truth), None, dtype=object)
    rng = np.random.default_rng(0)
    for name in sorted(set(corpus.labels)):
        chosen = rng.choice(np.flatnonzero(truth == name), LABELS_PER_CLASS[-1], replace=False)
        labels[chosen] = name
    columns = {"text": corpus.texts, "label": labels.tolist(), "truth": corpus.labels}
    write_table(pa.table(columns), str(path))


def demo_command(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="Model file to write.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("demo.leaven"),
    plot: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="Plot to write: .png, .svg or .pdf.", rich_help_panel=OUTPUT
        ),
    ] = Path("demo.png"),
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the documents as CSV, 10 per class labeled, to try other commands on.",
            show_default="not written",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Random choices of the labeled documents to average over."
        ),
    ] = 10,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show how much unlabeled documents help, on SciPy's docstrings.

    Trains with 1, 2, 5 and 10 labels per class: naive Bayes on the labels only, leaven's method
    em, and its default, auto; then explains the model trained on 2. Nothing is downloaded.

    Example: leaven demo
    """
    started = time.perf_counter()
    with Talk(quiet) as talk:
        check_model(output, force=force)
        check_picture(plot, force=force)
        check_table(csv, force=force)
        if csv is not None:
            write_corpus(csv)
        result = _run(talk, draws, output, plot, is_shown=not as_json)
        result["seconds"] = time.perf_counter() - started
        result["warnings"] = talk.warnings
        if as_json:
            print_json(result)
            return
        wrote = f"wrote {output}" + (f" and {plot}" if result["plot"] else "")
        talk.note("", f"{wrote} in {result['seconds']:.0f} s. Next, with a CSV file of your own:")
        for command in (
            "leaven train yours.csv --text TEXT_COLUMN --label LABEL_COLUMN -o yours.leaven",
            "leaven explain yours.leaven",
            "leaven predict yours.leaven yours.csv -o predicted.csv",
        ):
            talk.note(f"  {command}")


def _run(talk: Talk, n_draws: int, output: Path, plot: Path, *, is_shown: bool) -> dict[str, Any]:
    from leaven.datasets import load_docstrings

    def show(*results: Any) -> None:
        if is_shown:
            render(*results)

    corpus = load_docstrings()
    n_classes = len(set(corpus.labels))
    show(
        f"{len(corpus.texts):,} docstrings of SciPy in {n_classes} classes, its sub-packages. "
        f"40 % are held out for testing;\nof the others a few per class are labeled, the rest are "
        f"unlabeled. Accuracy, mean ± standard deviation over {n_draws} draws:\n\n"
        "labels per class   naive Bayes, labels only   leaven em       leaven auto (default)"
    )
    points: list[Point] = []
    for row in _compared(talk, corpus, n_draws):
        points += row
        nb, em, auto = map(_shown, row)
        show(f"{row[0].labels_per_class:>16}   {nb:<24}   {em:<13}   {auto}")
    talk.progress.stop()

    accuracies = next(
        point.accuracies
        for point in points
        if point.method == "auto" and point.labels_per_class == SHOWN_LABELS_PER_CLASS
    )
    middle = sorted(accuracies)[(len(accuracies) - 1) // 2]
    data = split(corpus, SHOWN_LABELS_PER_CLASS, accuracies.index(middle))
    classifier = learn(data, "auto")
    words = classifier.top_words(WORDS)
    show(
        f"\nWhat leaven auto learned from {SHOWN_LABELS_PER_CLASS} labels per class, in the draw "
        f"of median accuracy ({percent(middle, 1)}):\n",
        words_table(words),
    )
    cases = examples(classifier, data)
    show("\nHeld-out documents, with the words that contributed most:")
    for case in cases:
        verdict = "right" if case.explanation.label == case.label else f"wrong: it is {case.label}"
        show(f"\n“{_shortened(case.text)}” ({verdict})", *explanation_table(case.explanation))
    classifier.save(output)
    return {
        "corpus": {
            "name": corpus.name, "n_documents": len(corpus.texts), "n_classes": n_classes,
        },
        "results": [point.to_json() for point in points],
        "top_words": words,
        "examples": [
            {"text": case.text, "label": case.label, **explanation_json(case.explanation)}
            for case in cases
        ],
        "model": str(output),
        "plot": _drawn(talk, points, f"SciPy's docstrings, {n_classes} classes", plot),
    }  # fmt: skip


def _compared(talk: Talk, corpus: "TextDataset", n_draws: int) -> Iterable[list[Point]]:
    done, total = 0, n_draws * len(LABELS_PER_CLASS)

    def count() -> None:
        nonlocal done
        done += 1
        talk.progress("training", done, total)

    talk.progress("training", 0, total)
    for labels_per_class in LABELS_PER_CLASS:
        yield compare(corpus, labels_per_class, n_draws, count)


def _drawn(talk: Talk, points: list[Point], title: str, plot: Path) -> str | None:
    try:
        plots = load_plots("leaven demo --plot")
    except ImportError as error:
        talk.note(f"no plot: {error}")
        return None
    plots.draw_learning_curves(points, title, plot)
    return str(plot)


def _shown(point: Point) -> str:
    return f"{percent(point.mean, 1)} ± {100 * point.sd:.1f}"


def _shortened(text: str, most: int = 160) -> str:
    line = " ".join(word for word in text.split() if word.strip("-="))
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)] + " …"

"""Comparison of all methods on the same held-out labels of the user's documents."""

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.bars import listening
from leaven._base.folds import enough_folds, labeled_folds
from leaven._base.measures import macro_f1, micro_f1
from leaven._base.peak_memory import PeakMemory
from leaven._base.progress import Listener, OnProgress
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import Seed, check_choice, check_whole, checked_seed
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_labels, check_lengths, doubtful_labels
from leaven.documents._label_encoding import encode_labels
from leaven.documents._label_rules import LabelRules
from leaven.documents._labels import EncodedLabels
from leaven.exceptions import LabelWarning
from leaven.learning import check_given
from leaven.methods._method_results import Comparison, MethodResult
from leaven.methods._registry import METHODS, methods_where
from leaven.methods._text_classifier import TextClassifier
from leaven.significance import Z_90, wilson_interval

__all__ = ["compare"]

FOLDS = 5  # by default
LARGE, FOLDS_OF_LARGE = 10_000, 3  # documents beyond which fewer folds are used
MOST_FOR_SLOW = 30_000  # documents × classes with which a slow method takes a minute or two


def compare(
    texts: Any,
    labels: Any,
    *,
    methods: Sequence[str] | None = None,
    n_splits: int | None = None,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    text_options: Mapping[str, Any] | None = None,
    vectors: Any = None,
    unlabeled: Sequence[Any] = (),
    ignore_case: bool = False,
    on_progress: OnProgress = None,
) -> Comparison:
    """Compare all methods on your own texts, with the same labels held out.

    The labeled documents are split into folds, the same for all methods. Each fold is left out
    in turn; a method is trained on the others and on all unlabeled documents, and predicts the
    classes of the fold. The only labeled document of a class is never held out. 20,000
    documents of 20 classes take about a minute on two processors.

    Parameters
    ----------
    texts : list of str, or a column of pandas, polars or Arrow
        The documents.
    labels : list of str or int, or such a column
        The class of each document; None, NaN or "" (-1 among whole numbers) is unlabeled.
        Several labels per document as in [`leaven.TextClassifier.fit`][].
    methods : list of str or None, default=None
        Methods of [`leaven.TextClassifier`][]. None is all of them, without slow ones if
        documents times classes are more than 30,000; for several labels per document, those
        that learn them.
    n_splits : int or None, default=None
        Number of folds. None is five, or three beyond 10,000 documents, of which no more are
        used than needed to hold out 1,000 documents.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.
    random_state : int, RandomState, Generator or None, default=0
        Seed of folds and methods.
    text_options : dict or None, default=None
        As in [`leaven.TextClassifier`][], for all methods.
    vectors : array of shape (n_documents, n_dims) or None, default=None
        A vector of each document, for the methods that use vectors.
    unlabeled, ignore_case
        As in [`leaven.TextClassifier`][].
    on_progress : callable, "bar" or None, default=None
        "bar" shows a progress bar, on a terminal or in a notebook. A function is called as
        ``on_progress("comparing", done, total)`` after every fit, and with the same numbers
        during one.

    Returns
    -------
    Comparison
        The best method first. One that fails on a fold has an ``error`` instead of numbers.
        ``winner`` is None where the best is not significantly better than all others (McNemar's
        exact test, adjusted by Holm's procedure); ``indistinguishable`` lists those. For
        several labels per document, ``accuracy`` is the share of documents whose labels are all
        predicted, and no other. A notebook shows a table.

    Raises
    ------
    ValueError
        If a method is unknown, or no class has two labeled documents.

    Warns
    -----
    LabelWarning
        If classes look like spellings of one, or like missing labels.

    See Also
    --------
    diagnose : Whether unlabeled text helps, and what to do if not.

    Notes
    -----
    Probabilities are not calibrated (except for "auto", which always does so): that would take
    five times as long and changes no prediction. For several labels per document they are,
    because the number of predicted labels depends on it. Memory is what the process holds at
    the peak of a fit above what it held before; it can be measured on Linux only.

    Examples
    --------
    >>> texts = ["dough and yeast", "bread and dough", "yeast bread dough",
    ...          "stars and planets", "planets orbit stars", "an orbit of stars"]
    >>> labels = ["baking", "baking", None, "space", "space", None]
    >>> comparison = compare(texts, labels, methods=["nb", "em"])
    >>> print(comparison.sentence)
    No clear winner: nb (100 %) and em (100 %) do not differ significantly on 4 held-out labels.
    """
    requested = None if methods is None else _checked_methods(methods)
    seed = checked_seed(random_state)
    array = as_text_array(texts)
    encoded = encode_labels(labels, LabelRules.of(unlabeled, ignore_case))
    check_lengths(encoded, len(array))
    check_labels(encoded.labels, encoded.counts, len(array))
    for doubt in doubtful_labels(encoded.labels, encoded.counts):
        warnings.warn(doubt, LabelWarning, stacklevel=2)
    folds = _folds(encoded, n_splits, seed)
    given = None if vectors is None else check_given(vectors, len(array))
    fitting = methods_where(learns_sets=True) if encoded.labels.has_sets else list(METHODS)
    usual = _usual_methods(len(array), len(encoded.classes))
    names = requested or [name for name in fitting if name in usual]
    left_out = [] if requested else [name for name in fitting if name not in usual]
    trials = {name: _Trial(name) for name in names}
    done, total = 0, len(names) * len(folds)
    with listening(on_progress) as listener:

        def tell(*_: Any) -> None:
            if listener is not None:
                listener("comparing", done, total)

        for fold in folds:
            for trial in trials.values():
                tell()
                clf = TextClassifier(
                    trial.name,
                    text_options=text_options,
                    calibrate=encoded.labels.has_sets,
                    n_jobs=n_jobs,
                    random_state=seed,
                )
                trial.run(clf, array, encoded, fold, given, tell)
                done += 1
        tell()
    errors = [trial.error for trial in trials.values() if trial.error is not None]
    if len(errors) == len(names):
        raise errors[0]
    held_out = np.concatenate(folds)
    truth = EncodedLabels(encoded.codes[held_out], encoded.labels)
    results = [trial.result(truth) for trial in trials.values()]
    results.sort(key=_merit, reverse=True)
    n_labeled = int(encoded.counts.sum())
    return Comparison(
        results,
        n_labeled,
        len(array) - n_labeled,
        len(folds),
        left_out,
        tuple(held_out.tolist()),
        encoded.labels.has_sets,
    )


def _merit(result: MethodResult) -> tuple[bool, float, float]:
    return result.error is None, result.accuracy or 0.0, result.macro_f1 or 0.0


def _usual_methods(n_documents: int, n_classes: int) -> list[str]:
    """All methods that take a minute or two at most."""
    is_large = n_documents * n_classes > MOST_FOR_SLOW
    return methods_where(is_slow=False) if is_large else list(METHODS)


def _checked_methods(methods: Sequence[str]) -> list[str]:
    names = [methods] if isinstance(methods, str) else list(dict.fromkeys(methods))
    if not names:
        raise ValueError(
            f"methods must name at least one method, got none; choose from {', '.join(METHODS)}"
        )
    for name in names:
        check_choice("methods", name, METHODS)
    return names


def _folds(labels: EncodedLabels, n_splits: int | None, seed: int | None) -> list[IntArray]:
    """Places of the documents to hold out together."""
    if labels.labels.per_class(labels.counts).max(initial=0) < 2:
        raise ValueError(
            "methods are compared on held-out labels, which needs a class with two labeled "
            "documents, but every class has one; label a second document of some classes"
        )
    if n_splits is not None:
        check_whole("n_splits", n_splits, "[2, inf)")
        return labeled_folds(labels.strata, int(n_splits), seed)
    number = FOLDS if len(labels.codes) <= LARGE else FOLDS_OF_LARGE
    return enough_folds(labeled_folds(labels.strata, number, seed))


def _counted(
    parts: Sequence[EncodedLabels], labels: EncodedLabels
) -> tuple[BoolArray, IntArray, IntArray, IntArray]:
    """Which documents are right, and how many of each class are right, there, and predicted."""
    classes = labels.classes.tolist()
    if labels.labels.has_sets:
        predicted = np.concatenate([part.membership_in(classes) for part in parts])
        truth = labels.membership
        both = (predicted & truth).sum(axis=0)
        return (predicted == truth).all(axis=1), both, truth.sum(axis=0), predicted.sum(axis=0)
    codes = np.concatenate([part.codes_in(classes) for part in parts])
    right = codes == labels.codes
    n_right, n_true, n_predicted = (
        np.bincount(each, minlength=len(classes)) for each in (codes[right], labels.codes, codes)
    )
    return right, n_right, n_true, n_predicted


class _Trial:
    """One method, fold after fold, until it fails."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.predicted: list[EncodedLabels] = []  # of each fold
        self.seconds: list[float] = []
        self.memory: list[float | None] = []
        self.error: Exception | None = None

    def run(
        self,
        clf: TextClassifier,
        texts: pa.LargeStringArray,
        labels: EncodedLabels,
        fold: IntArray,
        vectors: FloatArray | None,
        on_progress: Listener,
    ) -> None:
        if self.error is not None:
            return
        is_kept = np.ones(len(texts), bool)
        is_kept[fold] = False
        names = labels.labels.listed(labels.codes[is_kept])
        kept_vectors, held_vectors = None, None
        if vectors is not None and METHODS[self.name].sees_vectors:
            kept_vectors, held_vectors = vectors[is_kept], vectors[fold]
        rest = texts.filter(pa.array(is_kept))
        try:
            # Every fold would give the same warnings, and the accuracy shows their effect.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with PeakMemory() as memory:
                    start = time.perf_counter()
                    clf.fit(rest, names, vectors=kept_vectors, on_progress=on_progress)
                    self.seconds.append(time.perf_counter() - start)
                held_out = texts.take(pa.array(fold))
                decided = clf._decided(held_out, held_vectors)
        except Exception as error:  # whatever a learner raises, the other methods go on
            self.error = error
            return
        self.memory.append(memory.added)
        self.predicted.append(decided.labels)

    def result(self, labels: EncodedLabels) -> MethodResult:
        if self.error is not None:
            kind = "" if isinstance(self.error, ValueError) else f"{type(self.error).__name__}: "
            return MethodResult(self.name, error=kind + " ".join(str(self.error).split()))
        right, *sums = _counted(self.predicted, labels)
        low, high = wilson_interval(int(right.sum()), len(right), Z_90)
        measured = [added for added in self.memory if added is not None]
        return MethodResult(
            self.name,
            float(right.mean()),
            low,
            high,
            macro_f1(*sums),
            float(np.median(self.seconds)),  # the first fit may include compilation
            float(np.median(measured)) if measured else None,
            right=tuple(right.tolist()),
            micro_f1=micro_f1(*sums) if labels.labels.has_sets else None,
        )

"""Which documents to label next, for people who label elsewhere than on the page."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.bars import listening
from leaven._base.progress import OnProgress
from leaven._base.typing import BoolArray, FloatArray
from leaven._base.validation import Seed, check_whole, checked_seed
from leaven.classifier import FittedClassifier
from leaven.corpora import Block, in_memory
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_lengths
from leaven.documents._label_encoding import encode_labels
from leaven.documents._labels import EncodedLabels
from leaven.learning import check_given, learn_view
from leaven.methods._label_lists import Suggestion, Suggestions
from leaven.methods._repeated_fits import RepeatedFits
from leaven.query import typical_documents, useful_documents

__all__ = ["suggest", "suggest_for"]

FEWEST_LABELS = 10  # with fewer, a model's doubts say little
N_DIMS = 100  # of vectors that tell which documents are similar


def suggest(
    texts: Any,
    labels: Any = None,
    n: int = 20,
    *,
    method: str = "auto",
    text_options: Mapping[str, Any] | None = None,
    vectors: Any = None,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    on_progress: OnProgress = None,
) -> Suggestions:
    """Documents to label next, the most useful first.

    With few labels or none, typical documents of groups that have no label yet; with more,
    documents that a model is unsure of and that many others are similar to, different from each
    other. Label them in this order, and ask again.

    Parameters
    ----------
    texts : list of str, or a column of pandas, polars or Arrow
        All documents.
    labels : list of labels or None, default=None
        As for [`leaven.TextClassifier.fit`][]; None where no document is labeled.
    n : int, default=20
        How many documents.
    method : str, default="auto"
        Method of the model, where there are labels of two classes.
    text_options : dict or None, default=None
        As in [`leaven.TextClassifier`][]; words must not be selected by labels.
    vectors : array of shape (n_documents, n_dims) or None, default=None
        Vectors of your own, to be used beside those learned from the text.
    n_jobs, random_state
        As for [`leaven.TextClassifier`][].
    on_progress : callable, "bar" or None, default=None
        As for [`leaven.TextClassifier.fit`][].

    Returns
    -------
    list of Suggestion
        With the ``number`` of the document, ``why`` it is suggested ("typical" or "uncertain"),
        and the label ``predicted`` with its ``probability``, where there is a model.

    Examples
    --------
    >>> from leaven import suggest
    >>> texts = ["dough and yeast", "yeast bread", "stars and planets", "planets orbit stars"]
    >>> len(suggest(texts, n=2))
    2
    """
    check_whole("n", n, "[1, inf)")
    array = as_text_array(texts)
    given = None if vectors is None else check_given(vectors, len(array))
    encoded = None if labels is None else encode_labels(labels)
    is_labeled = np.zeros(len(array), bool)
    if encoded is not None:
        check_lengths(encoded, len(array))
        is_labeled = encoded.codes >= 0
    seed = checked_seed(random_state)
    with listening(on_progress) as listener:
        fits = RepeatedFits(
            array,
            text_options=text_options,
            given=given,
            n_jobs=n_jobs,
            random_state=seed or 0,
            several_labels=encoded is not None and encoded.labels.has_sets,
            on_progress=listener,
        )
        is_labeled_there = is_labeled[fits.sample]
        may_be_asked = ~is_labeled_there
        if encoded is None or is_labeled.sum() < FEWEST_LABELS or len(encoded.classes) < 2:
            chosen = typical_documents(fits.vectors, is_labeled_there, may_be_asked, n, seed or 0)
            found = Suggestions(Suggestion(int(each), "typical") for each in fits.sample[chosen])
            return found.with_excerpts(array)
        known = dict(
            zip(np.flatnonzero(is_labeled).tolist(), _listed(encoded, is_labeled), strict=True)
        )
        fitted = fits.fit(method, known, on_progress=listener).fitted
    probability, _ = fits.classified(fitted)
    chosen = useful_documents(probability, fits.vectors, may_be_asked, n, seed or 0)
    return _suggestions(fitted, fits.sample[chosen], probability[chosen]).with_excerpts(array)


def suggest_for(
    fitted: FittedClassifier,
    texts: pa.LargeStringArray,
    n: int,
    *,
    is_open: BoolArray | None = None,
    given: FloatArray | None = None,
    n_threads: int | None = None,
    seed: int = 0,
) -> Suggestions:
    """Documents whose labels would help a classifier most, but none that it was trained with."""
    check_whole("n", n, "[1, inf)")
    may_be_asked = ~fitted.learned_from(texts)
    if is_open is not None:
        may_be_asked &= is_open
    seen = fitted.seen(texts, n_threads)
    probability, _ = fitted.classify_counts(seen, given, n_threads)
    X, view = seen.X, fitted.view
    if view is None:
        block = Block(X, np.full(len(texts), -1), np.ones(len(texts)), given)
        view = learn_view(in_memory(block, n_threads), min(N_DIMS, X.shape[1]), seed)
    vectors = view.vectors(X, given, n_threads)
    chosen = useful_documents(probability, vectors, may_be_asked, n, seed)
    return _suggestions(fitted, chosen, probability[chosen])


def _listed(encoded: EncodedLabels, is_labeled: BoolArray) -> list[Any]:
    """The labels of the labeled documents, as they are given to a fit."""
    meanings = encoded.labels.meanings
    found = [meanings[code] for code in encoded.codes[is_labeled].tolist()]
    return [list(each) if isinstance(each, tuple) else each for each in found]


def _suggestions(fitted: FittedClassifier, numbers: Any, probability: FloatArray) -> Suggestions:
    decided = fitted.decide(probability)
    confidence = fitted.confidence(probability, decided)
    meanings = decided.labels.meanings
    return Suggestions(
        Suggestion(int(number), "uncertain", meanings[int(code)], float(p))
        for number, code, p in zip(numbers, decided.codes, confidence, strict=True)
    )

"""From raw texts and labels to the answer whether the unlabeled ones help."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from leaven._labels import encode_labels
from leaven._validation import check_choice
from leaven.corpora import InMemoryCorpus
from leaven.diagnosis import Diagnosis, diagnose_alternatives, diagnose_corpus
from leaven.estimators._components import listed_candidates
from leaven.estimators._label_checks import check_labels
from leaven.estimators._methods import METHODS
from leaven.estimators._quick_diagnosis import climb_of
from leaven.estimators._text_classifier import (
    _make_estimator,
    _merged_text_options,
    _phase,
)
from leaven.text._arrow import as_text_array
from leaven.text._counter import fit_counter

__all__ = ["diagnose"]


def diagnose(
    texts: Any,
    labels: Any,
    *,
    method: str = "em",
    text_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    alternatives: bool = True,
    n_starts: int = 10,
    n_threads: int | None = None,
    random_state: int | None = 0,
    on_progress: Any = None,
) -> Diagnosis:
    """Tell whether the unlabeled texts help, from the labeled ones alone.

    EM starts from several parts of the labeled documents and is scored on the others. Where
    more probable models are the better ones, unlabeled text helps; where they are worse, it
    hurts.

    Parameters
    ----------
    texts : list of str, or a column of pandas, polars or Arrow
        The documents.
    labels : list of str or int, or such a column
        The class of each document; None, NaN or "" (-1 among whole numbers) is unlabeled.
    method : {"em", "mixture", "annealed"}, default="em"
        The method of :class:`TextClassifier` to ask about.
    text_options, options : dict or None, default=None
        As :class:`TextClassifier` takes them.
    alternatives : bool, default=True
        Also try what else could be done, and recommend the best. Takes about ten times as long.
    n_starts : int, default=10
        Parts of the labeled documents to start from: time grows with them, doubt falls.
    n_threads : int or None, default=None
        Threads to use; None is one per processor.
    random_state : int or None, default=0
        Seed of parts, samples and starts.
    on_progress : callable or None, default=None
        Called as ``on_progress(phase, done, total)`` with phase "counting", "choosing" (of
        the number of components) or "diagnosing".

    Examples
    --------
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> diagnosis = diagnose(texts, ["baking", "space", None, None])
    >>> diagnosis.verdict
    'unclear'
    >>> print(diagnosis.recommendation)
    Label at least two documents of each class, then ask again.
    """
    check_choice("method", method, [name for name, own in METHODS.items() if own.uses_unlabeled])
    array, encoded = as_text_array(texts), encode_labels(labels)
    check_labels(encoded, len(array))
    estimator = _make_estimator(
        METHODS[method], options, {"n_threads": n_threads, "random_state": random_state}
    )
    if not estimator.climbs_unlabeled:
        raise ValueError(
            "there is nothing to diagnose: with unlabeled_weight=0 or max_iter=0 unlabeled "
            "documents change nothing; leave these options out"
        )
    merged = _merged_text_options(METHODS[method].text, text_options, len(array))
    if merged.uses_labels:
        raise ValueError(
            "diagnose holds labels out, and max_features with rank_by='mutual_information' or "
            "'auto' would choose the words by all of them; leave these text_options out"
        )
    counter, X = fit_counter(
        array,
        merged,
        codes=encoded.codes,
        by_frequency=True,
        n_threads=n_threads,
        on_progress=_phase(on_progress, "counting"),
    )
    corpus = InMemoryCorpus(X, encoded.codes, n_threads=n_threads)
    estimator._check_options(X.dtype)  # of all, before some are set aside
    fitted = clone(estimator)
    if listed_candidates(estimator.components) is None:
        fitted.set_params(max_iter=0, beta_start=1.0)  # its model is wanted, not its parameters
    fitted.fit_corpus(
        corpus,
        classes=encoded.classes,
        n_words=counter.n_words,
        dtype=X.dtype,
        on_fold=_phase(on_progress, "choosing"),
        warn=False,
    )
    tell = diagnose_alternatives if alternatives else diagnose_corpus
    return tell(
        fitted._model,
        corpus,
        counter.n_words,
        X.dtype,
        climb=climb_of(estimator),
        n_starts=n_starts,
        seed=random_state,
        on_fit=_phase(on_progress, "diagnosing"),
    )

"""From raw texts and labels to the answer whether the unlabeled ones help."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from leaven._base.validation import check_choice
from leaven.corpora import Block, in_memory
from leaven.documents._arrow import as_text_array
from leaven.documents._labels import encode_labels
from leaven.estimators._checks import check_em_options
from leaven.estimators._two_view import TwoViewEM
from leaven.held_out.diagnosis import Diagnosis, diagnose_alternatives, diagnose_corpus
from leaven.learners._components import listed_candidates
from leaven.methods._label_checks import check_labels, check_lengths
from leaven.methods._quick_diagnosis import climb_of
from leaven.methods._registry import METHODS, make_estimator, merged_text_options
from leaven.text._counter import fit_counter

__all__ = ["diagnose"]

DIAGNOSED = ("em", "mixture", "annealed", "two-view")  # methods that EM fits alone


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
    method : {"em", "mixture", "annealed", "two-view"}, default="em"
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
    check_choice("method", method, DIAGNOSED)
    array, encoded = as_text_array(texts), encode_labels(labels)
    check_lengths(encoded, len(array))
    check_labels(encoded.classes, encoded.counts, len(array))
    estimator = make_estimator(
        METHODS[method], options, {"n_threads": n_threads, "random_state": random_state}
    )
    if not estimator.climbs_unlabeled:
        raise ValueError(
            "there is nothing to diagnose: with unlabeled_weight=0 or max_iter=0 unlabeled "
            "documents change nothing; leave these options out"
        )
    merged = merged_text_options(METHODS[method], text_options, len(array))
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
    check_em_options(estimator, X.dtype)  # all of them, before some are set aside
    fitted = clone(estimator)
    block = Block(X, encoded.codes, np.ones(len(array)))
    if isinstance(fitted, TwoViewEM):
        block = fitted.with_vectors(block)
    corpus = in_memory(block, n_threads)
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


def _phase(on_progress: Any, phase: str) -> Callable[[int, int], None] | None:
    if on_progress is None:
        return None
    return lambda done, total: on_progress(phase, done, total)

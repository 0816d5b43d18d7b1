"""The quick answer, after a fit, whether the unlabeled documents helped."""

from collections.abc import Callable
from typing import Any

from leaven.corpora import Corpus
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.held_out.diagnosis import Diagnosis, diagnose_corpus
from leaven.learning._climbs import Climb
from leaven.posteriors import cooling

__all__ = ["climb_of", "diagnose_fitted"]


def diagnose_fitted(
    estimator: NaiveBayesEM,
    corpus: Corpus,
    *,
    n_words: int,
    dtype: Any,
    on_fit: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Tell whether the unlabeled documents that an estimator was fitted on help it.

    Quick enough to follow every fit: the verdict only, no alternatives.
    """
    return diagnose_corpus(
        estimator._model,
        corpus,
        n_words,
        dtype,
        climb=climb_of(estimator),
        seed=estimator.random_state,
        on_fit=on_fit,
    )


def climb_of(estimator: NaiveBayesEM) -> Climb:
    """How an estimator looks for a maximum."""
    return Climb(
        warm_up=cooling(estimator.beta_start, estimator.beta_factor, estimator.beta_iter),
        correspondence=estimator.correspondence,
        max_iter=estimator.max_iter,
        tol=estimator.tol,
    )

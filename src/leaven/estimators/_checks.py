"""What the estimators refuse, and in which words."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from leaven._base.folds import n_folds_for
from leaven._base.typing import FloatArray
from leaven._base.validation import check_choice, check_in, check_whole
from leaven.corpora import Corpus
from leaven.documents._labels import is_missing
from leaven.learning._climbs import CORRESPONDENCES
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT

__all__ = [
    "check_counts",
    "check_documents_of_classes",
    "check_em_options",
    "check_every_class_labeled",
    "checked_targets",
    "one_class_message",
]


def check_counts(X: Any, whom: str) -> None:
    """Refuse negative counts, naming the first."""
    X = csr_array(X)
    if X.nnz and X.data.min() < 0:
        where = X.tocoo()
        first = int(np.flatnonzero(where.data < 0)[0])
        document, word = int(where.coords[0][first]), int(where.coords[1][first])
        raise ValueError(
            f"Negative values in data passed to {whom}: counts must not be negative, found "
            f"{float(where.data[first])!r} at document {document}, word {word}; with hashed "
            "features set alternate_sign=False"
        )


def one_class_message(classes: Any) -> str:
    """What to say when there is nothing to tell apart."""
    if not len(classes):
        return (
            "y must label at least one document of two or more classes, and no document is "
            "labeled: every label is missing (-1, None or empty)"
        )
    return (
        f"a classifier needs at least 2 classes, and all labeled documents are of one class, "
        f"{np.asarray(classes).tolist()[0]!r}; label documents of another class too"
    )


def checked_targets(y: Any) -> Any:
    """Labels after scikit-learn's checks, which want an array; a list stays what it was.

    An array of a list of strings would turn a missing NaN into the label "nan".
    """
    is_list = isinstance(y, list | tuple)
    holds_gaps = is_list and (
        any(label is None for label in y)
        or (any(isinstance(label, str) for label in y) and any(map(is_missing, y)))
    )
    array = np.asarray(y, dtype=object) if holds_gaps else np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        return column_or_1d(array, warn=True)
    if array.dtype != object:
        assert_all_finite(array, input_name="y")
        check_classification_targets(array)
    return y if is_list else array


def check_every_class_labeled(
    model: MultinomialMixture, corpus: Corpus, classes: Any, n_words: int, dtype: Any
) -> None:
    """Refuse a class that nothing could start from."""
    flat = model.flat_params(n_words, np.dtype(dtype))
    supervised = replace(model, unlabeled_weight=0.0)
    documents = corpus.reduce(partial(supervised.expect, flat, SOFT)).documents
    check_documents_of_classes(documents, classes)


def check_documents_of_classes(documents: FloatArray, classes: Any) -> None:
    """Refuse a class without labeled documents, whose weights are given."""
    if not (documents > 0).all():
        empty = classes.tolist()[int(documents.argmin())]
        raise ValueError(
            f"every class needs a labeled document of positive weight, class {empty!r} has none"
        )


def check_em_options(own: Any, dtype: Any) -> None:
    """Refuse options of an EM estimator that make no sense."""
    check_in("alpha", own.alpha, "(0, inf)")
    limits = np.finfo(dtype)
    if not limits.tiny <= own.alpha <= limits.max:
        raise ValueError(
            f"alpha must be representable in the precision of the counts, {limits.dtype}, "
            f"got {own.alpha!r}; choose one between 1e-30 and 1e30"
        )
    check_in("class_alpha", own.class_alpha, "[0, inf)")
    check_in("unlabeled_weight", own.unlabeled_weight, "[0, 1]")
    check_whole("n_init", own.n_init, "[1, inf)")
    check_in("beta_start", own.beta_start, "(0, 1]")
    check_in("beta_factor", own.beta_factor, "(1, inf)")
    check_whole("beta_iter", own.beta_iter, "[1, inf)")
    check_choice("correspondence", own.correspondence, CORRESPONDENCES)
    n_folds_for(own.n_folds, 0)
    if own.random_state is not None:
        check_whole("random_state", own.random_state, "[0, inf)")
    check_whole("max_iter", own.max_iter, "[0, inf)")
    check_in("tol", own.tol, "[0, inf)")

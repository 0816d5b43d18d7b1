"""Checks of the counts and labels that estimators are given."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from leaven._base.matrices import check_matrix
from leaven.documents._label_encoding import is_missing
from leaven.documents._label_set_encoding import holds_lists, is_list

__all__ = ["check_counts", "checked_counts", "checked_targets", "refuse_sets"]


def checked_counts(
    estimator: Any, X: Any, whom: str, *, reset: bool, takes_negative: bool = False
) -> Any:
    """Counts after scikit-learn's checks and ours: as CSR or dense, none negative."""
    check_matrix(X)  # first, because scikit-learn converts formats with compiled code
    types = [np.float64, np.float32]
    X = validate_data(estimator, X, accept_sparse="csr", dtype=types, reset=reset)
    if not takes_negative:
        check_counts(X, f"{type(estimator).__name__}.{whom}")
    return X


def check_counts(X: Any, whom: str) -> None:
    """Raise an error for negative counts, naming the first."""
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


def refuse_sets(y: Any, whom: str) -> None:
    """Refuse labels of documents that have several."""
    if are_sets(y):
        raise ValueError(
            f"{whom} learns one label per document, but y holds sets of labels (multi-label): "
            "lists, or a matrix; give one label per document, or use MultiLabelMixture"
        )


def are_sets(y: Any) -> bool:
    """Whether labels are of documents that have several: lists, or a matrix of several columns."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 1 and getattr(getattr(y, "dtype", None), "kind", "") == "O":
        y = y.tolist()
    is_column = isinstance(y, list | tuple) and all(is_list(each) and len(each) == 1 for each in y)
    holds_sets = isinstance(y, list | tuple) and holds_lists(y) and not is_column
    return holds_sets or (len(shape) == 2 and shape[1] > 1)


def checked_targets(y: Any) -> Any:
    """Labels after scikit-learn's checks, which need an array; a list is returned unchanged.

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

"""Folds for scikit-learn's searches that keep unlabeled documents in every training set."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from leaven._base.folds import labeled_folds, n_folds_for
from leaven._base.typing import IntArray
from leaven._base.validation import Seed, checked_seed
from leaven.documents._label_encoding import encode_labels

__all__ = ["LabeledFold"]


class LabeledFold(BaseCrossValidator):  # type: ignore[misc]
    """Cross-validation of semi-supervised classifiers: only labeled documents are held out.

    Unlabeled documents are in every training set and in no test set, and every class stays
    in every training set: the only labeled document of a class is never held out. Works as
    ``cv`` of ``GridSearchCV``, ``cross_val_score`` and the like, with any classifier that
    accepts unlabeled documents.

    Parameters
    ----------
    n_splits : int, "loo" or None, default=None
        Number of folds; "loo" leaves one document out at a time; None does so up to 20
        labels, and makes 10 folds beyond.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds.

    See Also
    --------
    sklearn.model_selection.StratifiedKFold : Folds of labeled documents alone.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 1, 0, 1, -1, -1])
    >>> for train, test in LabeledFold(2).split(y, y):
    ...     print(train, test)
    [0 3 4 5] [1 2]
    [1 2 4 5] [0 3]

    Choose the number of components with these folds:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from leaven import NaiveBayesEM
    >>> X = np.array([[3, 0], [0, 3], [2, 0], [0, 1], [4, 1], [1, 5]])
    >>> search = GridSearchCV(NaiveBayesEM(), {"n_components": [1, 2]}, cv=LabeledFold(2))
    >>> search.fit(X, y).best_params_
    {'n_components': 1}
    """

    def __init__(self, n_splits: int | str | None = None, *, random_state: Seed = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def _folds(self, y: Any) -> list[IntArray]:
        if y is None:
            raise ValueError("LabeledFold needs y, with -1, None or '' where unlabeled")
        codes = encode_labels(y).strata
        n_folds = n_folds_for(self.n_splits, int((codes >= 0).sum()), "n_splits")
        return labeled_folds(codes, n_folds, checked_seed(self.random_state))

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Positions of the training and test documents of each fold.

        Parameters
        ----------
        X : ignored
            The documents.
        y : array of shape (n_documents,)
            Their labels, as for ``fit``; -1, None or "" where unlabeled.
        groups : ignored
            For compatibility with scikit-learn.

        Returns
        -------
        iterator of (ndarray, ndarray)
            Training documents, all unlabeled ones among them, and labeled test documents.
        """
        folds = self._folds(y)
        places = np.arange(y.shape[0] if hasattr(y, "shape") else len(y))
        for test in folds:
            yield np.setdiff1d(places, test), test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds.

        Parameters
        ----------
        X : ignored
            The documents.
        y : array of shape (n_documents,)
            Their labels, as for ``fit``; -1, None or "" where unlabeled.
        groups : ignored
            For compatibility with scikit-learn.

        Returns
        -------
        int
            At most the number of labeled documents.
        """
        return len(self._folds(y))

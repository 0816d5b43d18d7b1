"""EM over two views of every document, as a scikit-learn classifier."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, diags_array

from leaven._base.measures import log_softmax, softmax
from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import Seed, check_in
from leaven.documents._labels import Labels
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.learners import Learner, TwoViewLearner
from leaven.learning import check_given

__all__ = ["TwoViewEM"]


class TwoViewEM(NaiveBayesEM):
    """EM over words and vectors, for very few labels.

    A class has a distribution of words and a direction of vectors; a document is assigned
    to classes by both at once. The vectors are learned from all the text by default (a truncated
    singular value decomposition); vectors of the user, such as sentence embeddings, can be added.

    Parameters
    ----------
    length : float, default=10
        Every document's counts are scaled to this total. The smaller, the less weight words
        have relative to the vector; naive Bayes alone needs 150 to 400.
    concentration : float, default=30
        How narrowly a class's unit vectors lie around its direction: how much weight they have.
    n_dims : int, default=100
        Dimensions of the learned vectors.
    alpha : float, default=0.05
        Pseudo-count added to every word count, of documents scaled to ``length``.
    class_alpha, unlabeled_weight, n_components, n_init, n_splits, beta_start, beta_factor, \
beta_iter, correspondence, tol, random_state, n_jobs
        As in [`leaven.NaiveBayesEM`][].
    max_iter : int, default=10
        Maximum number of M-steps, deliberately few: later ones drift away from the labels.

    Attributes
    ----------
    latent_ : LatentSpace or GivenVectors
        Where vectors come from. The other attributes are those of [`leaven.NaiveBayesEM`][],
        whose probabilities are of the word view.

    See Also
    --------
    NaiveBayesEM : The word view alone.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> TwoViewEM().fit(X, np.array([0, 1, -1, -1])).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = TwoViewLearner

    def __init__(
        self,
        *,
        length: float = 10.0,
        concentration: float = 30.0,
        n_dims: int = 100,
        alpha: float = 0.05,
        class_alpha: float = 0.0,
        unlabeled_weight: float = 1.0,
        n_components: Any = 1,
        n_init: int = 3,
        n_splits: int | str | None = None,
        beta_start: float = 1.0,
        beta_factor: float = 1.01,
        beta_iter: int = 1,
        correspondence: str = "as-is",
        max_iter: int = 10,
        tol: float = 1e-6,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            class_alpha=class_alpha,
            unlabeled_weight=unlabeled_weight,
            n_components=n_components,
            n_init=n_init,
            n_splits=n_splits,
            beta_start=beta_start,
            beta_factor=beta_factor,
            beta_iter=beta_iter,
            correspondence=correspondence,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.length = length
        self.concentration = concentration
        self.n_dims = n_dims

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, vectors: Any = None) -> Self:
        """Fit on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, best weighted: ``TextVectorizer(log_tf=True, idf=True)``.
        y : array of shape (n_documents,)
            Class labels; -1 among whole numbers, None or "" among strings, is unlabeled.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            Vectors to use in addition to those learned from ``X``.

        Returns
        -------
        self
            The fitted estimator.
        """
        given = None if vectors is None else check_given(vectors, len(y))
        return self._fit(X, y, sample_weight, given)

    def check_options(self, dtype: Any) -> None:
        """Raise an error for invalid options, given the precision of the counts.

        Parameters
        ----------
        dtype : numpy dtype
            float32 or float64.
        """
        check_in("length", self.length, "(0, inf)")
        super().check_options(dtype)

    def _scaled(self, X: Counts) -> Counts:
        return scaled(X, self.length)

    def _describe(self) -> None:
        super()._describe()
        self.latent_ = self._view

    def predict_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Class probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            Vectors of the documents, if it was fitted with any.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        return softmax(self._scores(X, vectors))

    def predict_log_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Logarithms of the class probabilities; precise where those round to 0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            Vectors of the documents, if it was fitted with any.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        return log_softmax(self._scores(X, vectors))

    def predict(self, X: Any, *, vectors: Any = None) -> Any:
        """Most probable class of each document.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            Vectors of the documents, if it was fitted with any.

        Returns
        -------
        ndarray of shape (n_documents,)
            Values of ``classes_``.
        """
        scores = self._scores(X, vectors)
        labels = Labels(self.classes_)
        return labels.decode(labels.decide(scores))


def scaled(X: Counts, length: float) -> Counts:
    """Counts with every document's total as given; a document without words stays so."""
    total = np.asarray(X.sum(axis=1), np.float64).ravel()
    factor = length / np.where(total > 0, total, 1.0)
    return csr_array(diags_array(factor.astype(X.dtype)) @ X)

"""The Fisher kernel of a mixture as a scikit-learn transformer."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import check_whole
from leaven.estimators._checks import checked_counts
from leaven.estimators._mixture_attributes import MixtureClassifier
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.learners import ClustersLearner, Learner
from leaven.models import FeatureOptions

__all__ = ["FisherKernel"]


class _Clusters(NaiveBayesEM):
    """A mixture without classes."""

    learner_type: ClassVar[type[Learner]] = ClustersLearner


class FisherKernel(TransformerMixin, BaseEstimator):
    """Fisher scores of documents under a mixture that EM fits to labeled and unlabeled ones.

    A document becomes the gradient of its log likelihood by the parameters of the mixture, at unit
    length: how the document would change the model. Inner products of these are a kernel that
    any linear or kernel classifier can use; unlabeled documents improve it through the mixture.

    Parameters
    ----------
    mixture : NaiveBayesEM, TwoViewEM, FrozenEstimator or None, default=None
        The mixture, which is cloned and fitted on the documents given to
        [`leaven.FisherKernel.fit`][]; None is ``NaiveBayesEM()``. With ``unlabeled_weight=0`` only
        labeled documents are used. One that is fitted already is used as it is in scikit-learn's
        ``FrozenEstimator(mixture)``.
    n_clusters : int or None, default=None
        Components that EM forms of all documents from random starts, labels ignored, with the
        options of ``mixture``, a NaiveBayesEM. None has its components, which belong to classes.
    feature_beta : float in (0, 1], default=1.0
        Inverse temperature of p(component | document) in the features. Below one, more
        components have a share in a document.
    vector_share : float in [0, 1), default=0.2
        Share of the features of vectors in the squared length of all, where the mixture is a
        TwoViewEM.
    least_share : float in [0, 1), default=0.0
        Components with a smaller share in a document, relative to the largest one, are left out
        of its features, which makes them sparser.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    mixture_ : NaiveBayesEM or TwoViewEM
        The fitted mixture.
    n_features_out_ : int
        Number of columns of the features: (words + 1) times components, and dimensions of vectors
        times components where the mixture has vectors.

    See Also
    --------
    TextClassifier : ``method="fisher"`` is this and linear SVMs, from texts to labels.

    Notes
    -----
    The features of word w are in columns w * n_components to (w + 1) * n_components - 1, followed
    by those of the components' weights and, of a TwoViewEM, of vectors. They are sparse: memory is
    that of the counts, and of the vectors, times the mean number of components that have a share
    in a document, 1 to 2 of words alone at a length of 150. With soft shares,
    [`leaven.FisherKernel.kernel`][] is faster than multiplying the features, and SVC on it than
    LinearSVC on them.

    A classifier that is trained on the features knows no unlabeled documents. Fit the kernel to all
    documents, and the classifier to the labeled ones: in a pipeline, -1 would become a class.

    References
    ----------
    [Takamura and Okumura (2004)][takamura2004], section 4;
    [Jaakkola and Haussler (1998)][jaakkola1998]; [Hofmann (1999)][hofmann1999].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> fisher = FisherKernel().fit(X, y)
    >>> fisher.transform(X).shape
    (4, 8)
    >>> fisher.kernel(X[:2], X[2:]).round(2)
    array([[0.88, 0.06],
           [0.01, 0.73]])
    >>> from sklearn.svm import LinearSVC
    >>> labeled = y >= 0
    >>> svm = LinearSVC().fit(fisher.transform(X[labeled]), y[labeled])
    >>> svm.predict(fisher.transform(X))
    array([0, 1, 0, 1])
    """

    def __init__(
        self,
        mixture: Any = None,
        *,
        n_clusters: int | None = None,
        feature_beta: float = 1.0,
        vector_share: float = 0.2,
        least_share: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.mixture = mixture
        self.n_clusters = n_clusters
        self.feature_beta = feature_beta
        self.vector_share = vector_share
        self.least_share = least_share
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the mixture on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : array of shape (n_documents,) or None, default=None
            Class labels; -1 among whole numbers, None or "" among strings, is unlabeled. Not used
            where the mixture is frozen, nor with ``n_clusters``.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.

        Returns
        -------
        self
            The fitted estimator.
        """
        options = FeatureOptions(self.feature_beta, self.vector_share, self.least_share)
        options.check()
        counts = checked_counts(self, X, "fit", reset=True)
        if isinstance(self.mixture, FrozenEstimator):
            mixture = self._frozen(self.mixture.estimator)
            mixture._seen(X)  # which compares the words
        elif self.n_clusters is None:
            mixture = clone(self._checked_mixture(self.mixture))
            if y is None:
                raise ValueError(
                    "FisherKernel requires y to be passed, but the target y is None; give one "
                    "label per document, -1 where unlabeled, or n_clusters to use none"
                )
            mixture.fit(X, y, sample_weight)
        else:
            mixture = self._clusters(self.n_clusters)
            # All documents are of one class, whose components they are assigned to.
            mixture.fit(X, np.zeros(counts.shape[0], np.int64), sample_weight)
        expert = mixture._learned.expert.as_mixture()
        assert expert is not None
        self.mixture_, self._fisher = mixture, expert.fisher_scores(options)
        self.n_features_out_ = self._fisher.n_features
        return self

    def _checked_mixture(self, mixture: Any) -> MixtureClassifier:
        if mixture is None:
            return NaiveBayesEM(n_jobs=self.n_jobs)
        if not isinstance(mixture, MixtureClassifier):
            raise TypeError(
                "mixture must be a classifier whose model is a mixture, such as NaiveBayesEM, got "
                f"{type(mixture).__name__}"
            )
        return mixture

    def _frozen(self, fitted: Any) -> MixtureClassifier:
        mixture = self._checked_mixture(fitted)
        check_is_fitted(mixture, "_learned")
        if self.n_clusters is not None:
            raise ValueError(
                f"a mixture that is fitted already has its components, got n_clusters="
                f"{self.n_clusters}; leave one of them out"
            )
        if mixture._view is not None and mixture._view.n_given:
            raise ValueError(
                "the mixture was fitted with vectors of your own, which FisherKernel cannot take; "
                'fit it without, or use TextClassifier(method="fisher") with embed'
            )
        return mixture

    def _clusters(self, n_clusters: int) -> MixtureClassifier:
        check_whole("n_clusters", n_clusters, "[1, inf)")
        mixture = self._checked_mixture(self.mixture)
        if type(mixture) is not NaiveBayesEM:
            raise TypeError(
                "with n_clusters the mixture must be a NaiveBayesEM or None, got "
                f"{type(mixture).__name__}; leave one of them out"
            )
        return _Clusters(**{**mixture.get_params(), "n_components": n_clusters})

    def transform(self, X: Any) -> Counts:
        """Features of documents.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        sparse array of shape (n_documents, n_features_out_)
            Gradients of the log likelihood of each document.
        """
        counts, vectors = self._seen(X, "transform")
        return self._fisher.features(counts, vectors, self.n_jobs)

    def kernel(self, X: Any, Y: Any = None) -> FloatArray:
        """Inner products of the features of documents, without computing the features.

        For scikit-learn: ``SVC(kernel=fisher.kernel)``, or ``SVC(kernel="precomputed")`` on the
        result.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        Y : array or sparse matrix or None, default=None
            Counts of other documents; None is ``X``.

        Returns
        -------
        ndarray of shape (n_documents of X, n_documents of Y)
            The kernel matrix.
        """
        counts, vectors = self._seen(X, "kernel")
        if Y is None:
            others, of_others = counts, vectors
        else:
            others, of_others = self._seen(Y, "kernel")
        return self._fisher.kernel(counts, others, (vectors, of_others), self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features: "word, component 3" for each of both, then "component 3".

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            The words; None is x0, x1 and so on, or the column names of a data frame.

        Returns
        -------
        ndarray of shape (n_features_out_,)
            The names.
        """
        check_is_fitted(self, "mixture_")
        scores, words = self._fisher, _check_feature_names_in(self, input_features)
        components = [f"component {k}" for k in range(scores.n_components)]
        of_words = [f"{word}, {component}" for word in words for component in components]
        dimensions = range(scores.n_dims if scores.sees_directions else 0)
        of_vectors = [f"dimension {d}, {component}" for component in components for d in dimensions]
        return np.array([*of_words, *components, *of_vectors], dtype=object)

    def _seen(self, X: Any, whom: str) -> tuple[Counts, FloatArray | None]:
        check_is_fitted(self, "mixture_")
        checked_counts(self, X, whom, reset=False)
        counts, vectors = self.mixture_._seen(X)
        if not counts.has_canonical_format:  # a word's parts must be added before it is squared
            counts = counts.copy()
            counts.sum_duplicates()
        return counts, vectors

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        is_frozen = isinstance(self.mixture, FrozenEstimator)
        tags.target_tags.required = not (is_frozen or self.n_clusters is not None)
        return tags

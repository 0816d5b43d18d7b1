"""The Fisher kernel of a mixture as a scikit-learn transformer."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import check_whole
from leaven.estimators._checks import checked_counts
from leaven.estimators._mixture_attributes import MixtureClassifier
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.learners import ClustersLearner, Learner
from leaven.models import FeatureOptions, FisherScores

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
    mixture : NaiveBayesEM, TwoViewEM or None, default=None
        The mixture, which is cloned and fitted on the documents given to :meth:`fit`; None is
        ``NaiveBayesEM()``. With ``unlabeled_weight=0`` only labeled documents are used.
    prefit : bool, default=False
        Whether ``mixture`` is fitted already, and is to be used as it is.
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
    in a document, 1 to 2 of words alone at a length of 150. With soft shares and up to 10,000
    documents, :meth:`kernel` takes less memory and time.

    References
    ----------
    .. [1] H. Takamura and M. Okumura, "A comparative study on the use of labeled and unlabeled
       data for large margin classifiers", IJCNLP 2004.

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
    """

    def __init__(
        self,
        mixture: Any = None,
        *,
        prefit: bool = False,
        n_clusters: int | None = None,
        feature_beta: float = 1.0,
        vector_share: float = 0.2,
        least_share: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.mixture = mixture
        self.prefit = prefit
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
            where the mixture is fitted already, nor with ``n_clusters``.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.
        """
        self._options.check()
        mixture = NaiveBayesEM(n_jobs=self.n_jobs) if self.mixture is None else self.mixture
        if not isinstance(mixture, MixtureClassifier):
            raise TypeError(
                "mixture must be a classifier whose model is a mixture, such as NaiveBayesEM, got "
                f"{type(mixture).__name__}"
            )
        if self.prefit:
            check_is_fitted(mixture, "_learned")
        else:
            mixture = clone(mixture)
            if self.n_clusters is not None:
                check_whole("n_clusters", self.n_clusters, "[1, inf)")
                if type(mixture) is not NaiveBayesEM:
                    raise TypeError(
                        "with n_clusters the mixture must be a NaiveBayesEM or None, got "
                        f"{type(mixture).__name__}; leave one of them out"
                    )
                mixture = _Clusters(**{**mixture.get_params(), "n_components": self.n_clusters})
                counts = checked_counts(self, X, "fit", reset=True)
                y = np.zeros(counts.shape[0], np.int64)  # one class, whose components they are
            elif y is None:
                raise ValueError(
                    "FisherKernel requires y to be passed, but the target y is None; give one "
                    "label per document, -1 where unlabeled, or n_clusters to use none"
                )
            mixture.fit(X, y, sample_weight)
        self.mixture_ = mixture
        self.n_features_in_ = mixture.n_features_in_
        if hasattr(mixture, "feature_names_in_"):
            self.feature_names_in_ = mixture.feature_names_in_
        self.n_features_out_ = self._scores.n_features
        return self

    def transform(self, X: Any) -> Counts:
        """Features of documents, a sparse array of shape (n_documents, n_features_out_)."""
        counts, vectors = self._seen(X, "transform")
        return self._scores.features(counts, vectors, self.n_jobs)

    def kernel(self, X: Any, Y: Any = None) -> FloatArray:
        """Inner products of the features of documents, (n_documents of X, n_documents of Y).

        ``Y`` is ``X`` where it is None. The features themselves are not computed. For scikit-learn:
        ``SVC(kernel=fisher.kernel)``, or ``SVC(kernel="precomputed")`` on the result.
        """
        counts, vectors = self._seen(X, "kernel")
        if Y is None:
            others, of_others = counts, vectors
        else:
            others, of_others = self._seen(Y, "kernel")
        return self._scores.kernel(counts, others, (vectors, of_others), self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features: "word, component 3" for each of both, then "component 3"."""
        check_is_fitted(self, "mixture_")
        scores = self._scores
        if input_features is None:
            given = getattr(self, "feature_names_in_", None)
            input_features = range(self.n_features_in_) if given is None else given
        elif len(input_features) != self.n_features_in_:
            raise ValueError(
                f"input_features must be the names of {self.n_features_in_} words, got "
                f"{len(input_features)}"
            )
        components = [f"component {k}" for k in range(scores.n_components)]
        of_words = [f"{word}, {component}" for word in input_features for component in components]
        dimensions = range(scores.n_dims if scores.sees_directions else 0)
        of_vectors = [f"dimension {d}, {component}" for component in components for d in dimensions]
        return np.array([*of_words, *components, *of_vectors], dtype=object)

    def _seen(self, X: Any, whom: str) -> tuple[Counts, FloatArray | None]:
        check_is_fitted(self, "mixture_")
        checked_counts(self, X, whom, reset=False)
        found: tuple[Counts, FloatArray | None] = self.mixture_._seen(X)
        return found

    @property
    def _scores(self) -> FisherScores:
        mixture = self.mixture_._learned.expert.as_mixture()
        assert mixture is not None
        return mixture.fisher_scores(self._options)

    @property
    def _options(self) -> FeatureOptions:
        return FeatureOptions(self.feature_beta, self.vector_share, self.least_share)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = not (self.prefit or self.n_clusters is not None)
        return tags

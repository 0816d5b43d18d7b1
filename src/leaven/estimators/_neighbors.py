"""Nearest neighbors, condensed and semi-supervised, as a scikit-learn classifier on counts."""

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from leaven._base.typing import FloatArray, IntArray
from leaven._base.validation import Seed, check_whole
from leaven.corpora import MOST_LABELED
from leaven.estimators._count_classifier import CountClassifier
from leaven.learners import Learner, NeighborsLearner
from leaven.neighbors import DEFAULT_ALGORITHM, KeptDocuments

__all__ = ["CondensedNeighbors"]


class CondensedNeighbors(CountClassifier):
    """Votes of the nearest documents, labeled or classified by earlier votes.

    Documents are scaled to unit length. Unlabeled ones are gone through in random order: where one
    class has more than ``threshold`` of the votes of a document's k nearest neighbors, the document
    is accepted into that class and votes from then on. Predictions can be justified by documents
    ([`leaven.CondensedNeighbors.kneighbors`][]), and no assumption is made about what a class looks
    like. With ``unlabeled_weight=0`` it is the usual k-nearest-neighbor classifier.

    Parameters
    ----------
    n_neighbors : int, default=40
        How many of the nearest documents vote, k. With fewer documents, all of them vote.
    threshold : float in [0, 1), default=0.0
        Share of the votes that a class must exceed for an unlabeled document to be accepted, α; 0
        accepts every document that has a neighbor.
    unlabeled_weight : float in [0, 1], default=0.2
        How much the vote of an accepted document counts, relative to that of a labeled one; 0
        ignores unlabeled documents.
    condense : bool, default=False
        Keep only those documents whose class the documents kept before them do not predict:
        predictions are faster and less accurate.
    votes : {"corrected", "balanced", "plain"}, default="corrected"
        A vote is 1 / squared distance. Plain votes, as in the paper, favor classes that have
        accepted many documents. Balanced votes are divided by the number of documents of their
        class, so that all classes are equally likely beforehand; corrected ones also multiplied by
        the number of labeled documents of the class plus one, so that classes keep their shares.
    algorithm : {"inverted_index", "brute", "ball_tree"}, default="inverted_index"
        How neighbors are searched. All find the same ones; the first is the fastest on text.
    max_documents : int, default=20000
        Labeled, and unlabeled, documents to consider at most; of more, a random sample. At least
        20 labeled documents of every class that has as many are considered.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order of the documents.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    kept_ : ndarray of shape (n_kept,)
        Rows of the training documents that vote: labeled ones, then accepted ones.
    kept_classes_ : ndarray of shape (n_kept,)
        Their classes.
    is_labeled_ : ndarray of shape (n_kept,)
        Which of them were labeled.

    See Also
    --------
    NaiveBayesEM : Usually more accurate where classes are topics.
    sklearn.neighbors.KNeighborsClassifier : The supervised case with plain votes.

    Notes
    -----
    Of documents equally far, the one kept first is the nearer; of classes with equally many votes,
    the first wins. A document has no more neighbors than documents with a positive similarity; one
    without any, such as an empty document, gets the class shares of the labeled documents. Labeled
    documents at distance 0 vote alone, and an accepted one has no vote on its own copies (the
    next nearest has it instead). Copies of an unlabeled document count once.

    References
    ----------
    [Søgaard (2011)][sogaard2011]; [Clark and Clark][clark], section 3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> clf = CondensedNeighbors(n_neighbors=1).fit(X, y)
    >>> clf.predict(X)
    array([0, 1, 0, 1])
    >>> clf.kneighbors([[4, 0, 0]], return_distance=False)
    array([[2]])
    """

    learner_type: ClassVar[type[Learner]] = NeighborsLearner
    takes_negative: ClassVar[bool] = True

    def __init__(
        self,
        *,
        n_neighbors: int = 40,
        threshold: float = 0.0,
        unlabeled_weight: float = 0.2,
        condense: bool = False,
        votes: str = "corrected",
        algorithm: str = DEFAULT_ALGORITHM,
        max_documents: int = MOST_LABELED,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.unlabeled_weight = unlabeled_weight
        self.condense = condense
        self.votes = votes
        self.algorithm = algorithm
        self.max_documents = max_documents
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _describe(self) -> None:
        kept = self._kept
        self.kept_, self.is_labeled_ = kept.numbers, kept.is_labeled
        self.kept_classes_ = self.classes_[kept.codes]

    @property
    def _kept(self) -> KeptDocuments:
        kept = self._learned.expert.documents()
        assert kept is not None
        return kept

    def kneighbors(
        self, X: Any, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Distances and rows of the nearest training documents that vote, nearest first.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts.
        n_neighbors : int or None, default=None
            How many; None is the parameter of the estimator.
        return_distance : bool, default=True
            Whether distances, between documents of unit length, are returned too.

        Returns
        -------
        distances : ndarray of shape (n_documents, min(n_neighbors, n_kept))
            Only if ``return_distance``; infinite where a document has fewer neighbors.
        rows : ndarray of shape (n_documents, min(n_neighbors, n_kept))
            Rows of the documents given to [`leaven.CondensedNeighbors.fit`][]; -1 where a document
            has fewer neighbors.
        """
        check_is_fitted(self, "_learned")
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_whole("n_neighbors", k, "[1, inf)")
        X = self._checked(X, "kneighbors", reset=False)
        kept = self._kept
        found = kept.nearest(csr_array(X), min(k, len(kept.codes)), self.n_jobs)
        rows = np.where(found.places >= 0, kept.numbers[found.places], -1)
        return (np.sqrt(found.distances), rows) if return_distance else rows

"""The label-set mixture as a scikit-learn classifier on counts."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from leaven._base.progress import Progress
from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import Seed, check_choice, checked_seed, checked_weights
from leaven.corpora import TrainingSet
from leaven.documents._label_encoding import encode_labels, encode_like
from leaven.documents._label_sets import LabelSets
from leaven.documents._labels import EncodedLabels, Labels
from leaven.estimators._checks import are_sets
from leaven.estimators._count_classifier import CountClassifier
from leaven.experts import Decision, LabelSetExpert, usual_decision
from leaven.held_out import calibrate_sets
from leaven.learners import LabelSetLearner, Learner, Run

__all__ = ["MultiLabelMixture"]


class MultiLabelMixture(CountClassifier):
    """Mixture of the word distributions of a document's classes, for several labels each.

    Every word of a document comes from one of its classes, from the background that all documents
    share, or from the uniform distribution; EM finds out which. So the model shows which
    label a word of a document belongs to. The defaults are not the paper's: words are weighted by
    what they tell about classes, and probabilities are calibrated on held-out labels.

    Parameters
    ----------
    log_tf : bool, default=True
        Use the logarithm of one plus a count.
    max_iter : int, default=1
        Iterations of EM after a start at which a document's classes share its words equally.
    early_stopping : bool, default=False
        Hold out a fifth of the labeled documents to choose the number of iterations, of at most
        ``max_iter``.
    word_weights : {"information", "equal"}, default="information"
        Weigh words by what they tell about classes, or not.
    document_length : float, default=2.0
        Euclidean length that documents are scaled to; 0 leaves them as they are.
    likelihood_weight, set_weight : float, default=1.0
        Factors on the log likelihood of a document and on the log probability of its set.
    length_power : float, default=0.0
        The log likelihood is divided by the document's number of words to this power.
    odds_weight : float, default=0.5
        Factor on the log odds of naive Bayes, class against the others, that are added to those
        of the mixture.
    set_alpha : float, default=1.0
        Pseudo-documents of every set of classes.
    leave_one_out : bool, default=False
        Estimate which class a word of a labeled document comes from without that document.
    background : bool, default=True
        Let all documents share a distribution of words.
    unlabeled_weight : float in [0, 1], default=0.1
        How much an unlabeled document counts. It has one of the 64 most frequent sets of labeled
        documents.
    search : {"both", "greedy", "weights", "exhaustive", "stochastic"}, default="both"
        How the most probable sets of a document are searched for.
    calibrate : bool, default=True
        Hold out labels to calibrate probabilities and to choose a threshold. Not where every
        document has one label, which is the most probable one.
    allow_empty : bool or None, default=None
        Whether documents without any class are predicted; None: if a labeled document has none.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds in which labels are held out.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted; numbers of columns where labels were given as a matrix.
    feature_log_prob_ : ndarray of shape (n_classes, n_words)
        log p(word | class); minus infinity for words that a class never generates.
    background_log_prob_ : ndarray of shape (n_words,)
        The same of the background.
    n_iter_ : int
        Iterations of EM.

    See Also
    --------
    NaiveBayesEM : For one label per document.

    References
    ----------
    [McCallum (1999)][mccallum1999].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 2, 0], [3, 1, 1], [0, 2, 0], [2, 0, 1]])
    >>> y = [["a"], ["b"], ["a", "b"], ["a", "b"], ["b"], ["a"]]
    >>> MultiLabelMixture().fit(X, y).predict(X[:3])
    array([('a',), ('b',), ('a', 'b')], dtype=object)
    """

    learner_type: ClassVar[type[Learner]] = LabelSetLearner

    _weight: float
    _decision: Decision

    def __init__(
        self,
        *,
        log_tf: bool = True,
        max_iter: int = 1,
        early_stopping: bool = False,
        word_weights: str = "information",
        document_length: float = 2.0,
        likelihood_weight: float = 1.0,
        set_weight: float = 1.0,
        length_power: float = 0.0,
        odds_weight: float = 0.5,
        set_alpha: float = 1.0,
        leave_one_out: bool = False,
        background: bool = True,
        unlabeled_weight: float = 0.1,
        search: str = "both",
        calibrate: bool = True,
        allow_empty: bool | None = None,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.log_tf = log_tf
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.word_weights = word_weights
        self.document_length = document_length
        self.likelihood_weight = likelihood_weight
        self.set_weight = set_weight
        self.length_power = length_power
        self.odds_weight = odds_weight
        self.set_alpha = set_alpha
        self.leave_one_out = leave_one_out
        self.background = background
        self.unlabeled_weight = unlabeled_weight
        self.search = search
        self.calibrate = calibrate
        self.allow_empty = allow_empty
        self.random_state = random_state
        self.n_jobs = n_jobs

    feature_log_prob_: FloatArray
    background_log_prob_: FloatArray
    n_iter_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MultiLabelMixture":
        """Fit on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : list of lists, or array of shape (n_documents, n_classes) or (n_documents,)
            The classes of each document: a list, or a row of zeros and ones; None, or a row of -1,
            is unlabeled, [] or a row of zeros has no class. One label per document is possible
            too.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._fit(X, y, sample_weight)
        return self

    def check_options(self, dtype: Any) -> None:
        """Raise an error for invalid options, given the precision of the counts.

        Parameters
        ----------
        dtype : numpy dtype
            float32 or float64.
        """
        super().check_options(dtype)
        check_choice("log_tf", self.log_tf, (True, False))
        check_choice("calibrate", self.calibrate, (True, False))
        check_choice("allow_empty", self.allow_empty, (True, False, None))

    def _encoded(self, y: Any) -> EncodedLabels:
        return encode_labels(y) if are_sets(y) else super()._encoded(y)

    def _labels_of(self, classes: Any) -> Labels:
        """Classes, or a list of classes for each code."""
        if not are_sets(classes):
            return super()._labels_of(classes)
        encoded = encode_labels(classes)
        members = encoded.membership
        return LabelSets(encoded.classes, members, bool((~members.any(axis=1)).any()))

    def _scaled(self, X: Counts) -> Counts:
        X = csr_array(X, copy=True)
        X.sum_duplicates()  # so that a word of a document is one number
        return csr_array((np.log1p(X.data), X.indices, X.indptr), X.shape) if self.log_tf else X

    def _fit_training(self, training: TrainingSet, progress: Progress) -> None:
        if training.labels.has_sets:
            training = replace(training, labels=training.labels.allowing_empty(self.allow_empty))
        super()._fit_training(training, progress)
        run = Run.seeded(checked_seed(self.random_state), self.n_jobs, progress=progress)
        self._weight, self._decision = 1.0, usual_decision(training.labels)
        if self.calibrate and training.labels.has_sets:
            combined = calibrate_sets(self._learned, training, run)
            assert combined.decision is not None
            self._weight, self._decision = float(combined.weights[0]), combined.decision

    def _describe(self) -> None:
        expert: LabelSetExpert = self._learned.expert  # type: ignore[assignment]
        with np.errstate(divide="ignore"):
            log_words = np.log(expert.probabilities.astype(np.float64)).T
        self.feature_log_prob_, self.background_log_prob_ = log_words[:-1], log_words[-1]
        self.n_iter_ = int(self._learned.facts["iterations"])

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, each between 0 and 1.

        They add up to one only where every document has one label.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        counts = self._counts(X)
        scores = self._learned.expert.scores(counts, None)
        probability = self._decision.probability(self._weight * scores)
        return self._decision.without_words(probability, np.asarray(counts.sum(axis=1)) == 0)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithms of the probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """The classes of each document.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents,) of tuples, or (n_documents, n_classes)
            A matrix of zeros and ones where ``y`` was one.
        """
        probability = self.predict_proba(X)
        return self._decision.decided(probability).values

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the documents whose classes are all predicted, and no others.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : as for ``fit``
            The classes; unlabeled documents are left out.
        sample_weight : array of shape (n_documents,) or None, default=None
            How much each document counts.

        Returns
        -------
        float
            From 0 to 1.
        """
        check_is_fitted(self, "_learned")
        if not self._decision.labels.has_sets:
            return super().score(X, y, sample_weight)
        probability = self.predict_proba(X)
        known = encode_like(y, self._decision.labels)
        is_labeled = known.codes >= 0
        if sample_weight is not None:
            sample_weight = checked_weights("sample_weight", sample_weight, len(is_labeled))
            sample_weight = sample_weight[is_labeled]
        truth = EncodedLabels(known.codes[is_labeled], known.labels)
        right = self._decision.decided(probability[is_labeled]).is_same(truth)
        return float(np.average(right, weights=sample_weight))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

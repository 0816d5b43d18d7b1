"""The base class of classifiers on counts, for any learner."""

import warnings
from abc import ABC
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from leaven._base.measures import log_softmax, softmax
from leaven._base.progress import Listener, Progress
from leaven._base.typing import ClassArray, Counts, FloatArray
from leaven._base.validation import Seed, check_seed, checked_seed, checked_weights
from leaven.corpora import Block, Corpus, TrainingSet, in_memory
from leaven.documents._label_encoding import encode_labels
from leaven.documents._labels import EncodedLabels, Labels
from leaven.estimators._checks import checked_counts, checked_targets, refuse_sets
from leaven.learners import Learned, Learner, Run
from leaven.learning import View, learn_view

__all__ = ["CountClassifier"]


class CountClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Fits an expert on counts and labels, and predicts with it.

    A subclass names its learner, whose options are the subclass's parameters, and sets the
    attributes of a fit in ``_describe``.
    """

    learner_type: ClassVar[type[Learner]]
    takes_negative: ClassVar[bool] = False  # as the counts of hashed words with signs are

    n_jobs: int | None
    random_state: Seed
    classes_: ClassArray
    _learned: Learned
    _view: View | None

    def learner(self) -> Learner:
        """The learner with this estimator's parameters as options.

        Returns
        -------
        Learner
            What fits a model, wherever the documents are.
        """
        options = {each.name: getattr(self, each.name) for each in fields(self.learner_type)}
        return self.learner_type(**options)

    def check_options(self, dtype: Any) -> None:
        """Raise an error for invalid options, given the precision of the counts.

        Parameters
        ----------
        dtype : numpy dtype
            float32 or float64.
        """
        self.learner().check(dtype)
        check_seed(self.random_state)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : array of shape (n_documents,)
            Class labels; -1 among whole numbers, None or "" among strings, is unlabeled.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, vectors: FloatArray | None = None) -> Self:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give one label per document, -1 where unlabeled"
            )
        X = self._checked(X, "fit", reset=True)
        self.check_options(X.dtype)
        encoded = self._encoded(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        block = Block(self._scaled(csr_array(X)), encoded.codes, weight, vectors)
        corpus = in_memory(block, self.n_jobs)  # which compares the numbers of rows
        is_labeled = encoded.codes >= 0
        labels = encoded.labels
        weights = np.bincount(encoded.codes[is_labeled], weight[is_labeled], labels.n_codes)
        training = TrainingSet(corpus, labels, weights.astype(np.float64))
        self._fit_training(training, Progress())
        self.warn(stacklevel=4)
        return self

    def fit_corpus(
        self,
        corpus: Corpus,
        *,
        classes: Any,
        on_progress: Listener | None = None,
        warn: bool = True,
    ) -> Self:
        """Fit on any corpus, in memory, streamed from disk or on a cluster.

        Parameters
        ----------
        corpus : Corpus
            The documents; see ``leaven.corpora``.
        classes : array of shape (n_classes,)
            The classes that the corpus's codes index.
        on_progress : callable or None, default=None
            Called as ``on_progress(phase, done, total)`` as the fit proceeds; if it returns True,
            EM stops with the parameters reached.
        warn : bool, default=True
            Issue warnings; with False the caller must call ``warn``.

        Returns
        -------
        self
            The fitted estimator.
        """
        self.check_options(corpus.dtype)
        training = TrainingSet.of(corpus, self._labels_of(classes))
        self._fit_training(training, Progress(on_progress))
        if warn:
            self.warn(stacklevel=3)
        return self

    def _encoded(self, y: Any) -> EncodedLabels:
        """Codes of the labels."""
        refuse_sets(y, type(self).__name__)
        return encode_labels(checked_targets(y))

    def _labels_of(self, classes: Any) -> Labels:
        """The labels that the codes of a corpus index."""
        return Labels(np.asarray(classes))

    def _fit_training(self, training: TrainingSet, progress: Progress) -> None:
        learner, view = self.learner(), None
        run = Run.seeded(checked_seed(self.random_state), self.n_jobs, progress=progress)
        if learner.n_dims:
            on_pass = progress.phase("vectors")
            view = learn_view(training.corpus, learner.n_dims, run.seed, on_pass, run.n_threads)
            training = training.with_vectors(view.seen, view.n_dims)
        learned = learner.fit(training, run)
        # Only now, so that a failed fit leaves the estimator as it was.
        self.classes_, self.n_features_in_ = training.labels.classes, training.corpus.n_words
        self._learned, self._view = learned, view
        self._describe()

    def _describe(self) -> None:
        """Set the attributes that describe what was learned."""

    def _scaled(self, X: Counts) -> Counts:
        """Counts as the learner expects them."""
        return X

    @property
    def messages_(self) -> list[str]:
        """The warnings of the last fit."""
        return [message for _, message in self._learned.messages]

    def warn(self, stacklevel: int = 2) -> None:
        """Issue the warnings of the last fit.

        Parameters
        ----------
        stacklevel : int, default=2
            As for ``warnings.warn``.
        """
        for category, message in self._learned.messages:
            warnings.warn(message, category, stacklevel=stacklevel)

    def _counts(self, X: Any) -> Counts:
        """Documents to predict, as the expert takes them."""
        check_is_fitted(self, "_learned")
        X = self._checked(X, "predict", reset=False)
        return self._scaled(csr_array(X))

    def _seen(self, X: Any, vectors: Any = None) -> tuple[Counts, FloatArray | None]:
        """Documents to predict, as the expert takes them, and their vectors if it uses any."""
        counts = self._counts(X)
        seen = None if self._view is None else self._view.vectors(counts, vectors, self.n_jobs)
        return counts, seen

    def _scores(self, X: Any, vectors: Any = None) -> FloatArray:
        counts, seen = self._seen(X, vectors)
        return self._learned.expert.scores(counts, seen)

    def _checked(self, X: Any, whom: str, *, reset: bool) -> Any:
        return checked_counts(self, X, whom, reset=reset, takes_negative=self.takes_negative)

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        return softmax(self._scores(X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithms of the class probabilities; precise where those round to 0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.
        """
        return log_softmax(self._scores(X))

    def predict(self, X: Any) -> Any:
        """Most probable class of each document.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.

        Returns
        -------
        ndarray of shape (n_documents,)
            Values of ``classes_``.
        """
        scores = self._scores(X)
        labels = Labels(self.classes_)
        return labels.decode(labels.decide(scores))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on documents and their labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : array of shape (n_documents,)
            Their classes.
        sample_weight : array of shape (n_documents,) or None, default=None
            How much each document counts.

        Returns
        -------
        float
            Share of the documents that are classified correctly.
        """
        if sample_weight is not None:
            sample_weight = checked_weights("sample_weight", sample_weight, len(y))
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.takes_negative
        tags.classifier_tags.poor_score = True
        return tags

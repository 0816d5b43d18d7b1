"""Logistic regression on few labeled documents of many words, in the space they span."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.linear_model import LogisticRegression

from leaven._base.parts import parts_of
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora import CorpusSize, TrainingSet
from leaven.experts import LinearExpert, row_norms
from leaven.learners._base import Learned, Learner, Run
from leaven.learning._cross_validation import Folds

__all__ = ["LabeledFeatures", "LinearLearner", "LinearVectorsLearner"]

C = 10.0  # inverse strength of the ridge penalty, on unit-length documents
TOLERANCE, MOST_ITERATIONS = 1e-3, 1000  # of scikit-learn's solver, L-BFGS
# Labeled documents up to which all of them span the space, and how many do beyond.
MOST_EXACT, MOST_BEYOND = 2500, 1500
NOISE = 1e-9  # of the largest eigenvalue of the inner products; smaller ones are rounding errors
# Prior weights of their scores in auto: of the model of words, and of that of words and vectors.
PRIOR_WEIGHT, PRIOR_WEIGHT_WITH_VECTORS = 0.25, 0.35


@dataclass(frozen=True)
class LinearLearner(Learner):
    """Logistic regression on the labeled documents' words."""

    title: ClassVar[str] = "linear model of words"

    def fit(self, training: TrainingSet, run: Run) -> "LinearLearned":
        labeled = training.labeled
        features = LabeledFeatures(labeled.X, self._vectors(labeled.vectors))
        expert = features.expert(self.title, features.fit(labeled.y))
        return LinearLearned(learner=self, expert=expert, features=features, codes=labeled.y)

    def _vectors(self, vectors: FloatArray | None) -> FloatArray | None:
        return None

    def prior_weight(self, size: CorpusSize) -> float:
        return PRIOR_WEIGHT


@dataclass(frozen=True)
class LinearVectorsLearner(LinearLearner):
    """Logistic regression on the labeled documents' words and vectors."""

    title: ClassVar[str] = "linear model of words and vectors"

    def _vectors(self, vectors: FloatArray | None) -> FloatArray | None:
        return vectors

    def prior_weight(self, size: CorpusSize) -> float:
        return PRIOR_WEIGHT_WITH_VECTORS


class LabeledFeatures:
    """Labeled documents as a linear model sees them: unit-length words beside their vectors.

    The weights that minimize loss plus ridge penalty lie in the span of the labeled
    documents, so a few hundred documents need a few hundred coordinates, not tens of
    thousands of words: documents are rotated into their span, exactly, and all folds of a
    cross-validation share the rotation. Of many documents a part spans the space.
    """

    def __init__(self, X: Counts, vectors: FloatArray | None = None) -> None:
        words = csr_array(diags_array(1 / row_norms(X)) @ X)
        vectors = np.zeros((X.shape[0], 0)) if vectors is None else vectors
        n_documents = X.shape[0]
        every = 1 if n_documents <= MOST_EXACT else -(-n_documents // MOST_BEYOND)
        self.words, self.vectors = csr_array(words[::every]), vectors[::every]
        gram = self._products(self.words, self.vectors)
        values, turn = np.linalg.eigh(np.asarray(gram, np.float64))
        real = values > NOISE * max(values[-1], 1e-30)
        if not real.any():
            real[-1] = True  # no document has a word: one coordinate, zero for all
        root = np.sqrt(np.maximum(values[real], 1e-30))
        self.turn = turn[:, real] / root
        self.coordinates = np.empty((n_documents, self.turn.shape[1]), np.float32)
        # In parts: the products of many documents would fill memory.
        for first in range(0, n_documents, MOST_EXACT):
            rows = slice(first, first + MOST_EXACT)
            if every > 1:
                gram = self._products(csr_array(words[rows]), vectors[rows])
            self.coordinates[rows] = gram.T @ self.turn

    def _products(self, words: Counts, vectors: FloatArray) -> FloatArray:
        """Inner products of the documents that span the space with others."""
        products: FloatArray = (self.words @ words.T).toarray()
        products += self.vectors @ vectors.T
        return products

    def fit(self, codes: IntArray, rows: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Coefficients (n_coordinates, n_classes) and biases from some of the documents."""
        rows = np.arange(len(codes)) if rows is None else rows
        # scikit-learn warns where documents are few for the number of classes; every
        # document twice, at half its weight, gives the same model.
        n_times = 2 if 2 * len(np.unique(codes[rows])) > len(rows) else 1
        rows = np.tile(rows, n_times)
        model = LogisticRegression(C=C, tol=TOLERANCE, max_iter=MOST_ITERATIONS)
        weight = np.full(len(rows), 1.0 / n_times)
        model.fit(self.coordinates[rows], codes[rows], sample_weight=weight)
        coefficients, bias = model.coef_.T, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn stores only their difference
            coefficients, bias = np.hstack([-coefficients, coefficients]) / 2, bias[0] / 2
            bias = np.array([-bias, bias])
        return coefficients, bias

    def scores(self, fitted: tuple[FloatArray, FloatArray], rows: IntArray) -> FloatArray:
        """Scores of some of the documents."""
        coefficients, bias = fitted
        products: Any = self.coordinates[rows] @ coefficients
        return np.asarray(products) + bias

    def expert(self, name: str, fitted: tuple[FloatArray, FloatArray]) -> LinearExpert:
        """The model as a function of words and vectors."""
        coefficients, bias = fitted
        shares = self.turn @ coefficients  # of the documents that span the space
        by_word = csr_array(self.words.T)
        words = np.empty((by_word.shape[0], shares.shape[1]), np.float32)
        # In parts: of many classes, all of them in float64 would fill memory.
        for part in parts_of(len(words), shares.shape[1]):
            words[part] = by_word[part] @ shares
        directions = self.vectors.T @ shares
        return LinearExpert(name, words, directions.astype(np.float32), bias.astype(np.float64))


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearLearned(Learned):
    """A linear model, and the features that it was fitted on."""

    features: LabeledFeatures = field(repr=False)
    codes: IntArray = field(repr=False)

    def held_out_scores(self, folds: Folds, places: list[IntArray], run: Run) -> FloatArray:
        """All folds share the rotation into the span of the labeled documents."""
        found: list[FloatArray] = [np.zeros((0, len(folds.labels)))]
        for fold in places:
            if run.progress.is_stopped:
                break
            fitted = self.features.fit(self.codes, folds.kept(fold))
            found.append(self.features.scores(fitted, fold))
        return np.concatenate(found)

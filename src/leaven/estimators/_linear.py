"""Logistic regression on few labeled documents of many words, in the space they span."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack
from sklearn.linear_model import LogisticRegression

from leaven._typing import Counts, FloatArray, IntArray
from leaven.experts import LinearExpert, row_norms

__all__ = ["LabeledFeatures"]

C = 10.0  # inverse strength of the ridge penalty, on unit-length documents
TOLERANCE, MOST_ITERATIONS = 1e-3, 100
MOST_FOR_GRAM = 2500  # labeled documents whose inner products are quicker than their words


class LabeledFeatures:
    """Labeled documents as a linear model sees them: unit-length words beside their vectors.

    The weights that minimize loss plus ridge penalty lie in the span of the labeled
    documents, so a few hundred documents need a few hundred coordinates, not tens of
    thousands of words: documents are rotated into their span, exactly, and all folds of a
    cross-validation share the rotation.
    """

    def __init__(self, X: Counts, vectors: FloatArray | None = None) -> None:
        self.words = csr_array(diags_array(1 / row_norms(X)) @ X)
        self.vectors = np.zeros((X.shape[0], 0)) if vectors is None else vectors
        self.turn: FloatArray | None = None
        if X.shape[0] > MOST_FOR_GRAM:
            self.coordinates = csr_array(hstack([self.words, csr_array(self.vectors)]))
            return
        gram = (self.words @ self.words.T).toarray() + self.vectors @ self.vectors.T
        values, turn = np.linalg.eigh(np.asarray(gram, np.float64))
        real = values > 1e-9 * max(values[-1], 1e-30)
        root = np.sqrt(values[real])
        self.coordinates = (turn[:, real] * root).astype(np.float32)
        self.turn = turn[:, real] / root

    def fit(self, codes: IntArray, rows: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Coefficients (n_coordinates, n_classes) and biases from some of the documents."""
        rows = np.arange(len(codes)) if rows is None else rows
        # scikit-learn takes few documents of many classes for a mistake and warns; every
        # document twice, at half its weight, is the same model.
        n_times = 2 if 2 * len(np.unique(codes[rows])) > len(rows) else 1
        rows = np.tile(rows, n_times)
        model = LogisticRegression(C=C, tol=TOLERANCE, max_iter=MOST_ITERATIONS)
        weight = np.full(len(rows), 1.0 / n_times)
        model.fit(self.coordinates[rows], codes[rows], sample_weight=weight)
        coefficients, bias = model.coef_.T, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn keeps the difference of two only
            coefficients, bias = np.hstack([-coefficients, coefficients]) / 2, bias[0] / 2
            bias = np.array([-bias, bias])
        return coefficients, bias

    def scores(self, fitted: tuple[FloatArray, FloatArray], rows: IntArray) -> FloatArray:
        """Scores of some of the documents."""
        coefficients, bias = fitted
        own: Any = self.coordinates[rows] @ coefficients
        return np.asarray(own) + bias

    def expert(self, name: str, fitted: tuple[FloatArray, FloatArray]) -> LinearExpert:
        """The model as a function of words and vectors."""
        coefficients, bias = fitted
        if self.turn is None:
            n_words = self.words.shape[1]
            words, directions = coefficients[:n_words], coefficients[n_words:]
        else:
            shares = self.turn @ coefficients  # of the labeled documents
            words = np.asarray(self.words.T @ shares)
            directions = self.vectors.T @ shares
        return LinearExpert(
            name, words.astype(np.float32), directions.astype(np.float32), bias.astype(np.float64)
        )

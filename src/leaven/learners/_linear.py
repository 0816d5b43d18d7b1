"""Logistic regression on few labeled documents of many words, in the space they span."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.linear_model import LogisticRegression

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.experts._experts import LinearExpert, row_norms

__all__ = ["LabeledFeatures"]

C = 10.0  # inverse strength of the ridge penalty, on unit-length documents
TOLERANCE, MOST_ITERATIONS = 1e-3, 1000
# Labeled documents that span their space exactly, and how many must do beyond.
MOST_EXACT, MOST_BEYOND = 2500, 1500


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
        real = values > 1e-9 * max(values[-1], 1e-30)
        if not real.any():
            real[-1] = True  # no document has a word: one coordinate, in which all are nothing
        root = np.sqrt(np.maximum(values[real], 1e-30))
        self.turn = turn[:, real] / root
        self.coordinates = np.empty((n_documents, self.turn.shape[1]), np.float32)
        # In parts, because of many documents the products would fill memory.
        for first in range(0, n_documents, MOST_EXACT):
            own = slice(first, first + MOST_EXACT)
            if every > 1:
                gram = self._products(csr_array(words[own]), vectors[own])
            self.coordinates[own] = gram.T @ self.turn

    def _products(self, words: Counts, vectors: FloatArray) -> FloatArray:
        """Inner products of the documents that span the space with others."""
        products: FloatArray = (self.words @ words.T).toarray()
        products += self.vectors @ vectors.T
        return products

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
        shares = self.turn @ coefficients  # of the documents that span the space
        words = np.asarray(self.words.T @ shares)
        directions = self.vectors.T @ shares
        return LinearExpert(
            name, words.astype(np.float32), directions.astype(np.float32), bias.astype(np.float64)
        )

"""Which classes are taken for which: pairs of a true and a predicted class that occur.

A matrix of ten thousand classes has a hundred million cells, of which documents fill a few
thousand: only those are held.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import IntArray

__all__ = ["Confusion"]

MOST_IN_MATRIX = 1000  # classes; of more, JSON holds the pairs that occur


@dataclass(frozen=True, eq=False)
class Confusion:
    """Numbers of documents by true and predicted class; those of batches add up."""

    n_classes: int
    truth: IntArray  # (n_pairs,) codes; pairs are different, in the order of a matrix's rows
    predicted: IntArray  # (n_pairs,) codes
    documents: IntArray  # (n_pairs,) positive

    @classmethod
    def of(
        cls, truth: IntArray, predicted: IntArray, n_classes: int, documents: IntArray | None = None
    ) -> "Confusion":
        """Count pairs of codes, one for each document, or for so many."""
        cells = np.asarray(truth, np.int64) * n_classes + predicted
        kept, places = np.unique(cells, return_inverse=True)
        counts = np.bincount(places, documents, len(kept)).astype(np.int64)
        return cls(n_classes, kept // n_classes, kept % n_classes, counts)

    @classmethod
    def of_matrix(cls, matrix: IntArray) -> "Confusion":
        """From rows of true and columns of predicted classes."""
        truth, predicted = np.nonzero(matrix)
        return cls.of(truth, predicted, len(matrix), matrix[truth, predicted])

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion.of(
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.predicted, other.predicted]),
            max(self.n_classes, other.n_classes),
            np.concatenate([self.documents, other.documents]),
        )

    @property
    def n_documents(self) -> int:
        return int(self.documents.sum())

    @property
    def n_right(self) -> int:
        """Documents whose class was predicted."""
        return int(self.documents[self.truth == self.predicted].sum())

    @property
    def right_of_class(self) -> IntArray:
        """Correct documents of each class: the diagonal of the matrix."""
        is_right = self.truth == self.predicted
        return self._summed(self.truth[is_right], self.documents[is_right])

    @property
    def true_of_class(self) -> IntArray:
        """Documents of each class: sums of the rows."""
        return self._summed(self.truth, self.documents)

    @property
    def predicted_of_class(self) -> IntArray:
        """Documents predicted to be of each class: sums of the columns."""
        return self._summed(self.predicted, self.documents)

    def _summed(self, codes: IntArray, documents: IntArray) -> IntArray:
        return np.bincount(codes, documents, self.n_classes).astype(np.int64)

    def largest_mistakes(self) -> list[tuple[int, int, int]]:
        """True class, predicted class and documents of wrong pairs; the most frequent first."""
        wrong = np.flatnonzero(self.truth != self.predicted)
        wrong = wrong[np.argsort(-self.documents[wrong], kind="stable")]
        columns = (each[wrong].tolist() for each in (self.truth, self.predicted, self.documents))
        return list(zip(*columns, strict=True))

    def among(self, codes: IntArray) -> "Confusion":
        """The pairs of these classes, numbered in their order; others are left out."""
        places = np.full(self.n_classes, -1, np.int64)
        places[codes] = np.arange(len(codes))
        truth, predicted = places[self.truth], places[self.predicted]
        kept = (truth >= 0) & (predicted >= 0)
        return Confusion.of(truth[kept], predicted[kept], len(codes), self.documents[kept])

    def matrix(self) -> IntArray:
        """All cells, (n_classes, n_classes); rows are true, columns predicted."""
        cells = np.zeros((self.n_classes, self.n_classes), np.int64)
        cells[self.truth, self.predicted] = self.documents
        return cells

    def to_json(self) -> dict[str, Any]:
        """A matrix of few classes; of many, lists of true code, predicted code and documents."""
        if self.n_classes <= MOST_IN_MATRIX:
            return {"matrix": self.matrix().tolist()}
        return {"pairs": np.stack([self.truth, self.predicted, self.documents], axis=1).tolist()}

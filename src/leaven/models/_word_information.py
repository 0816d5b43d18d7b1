"""Weights of words by what they tell about classes, for models of words that all count the same."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import BoolArray, Counts, FloatArray
from leaven.corpora._base import Block
from leaven.models._base import SummedFields

__all__ = ["WordCounts", "WordWeights"]

SHRINKAGE = 5.0  # σ: documents of the usual classes that are added to those with a word
LEAST = 1e-3  # weight of a word that tells nothing
LEAST_CLASS = 1e-9  # least share of a class in all documents, and of the others
LEAST_GIVEN = 1e-12  # least share of a class in the documents with a word, and of the others
SHORTEST = 1e-12  # Euclidean length of a document that is scaled


@dataclass(frozen=True, eq=False)
class WordCounts(SummedFields):
    """Labeled documents that contain each word, by class; counts of parts of a corpus add up."""

    with_word: FloatArray  # (n_words, n_classes) of the class
    any_class: FloatArray  # (n_words,)
    documents: FloatArray  # (n_classes,) of the class
    total: float

    @classmethod
    def of(cls, block: Block, members: BoolArray) -> Self:
        """Counts of a block, whose codes mean the classes of ``members``."""
        rows = np.flatnonzero(block.y >= 0)
        X = csr_array(block.X[rows])
        weight = np.repeat(block.weight[rows], np.diff(X.indptr))
        present = csr_array((weight, X.indices, X.indptr), shape=X.shape)
        has_class = csr_array(members[block.y[rows]].astype(np.float64))
        return cls(
            np.asarray((present.T @ has_class).toarray(), np.float64),
            np.bincount(X.indices, weight, X.shape[1]).astype(np.float64),
            np.asarray(block.weight[rows] @ has_class),
            float(block.weight[rows].sum()),
        )

    def information(self) -> FloatArray:
        """The most that each word tells about a class.

        The largest Kullback-Leibler divergence, over classes, of the share of a class among the
        documents with the word from its share among all.
        """
        share = np.clip(self.documents / max(self.total, 1e-12), LEAST_CLASS, 1.0 - LEAST_CLASS)
        with_word = self.with_word + SHRINKAGE * share
        given = with_word / (self.any_class[:, None] + SHRINKAGE)
        given = np.clip(given, LEAST_GIVEN, 1.0 - LEAST_GIVEN)
        divergence = given * np.log(given / share)
        divergence += (1.0 - given) * np.log((1.0 - given) / (1.0 - share))
        largest: FloatArray = np.maximum(divergence.max(axis=1), LEAST)
        return largest


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Factors on the counts of words, and the Euclidean length that documents then get."""

    weights: FloatArray  # (n_words,)
    length: float  # 0: as it is

    def applied(self, X: Counts) -> Counts:
        """The documents with weighted words."""
        data = X.data * self.weights.astype(X.dtype)[X.indices]
        if self.length:
            sums = np.concatenate([[0.0], np.cumsum(np.asarray(data, np.float64) ** 2)])
            norms = np.sqrt(np.maximum(sums[X.indptr[1:]] - sums[X.indptr[:-1]], 1e-300))
            factors = np.where(norms > SHORTEST, self.length / np.maximum(norms, SHORTEST), 1.0)
            data = data * np.repeat(factors, np.diff(X.indptr)).astype(X.dtype)
        return csr_array((data, X.indices, X.indptr), shape=X.shape)

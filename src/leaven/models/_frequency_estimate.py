"""Semi-supervised frequency estimate: naive Bayes in closed form from word totals.

Su, Sayyad-Shirabad and Matwin (2011): labeled documents show which classes a word belongs to,
all documents show how frequent it is. The derivation is in docs/methods/frequency-estimate.md.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora._base import Block
from leaven.models._mixture import MixtureParams

__all__ = ["FrequencyEstimate", "WordTotals"]


@dataclass(frozen=True, eq=False)
class WordTotals:
    """The statistics that the estimate needs; totals of parts of a corpus add up."""

    documents: FloatArray  # (n_classes,) labeled documents
    labeled: FloatArray  # (n_classes, n_words) words of labeled documents, Fortran order
    unlabeled: FloatArray  # (n_words,) words of unlabeled documents

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.documents + other.documents,
            self.labeled + other.labeled,
            self.unlabeled + other.unlabeled,
        )


@dataclass(frozen=True)
class FrequencyEstimate:
    """From documents to totals, and from totals to parameters.

    Parameters
    ----------
    n_classes, n_words : int
        Numbers of classes and of words.
    alpha : float
        Pseudo-count added to every word count of every class.
    unlabeled_weight : float
        How much an unlabeled word counts, relative to a labeled one.
    shrinkage : float
        Pseudo-count of labeled occurrences, distributed over classes like the labeled
        documents, that is added to every word before its class shares are computed.
    """

    n_classes: int
    n_words: int
    alpha: float = 1.0
    unlabeled_weight: float = 1.0
    shrinkage: float = 0.3

    def count(self, block: Block) -> WordTotals:
        """Totals of some documents: one addition per value, whatever the number of classes."""
        X = block.X
        if X.shape[1] != self.n_words:
            raise ValueError(
                f"documents and parameters must have the same words, got {X.shape[1]} and "
                f"{self.n_words}; count them with the same vocabulary"
            )
        if block.y.max(initial=-1) >= self.n_classes:
            raise ValueError(
                f"class codes must be below the number of classes, {self.n_classes}, got "
                f"{block.y.max()}; name all classes"
            )
        # Unlabeled documents are counted as an additional, last class.
        n_rows = self.n_classes + 1
        row = np.where(block.y < 0, self.n_classes, block.y).astype(np.int64)
        sizes = np.diff(X.indptr)
        places = X.indices * np.int64(n_rows) + np.repeat(row, sizes)
        values = X.data * np.repeat(block.weight, sizes)
        words = np.bincount(places, values, self.n_words * n_rows).astype(np.float64, copy=False)
        documents: FloatArray = np.bincount(row, block.weight, n_rows).astype(np.float64)
        by_word = words.reshape(self.n_words, n_rows)
        return WordTotals(documents[:-1], by_word[:, :-1].T, by_word[:, -1])

    def estimate(self, totals: WordTotals, dtype: Any = np.float64) -> MixtureParams:
        """Parameters of a mixture with one component per class."""
        prior = totals.documents / totals.documents.sum()
        # Word by word in memory from here on, as in the parameters.
        labeled = totals.labeled.T
        of_class = labeled + self.shrinkage * prior
        known = of_class.sum(axis=1)
        # For a word in no labeled document, only P(c) is known of its class.
        of_class[known == 0.0] = prior
        known[known == 0.0] = 1.0
        of_class *= (self.unlabeled_weight * totals.unlabeled / known)[:, np.newaxis]
        of_class += labeled
        of_class += self.alpha
        log_word = np.log(of_class) - np.log(of_class.sum(axis=0))
        return MixtureParams(np.log(prior), log_word.astype(dtype).T)

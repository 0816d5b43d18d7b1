"""Objectives that combine what words tell about labels with how probable documents are.

Druck, Pal, Zhu and McCallum (2007). With L = log P(labels | labeled documents) and M = log P(all
documents), under one log-linear model:

- conditional (maximum entropy): L of one table of parameters;
- multi-conditional, eq. (1): alpha L + M of one table;
- coupled, eq. (2): L of one table and M of another, which a prior keeps near each other.

All have a Gaussian prior on the table that classifies. A table is (n_words + 1, n_classes), with
biases in its last row; optimizers see the tables of an objective as one vector.
"""

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora import Corpus, in_memory, labeled_documents
from leaven.learning._gradient import Height
from leaven.models import NaiveMRF, Slope, log_unigram

__all__ = ["Conditional", "Coupled", "Hybrid", "Likelihoods", "MultiConditional", "gaussian"]

MOST_LABELED = 200_000  # labeled documents loaded into memory; more stay where they are


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """The two likelihoods of documents, wherever these are."""

    model: NaiveMRF
    labeled: Corpus  # has all labeled documents, and possibly others
    corpus: Corpus

    @classmethod
    def of(cls, corpus: Corpus, n_classes: int, n_threads: int | None = None) -> "Likelihoods":
        """Few labeled documents are loaded into memory, since each step needs them again."""
        n_labeled = corpus.reduce(lambda block: int((block.y >= 0).sum()))
        labeled = corpus
        if n_labeled <= MOST_LABELED:
            labeled = in_memory(labeled_documents(corpus, MOST_LABELED), n_threads)
        return cls(NaiveMRF(n_classes, log_unigram(corpus)), labeled, corpus)

    @property
    def shape(self) -> tuple[int, int]:
        """Of a table of parameters."""
        return len(self.model.log_unigram) + 1, self.model.n_classes

    def of_labels(self, table: FloatArray) -> Slope:
        """Log P(labels | labeled documents)."""
        return self.labeled.reduce(partial(self.model.conditional, table))

    def of_documents(self, table: FloatArray) -> Slope:
        """Log P(all documents)."""
        partition = self.model.partition(table)
        summed = self.corpus.reduce(partial(self.model.marginal, table, partition.log_total))
        return self.model.finished(partition, summed)


class Hybrid(Protocol):
    """An objective whose parameters are one table or several."""

    likelihoods: Likelihoods

    def start(self, table: FloatArray) -> FloatArray:
        """All parameters at one table, as a vector."""
        ...

    def table(self, vector: FloatArray) -> FloatArray:
        """The table that classifies."""
        ...

    def height(self, vector: FloatArray) -> Height:
        """The objective and its gradient."""
        ...


@dataclass(frozen=True, eq=False)
class Conditional(Hybrid):
    """Maximum entropy, or logistic regression: P(label | document) of the labeled documents."""

    likelihoods: Likelihoods
    variance: float  # of the Gaussian prior

    def start(self, table: FloatArray) -> FloatArray:
        return np.array(table, np.float64).ravel()

    def table(self, vector: FloatArray) -> FloatArray:
        return vector.reshape(self.likelihoods.shape)

    def height(self, vector: FloatArray) -> Height:
        labels = self.likelihoods.of_labels(self.table(vector))
        prior, slope = gaussian(vector, self.variance)
        return Height(_parts(labels), _scales(labels), prior, labels.table.ravel() + slope)


@dataclass(frozen=True, eq=False)
class MultiConditional(Conditional):
    """The two likelihoods of one table, that of labels to the power of ``alpha``: eq. (1)."""

    alpha: float

    def height(self, vector: FloatArray) -> Height:
        table = self.table(vector)
        labels, documents = self.likelihoods.of_labels(table), self.likelihoods.of_documents(table)
        prior, slope = gaussian(vector, self.variance)
        factor = np.array([self.alpha, 1.0])
        gradient = self.alpha * labels.table + documents.table
        return Height(
            factor * _parts(labels, documents),
            factor * _scales(labels, documents),
            prior,
            gradient.ravel() + slope,
        )


@dataclass(frozen=True, eq=False)
class Coupled(Hybrid):
    """The likelihood of labels by one table, of documents by another near it: eq. (2)."""

    likelihoods: Likelihoods
    variance: float  # of the Gaussian prior on the table that classifies
    coupling: float  # variance of the difference of the tables

    def start(self, table: FloatArray) -> FloatArray:
        return np.tile(np.asarray(table, np.float64).ravel(), 2)

    def table(self, vector: FloatArray) -> FloatArray:
        return np.split(vector, 2)[0].reshape(self.likelihoods.shape)

    def height(self, vector: FloatArray) -> Height:
        ours, theirs = np.split(vector, 2)
        shape = self.likelihoods.shape
        labels = self.likelihoods.of_labels(ours.reshape(shape))
        documents = self.likelihoods.of_documents(theirs.reshape(shape))
        prior, slope = gaussian(ours, self.variance)
        coupled, pull = gaussian(ours - theirs, self.coupling)
        gradient = [labels.table.ravel() + slope + pull, documents.table.ravel() - pull]
        return Height(
            _parts(labels, documents),
            _scales(labels, documents),
            prior + coupled,
            np.concatenate(gradient),
        )


def gaussian(vector: FloatArray, variance: float) -> tuple[float, FloatArray]:
    """Log density of a Gaussian around zero, up to a constant, and its gradient."""
    slope = -vector / variance
    return 0.5 * float(vector @ slope), slope


def _parts(*slopes: Slope) -> FloatArray:
    return np.array([slope.value for slope in slopes])


def _scales(*slopes: Slope) -> FloatArray:
    """Sizes of the parts; a likelihood of labels near zero counts a unit per document."""
    return np.array([max(abs(slope.value), slope.n_documents) for slope in slopes])

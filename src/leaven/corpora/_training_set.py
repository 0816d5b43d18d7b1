"""Training set of a learner: documents, and the labels that class codes represent."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora._base import Block, Corpus
from leaven.corpora._parts import distinct_rows, labeled_documents, numbered_documents
from leaven.corpora._size import CorpusSize, measure
from leaven.documents._labels import Labels

__all__ = ["TrainingSet"]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Documents to learn from, wherever they are stored."""

    corpus: Corpus
    labels: Labels
    label_weights: FloatArray  # (n_codes,) labeled documents of each code, by weight
    n_dims: int = 0  # of the documents' vectors
    # Numbers of the labeled documents that were drawn at random; None where this is not known.
    audited: IntArray | None = None
    # The same documents counted in another way, whose labeled ones are taken, in the same order.
    like: "TrainingSet | None" = None

    @classmethod
    def of(cls, corpus: Corpus, labels: Labels) -> "TrainingSet":
        """Training set of a corpus with uncounted labels: takes one pass over its codes."""
        n_labels = labels.n_codes

        def count(block: Block) -> FloatArray:
            is_labeled = block.y >= 0
            n_codes = max(n_labels, int(block.y.max(initial=-1)) + 1)
            if n_codes > n_labels:
                raise ValueError(
                    f"class codes must be below the number of classes, {n_labels}, got "
                    f"{n_codes - 1}; name all classes"
                )
            weights = np.bincount(block.y[is_labeled], block.weight[is_labeled], n_labels)
            return weights.astype(np.float64)

        return cls(corpus, labels, corpus.reduce(count))

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @cached_property
    def labeled(self) -> Block:
        """The labeled documents in memory, without copies; a sample if there are many."""
        return self._labeled[0]

    @property
    def is_audited(self) -> BoolArray | None:
        """Which of ``labeled`` were drawn at random, they or a copy; None where not known."""
        return self._labeled[1]

    @cached_property
    def _labeled(self) -> tuple[Block, BoolArray | None]:
        if self.like is not None:
            theirs, is_audited = self.like._labeled
            ours = numbered_documents(self.corpus, theirs.numbers)
            return replace(ours, weight=theirs.weight), is_audited
        every = labeled_documents(self.corpus, first=self.audited)
        rows, original = distinct_rows(every)
        if self.audited is None:
            return every.rows(rows), None
        is_audited = np.zeros(len(every.y), bool)
        is_audited[original[np.isin(every.numbers, self.audited)]] = True
        return every.rows(rows), is_audited[rows]

    @cached_property
    def size(self) -> CorpusSize:
        """Numbers of documents and words, measured in one pass."""
        return measure(self.corpus)

    def with_vectors(self, change: Callable[[Block], Block], n_dims: int) -> "TrainingSet":
        """The same documents with vectors of length ``n_dims``, added by ``change``."""
        return replace(self, corpus=self.corpus.map(change), n_dims=n_dims)

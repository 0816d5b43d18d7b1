"""Samples of documents, chosen by content, that represent a corpus."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from leaven._base.typing import Counts
from leaven.corpora._base import Block, Corpus, stacked

__all__ = [
    "Sample",
    "distinct_sample",
    "sample_documents",
    "sample_unlabeled",
    "scrambled",
    "vector_ties",
]

FEWEST_OF_A_CLASS = 20  # documents of every class that a sample keeps, where there are as many
SAME_VECTOR = 1e-6  # difference up to which vectors of documents with the same words are equal
VALUES_AT_ONCE = 250_000  # of counts, whose hashes are in memory together
SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Sample:
    """The documents with the smallest keys, and totals of all documents they were drawn from.

    Samples of parts add up to the sample of the whole, and are never larger than it.
    """

    most: int
    keys: Any  # (n_taken,)
    block: Block
    weight: float  # of all eligible documents
    n_able: int  # eligible documents
    n_documents: int  # all documents, eligible or not

    @classmethod
    def of(cls, block: Block, most: int, salt: Any, n_documents: int | None = None) -> Self:
        """Sample a block; the choice depends on the documents' content only."""
        n_able = len(block.y)
        n_documents = n_able if n_documents is None else n_documents
        weight = float(block.weight.sum())
        return cls(most, _keys(block.X, salt), block, weight, n_able, n_documents)._cut()

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            keys=np.concatenate([self.keys, other.keys]),
            block=stacked([self.block, other.block]),
            weight=self.weight + other.weight,
            n_able=self.n_able + other.n_able,
            n_documents=self.n_documents + other.n_documents,
        )._cut()

    def _cut(self) -> Self:
        # Copies have the same key and would be sampled all or none, so they are merged: a message
        # sent a thousand times is one document of weight 1000. If all fit, all are kept.
        if self.n_able <= self.most:
            return self
        merged = self.merged()
        order = merged.order
        is_taken = np.arange(len(order)) < self.most
        # Every class is kept, however rare it is.
        classes = merged.block.y[order]
        by_class = np.argsort(classes, kind="stable")
        first = np.searchsorted(classes[by_class], classes[by_class])
        is_taken[by_class[np.arange(len(order)) - first < FEWEST_OF_A_CLASS]] = True
        taken = order[is_taken]
        return replace(merged, keys=merged.keys[taken], block=merged.block.rows(taken))

    def merged(self) -> Self:
        """Every document once, with the total weight of its copies."""
        if not len(self.keys):
            return self
        ties = vector_ties(self.block)
        order = np.lexsort((ties, self.block.y, self.keys))
        keys, classes, ties = self.keys[order], self.block.y[order], ties[order]
        is_new = (keys[1:] != keys[:-1]) | (classes[1:] != classes[:-1])
        is_new |= np.abs(ties[1:] - ties[:-1]) > SAME_VECTOR
        starts = np.concatenate([[0], np.flatnonzero(is_new) + 1])
        weight = np.add.reduceat(self.block.weight[order], starts)
        numbers = np.minimum.reduceat(self.block.numbers[order], starts)  # the first of the copies
        block = replace(self.block.rows(order[starts]), weight=weight, numbers=numbers)
        return replace(self, keys=keys[starts], block=block)

    @property
    def order(self) -> Any:
        """Order of the documents by content, and of copies by number."""
        # Documents with the same words may differ in class, weight and user-supplied vectors.
        block = self.block
        return np.lexsort((block.numbers, vector_ties(block), block.weight, block.y, self.keys))

    @property
    def standing_for_all(self) -> Block:
        """The sampled documents, scaled to the total weight of all eligible ones."""
        sampled = self.block.weight.sum()
        scale = self.weight / sampled if sampled else 1.0
        return replace(self.block, weight=self.block.weight * scale)


def sample_unlabeled(corpus: Corpus, most: int, rng: np.random.Generator) -> tuple[Block, int]:
    """At most ``most`` unlabeled documents with words, scaled to the total weight of all such.

    Returned with the number of all unlabeled documents, including those without words.

    The choice depends on a document's content only, so that the sample does not depend on
    where the corpus is stored or how it is split.
    """
    salt = rng.integers(2**63, dtype=np.uint64)

    def choose(block: Block) -> Sample:
        is_unlabeled = (block.y < 0) & (block.weight > 0)
        # A document without words has no information for EM, and all such have the same key.
        rows = np.flatnonzero(is_unlabeled & (np.diff(block.X.indptr) > 0))
        return Sample.of(block.rows(rows), most, salt, int(is_unlabeled.sum()))

    sample = corpus.reduce(choose)
    return sample.standing_for_all, sample.n_documents


def distinct_sample(
    corpus: Corpus, most: int, rng: np.random.Generator, *, labeled: bool
) -> Sample:
    """At most ``most`` documents with words, all labeled or all unlabeled, in random order.

    Copies are one document of their total weight. Choice and order depend on the documents'
    content, so they are the same wherever the corpus is stored.
    """
    salt = rng.integers(2**63, dtype=np.uint64)

    def choose(block: Block) -> Sample:
        has_words = np.diff(block.X.indptr) > 0
        is_wanted = ((block.y >= 0) == labeled) & (block.weight > 0) & has_words
        chosen = block.rows(np.flatnonzero(is_wanted))
        chosen.X.sum_duplicates()  # canonical rows, however they were stored: sorted, no zeros
        chosen.X.eliminate_zeros()
        return Sample.of(chosen, most, salt)

    sample = corpus.reduce(choose).merged()
    return replace(sample, block=sample.block.rows(sample.order))


def sample_documents(corpus: Corpus, most: int) -> Block:
    """At most ``most`` documents, labeled or not, ordered by their content.

    If there are more than ``most``, copies are merged into one document of their total weight.
    """
    sample = corpus.reduce(lambda block: Sample.of(block, most, SALT))
    return sample.block.rows(sample.order)


def vector_ties(block: Block) -> Any:
    """A number by which to order documents with the same words but different vectors.

    The part of a vector that was learned from the words is the same for such documents, so
    rounding differences in it between machines do not matter.
    """
    if block.vectors is None:
        return np.zeros(len(block.y))
    directions = np.cos(np.arange(1.0, block.vectors.shape[1] + 1))
    return np.einsum("ij,j->i", np.asarray(block.vectors, np.float64), directions)


def _keys(X: Counts, salt: Any) -> Any:
    """A pseudo-random number per document that depends on its words and the salt only."""
    n_documents = X.shape[0]
    keys = np.empty(n_documents, np.uint64)
    bits = np.ascontiguousarray(X.data).view(f"u{X.data.dtype.itemsize}")
    # Some rows at a time, because 64 bits per value take much memory.
    step = max(1, VALUES_AT_ONCE * n_documents // max(X.nnz, 1))
    for first in range(0, n_documents, step):
        bounds = X.indptr[first : first + step + 1]
        values = slice(bounds[0], bounds[-1])
        words = scrambled(X.indices[values].astype(np.uint64) + salt)
        mixed = scrambled(bits[values].astype(np.uint64) ^ words)
        sums = np.concatenate([[np.uint64(0)], np.cumsum(mixed, dtype=np.uint64)])
        places = bounds - bounds[0]
        keys[first : first + step] = sums[places[1:]] - sums[places[:-1]]
    return scrambled(keys ^ salt)


def scrambled(number: Any) -> Any:
    """Hash in which every output bit depends on every input bit: splitmix64's last steps."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))

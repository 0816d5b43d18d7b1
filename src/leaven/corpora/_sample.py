"""A sample of the unlabeled documents that stands for all of them."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from leaven._typing import Counts
from leaven.corpora._base import Block, Corpus, stacked

__all__ = ["Sample", "sample_documents", "sample_unlabeled"]

FEWEST_OF_A_CLASS = 20
SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents of the smallest keys, and what is known of all that they were taken from.

    Samples add up to the sample of all, and are never larger than they will be in the end.
    """

    most: int
    keys: Any  # (n_taken,)
    block: Block
    weight: float  # of all documents that could have been taken
    n_documents: int  # in all, whether or not they could

    @classmethod
    def of(cls, block: Block, most: int, salt: Any, n_documents: int | None = None) -> Self:
        """Take from a block; what a document holds decides."""
        n_documents = len(block.y) if n_documents is None else n_documents
        keys = _keys(block.X, salt)
        return cls(most, keys, block, float(block.weight.sum()), n_documents)._cut()

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            keys=np.concatenate([self.keys, other.keys]),
            block=stacked([self.block, other.block]),
            weight=self.weight + other.weight,
            n_documents=self.n_documents + other.n_documents,
        )._cut()

    def _cut(self) -> Self:
        if len(self.keys) <= self.most:
            return self
        order = self.order
        is_taken = np.arange(len(order)) < self.most
        # No class goes without, however rare it is.
        classes = self.block.y[order]
        by_class = np.argsort(classes, kind="stable")
        first = np.searchsorted(classes[by_class], classes[by_class])
        is_taken[by_class[np.arange(len(order)) - first < FEWEST_OF_A_CLASS]] = True
        taken = order[is_taken]
        return replace(self, keys=self.keys[taken], block=self.block.rows(taken))

    @property
    def order(self) -> Any:
        """An order that only what the documents hold decides."""
        # Documents of the same words may differ in class and weight.
        return np.lexsort((self.block.weight, self.block.y, self.keys))

    @property
    def standing_for_all(self) -> Block:
        """The documents taken, weighing as much as all that could have been."""
        own = self.block.weight.sum()
        return replace(self.block, weight=self.block.weight * (self.weight / own if own else 1.0))


def sample_unlabeled(corpus: Corpus, most: int, rng: np.random.Generator) -> tuple[Block, int]:
    """At most ``most`` unlabeled documents with words, weighing as much as all such together.

    Returned with the number of all unlabeled documents, those without words included.

    What a document holds decides whether it is taken, so that the sample does not depend on
    where the corpus lives or how it is cut.
    """
    salt = rng.integers(2**63, dtype=np.uint64)

    def choose(block: Block) -> Sample:
        is_own = (block.y < 0) & (block.weight > 0)
        # A document without words tells EM nothing, and all such would have the same key.
        rows = np.flatnonzero(is_own & (np.diff(block.X.indptr) > 0))
        return Sample.of(block.rows(rows), most, salt, int(is_own.sum()))

    found = corpus.reduce(choose)
    return found.standing_for_all, found.n_documents


def sample_documents(corpus: Corpus, most: int) -> Block:
    """At most ``most`` documents, labeled or not, in an order that their content decides."""
    found = corpus.reduce(lambda block: Sample.of(block, most, SALT))
    return found.block.rows(found.order)


def _keys(X: Counts, salt: Any) -> Any:
    """A number per document that looks random and depends on its words and the salt only."""
    bits = np.ascontiguousarray(X.data).view(f"u{X.data.dtype.itemsize}").astype(np.uint64)
    mixed = _scrambled(bits ^ _scrambled(X.indices.astype(np.uint64) + salt))
    sums = np.concatenate([[np.uint64(0)], np.cumsum(mixed, dtype=np.uint64)])
    return _scrambled((sums[X.indptr[1:]] - sums[X.indptr[:-1]]) ^ salt)


def _scrambled(number: Any) -> Any:
    """Every bit of the result depends on every bit given: splitmix64's last steps."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))

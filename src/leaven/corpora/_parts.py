"""A corpus taken apart: its labeled documents in memory, the others where they are."""

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from leaven.corpora._base import Block, Corpus, S
from leaven.corpora._sample import SALT, Sample, vector_ties

__all__ = ["MOST_LABELED", "Joined", "Unlabeled", "labeled_documents"]

MOST_LABELED = 20_000  # documents that are fetched into memory


def labeled_documents(corpus: Corpus, most: int = MOST_LABELED) -> Block:
    """The labeled documents of positive weight, in an order that only their content decides.

    So whatever is drawn from them at random does not depend on where the corpus lives. Of more
    than ``most`` a sample is taken, in which every class is and copies are one document.
    """
    together = corpus.reduce(lambda block: Sample.of(_only_labeled(block), most, SALT)).block
    X, y, weight = together.X, together.y, together.weight
    ties = vector_ties(together).tolist()
    keys = [
        (int(y[i]), _digest(X.indices[begin:end], X.data[begin:end]), float(weight[i]), ties[i])
        for i, (begin, end) in enumerate(zip(X.indptr, X.indptr[1:], strict=False))
    ]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    return together.rows(order)


def _only_labeled(block: Block) -> Block:
    rows = np.flatnonzero((block.y >= 0) & (block.weight > 0))
    own = block.rows(rows)
    own.X.sum_duplicates()  # one way to write a document, whatever was stored: sorted, no zeros
    own.X.eliminate_zeros()
    return own


def _digest(indices: Any, data: Any) -> bytes:
    content = indices.astype(np.int64).tobytes() + data.astype(np.float64).tobytes()
    return hashlib.blake2b(content, digest_size=8).digest()


class Unlabeled:
    """The unlabeled documents of a corpus; the others weigh nothing."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        return self.corpus.reduce(
            lambda block: summarize(replace(block, weight=block.weight * (block.y < 0))), add
        )

    def map(self, change: Callable[[Block], Block]) -> "Unlabeled":
        return Unlabeled(self.corpus.map(change))


class Joined:
    """Several corpora as one."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.corpora = corpora

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        return reduce(add, [corpus.reduce(summarize, add) for corpus in self.corpora])

    def map(self, change: Callable[[Block], Block]) -> "Joined":
        return Joined([corpus.map(change) for corpus in self.corpora])

"""A sample of the unlabeled documents that stands for all of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from leaven._typing import Counts
from leaven.corpora._base import Block, Corpus, stacked

__all__ = ["sample_unlabeled"]


def sample_unlabeled(corpus: Corpus, most: int, rng: np.random.Generator) -> tuple[Block, int]:
    """At most ``most`` unlabeled documents with words, weighing as much as all such together.

    Returned with the number of all unlabeled documents, those without words included.

    What a document holds decides whether it is taken, so that the sample does not depend on
    where the corpus lives or how it is cut.
    """
    salt = rng.integers(2**63, dtype=np.uint64)

    def choose(block: Block) -> list[tuple[Any, Block, float, int]]:
        is_own = (block.y < 0) & (block.weight > 0)
        # A document without words tells EM nothing, and all such would have the same key.
        rows = np.flatnonzero(is_own & (np.diff(block.X.indptr) > 0))
        own = block.rows(rows)
        keys = _keys(own.X, salt)
        first = np.argsort(keys, kind="stable")[:most]
        return [(keys[first], own.rows(first), float(own.weight.sum()), int(is_own.sum()))]

    found = corpus.reduce(choose)
    keys = np.concatenate([entry[0] for entry in found])
    first = np.argsort(keys, kind="stable")[:most]
    blocks = [entry[1] for entry in found]
    sample = stacked(blocks).rows(first)
    total = sum(entry[2] for entry in found)
    scale = total / sample.weight.sum() if len(first) else 1.0
    return replace(sample, weight=sample.weight * scale), sum(entry[3] for entry in found)


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

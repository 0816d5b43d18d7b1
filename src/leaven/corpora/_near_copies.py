"""Near-copies among labeled documents, found by the words they share."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import BoolArray, IntArray
from leaven.corpora._base import Block
from leaven.corpora._sample import SALT, scrambled

__all__ = ["near_copies"]

# Documents of fewer different words share most of them by chance.
FEWEST_WORDS = 20
# Of the words of two documents, those in both. One word replaced in a text of 20 leaves 0.9.
SHARED = 0.8
# Two documents are compared if the smallest hashes of their words agree in all places of a
# band (Broder, 1997): 98 % of the pairs that share 0.8 of their words, 1 % of those with 0.2.
BANDS, HASHES_PER_BAND = 8, 4
PAIRS_AT_ONCE = 10_000  # of documents that are compared together


def near_copies(labeled: Block) -> BoolArray:
    """Which documents share most of their words with another one of their class.

    Time grows with the number of documents, not of pairs: of documents that agree in a band,
    neighbours in the order of the block are compared.
    """
    is_near = np.zeros(len(labeled.y), bool)
    rows = np.flatnonzero(np.diff(labeled.X.indptr) >= FEWEST_WORDS)
    if len(rows) < 2:
        return is_near
    block = labeled.rows(rows)
    X = csr_array((np.ones(block.X.nnz, np.int32), block.X.indices, block.X.indptr), block.X.shape)
    sizes = np.diff(X.indptr)
    for first, second in _candidates(X, block.y):
        shared: IntArray = X[first].multiply(X[second]).sum(axis=1)
        are_near = shared >= SHARED * (sizes[first] + sizes[second] - shared)
        is_near[rows[first[are_near]]] = is_near[rows[second[are_near]]] = True
    return is_near


def _short(numbers: Any) -> Any:
    """The upper halves of 64-bit numbers, which are faster to compare."""
    return (numbers >> np.uint64(32)).astype(np.uint32)


def _candidates(X: csr_array, classes: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Pairs of rows worth a comparison, some at a time."""
    words = _short(scrambled(X.indices.astype(np.uint64) + SALT))
    own = scrambled(classes.astype(np.uint64))
    numbers = np.arange(BANDS * HASHES_PER_BAND, dtype=np.uint64).reshape(BANDS, HASHES_PER_BAND)
    found = []
    # Multiplied by an odd number, the hashes of words are in another order.
    for factors in _short(scrambled(numbers + SALT)) | np.uint32(1):
        keys = own
        for factor in factors:
            smallest = np.minimum.reduceat(words * factor, X.indptr[:-1])
            keys = scrambled(keys ^ smallest)
        order = np.argsort(keys, kind="stable")
        agree = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        found.append(np.stack([order[agree], order[agree + 1]]))
    pairs = np.unique(np.concatenate(found, axis=1), axis=1)
    starts = range(0, pairs.shape[1], PAIRS_AT_ONCE)
    parts = [pairs[:, first : first + PAIRS_AT_ONCE] for first in starts]
    return [(part[0], part[1]) for part in parts]

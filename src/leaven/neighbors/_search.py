"""Search for the nearest of a growing set of documents, by three algorithms with equal results."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven._base.validation import check_choice
from leaven.neighbors._neighbor_kernels import (
    GRID,
    NONE,
    add_frequent,
    add_pairs,
    add_postings,
    add_rows,
    find_nearest,
    measure_block,
    round_distances,
)

__all__ = ["ALGORITHMS", "DEFAULT_ALGORITHM", "Nearest", "Search", "BlockDistances", "new_search"]

# Share of the documents' squared length that their most frequent words have together, up to which
# these are left out of the postings: of 0 to 0.08 the fastest on 20 Newsgroups, hashed or not, for
# 5 to 40 neighbors; 4 times as fast as 0.
FREQUENT_SHARE = 0.02
QUERIES_AT_ONCE = 256  # whose similarities to all documents, or dense vectors, are in memory
MOST_DENSE = 4 << 30  # bytes of the vectors that a ball tree holds


class Nearest(NamedTuple):
    """The nearest documents of each query, nearest first; of equals, the one added first."""

    places: IntArray  # (n_queries, k) in the order in which documents were added; NONE: no more
    distances: FloatArray  # (n_queries, k) squared; infinite where there is no more

    def rows(self, rows: slice) -> "Nearest":
        """Those of some of the queries; the arrays are the same."""
        return Nearest(self.places[rows], self.distances[rows])


class Search(Protocol):
    """Documents of unit length, none without words, that can be added to and searched.

    Only documents with a positive similarity are neighbors: they have something in common.
    """

    def __init__(self, reserved: Counts) -> None:
        """Search among none of the documents yet; ``reserved`` are all that may be added."""
        ...

    def add(self, X: Counts) -> None:
        """Add documents."""
        ...

    def nearest(self, X: Counts, k: int, n_threads: int | None = None) -> Nearest:
        """The k nearest documents of each row."""
        ...


class InvertedIndex:
    """Postings of every word: the documents that contain it, and how much.

    Room for all documents is reserved, so that adding one appends its words, nothing else.
    """

    def __init__(self, reserved: Counts) -> None:
        n_documents, n_words = reserved.shape
        frequencies = np.bincount(reserved.indices, minlength=n_words)
        frequent = _frequent_words(reserved, frequencies)
        self.n_frequent = int(frequent.sum())
        ends = np.cumsum(np.where(frequent, 0, frequencies))
        starts = np.where(frequent, np.cumsum(frequent) - 1, ends - frequencies)
        self.bounds = np.stack([starts, np.where(frequent, NONE, starts)], axis=1)
        self.slack = 1.0 if reserved.nnz and reserved.data.min() < 0 else 0.0
        n_rare = int(ends[-1]) if n_words else 0
        self.places = np.empty(n_rare, np.uint32)
        self.values = np.empty(n_rare, reserved.dtype)
        self.row_starts = np.zeros(n_documents + 1, np.int64)
        self.row_words = np.empty(reserved.nnz - n_rare, np.uint32)
        self.row_values = np.empty(reserved.nnz - n_rare, reserved.dtype)
        self.norms = np.zeros(n_documents)
        self.n_documents = 0

    def add(self, X: Counts) -> None:
        rows = (*_parts(X), self.n_documents, self.bounds)
        add_postings(*rows, self.places, self.values)
        add_frequent(*rows, self.row_starts, self.row_words, self.row_values, self.norms)
        self.n_documents += X.shape[0]

    def nearest(self, X: Counts, k: int, n_threads: int | None = None) -> Nearest:
        n_queries = X.shape[0]
        found = _none_found(n_queries, k)
        slack = 1.0 if X.nnz and X.data.min() < 0 else self.slack
        n_parts = max(min(count_threads(n_threads), n_queries), 1)
        bounds = np.linspace(0, n_queries, n_parts + 1).astype(np.int64)
        rows = _parts(X)

        def search(part: int) -> None:
            find_nearest(
                *rows,
                bounds[part],
                bounds[part + 1],
                self.bounds,
                self.places,
                self.values,
                self.row_starts,
                self.row_words,
                self.row_values,
                self.norms,
                self.n_documents,
                self.n_frequent,
                slack,
                *found,
            )

        run_in_threads(search, n_parts)
        return found


class BruteForce:
    """Products with all documents, some queries at a time."""

    def __init__(self, reserved: Counts) -> None:
        self.blocks: list[Counts] = []

    def add(self, X: Counts) -> None:
        self.blocks.append(csr_array(X.T).astype(np.float64))

    def nearest(self, X: Counts, k: int, n_threads: int | None = None) -> Nearest:
        found = _none_found(X.shape[0], k)
        self.search(X, 0, found)
        return found

    def search(self, X: Counts, n_before: int, found: Nearest) -> None:
        """Add nearest documents to those found; the first is number ``n_before``."""
        for block in self.blocks:
            for first in range(0, X.shape[0], QUERIES_AT_ONCE):
                rows = slice(first, first + QUERIES_AT_ONCE)
                similarity = (csr_array(X[rows]).astype(np.float64) @ block).toarray()
                round_distances(similarity)
                add_rows(n_before, similarity, *found.rows(rows))
            n_before += block.shape[1]


class BallTree:
    """scikit-learn's ball tree of dense vectors; documents added later are searched by products.

    The tree is built again when as many have been added as it holds, so a document has been in at
    most log2(n) trees.
    """

    def __init__(self, reserved: Counts) -> None:
        n_documents, n_words = reserved.shape
        n_bytes = n_documents * n_words * 8
        if n_bytes > MOST_DENSE:
            raise ValueError(
                f"algorithm='ball_tree' needs dense vectors of at most {MOST_DENSE / 1e9:.1f} GB, "
                f"got {n_documents:,} documents of {n_words:,} words, which take "
                f"{n_bytes / 1e9:.1f} GB; use algorithm={DEFAULT_ALGORITHM!r}, which finds the "
                "same neighbors, or hash the words"
            )
        self.in_tree = csr_array((0, n_words), dtype=reserved.dtype)
        self.tree: Any = None
        self.later: list[Counts] = []

    def add(self, X: Counts) -> None:
        self.later.append(X)
        if sum(each.shape[0] for each in self.later) > self.in_tree.shape[0]:
            from sklearn.neighbors import BallTree as Tree  # half a second that no other one needs

            self.in_tree = csr_array(vstack([self.in_tree, *self.later], format="csr"))
            self.tree = Tree(self.in_tree.toarray().astype(np.float64))
            self.later = []

    def nearest(self, X: Counts, k: int, n_threads: int | None = None) -> Nearest:
        found = _none_found(X.shape[0], k)
        for first in range(0, X.shape[0] if self.in_tree.shape[0] else 0, QUERIES_AT_ONCE):
            rows = slice(first, first + QUERIES_AT_ONCE)
            self._search_tree(csr_array(X[rows]), found.rows(rows))
        rest = BruteForce(X)
        for block in self.later:
            rest.add(block)
        rest.search(X, self.in_tree.shape[0], found)
        return found

    def _search_tree(self, X: Counts, found: Nearest) -> None:
        queries = X.toarray().astype(np.float64)
        k = min(found.places.shape[1], self.in_tree.shape[0])
        farthest = self.tree.query(queries, k)[0][:, -1]
        # All documents that are as near to within rounding, of which the first ones are taken; not
        # those that share nothing, at a squared distance of 2, which can be nearly all.
        reach = np.sqrt(np.minimum(farthest**2 + 4 * GRID, 2.0 - GRID))
        reach[np.diff(X.indptr) == 0] = 0.0  # documents without words have no neighbors
        inside = [np.sort(places) for places in self.tree.query_radius(queries, reach)]
        pairs = np.repeat(np.arange(len(inside)), [len(places) for places in inside])
        places = np.concatenate(inside)
        products = X[pairs].astype(np.float64).multiply(self.in_tree[places])
        similarity = np.asarray(products.sum(axis=1), np.float64)[None]
        round_distances(similarity)
        add_pairs(pairs, places, similarity[0], *found)


ALGORITHMS: dict[str, type[Search]] = {
    "inverted_index": InvertedIndex,
    "brute": BruteForce,
    "ball_tree": BallTree,
}
DEFAULT_ALGORITHM = next(iter(ALGORITHMS))


def new_search(algorithm: str, reserved: Counts) -> Search:
    """Search by the algorithm of this name."""
    check_choice("algorithm", algorithm, ALGORITHMS)
    return ALGORITHMS[algorithm](reserved)


class BlockDistances:
    """Squared distances of documents to those before them in a block; infinite to others."""

    def __init__(self, n_words: int) -> None:
        self.own = np.full(n_words, NONE, np.int32)

    def __call__(self, X: Counts) -> FloatArray:
        distances = np.empty((X.shape[0], X.shape[0]))
        measure_block(*_parts(X), self.own, distances)
        return distances


def _none_found(n_queries: int, k: int) -> Nearest:
    return Nearest(np.full((n_queries, k), NONE, np.int64), np.full((n_queries, k), np.inf))


def _parts(X: Counts) -> tuple[Any, Any, Any]:
    """Arrays of a matrix in the types that kernels are compiled for."""
    return X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data


def _frequent_words(X: Counts, frequencies: IntArray) -> BoolArray:
    """The most frequent words that together have a small share of the documents' length."""
    n_documents, n_words = X.shape
    shares = np.bincount(X.indices, np.asarray(X.data, np.float64) ** 2, n_words)
    order = np.argsort(-frequencies, kind="stable")
    is_small = np.cumsum(shares[order]) <= FREQUENT_SHARE * max(n_documents, 1)
    frequent = np.zeros(n_words, bool)
    frequent[order[is_small & (frequencies[order] > 0)]] = True
    return frequent

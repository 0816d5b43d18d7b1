"""Votes of neighbors for their classes, and the growth of the set of documents that vote."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._base.progress import PhaseListener
from leaven._base.typing import Counts, FloatArray
from leaven.neighbors._documents import KeptDocuments
from leaven.neighbors._neighbor_kernels import EQUAL, admit, weigh_all_votes
from leaven.neighbors._search import BlockDistances, Nearest, new_search

__all__ = ["MOST_NEIGHBORS", "VOTES", "Voting"]

MOST_NEIGHBORS = 1000  # that vote on a document, because memory is reserved for all of them

PSEUDO_LABELS = 1.0  # added to every class in corrected votes: few labels say little of shares
VOTES: dict[str, Callable[[FloatArray], FloatArray]] = {  # kind → quotas, given labeled documents
    "corrected": lambda labeled: labeled + PSEUDO_LABELS,
    "balanced": np.ones_like,
    "plain": lambda labeled: labeled[:0],
}
BLOCK = 256  # documents whose neighbors are searched together, in threads


def _no_quotas() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Voting:
    """How the nearest documents vote.

    Each of the k nearest votes for its class with 1 / squared distance, divided by the documents of
    the class over its quota: a class that many documents were added to would otherwise be among the
    neighbors of every document. Without quotas votes are plain.
    """

    n_neighbors: int
    n_classes: int
    quotas: FloatArray = field(default_factory=_no_quotas)  # (n_classes,), or none
    n_threads: int | None = None

    @classmethod
    def of(
        cls, votes: str, labeled: KeptDocuments, n_neighbors: int, n_classes: int,
        n_threads: int | None = None,
    ) -> Self:  # fmt: skip
        """Voting by the name of its kind."""
        quotas = VOTES[votes](labeled.class_sizes(n_classes))
        return cls(n_neighbors, n_classes, quotas, n_threads)

    @property
    def n_searched(self) -> int:
        """Neighbors to look for: one may be a copy that does not vote."""
        return self.n_neighbors + 1

    def nearest(self, kept: KeptDocuments, X: Counts) -> Nearest:
        """The k + 1 nearest documents of others."""
        return kept.nearest(X, self.n_searched, self.n_threads)

    def of_neighbors(self, kept: KeptDocuments, nearest: Nearest) -> FloatArray:
        """The vote of every neighbor, (n_documents, k + 1)."""
        votes = np.zeros(nearest.distances.shape)
        divisors = np.ones(self.n_classes)
        if len(self.quotas) and len(kept.codes):
            sizes = kept.class_sizes(self.n_classes)
            growth = (sizes / self.quotas)[sizes > 0]
            divisors[sizes > 0] = growth / growth.mean()
        arrays = (kept.codes, kept.weights, kept.is_labeled, divisors)
        weigh_all_votes(*nearest, *arrays, votes)
        return votes

    def of_classes(self, kept: KeptDocuments, nearest: Nearest, votes: FloatArray) -> FloatArray:
        """Sums of votes by class, (n_documents, n_classes); equal where only rounding differs."""
        n_documents = len(votes)
        if not len(kept.codes):
            return np.zeros((n_documents, self.n_classes))
        codes = kept.codes[nearest.places]  # of no neighbor the last one's, who has no vote
        cells = np.arange(n_documents)[:, None] * self.n_classes + codes
        sums = np.bincount(cells.ravel(), votes.ravel(), n_documents * self.n_classes)
        table: FloatArray = sums.astype(np.float64).reshape(n_documents, self.n_classes)
        most = table.max(axis=1, keepdims=True)
        return np.where(table >= most * (1 - EQUAL), most, table)

    def grown(
        self,
        kept: KeptDocuments,
        candidates: KeptDocuments,
        threshold: float = 0.0,
        on_block: PhaseListener | None = None,
    ) -> KeptDocuments:
        """The documents kept and those of the candidates that are added to them, in order.

        A candidate with a class is added if the documents before it do not predict its class
        (Clark's algorithm 1); one without, whose code is negative, if a class has more than
        ``threshold`` of their votes, and then with that class (algorithm 2).
        """
        n_kept, n_candidates = len(kept.codes), len(candidates.codes)
        room = np.zeros(n_candidates)
        codes = np.concatenate([kept.codes, room.astype(np.int64)])
        weights = np.concatenate([kept.weights, room])
        is_labeled = np.concatenate([kept.is_labeled, room.astype(bool)])
        sizes = kept.class_sizes(self.n_classes)
        search = new_search(kept.algorithm, csr_array(vstack([kept.X, candidates.X], format="csr")))
        search.add(kept.X)
        within = BlockDistances(kept.X.shape[1])
        added = [np.zeros(0, np.int64)]
        admitted = np.zeros(BLOCK, np.int64)
        for first in range(0, n_candidates, BLOCK):
            asked = candidates.rows(slice(first, first + BLOCK))
            n_admitted = admit(
                *search.nearest(asked.X, self.n_searched, self.n_threads),
                within(asked.X),
                *(asked.codes, asked.weights, asked.is_labeled),
                *(float(threshold), self.quotas, n_kept),
                *(codes, weights, is_labeled, sizes, admitted),
            )
            search.add(csr_array(asked.X[admitted[:n_admitted]]))
            added.append(first + admitted[:n_admitted])
            n_kept += n_admitted
            done = min(first + BLOCK, n_candidates)
            if on_block is not None and on_block(done, n_candidates):
                break
        taken = candidates.rows(np.concatenate(added))
        return replace(
            kept,
            X=csr_array(vstack([kept.X, taken.X], format="csr")),
            codes=codes[:n_kept],
            weights=weights[:n_kept],
            numbers=np.concatenate([kept.numbers, taken.numbers]),
            is_labeled=is_labeled[:n_kept],
        )

"""Votes of neighbors for their classes, and the growth of the set of documents that vote."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._base.progress import PhaseListener
from leaven._base.typing import Counts, FloatArray
from leaven.neighbors._documents import KeptDocuments
from leaven.neighbors._neighbor_kernels import admit, weigh_all_votes
from leaven.neighbors._search import Nearest, distances_within, new_search

__all__ = ["Voting"]

BLOCK = 256  # documents whose neighbors are searched together, in threads


@dataclass(frozen=True)
class Voting:
    """How the nearest documents vote.

    Each of the k nearest votes for its class with 1 / squared distance. Balanced votes are divided
    by the number of documents of the class: a class that many documents have been added to would
    otherwise be among the neighbors of every document.
    """

    n_neighbors: int
    n_classes: int
    is_balanced: bool = True
    n_threads: int | None = None

    def nearest(self, kept: KeptDocuments, X: Counts) -> Nearest:
        """The neighbors of documents."""
        return kept.nearest(X, self.n_neighbors, self.n_threads)

    def of_neighbors(self, kept: KeptDocuments, nearest: Nearest) -> FloatArray:
        """The vote of every neighbor, (n_documents, k)."""
        votes = np.zeros(nearest.distances.shape)
        divisors = np.ones(self.n_classes)
        if self.is_balanced:
            sizes = kept.class_sizes(self.n_classes)
            divisors[sizes > 0] = sizes[sizes > 0] / sizes[sizes > 0].mean()
        arrays = (kept.codes, kept.weights, kept.is_labeled, divisors)
        weigh_all_votes(*nearest, *arrays, votes)
        return votes

    def of_classes(self, kept: KeptDocuments, nearest: Nearest, votes: FloatArray) -> FloatArray:
        """Sums of votes by class, (n_documents, n_classes)."""
        n_documents = len(votes)
        if not len(kept.codes):
            return np.zeros((n_documents, self.n_classes))
        codes = kept.codes[nearest.places]  # of no neighbor the last one's, who has no vote
        cells = np.arange(n_documents)[:, None] * self.n_classes + codes
        sums = np.bincount(cells.ravel(), votes.ravel(), n_documents * self.n_classes)
        return sums.astype(np.float64).reshape(n_documents, self.n_classes)

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
        added = [np.zeros(0, np.int64)]
        admitted = np.zeros(BLOCK, np.int64)
        for first in range(0, n_candidates, BLOCK):
            asked = candidates.rows(slice(first, first + BLOCK))
            n_admitted = admit(
                *search.nearest(asked.X, self.n_neighbors, self.n_threads),
                distances_within(asked.X),
                *(asked.codes, asked.weights, asked.is_labeled),
                *(float(threshold), self.is_balanced, n_kept),
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

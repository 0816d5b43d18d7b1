"""The votes of nearest documents as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from leaven._base.tensors import MOST, Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray
from leaven.experts._base import Expert, StoredExpert, register_expert
from leaven.neighbors import MOST_NEIGHBORS, KeptDocuments, Nearest, Voting

__all__ = ["NeighborsExpert"]

# Votes that all classes share, so that none has a probability of zero: those of one document that
# has nothing in common with the one asked about, at squared distance 2.
NO_VOTE = 0.5
DOCUMENTS_AT_ONCE = 4096  # whose neighbors are in memory at once


@register_expert
@dataclass(frozen=True, eq=False)
class NeighborsExpert(Expert):
    """Scores a class by the votes of the nearest documents that are kept."""

    kind: ClassVar[str] = "neighbors"

    name: str
    kept: KeptDocuments
    voting: Voting
    log_prior: FloatArray  # (n_classes,) scores of a document that has no neighbor

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        scores = np.empty((X.shape[0], self.voting.n_classes))
        for first in range(0, len(scores), DOCUMENTS_AT_ONCE):
            rows = slice(first, first + DOCUMENTS_AT_ONCE)
            votes = self.votes(csr_array(X[rows]))
            found = np.log(votes + NO_VOTE / self.voting.n_classes)
            scores[rows] = np.where(votes.sum(axis=1)[:, None] > 0, found, self.log_prior)
        return scores

    def votes(self, X: Counts) -> FloatArray:
        """Votes for the classes of documents, (n_documents, n_classes)."""
        return self.voting.of_classes(self.kept, *self._weighed(X))

    def _weighed(self, X: Counts) -> tuple[Nearest, FloatArray]:
        """The neighbors of documents and the vote of each."""
        nearest = self.voting.nearest(self.kept, X)
        return nearest, self.voting.of_neighbors(self.kept, nearest)

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """A class's score beyond that of no vote, in proportion to the words' products.

        A word's part in a vote is its share of the two documents' similarity.
        """
        nearest, all_votes = self._weighed(x)
        (sums,) = self.voting.of_classes(self.kept, nearest, all_votes)
        is_voter = all_votes[0] > 0
        places, votes = nearest.places[0, is_voter], all_votes[0, is_voter]
        found = self.kept.X[places][:, x.indices].toarray().astype(np.float64)
        products = (found * np.asarray(x.data, np.float64)).T  # (n_present, n_votes)
        similarity = products.sum(axis=0)
        shares = products / np.where(similarity > 0, similarity, 1.0) * votes
        added = np.zeros((len(x.indices), self.voting.n_classes))
        np.add.at(added.T, self.kept.codes[places], shares.T)
        nothing = NO_VOTE / self.voting.n_classes
        rise = np.log(sums + nothing) - np.log(nothing)
        scaled: FloatArray = added * (rise / np.where(sums > 0, sums, 1.0))
        return scaled

    def word_scores(self) -> FloatArray:
        """Mean document of a class against the other classes' mean."""
        return self.word_scores_of(slice(None))

    def word_scores_of(self, classes: slice) -> FloatArray:
        means = self._class_means
        scores: FloatArray = means[classes].toarray() - np.asarray(means.mean(axis=0))
        return scores

    @cached_property
    def _class_means(self) -> Counts:
        """Mean document of each class, (n_classes, n_words); zero for a class of none."""
        codes, weights = self.kept.codes, np.asarray(self.kept.weights, np.float64)
        n_classes = self.voting.n_classes
        total = np.bincount(codes, weights, n_classes)[codes]
        shares = csr_array(
            (weights / np.where(total > 0, total, 1.0), (codes, np.arange(len(codes)))),
            shape=(n_classes, len(codes)),
        )
        return csr_array(shares @ self.kept.X)

    def in_threads(self, n_threads: int | None) -> Self:
        return replace(self, voting=replace(self.voting, n_threads=n_threads))

    def documents(self) -> KeptDocuments:
        return self.kept

    def voters(self, X: Counts) -> tuple[Nearest, FloatArray]:
        nearest, votes = self._weighed(X)
        # Stable, so that of documents with equal votes the nearest is first.
        order = np.argsort(-votes, axis=1, kind="stable")
        ranked = Nearest(
            np.take_along_axis(nearest.places, order, axis=1),
            np.take_along_axis(nearest.distances, order, axis=1),
        )
        votes = np.take_along_axis(votes, order, axis=1)
        total = votes.sum(axis=1, keepdims=True)
        return ranked, votes / np.where(total > 0, total, 1.0)

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        arrays = {"log_prior": self.log_prior, "quotas": self.voting.quotas}
        settings: Settings = {"n_neighbors": self.voting.n_neighbors}
        return settings, {**arrays, **self.kept.to_tensors()}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings("n_neighbors")
        n_neighbors, n_classes = stored.settings["n_neighbors"], stored.n_classes
        if not (1 <= n_neighbors <= MOST_NEIGHBORS and n_neighbors % 1 == 0):
            raise ValueError("its number of neighbors is malformed")
        log_prior, quotas = (
            stored.arrays.get(name, 1, frozenset({"float64"})) for name in ("log_prior", "quotas")
        )
        check_shapes(len(log_prior) == n_classes, len(quotas) in (0, n_classes))
        check_sensible(log_prior, quotas)
        if not (quotas >= 1 / MOST).all():
            raise ValueError("its quotas of votes are not positive")
        kept = KeptDocuments.from_tensors(stored.arrays, stored.n_words, n_classes)
        return cls(stored.name, kept, Voting(int(n_neighbors), n_classes, quotas), log_prior)

"""Sets of classes with their mixture weights and prior probabilities, seen in training or not."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.documents._label_sets import numbered

__all__ = ["KnownSets", "NumberedSets", "slots_of"]

TINY = 1e-6  # documents of a set in the averages, at least
PAIRS_AT_ONCE = 1_000_000  # of known and other sets, whose overlaps are in memory together
LEAST_SHARE = 1e-3  # mixture weight of a slot, at least, in a set that no training document has
LEAST_COUNT = 1e-300  # of documents of a set, where a logarithm is taken


@dataclass(frozen=True, eq=False)
class NumberedSets:
    """Some sets, as the kernels read them."""

    members: BoolArray  # (n_sets, n_classes)
    starts: IntArray  # (n_sets + 1,) slots of each set
    slots: IntArray  # (n_slots,) classes of the set, background, uniform
    shares: FloatArray  # (n_slots,) mixture weights
    log_prior: FloatArray  # (n_sets,)


@dataclass(frozen=True, eq=False)
class KnownSets:
    """The sets of the training documents.

    Other sets have the prior probability of a set without documents. Their mixture weights are
    averages over the known sets that share classes with them, weighted by overlap.
    """

    members: BoolArray  # (n_sets, n_classes)
    shares: FloatArray  # (n_slots,) mixture weights of the slots of the sets, one after the other
    documents: FloatArray  # (n_sets,)
    alpha: float = 1.0  # documents added to every set

    @property
    def n_classes(self) -> int:
        return int(self.members.shape[1])

    @cached_property
    def _shares(self) -> Any:
        """Mixture weights by set and slot, sparse."""
        starts, slots = slots_of(self.members)
        return csr_array((self.shares, slots, starts), shape=(len(starts) - 1, self.n_classes + 2))

    @cached_property
    def _has_slot(self) -> Any:
        """One for each slot of each set, sparse."""
        found = self._shares.copy()
        found.data = np.ones_like(found.data)
        return found

    @cached_property
    def _by_class(self) -> Any:
        """Which sets have each class, sparse."""
        return _as_numbers(self.members.T)

    def numbered(self, members: BoolArray) -> NumberedSets:
        """Mixture weights and priors of any sets."""
        known = self._places(members)
        is_known = known >= 0
        starts, slots = slots_of(members)
        sizes = np.diff(starts)
        shares = np.empty(len(slots))
        of_known = np.repeat(is_known, sizes)
        shares[of_known] = self._shares[known[is_known]].data
        shares[~of_known] = self._back_off(members[~is_known])
        documents = np.where(is_known, self.documents[known], 0.0)
        log_prior = np.log(np.maximum(documents + self.alpha, LEAST_COUNT))
        return NumberedSets(members, starts, slots, shares, log_prior)

    def _places(self, members: BoolArray) -> IntArray:
        """Number of each set among the known ones, -1 where it is not."""
        both, codes = numbered(np.vstack([self.members, members]))
        place = np.full(len(both), -1, np.int64)
        place[codes[: len(self.members)]] = np.arange(len(self.members))
        return place[codes[len(self.members) :]]

    def _back_off(self, members: BoolArray) -> FloatArray:
        """Mean mixture weight of each slot over the known sets that have it.

        Known sets are weighted by their documents, and by their overlap with the set: common
        classes divided by all classes of both.
        """
        at_once = max(PAIRS_AT_ONCE // len(self.members), 1)
        parts = [
            self._mean_shares(members[first : first + at_once])
            for first in range(0, len(members), at_once)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _mean_shares(self, members: BoolArray) -> FloatArray:
        common = _as_numbers(members) @ self._by_class
        rows = np.repeat(np.arange(len(members)), np.diff(common.indptr))
        columns = common.indices
        either = members.sum(axis=1)[rows] + self.members.sum(axis=1)[columns] - common.data
        # Expected documents can be none, where only unlabeled ones were expected to have a set.
        overlap = common.data / either * np.maximum(self.documents[columns], TINY)
        weights = csr_array((overlap, columns, common.indptr), shape=common.shape)
        starts, slots = slots_of(members)
        rows = np.repeat(np.arange(len(members)), np.diff(starts))
        total = _cells(weights @ self._shares, rows, slots)
        present = _cells(weights @ self._has_slot, rows, slots)
        mean = np.maximum(total / np.maximum(present, TINY**2), LEAST_SHARE)
        sums = np.add.reduceat(mean, starts[:-1])
        normalized: FloatArray = mean / np.repeat(sums, np.diff(starts))
        return normalized


def _as_numbers(members: BoolArray) -> Any:
    """Sets as a sparse matrix; dense numbers would take eight times their memory."""
    return csr_array(members).astype(np.float64)


def _cells(matrix: Any, rows: IntArray, columns: IntArray) -> FloatArray:
    """Values of a sparse matrix at some places."""
    found: Any = matrix[rows, columns]
    values = found.toarray() if hasattr(found, "toarray") else found
    return np.asarray(values, np.float64).ravel()


def slots_of(members: BoolArray) -> tuple[IntArray, IntArray]:
    """First slot of each set and the number of slots; the column of each slot.

    A set has a slot for each of its classes, then for the background and for the uniform
    distribution, whose columns follow those of the classes.
    """
    has_slot = np.hstack([members, np.ones((len(members), 2), bool)])
    starts = np.concatenate([[0], np.cumsum(has_slot.sum(axis=1))]).astype(np.int64)
    return starts, np.nonzero(has_slot)[1].astype(np.int64)

"""Mixture of the word distributions of a document's classes: for documents with several labels."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora._base import Block
from leaven.models import _label_set_kernels
from leaven.models._base import SummedFields
from leaven.models._known_sets import LEAST_COUNT, KnownSets, slots_of
from leaven.models._label_set_kernels import PSEUDO_COUNT
from leaven.posteriors import Posterior

__all__ = ["LabelSetMixture", "LabelSetParams", "LabelSetStats"]

MANY = 1e30  # counts at the start: leaving a document out changes nothing


@dataclass(frozen=True, eq=False)
class LabelSetStats(SummedFields):
    """Expected counts of the label-set mixture."""

    objective: float
    words: FloatArray  # (n_words, n_classes + 1) by the class that generated them, or background
    bounds: FloatArray  # (n_words, n_classes + 1) in documents that have the class, all of them
    slots: FloatArray  # (n_slots,) by the set, and the slot of it that generated them
    sets: FloatArray  # (n_sets,) documents


@dataclass(frozen=True, eq=False)
class LabelSetParams:
    """Parameters of the label-set mixture as counts, from which single documents can be removed.

    P(word | class) are the counts of a column divided by their sum, eq. of the M-step of McCallum
    (1999), section 2; mixture weights and probabilities of sets are counts plus pseudo-counts.
    """

    words: FloatArray  # (n_words, n_classes + 1)
    bounds: FloatArray  # (n_words, n_classes + 1)
    slots: FloatArray  # (n_slots,)
    sets: FloatArray  # (n_sets,)

    @cached_property
    def totals(self) -> FloatArray:
        """Sums of the columns of words."""
        sums: FloatArray = self.words.sum(axis=0, dtype=np.float64)
        return sums


@dataclass(frozen=True, eq=False)
class LabelSetMixture:
    """Documents are mixtures of the word distributions of their classes (McCallum, 1999).

    A document has a set of classes. Each of its words comes from one of them, from the
    background that all documents share ("English"), or from the uniform distribution, with mixture
    weights that depend on the set. An unlabeled document has one of the sets of ``members``, or
    of some of them.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_classes)
        Which classes each set has.
    set_alpha : float
        Pseudo-count of documents added to every set, m in the paper.
    unlabeled_weight : float
        Factor on the log likelihood of unlabeled documents.
    leaves_one_out : bool
        Whether the E-step of a labeled document uses parameters without that document.
    has_background : bool
        Whether all documents share a distribution of words.
    open_sets : ndarray of shape (n_open,) or None
        Codes of the sets that unlabeled documents can have; None: all. The time of an E-step grows
        with their number.
    """

    members: BoolArray
    set_alpha: float = 1.0
    unlabeled_weight: float = 0.0
    leaves_one_out: bool = True
    has_background: bool = True
    open_sets: IntArray | None = None

    @property
    def n_classes(self) -> int:
        return int(self.members.shape[1])

    @cached_property
    def _slots(self) -> tuple[IntArray, IntArray]:
        return slots_of(self.members)

    @property
    def starts(self) -> IntArray:
        """First slot of each set, and the number of slots."""
        return self._slots[0]

    @property
    def slots(self) -> IntArray:
        """Column of words of each slot; the number of columns for the uniform distribution."""
        return self._slots[1]

    def first_params(self, n_words: int, dtype: np.dtype[np.floating]) -> LabelSetParams:
        """Parameters under which a document's slots generate its words in equal shares."""
        words = np.full((n_words, self.n_classes + 1), MANY, dtype=dtype)
        bounds = np.full_like(words, np.inf)
        return LabelSetParams(
            words, bounds, np.full(len(self.slots), MANY), np.ones(len(self.members))
        )

    def log_sets(self, params: LabelSetParams) -> FloatArray:
        """Log probabilities of the sets, smoothed."""
        counts = params.sets + self.set_alpha
        logs: FloatArray = np.log(np.maximum(counts, LEAST_COUNT)) - np.log(counts.sum())
        return logs

    def known_sets(self, params: LabelSetParams) -> KnownSets:
        """The sets with their mixture weights, smoothed by Laplace's rule."""
        counts = PSEUDO_COUNT + params.slots
        sums = np.add.reduceat(counts, self.starts[:-1])
        shares = counts / np.repeat(sums, np.diff(self.starts))
        return KnownSets(self.members, shares, params.sets, self.set_alpha)

    def word_probabilities(self, params: LabelSetParams) -> FloatArray:
        """P(word | class) and, in the last column, P(word | background)."""
        totals = np.maximum(params.totals, np.finfo(np.float64).tiny)
        return (params.words / totals).astype(params.words.dtype)

    def expect(
        self,
        params: LabelSetParams,
        posterior: Posterior,
        block: Block,
        out: LabelSetStats | None = None,
    ) -> LabelSetStats:
        X = block.X
        # The kernel does not check these numbers.
        if X.shape[1] != params.words.shape[0]:
            raise ValueError(
                f"documents and parameters must have the same words, got {X.shape[1]} and "
                f"{params.words.shape[0]}; count them with the same vocabulary"
            )
        if block.y.max(initial=-1) >= len(self.members):
            raise ValueError(
                f"codes must be below the number of label sets, {len(self.members)}, got "
                f"{block.y.max()}; name all sets"
            )
        if out is None:
            words, bounds = np.empty_like(params.words), np.empty_like(params.words)
            out = LabelSetStats(
                0.0, words, bounds, np.empty(len(self.slots)), np.empty(len(self.members))
            )
        objective = _label_set_kernels.expect_sets(
            X.indptr,
            X.indices,
            X.data,
            block.y,
            block.weight,
            self.unlabeled_weight,
            self.starts,
            self.slots,
            params.words,
            params.totals,
            params.slots,
            params.bounds,
            self.log_sets(params),
            np.arange(len(self.members)) if self.open_sets is None else self.open_sets,
            self.leaves_one_out,
            posterior.beta,
            out.words,
            out.bounds,
            out.slots,
            out.sets,
        )
        return replace(out, objective=float(objective))

    def maximize(
        self, params: LabelSetParams, stats: LabelSetStats, out: LabelSetParams | None = None
    ) -> LabelSetParams:
        words = np.empty_like(stats.words) if out is None else out.words
        bounds = np.empty_like(stats.bounds) if out is None else out.bounds
        np.copyto(words, stats.words)  # which the next iteration overwrites
        np.copyto(bounds, stats.bounds)
        if not self.has_background:
            words[:, -1] = 0.0
        return LabelSetParams(words, bounds, stats.slots.copy(), stats.sets.copy())

    def log_prior(self, params: LabelSetParams) -> float:
        # Dirichlet(2) of the mixture weights, Dirichlet(1 + m) of the sets' probabilities.
        counts = PSEUDO_COUNT + params.slots
        sums = np.add.reduceat(counts, self.starts[:-1])
        sizes = np.diff(self.starts)
        total = np.log(counts).sum() - (sizes * np.log(sums)).sum()
        return float(total + self.set_alpha * self.log_sets(params).sum())

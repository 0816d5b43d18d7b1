"""Mixture of multinomials: naive Bayes, with one component per class or several."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from leaven._base.lane_kernels import lanes_for
from leaven._base.row_kernels import new_slots, row_lanes
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora._base import Block
from leaven.models import _mixture_kernels
from leaven.models._base import SummedFields
from leaven.models._expected_counts import (
    Components,
    Vectors,
    counts_rare_words_apart,
    expect_counts,
)
from leaven.models._word_sums import word_sums
from leaven.posteriors import Posterior

FEWEST_FOR_THREADS = 200_000  # parameters that are worth a second thread

__all__ = ["MixtureParams", "MixtureStats", "MultinomialMixture"]


@dataclass(frozen=True, eq=False)
class MixtureParams:
    """Log probabilities; ``log_word`` is stored word by word, as the kernel reads it."""

    log_weight: FloatArray  # (n_components,)
    log_word: FloatArray  # (n_components, n_words), Fortran order

    def reordered(self, order: IntArray) -> Self:
        """The parameters with component ``order[i]`` in place i."""
        return replace(
            self,
            log_weight=self.log_weight[order],
            log_word=np.asfortranarray(self.log_word[order]),
        )


@dataclass(frozen=True, eq=False)
class MixtureStats(SummedFields):
    """Expected sufficient statistics of a mixture."""

    objective: float
    documents: FloatArray  # (n_components,) expected number of documents
    words: FloatArray  # (n_components, n_words) expected word counts, Fortran order


@dataclass(frozen=True, eq=False)
class MultinomialMixture:
    """Mixture of multinomials in which every component belongs to a class.

    One component per class is the naive Bayes text model of Nigam, McCallum and Mitchell
    (section 3.2), several are its extension to classes with sub-topics (section 3.4).

    Parameters
    ----------
    component_class : ndarray of shape (n_components,)
        Class code of each component.
    alpha : float
        Pseudo-count added to every expected word count, and to the expected documents of
        each of several components of a class: a Dirichlet(1 + alpha) prior.
    class_alpha : float
        Pseudo-count added to the expected documents of every class.
    unlabeled_weight : float
        Factor on the log likelihood of unlabeled documents. At 0 an M-step from any
        parameters is supervised naive Bayes.
    n_threads : int or None
        Threads of an M-step; None is one per processor.
    """

    component_class: IntArray
    alpha: float = 1.0
    class_alpha: float = 0.0
    unlabeled_weight: float = 1.0
    n_threads: int | None = 1

    @property
    def n_classes(self) -> int:
        return int(self.component_class.max()) + 1

    def flat_params(self, n_words: int, dtype: np.dtype[np.floating]) -> MixtureParams:
        """Parameters under which no component is preferred: a start for supervised M-steps."""
        n_components = len(self.component_class)
        return MixtureParams(
            np.zeros(n_components), np.zeros((n_components, n_words), dtype=dtype, order="F")
        )

    def log_joint(
        self, params: MixtureParams, X: Counts, vectors: FloatArray | None = None
    ) -> FloatArray:
        """Log p(x, k), eq. (3.2) times the weights, up to a constant per document."""
        return word_sums(X, params.log_word.T) + params.log_weight

    def class_log_joint(
        self, params: MixtureParams, X: Counts, vectors: FloatArray | None = None
    ) -> FloatArray:
        """Log p(x, class): components of a class are summed, eq. (3.13)."""
        return self.of_classes(self.log_joint(params, X, vectors))

    def of_classes(self, log_joint: FloatArray) -> FloatArray:
        """Log p(x, class) from log p(x, k), rows of documents."""
        if self.has_one_each:
            return log_joint
        order, starts = self.by_class
        found: FloatArray = np.logaddexp.reduceat(log_joint[:, order], starts, axis=1)
        return found

    @cached_property
    def has_one_each(self) -> bool:
        """Whether every class has one component, in the order of the classes."""
        return bool(np.array_equal(self.component_class, np.arange(len(self.component_class))))

    @cached_property
    def by_class(self) -> tuple[IntArray, IntArray]:
        """The components class after class, and where in this order each class begins."""
        order = np.argsort(self.component_class, kind="stable")
        starts = np.searchsorted(self.component_class[order], np.arange(self.n_classes))
        return order, starts

    def expect(
        self,
        params: MixtureParams,
        posterior: Posterior,
        block: Block,
        out: MixtureStats | None = None,
    ) -> MixtureStats:
        return self._count(params, posterior, block, out, None)

    def _count(
        self,
        params: MixtureParams,
        posterior: Posterior,
        block: Block,
        out: MixtureStats | None,
        vectors: Vectors | None,
    ) -> MixtureStats:
        """E-step; ``vectors``, if there are any, are another view of the documents."""
        X = block.X
        # The kernel does not check these numbers.
        if X.shape[1] != params.log_word.shape[1]:
            raise ValueError(
                f"documents and parameters must have the same words, got {X.shape[1]} and "
                f"{params.log_word.shape[1]}; count them with the same vocabulary"
            )
        if block.y.max(initial=-1) >= self.n_classes:
            raise ValueError(
                f"class codes must be below the number of classes, {self.n_classes}, got "
                f"{block.y.max()}; name all classes"
            )
        if out is None:
            documents: FloatArray = np.empty(len(self.component_class))
            words = np.empty((X.shape[1], len(documents)), dtype=params.log_word.dtype)
        else:
            documents, words = out.documents, out.words.T
        # A supervised start reads few documents, and once.
        is_apart = self.unlabeled_weight > 0 and counts_rare_words_apart(len(documents))
        objective = expect_counts(
            X,
            block.y,
            block.weight,
            Components(
                self.component_class, params.log_weight, np.ascontiguousarray(params.log_word.T)
            ),
            documents,
            words,
            unlabeled_weight=self.unlabeled_weight,
            beta=posterior.beta,
            vectors=vectors,
            rare=block.rare_parts if is_apart else (),
        )
        return MixtureStats(objective, documents, words.T)

    def maximize(
        self, params: MixtureParams, stats: MixtureStats, out: MixtureParams | None = None
    ) -> MixtureParams:
        # eqs. (3.9) to (3.11); with one component per class they are (3.5) and (3.6).
        log_word = np.empty_like(stats.words) if out is None else out.log_word
        self._write_log_word(stats.words, log_word)
        return MixtureParams(self._log_weight(stats.documents), log_word)

    def log_prior(self, params: MixtureParams) -> float:
        log_class, log_share = self.split_weights(params.log_weight)
        total = self.alpha * self._total(params.log_word)
        if self.class_alpha:
            total += self.class_alpha * float(log_class.sum())
        if len(log_share) > len(log_class):
            total += self.alpha * float(log_share.sum())
        return total

    def _rows_of_threads(self, words: FloatArray) -> IntArray:
        """Where the rows of each thread begin, and end."""
        n_parts = count_threads(self.n_threads) if words.size > FEWEST_FOR_THREADS else 1
        return np.linspace(0, len(words), n_parts + 1).astype(np.int64)

    def _total(self, log_word: FloatArray) -> float:
        rows = self._rows_of_threads(log_word.T)
        values = np.ascontiguousarray(log_word.T)

        def total(part: int) -> float:
            span = values[rows[part] : rows[part + 1]]
            return float(_mixture_kernels.total_of(span.reshape(-1), lanes_for(span.size)))

        return sum(run_in_threads(total, len(rows) - 1))

    def _write_log_word(self, words: FloatArray, log_word: FloatArray) -> None:
        words, log_word = words.T, log_word.T  # in memory order, word by word
        n_words, n_components = words.shape
        lanes = row_lanes(n_components)
        rows = self._rows_of_threads(words)

        def total(part: int) -> FloatArray:
            found = np.zeros_like(new_slots(n_components))
            _mixture_kernels.column_totals(words[rows[part] : rows[part + 1]], lanes, found)
            return found

        totals = sum(run_in_threads(total, len(rows) - 1)) + self.alpha * n_words
        log_total = np.log(totals).astype(words.dtype)

        def write(part: int) -> None:
            span = slice(rows[part], rows[part + 1])
            _mixture_kernels.smoothed_logs(
                words[span], words.dtype.type(self.alpha), log_total, lanes, log_word[span]
            )

        run_in_threads(write, len(rows) - 1)

    def _log_weight(self, documents: FloatArray) -> FloatArray:
        """Log P(class) + log P(component | class)."""
        of_class = np.bincount(self.component_class, documents, self.n_classes)
        size = np.bincount(self.component_class, minlength=self.n_classes)
        log_class = np.log(of_class + self.class_alpha)
        log_class -= np.log(of_class.sum() + self.class_alpha * len(of_class))
        alpha = np.where(size > 1, self.alpha, 0.0)  # a single component has its whole class
        share = documents + alpha[self.component_class]
        log_share = np.log(share) - np.log(of_class + alpha * size)[self.component_class]
        log_weight: FloatArray = log_class[self.component_class] + log_share
        return log_weight

    def split_weights(self, log_weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log P(class) and log P(component | class) from the log weights."""
        weight = np.bincount(self.component_class, np.exp(log_weight), self.n_classes)
        log_class = np.log(weight)
        return log_class, log_weight - log_class[self.component_class]

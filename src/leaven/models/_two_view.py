"""Mixture over two views of a document, its words and a vector."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora._base import Block
from leaven.models._expected_counts import Vectors
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture
from leaven.posteriors import Posterior

__all__ = ["TwoViewMixture", "TwoViewParams", "TwoViewStats"]


@dataclass(frozen=True, eq=False)
class TwoViewParams(MixtureParams):
    """Log probabilities of words, and where each component's vectors point."""

    directions: FloatArray  # (n_components, n_dims) unit rows; zero for components without vectors

    def reordered(self, order: IntArray) -> Self:
        return replace(super().reordered(order), directions=self.directions[order])


@dataclass(frozen=True, eq=False)
class TwoViewStats(MixtureStats):
    """Expected sufficient statistics of both views."""

    vectors: FloatArray  # (n_components, n_dims) expected sum of vectors


@dataclass(frozen=True, eq=False)
class TwoViewMixture(MultinomialMixture):
    """Mixture whose components draw a document's words and, independently, its vector.

    log p(x, v, k) = log w_k + sum_w x_w log p(w | k) + concentration * <direction_k, v> + const:
    a multinomial over words and a von Mises-Fisher density over unit vectors. All components
    share one fixed concentration, so its normalizer is a constant and is left out.

    The weight of the words relative to the vector depends on the documents' length: counts
    scaled to a total of 10 have less influence than counts scaled to 200. Words of a text are
    far from independent, so the smaller influence is better calibrated.

    Parameters
    ----------
    concentration : float
        How closely a component's vectors are concentrated around its direction.
    n_dims : int
        Length of the vectors.

    The other parameters are those of ``MultinomialMixture``.
    """

    concentration: float = 30.0
    n_dims: int = 0

    def flat_params(self, n_words: int, dtype: np.dtype[np.floating]) -> TwoViewParams:
        flat = super().flat_params(n_words, dtype)
        directions = np.zeros((len(self.component_class), self.n_dims), dtype)
        return TwoViewParams(flat.log_weight, flat.log_word, directions)

    def log_joint(
        self, params: MixtureParams, X: Counts, vectors: FloatArray | None = None
    ) -> FloatArray:
        assert isinstance(params, TwoViewParams)
        vectors = self._checked(vectors, X.shape[0])
        cosine = np.asarray(vectors, np.float64) @ np.asarray(params.directions, np.float64).T
        return super().log_joint(params, X) + self.concentration * cosine

    def expect(
        self,
        params: MixtureParams,
        posterior: Posterior,
        block: Block,
        out: MixtureStats | None = None,
    ) -> TwoViewStats:
        assert isinstance(params, TwoViewParams)
        vectors = self._checked(block.vectors, block.X.shape[0])
        dtype = params.log_word.dtype
        directions = (dtype.type(self.concentration) * params.directions.T).astype(dtype)
        views = Vectors(
            np.ascontiguousarray(vectors, dtype),
            np.ascontiguousarray(directions),
            np.empty(directions.shape),
        )
        words = self._count(params, posterior, block, out, views)
        return TwoViewStats(words.objective, words.documents, words.words, views.sums.T)

    def maximize(
        self, params: MixtureParams, stats: MixtureStats, out: MixtureParams | None = None
    ) -> TwoViewParams:
        assert isinstance(params, TwoViewParams)
        assert isinstance(stats, TwoViewStats)
        words = super().maximize(params, stats, out)
        # The mean direction maximizes sum_i q_i <direction, v_i>.
        norm = np.linalg.norm(stats.vectors, axis=1, keepdims=True)
        directions = np.where(norm > 0, stats.vectors / np.where(norm > 0, norm, 1.0), 0.0)
        return TwoViewParams(
            words.log_weight, words.log_word, directions.astype(params.directions.dtype, order="C")
        )

    def _checked(self, vectors: FloatArray | None, n_documents: int) -> FloatArray:
        if vectors is None or vectors.shape != (n_documents, self.n_dims):
            found = "none" if vectors is None else f"an array of shape {vectors.shape}"
            raise ValueError(
                f"documents must come with vectors of shape ({n_documents}, {self.n_dims}), "
                f"got {found}; give one row per document"
            )
        return vectors

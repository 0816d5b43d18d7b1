"""Mixtures as experts: of words, and of words and vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.matrices import with_values
from leaven._base.parts import parts_of
from leaven._base.tensors import (
    Settings,
    StoredArrays,
    check_log_probabilities,
    check_sensible,
    check_shapes,
)
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.experts._base import Expert, ScoresOfText, StoredExpert, register_expert
from leaven.models import (
    FeatureOptions,
    FisherScores,
    MixtureParams,
    MultinomialMixture,
    TwoViewMixture,
    TwoViewParams,
)
from leaven.models._word_sum_kernels import add_words

__all__ = [
    "MixtureExpert",
    "TwoViewExpert",
    "class_log_words",
    "component_words",
    "highest",
    "top_words",
]

MODEL_SETTINGS = ("alpha", "class_alpha", "unlabeled_weight")
MOST_FACTOR = 1e15  # of scores, which must stay finite


@register_expert
@dataclass(frozen=True, eq=False)
class MixtureExpert(Expert):
    """A mixture of multinomials."""

    kind: ClassVar[str] = "mixture"

    name: str
    model: MultinomialMixture
    params: MixtureParams
    scale: float = 1.0  # of the counts: experts of one classifier may need different lengths

    @property
    def describes_words(self) -> bool:
        return True

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        return self.model.class_log_joint(self.params, self._scaled(X), vectors)

    def one_text(self) -> ScoresOfText:
        log_word, log_weight = np.ascontiguousarray(self.params.log_word.T), self.params.log_weight

        def scores(indices: IntArray, values: FloatArray, vector: FloatArray | None) -> FloatArray:
            totals = np.zeros(len(log_weight))
            add_words(indices, values, log_word, values.dtype.type(self.scale), totals)
            totals += log_weight
            found: FloatArray = self.model.of_classes(self._with_vector(totals, vector)[None])[0]
            return found

        return scores

    def _with_vector(self, log_joint: FloatArray, vector: FloatArray | None) -> FloatArray:
        """Scores of components with what the vector of the document adds, if it adds any."""
        return log_joint

    def _scaled(self, X: Counts) -> Counts:
        return X if self.scale == 1.0 else with_values(X, X.data * self.scale)

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """Components of a class are averaged by their shares in the document."""
        added = self._added(self._scaled(x), word_vectors)
        if self.model.has_one_each:
            return added
        score = added.sum(axis=0) + self.params.log_weight
        component_class = self.model.component_class
        log_total = self.model.of_classes(score[None])[0]
        share = np.exp(score - log_total[component_class])  # of a class's components
        order, starts = self.model.by_class
        pulls: FloatArray = np.add.reduceat((added * share)[:, order], starts, axis=1)
        return pulls

    def _added(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """Contribution of each word to each component's log joint, (n_present, n_components)."""
        weights = np.asarray(x.data, dtype=np.float64)
        log_word = np.asarray(self.params.log_word[:, x.indices], dtype=np.float64)
        added: FloatArray = (log_word * weights).T
        return added

    def word_scores(self) -> FloatArray:
        """Weighted log-likelihood ratio, by which Nigam et al. fill their table 3.4."""
        return self.word_scores_of(slice(None))

    def word_scores_of(self, classes: slice) -> FloatArray:
        log_class, _ = self.model.split_weights(self.params.log_weight)
        log_words = class_log_words(self.model, self.params, classes)
        return _weighted_ratio(log_words, np.exp(log_class)[classes], self._mean_words)

    @cached_property
    def _mean_words(self) -> FloatArray:
        """Probability of each word in all classes, (n_words,): one sum for all parts of them."""
        log_class, _ = self.model.split_weights(self.params.log_weight)
        prior = np.exp(log_class)
        total = np.zeros(self.params.log_word.shape[1])
        for classes in parts_of(len(prior), len(total)):
            total += prior[classes] @ np.exp(class_log_words(self.model, self.params, classes))
        return total

    def as_mixture(self) -> "MixtureExpert":
        return self

    def fisher_scores(self, options: FeatureOptions) -> FisherScores:
        """How documents would change the mixture; they must be scaled as it expects."""
        return FisherScores(self.model, self.params, options)

    def fits(self, component_class: IntArray, n_words: int, dtype: Any) -> bool:
        """Whether EM can start from the parameters: the same components and words."""
        return bool(
            np.array_equal(self.model.component_class, component_class)
            and self.params.log_word.shape[1] == n_words
            and self.params.log_word.dtype == dtype
        )

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        settings = {name: float(getattr(self.model, name)) for name in MODEL_SETTINGS}
        arrays = {
            "component_class": np.asarray(self.model.component_class, dtype=np.int64),
            "log_weight": np.asarray(self.params.log_weight, dtype=np.float64),
            "log_word": self.params.log_word.T,
        }
        return {**settings, "scale": float(self.scale)}, arrays

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        component_class, params = _read_mixture(stored)
        stored.check_settings(*MODEL_SETTINGS, "scale")
        _check_factors(stored, "scale")
        alpha, class_alpha, weight = (float(stored.settings[name]) for name in MODEL_SETTINGS)
        model = MultinomialMixture(component_class, alpha, class_alpha, weight)
        return cls(stored.name, model, params, float(stored.settings["scale"]))


@register_expert
@dataclass(frozen=True, eq=False)
class TwoViewExpert(MixtureExpert):
    """A mixture of words and vectors."""

    kind: ClassVar[str] = "two-view"

    model: TwoViewMixture
    params: TwoViewParams

    @property
    def sees_vectors(self) -> bool:
        return True

    def fisher_scores(self, options: FeatureOptions) -> FisherScores:
        return FisherScores(self.model, self.params, options, self.params.directions.shape[1])

    def _with_vector(self, log_joint: FloatArray, vector: FloatArray | None) -> FloatArray:
        assert vector is not None
        cosine = self.params.directions.astype(np.float64) @ vector
        found: FloatArray = log_joint + self.model.concentration * cosine
        return found

    def _added(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        added = super()._added(x, word_vectors)
        if word_vectors is None:
            return added
        by_vector: FloatArray = self.model.concentration * word_vectors @ self.params.directions.T
        return added + by_vector

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        settings, arrays = super().to_tensors()
        settings["concentration"] = float(self.model.concentration)
        return settings, {**arrays, "directions": self.params.directions}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        component_class, params = _read_mixture(stored)
        directions = stored.arrays.get("directions", 2)
        check_shapes(directions.shape == (len(component_class), stored.n_dims), stored.n_dims > 0)
        check_sensible(directions)
        stored.check_settings(*MODEL_SETTINGS, "scale", "concentration")
        _check_factors(stored, "scale", "concentration")
        alpha, class_alpha, weight = (float(stored.settings[name]) for name in MODEL_SETTINGS)
        shape = (float(stored.settings["concentration"]), stored.n_dims)
        model = TwoViewMixture(component_class, alpha, class_alpha, weight, 1, *shape)
        both = TwoViewParams(params.log_weight, params.log_word, directions)
        return cls(stored.name, model, both, float(stored.settings["scale"]))


def _check_factors(stored: StoredExpert, *names: str) -> None:
    if not all(0 < stored.settings[name] < MOST_FACTOR for name in names):
        raise ValueError("its model's settings are not positive numbers of a sensible size")


def _read_mixture(stored: StoredExpert) -> tuple[IntArray, MixtureParams]:
    arrays: StoredArrays = stored.arrays
    component_class = arrays.get("component_class", 1, frozenset({"int64"}))
    log_weight = arrays.get("log_weight", 1, frozenset({"float64"}))
    log_word = arrays.get("log_word", 2).T  # stored word by word, as it lies in memory
    check_shapes(
        log_word.shape == (len(component_class), stored.n_words),
        len(log_weight) == len(component_class),
        sorted(set(component_class.tolist())) == list(range(stored.n_classes)),
    )
    check_log_probabilities(log_weight)
    if not np.exp(log_weight).all():  # its logarithm is taken again
        raise ValueError("its parameters are not logarithms of probabilities")
    # A word of probability one in every component is one that the mixture leaves out.
    has_effect = log_word.any(axis=0)
    if has_effect.any():
        check_log_probabilities(log_word if has_effect.all() else log_word[:, has_effect])
    return component_class, MixtureParams(log_weight, log_word)


def class_log_words(
    model: MultinomialMixture, params: MixtureParams, classes: slice = slice(None)
) -> FloatArray:
    """Log p(word | class), components of a class mixed by their weights: (n_classes, n_words).

    Of all classes, or of some that follow each other.
    """
    if model.has_one_each:
        return np.asarray(params.log_word[classes], dtype=np.float64)
    _, log_share = model.split_weights(params.log_weight)
    order, starts = model.by_class
    first, last, _ = classes.indices(len(starts))
    ends = np.append(starts, len(order))
    own = order[ends[first] : ends[last]]
    mixed = np.asarray(params.log_word[own], np.float64) + log_share[own, None]
    found: FloatArray = np.logaddexp.reduceat(mixed, starts[first:last] - ends[first], axis=0)
    return found


def top_words(model: MultinomialMixture, params: MixtureParams, how_many: int) -> list[IntArray]:
    """Numbers of each class's words of largest weighted log-likelihood ratio."""
    return highest(MixtureExpert("", model, params).word_scores(), how_many)


def component_words(params: MixtureParams, how_many: int) -> list[IntArray]:
    """As ``top_words``, of each component against the others."""
    log_words = np.asarray(params.log_word, dtype=np.float64)
    prior = np.exp(params.log_weight)
    return highest(_weighted_ratio(log_words, prior, prior @ np.exp(log_words)), how_many)


def highest(word_scores: FloatArray, how_many: int) -> list[IntArray]:
    """Numbers of the words with the highest scores, for each row; of equal ones the first."""
    n_words = word_scores.shape[1]
    if not 0 < how_many < n_words:
        return list(np.argsort(-word_scores, axis=1, kind="stable")[:, :how_many])
    found: list[IntArray] = []
    for row in word_scores:
        # Sorting all words of every class would take most of the time.
        candidates = np.flatnonzero(row >= np.partition(row, n_words - how_many)[-how_many])
        order = np.argsort(-row[candidates], kind="stable")[:how_many]
        found.append(candidates[order])
    return found


def _weighted_ratio(log_words: FloatArray, prior: FloatArray, mean_words: FloatArray) -> FloatArray:
    """p(w | k) log [p(w | k) / p(w | not k)]: of words frequent in k and rare elsewhere.

    ``mean_words`` are the words' probabilities in all k, of which these may be some.
    """
    words = np.exp(log_words)
    rest = np.maximum(1.0 - prior, 1e-12)[:, None]
    elsewhere = np.maximum(mean_words - prior[:, None] * words, 1e-300) / rest
    ratio: FloatArray = words * (log_words - np.log(elsewhere))
    return ratio

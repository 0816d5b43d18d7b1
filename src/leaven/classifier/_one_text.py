"""Classification of texts one at a time, with no arrays of many: for servers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from leaven._base.typing import BoolArray, FloatArray
from leaven.classifier._channel import Channel
from leaven.classifier._fitted import FEWEST_SUBWORDS, FittedClassifier
from leaven.text._one_text import CountedText, one_text_counter

__all__ = ["OneTextClassifier"]

NOTHING = 0


class OneTextClassifier:
    """Probabilities of one text, as ``FittedClassifier.classify`` gives them for several.

    Where a classifier has no short way, because an expert has none or vectors come from elsewhere,
    ``is_short`` is False, and texts are classified as several are.
    """

    def __init__(self, fitted: FittedClassifier) -> None:
        self.fitted = fitted
        own = None if fitted.needs_vectors else _OneTextChannel.of(fitted.words, fitted.dtype)
        beside = None
        if own is not None and fitted.beside is not None:
            beside = _OneTextChannel.of(fitted.beside, fitted.dtype)
            own = own if beside is not None else None
        self._own, self._beside = own, beside

    @property
    def is_short(self) -> bool:
        return self._own is not None

    def classify(self, text: str) -> tuple[FloatArray, BoolArray]:
        """Class probabilities (1, n_classes), and whether there is no evidence for them (1,)."""
        scored = None if self._own is None else self._scored(text)
        if scored is None:
            return self.fitted.classify([text], n_threads=1)
        scores, is_wordless = scored
        decision, wordless = self.fitted.decision, np.array([is_wordless])
        return decision.without_words(decision.probability(scores[None]), wordless), wordless

    def _scored(self, text: str) -> tuple[FloatArray, bool] | None:
        """Scores of the classes and whether a text has no evidence; None: not the short way."""
        assert self._own is not None
        counted = self._own.count(text)
        if counted is None:
            return None
        is_wordless = not len(counted.indices)
        scores = self._own.scores(counted)
        if self._beside is not None:
            subwords = self._beside.count(text)
            if subwords is None:
                return None
            if is_wordless and len(subwords.indices) < FEWEST_SUBWORDS:
                subwords = CountedText(subwords.indices[:NOTHING], subwords.values[:NOTHING])
            else:
                is_wordless = False
            scores = scores + self._beside.scores(subwords)
        # Numbers that are not finite are explained where several texts are classified.
        return (scores, is_wordless) if np.isfinite(scores).all() else None


class _OneTextChannel:
    """What a channel does, prepared for one text at a time."""

    def __init__(
        self,
        count: Callable[[str], CountedText | None],
        vector: Any,
        experts: list[Any],
        weights: list[float],
    ) -> None:
        self.count, self._vector = count, vector
        self._weighted = list(zip(weights, experts, strict=True))

    @classmethod
    def of(cls, channel: Channel, dtype: Any) -> "_OneTextChannel | None":
        """The channel, if all of its parts have a short way."""
        count = one_text_counter(channel.counter, dtype)
        vector = None if channel.view is None else channel.view.one_text()
        experts = [expert.one_text() for expert in channel.experts]
        if count is None or None in experts or (channel.view is not None and vector is None):
            return None
        return cls(count, vector, experts, channel.weights.tolist())

    def scores(self, counted: CountedText) -> FloatArray:
        """Weighted sum of the experts' scores, (n_classes,)."""
        indices, values = counted
        vector = None if self._vector is None else self._vector(indices, values)
        parts = [weight * scores(indices, values, vector) for weight, scores in self._weighted]
        total: FloatArray = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

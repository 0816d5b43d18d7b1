"""Warm starts: what an earlier fit provides to the next one on the same text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven.classifier import FittedClassifier
from leaven.corpora import Counted
from leaven.experts import Expert
from leaven.learning import View
from leaven.text._counter import TextCounter

__all__ = ["NO_START", "WarmStart"]


@dataclass(frozen=True, eq=False)
class WarmStart:
    """An earlier classifier, as far as it can be reused; empty where there is none.

    On the same words, vectors need not be learned again. Where the labels are the same too, as
    after a fit that was stopped, a learner may continue from the earlier expert. After new
    labels it must not: EM would stay near the earlier maximum, and lose most of what the new
    labels add.
    """

    earlier: FittedClassifier | None = None
    view: View | None = None  # where vectors come from, known to suit the documents' words
    beside: tuple[TextCounter, View] | None = None  # the same of subwords, and what counts them

    @classmethod
    def of(cls, earlier: FittedClassifier) -> "WarmStart":
        """All that an earlier classifier provides, if it turns out to fit."""
        beside = earlier.beside
        theirs = None
        if beside is not None and beside.view is not None:
            theirs = beside.counter, beside.view
        return cls(earlier, earlier.view, theirs)

    def beside_view(self, counter: TextCounter) -> View | None:
        """Where vectors of subwords come from, if the same subwords were counted."""
        if self.beside is None or not _same_words(self.beside[0], counter):
            return None
        return self.beside[1]

    def fitting(self, counted: Counted, method: str, options: Mapping[str, Any]) -> "WarmStart":
        """This start if it has the same method, options, words and classes, else an empty one."""
        earlier = self.earlier
        if earlier is None:
            return self
        if earlier.needs_vectors:
            return NO_START
        report = earlier.report
        theirs = report.options.get("method", {})
        is_same = report.method == method and _learned_by(theirs) == _learned_by(options)
        return self if is_same and _same_numbers(earlier, counted) else NO_START

    def expert(self, name: str, labels_digest: str) -> Expert | None:
        """The only expert, or that of this name, where it was learned from the same labels."""
        earlier = self.earlier
        if earlier is None or not labels_digest or earlier.labels_digest != labels_digest:
            return None
        if len(earlier.experts) == 1:
            return earlier.experts[0]
        return next((expert for expert in earlier.experts if expert.name == name), None)


NO_START = WarmStart()


def _learned_by(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that change what is learned."""
    return {name: value for name, value in options.items() if name != "n_jobs"}


def _same_numbers(earlier: FittedClassifier, counted: Counted) -> bool:
    """Whether columns and codes mean the same, so that parameters can be used again."""
    same_classes = np.array_equal(earlier.classes, counted.training.labels.classes)
    return same_classes and _same_words(earlier.counter, counted.counter)


def _same_words(words: TextCounter, now: TextCounter) -> bool:
    return words is now or (
        words.options == now.options
        and np.array_equal(words.vocabulary.arena, now.vocabulary.arena)
        and np.array_equal(words.vocabulary.starts, now.vocabulary.starts)
        and np.array_equal(words.idf, now.idf)
    )

"""A model during labeling: what it predicts for documents, and which words pull."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.classifier import FittedClassifier
from leaven.text._spans import text_pieces

__all__ = ["LiveModel", "Prediction", "TintedWord", "class_id", "named_labels"]

MOST_TINTED, FAINTEST = 40, 0.15  # different words tinted in a text, and the weakest of them
BIGGEST_OF_ONE_UNIT = 0xFFFF  # characters above it are two units of UTF-16


def named_labels(
    labels: Mapping[int, tuple[int, ...]], several: bool
) -> dict[int, str | list[str]]:
    """Labels as models get them: classes by their numbers, because people rename classes."""
    named = {document: [f"#{each}" for each in classes] for document, classes in labels.items()}
    return {document: each if several else each[0] for document, each in named.items()}


def class_id(name: str) -> int:
    """The number of a class that a model names."""
    return int(name[1:])


class Prediction(NamedTuple):
    """What a model says about one document."""

    classes: tuple[int, ...]  # suggested
    probability: float  # that these are right
    by_class: list[tuple[int, float]]  # probabilities, the highest first
    is_unsupported: bool  # no word of the text is known


class TintedWord(NamedTuple):
    """A word in a text and the class that it pulls towards; places in units of UTF-16."""

    start: int
    end: int
    number: int  # of the class
    strength: float  # 0 to 1


@dataclass(frozen=True, eq=False)
class LiveModel:
    """A trained model and its probabilities of the documents that take part."""

    number: int  # of models, increasing
    version: int  # of the labels that it knows
    n_labels: int
    method: str
    seconds: float
    fitted: FittedClassifier
    sample: IntArray  # sorted numbers of the documents that take part
    probability: FloatArray  # (n_sampled, n_classes)
    is_wordless: BoolArray  # (n_sampled,) whose text has no known word
    is_full: bool = False  # calibrated, with an estimate of its accuracy from audits
    expected: Mapping[str, Any] = field(default_factory=dict)  # as reports hold it
    labeled: frozenset[int] = frozenset()  # documents whose label it knows

    @cached_property
    def class_ids(self) -> tuple[int, ...]:
        """Numbers of the classes, by column."""
        return tuple(class_id(name) for name in self.fitted.classes.tolist())

    @cached_property
    def decided(self) -> IntArray:
        """What is decided on for each document, in numbers that mean the same in all models."""
        ids = np.array(self.class_ids)
        if not self.fitted.labels.has_sets:
            return np.asarray(ids[self.probability.argmax(axis=1)], np.int64)
        # Sets that differ may get the same number, by chance and rarely.
        weights = np.random.default_rng(0).integers(1, 2**40, ids.max() + 1)[ids]
        return np.asarray(self.membership @ weights, np.int64)

    @cached_property
    def membership(self) -> BoolArray:
        """Which classes are decided on for each document, (n_sampled, n_classes)."""
        return self.fitted.decide(self.probability).membership

    def shares(self, current: Mapping[int, int]) -> dict[int, float]:
        """Share of the documents that have each class.

        ``current`` says which classes those of the model are now: some may be merged since, and
        some may be gone.
        """
        columns = self._columns(current)
        if self._is_unchanged(columns):
            return dict(zip(self.class_ids, self._shares, strict=True))
        return {
            number: float(self.membership[:, own].any(axis=1).mean())
            for number, own in columns.items()
        }

    @cached_property
    def _shares(self) -> list[float]:
        return [float(share) for share in self.membership.mean(axis=0)]

    def _columns(self, current: Mapping[int, int]) -> dict[int, list[int]]:
        """Columns of each class of now."""
        found: dict[int, list[int]] = {}
        for column, number in enumerate(self.class_ids):
            if number in current:
                found.setdefault(current[number], []).append(column)
        return found

    def _is_unchanged(self, columns: Mapping[int, list[int]]) -> bool:
        return tuple(columns) == self.class_ids

    def predictions(
        self,
        numbers: Sequence[int],
        texts: pa.LargeStringArray,
        given: FloatArray | None,
        current: Mapping[int, int],
    ) -> list[Prediction]:
        """What the model says about documents of these numbers, out of all texts and vectors.

        ``current`` as for ``shares``.
        """
        wanted = np.asarray(numbers, np.int64)
        places = np.minimum(np.searchsorted(self.sample, wanted), len(self.sample) - 1)
        probability, is_wordless = self.probability[places], self.is_wordless[places]
        others = np.flatnonzero(self.sample[places] != wanted)
        if len(others):
            rows = wanted[others]
            probability[others], is_wordless[others] = self.fitted.classify(
                texts.take(pa.array(rows)), vectors=None if given is None else given[rows]
            )
        decided = self.fitted.decide(probability)
        confidence = self.fitted.confidence(probability, decided)
        membership, columns = decided.membership, self._columns(current)
        ids = np.array([*columns], np.int64)
        if not self._is_unchanged(columns) and len(ids):
            # Where documents have one class, those of merged classes exclude each other.
            together = np.max if self.fitted.labels.has_sets else np.sum
            probability = np.stack(
                [together(probability[:, own], axis=1) for own in columns.values()], axis=1
            )
            membership = np.stack(
                [membership[:, own].any(axis=1) for own in columns.values()], axis=1
            )
            if not self.fitted.labels.has_sets:
                membership = np.arange(len(ids)) == probability.argmax(axis=1)[:, None]
                confidence = np.minimum(probability.max(axis=1), 1.0)
        order = np.argsort(-probability[:, : len(ids)], axis=1, kind="stable")
        return [
            Prediction(
                tuple(sorted(ids[membership[row, : len(ids)]].tolist())),
                float(confidence[row]),
                [(int(ids[i]), float(probability[row, i])) for i in order[row]],
                bool(is_wordless[row]),
            )
            for row in range(len(wanted))
        ]

    def most_probable(self, number: int, current: Mapping[int, int]) -> IntArray:
        """Documents in the order of their probability of a class."""
        columns = self._columns(current).get(number, [])
        if not columns:
            return np.zeros(0, np.int64)
        own = self.probability[:, columns].sum(axis=1)
        return self.sample[np.argsort(-own, kind="stable")]

    def tinted(
        self, text: str, shown: str, vector: FloatArray | None, current: Mapping[int, int]
    ) -> list[TintedWord]:
        """The words that pull, where they are in the part of the text that is shown.

        ``vector`` is the user's, ``current`` as for ``shares``.
        """
        if self.fitted.counter.options.hash_features:
            return []  # nobody knows the words
        uses_vector = self.fitted.view is not None and self.fitted.view.n_given > 0
        explained = self.fitted.explain(
            text, MOST_TINTED, vector if uses_vector else None, n_neighbors=0
        )
        pulls: dict[str, tuple[int, float]] = {}
        for each in explained.words:
            name, pull = max(each.pull.items(), key=lambda item: item[1])
            if pull > 0 and class_id(name) in current:
                pulls[each.word] = (current[class_id(name)], pull)
        most = max((pull for _, pull in pulls.values()), default=1.0)
        found, place = [], 0
        for piece, word in text_pieces(shown, self.fitted.counter.options.as_tokens):
            end = place + _units(piece)
            number, pull = pulls.get(word or "", (0, 0.0))
            if pull >= FAINTEST * most:
                found.append(TintedWord(place, end, number, round(pull / most, 3)))
            place = end
        return found


def _units(text: str) -> int:
    """Length of a text in units of UTF-16, by which browsers count."""
    return len(text) + sum(ord(character) > BIGGEST_OF_ONE_UNIT for character in text)

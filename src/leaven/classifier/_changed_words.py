"""Words whose discriminative power changed most between two classifiers.

The discriminative power of a word for a class is the probability that a document which consists
of this word alone belongs to the class, as in Tables 2 and 3 of
[Druck, Pal, Zhu and McCallum (2007)][druck2007].
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from leaven._base.html import document, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven._base.tables import TextTable
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven._base.validation import check_whole
from leaven.classifier._channel import Seen
from leaven.classifier._fitted import FittedClassifier

__all__ = ["ChangedByClass", "ChangedWord", "ChangedWords", "find_changed_words"]

WORDS_AT_ONCE = 10_000  # whose vectors and votes are in memory together
VALUES_AT_ONCE = 2_000_000  # probabilities, where classes are many
RISE, FALL = 1, -1  # signs of changes
NAMES_SHOWN = 3  # of classes in a message
SMALLEST_CHANGE = 0.0005  # of a probability: smaller ones could read as none
WIDTH = len("100.0 %")
TITLES = ("rose", f"{'before':>{WIDTH}} → after", "fell", f"{'before':>{WIDTH}} → after")
MEANING = "probability of the class, given a document that consists of the word alone:"
NO_CHANGE = "no word changed by 0.05 percentage points or more"
THIS, OTHER = "the model", "the model that it is compared with"


@dataclass(frozen=True)
class ChangedWord:
    """A word, and the probability of a class given a document of this word alone, twice.

    Attributes
    ----------
    word : str
        The word.
    before, after : float
        The probability by the classifier that is compared with, and by this one.
    """

    word: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """The change of the probability."""
        return self.after - self.before

    def __str__(self) -> str:
        return printable(f"{self.word} {percent(self.before, 1)} → {percent(self.after, 1)}")


@dataclass(frozen=True)
class ChangedWords:
    """Words that indicate a class more than before, and less; the largest change first.

    Attributes
    ----------
    rose, fell : list of ChangedWord
        Words whose probability of the class is higher, and lower, than before.
    """

    rose: list[ChangedWord]
    fell: list[ChangedWord]

    def __str__(self) -> str:
        return "\n".join(
            f"{verb}: {', '.join(map(str, changed)) or 'no word'}"
            for verb, changed in (("rose", self.rose), ("fell", self.fell))
        )

    def table(self) -> TextTable:
        """Words that rose beside words that fell, without changes that could read as none."""
        sides = [
            [each for each in changed if abs(each.difference) >= SMALLEST_CHANGE]
            for changed in (self.rose, self.fell)
        ]
        rows = [(*_cells(rose), *_cells(fell)) for rose, fell in zip_longest(*sides)]
        return TextTable(TITLES, list(rows))

    def _repr_html_(self) -> str:
        content = self.table()
        return document(table(content) if content.rows else paragraph(muted(NO_CHANGE)))


def _cells(each: ChangedWord | None) -> tuple[str, str]:
    if each is None:
        return "", ""
    before, after = percent(each.before, 1), percent(each.after, 1)
    return each.word, f"{before:>{WIDTH}} → {after:>{WIDTH}}"


class ChangedByClass(dict[Any, ChangedWords]):
    """The words that changed, for each class: a dict that notebooks show as tables."""

    def table(self) -> TextTable:
        """The words of all classes; the name of a class stands before its first row."""
        rows: list[Sequence[str]] = []
        for name, changed in self.items():
            listed = changed.table().rows or [(NO_CHANGE, "", "", "")]
            rows += [(str(name) if i == 0 else "", *row) for i, row in enumerate(listed)]
        return TextTable(("class", *TITLES), rows)

    def _repr_html_(self) -> str:
        return document(paragraph(muted(MEANING)), table(self.table()))


@dataclass(frozen=True, eq=False)
class _Common:
    """The words of both vocabularies in alphabetical order, and their columns in each."""

    words: pa.LargeStringArray
    before: IntArray
    after: IntArray

    @classmethod
    def of(cls, before: FittedClassifier, after: FittedClassifier) -> "_Common":
        earlier, later = (own.counter.vocabulary.words for own in (before, after))
        places = pc.index_in(later, value_set=earlier)
        words = later.filter(places.is_valid())
        if not len(words):
            raise ValueError(
                f"the two models must have words in common, but none of the {len(later):,} words "
                f"of one is among the {len(earlier):,} of the other; train both on text of the "
                "same kind, split into words in the same way"
            )
        order = pc.array_sort_indices(words)
        columns = np.flatnonzero(places.is_valid().to_numpy(zero_copy_only=False))
        in_order = order.to_numpy()
        return cls(words.take(order), places.drop_null().to_numpy()[in_order], columns[in_order])


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Words that may be among those that changed most, (n_candidates, n_classes) each."""

    numbers: IntArray  # among the common words
    before: FloatArray
    after: FloatArray

    def __add__(self, other: "_Candidates") -> "_Candidates":
        return _Candidates(
            np.vstack([self.numbers, other.numbers]),
            np.vstack([self.before, other.before]),
            np.vstack([self.after, other.after]),
        )

    def most_changed(self, sign: int, how_many: int) -> "_Candidates":
        """For each class those with the largest change of this sign; of equal ones the first."""
        change = sign * (self.after - self.before)
        order = np.argsort(-change, axis=0, kind="stable")[:how_many]
        return _Candidates(
            np.take_along_axis(self.numbers, order, axis=0),
            np.take_along_axis(self.before, order, axis=0),
            np.take_along_axis(self.after, order, axis=0),
        )

    def listed(self, sign: int, words: pa.LargeStringArray) -> list[list[ChangedWord]]:
        """For each class the words whose change has this sign."""
        is_listed = sign * (self.after - self.before) > 0
        return [
            [
                ChangedWord(*each)
                for each in zip(
                    words.take(pa.array(self.numbers[rows, code])).to_pylist(),
                    self.before[rows, code].tolist(),
                    self.after[rows, code].tolist(),
                    strict=True,
                )
            ]
            for code, rows in enumerate(is_listed.T)
        ]


def find_changed_words(
    before: FittedClassifier,
    after: FittedClassifier,
    how_many: int = 10,
    n_threads: int | None = None,
) -> ChangedByClass:
    """For each class, words whose probability of the class rose and fell most between two models.

    Of the words that both models know. A word is counted, weighted and scaled by each model as a
    document of this word alone; so is an n-gram, without the words that it consists of. Words
    that changed equally are in alphabetical order, and those that did not change are left out.
    Where documents have several labels, probabilities are those of each label by itself.
    """
    check_whole("how_many", how_many, "[0, inf)")
    for fitted, which in ((after, THIS), (before, OTHER)):
        _check_words_suffice(fitted, which)
    same_class = _same_classes(before, after)
    common = _Common.of(before, after)
    n_classes = len(after.labels)
    none = np.zeros((0, n_classes))
    rose = fell = _Candidates(none.astype(np.int64), none, none)
    numbers = np.broadcast_to(np.arange(len(common.words))[:, None], (len(common.words), n_classes))
    for part in _parts(len(common.words), n_classes):
        words = common.words.slice(part.start, part.stop - part.start)
        found = _Candidates(
            numbers[part],
            _word_probability(before, words, common.before[part], n_threads)[:, same_class],
            _word_probability(after, words, common.after[part], n_threads),
        )
        rose = (rose + found).most_changed(RISE, how_many)
        fell = (fell + found).most_changed(FALL, how_many)
    return ChangedByClass(
        (name, ChangedWords(*changed))
        for name, *changed in zip(
            after.classes.tolist(),
            rose.listed(RISE, common.words),
            fell.listed(FALL, common.words),
            strict=True,
        )
    )


def _check_words_suffice(fitted: FittedClassifier, which: str) -> None:
    """Refuse a model that has no words, or that cannot classify a document by its words."""
    if fitted.counter.options.hash_features:
        raise ValueError(
            f"comparing words needs a vocabulary, but {which} hashed its words; train it without "
            "hash_features"
        )
    if fitted.needs_vectors:
        raise ValueError(
            f"comparing words needs models that classify a document by its words alone, but "
            f"{which} was trained with vectors of your own; train it without them"
        )


def _same_classes(before: FittedClassifier, after: FittedClassifier) -> IntArray:
    """Where each class of a model is among those of the earlier one; by name, as in files."""
    earlier, later = before.labels.names, after.labels.names
    differing = [
        f"only {which} has {_shown(names)}"
        for which, names in (
            (THIS, sorted(set(later) - set(earlier))),
            (OTHER, sorted(set(earlier) - set(later))),
        )
        if names
    ]
    if differing:
        raise ValueError(
            f"the two models must have the same classes, but {' and '.join(differing)}; train both "
            "with the same labels"
        )
    places = {name: place for place, name in enumerate(earlier)}
    return np.array([places[name] for name in later])


def _shown(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SHOWN
    listed = ", ".join(map(repr, names[:NAMES_SHOWN]))
    return f"{listed} and {more:,} more" if more > 0 else listed


def _parts(n_words: int, n_classes: int) -> Iterator[slice]:
    at_once = max(min(WORDS_AT_ONCE, VALUES_AT_ONCE // n_classes), 1)
    for start in range(0, n_words, at_once):
        yield slice(start, start + at_once)


def _word_probability(
    fitted: FittedClassifier,
    words: pa.LargeStringArray,
    columns: IntArray,
    n_threads: int | None,
) -> FloatArray:
    """Class probabilities of documents that consist of one word each, given the words' columns."""
    n_documents = len(columns)
    X: Counts = csr_array(
        (
            np.ones(n_documents, fitted.dtype),
            columns.astype(np.int32),
            np.arange(n_documents + 1, dtype=np.int32),
        ),
        shape=(n_documents, fitted.counter.n_words),
    )
    seen = Seen(fitted.counter.weigh(X, n_threads))
    if fitted.beside is not None:
        counts = fitted.beside.counter.count(words, dtype=fitted.dtype, n_threads=n_threads)
        seen = Seen(seen.X, counts)
    return fitted.decision.probability(fitted.scores(seen, None, n_threads))

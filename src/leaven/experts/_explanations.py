"""Explanations of predictions: words of classes, the effect of each word, nearest documents."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.documents._label_sets import readable_label

__all__ = [
    "ComponentWords",
    "Explanation",
    "Generated",
    "GeneratedWord",
    "Neighbor",
    "WordPull",
    "strongest",
]


@dataclass(frozen=True)
class WordPull:
    """One word of a text and how far it moved the log odds of each class."""

    word: str
    weight: float  # the word's weighted count in the text
    # class → what the word added to its score; against the mean, where one class is chosen
    pull: dict[Any, float]


@dataclass(frozen=True)
class GeneratedWord:
    """One word of a text and which of its labels generated it, in shares that add up to one."""

    word: str
    count: int  # of its occurrences in the text
    shares: dict[Any, float]  # class → its share; the text's own classes only
    common: float  # share of what all classes have in common
    other: float  # share of none of these


@dataclass(frozen=True)
class Generated:
    """All known words of a text and which labels generated them."""

    words: list[GeneratedWord]
    # The text in pieces: each with the word that it is counted as, or None.
    pieces: list[tuple[str, str | None]]

    @property
    def shares(self) -> dict[Any, float]:
        """Share of the text's known words that each label generated."""
        names = self.words[0].shares if self.words else {}
        return {name: self._mean([each.shares[name] for each in self.words]) for name in names}

    @property
    def common(self) -> float:
        """Share of the text's known words that come from what all classes have in common."""
        return self._mean([each.common for each in self.words])

    @property
    def other(self) -> float:
        """Share of the text's known words that come from none of these."""
        return self._mean([each.other for each in self.words])

    def _mean(self, shares: list[float]) -> float:
        if not shares:
            return 0.0
        return float(np.average(shares, weights=[each.count for each in self.words]))


@dataclass(frozen=True)
class ComponentWords:
    """A component of a mixture: its class, its share of the documents, its words."""

    number: int
    label: Any  # the class it belongs to
    share: float
    words: list[str]


@dataclass(frozen=True)
class Neighbor:
    """A training document that is similar to a text."""

    number: int  # position among the training documents, from 0
    label: Any  # its class, or a tuple of classes
    similarity: float  # cosine of the two documents' weighted counts
    share: float | None = None  # of the votes; None where predictions do not come from neighbors
    is_labeled: bool = True  # False: an unlabeled document that earlier votes classified
    excerpt: str | None = None  # its first characters, if the model holds any text

    def __str__(self) -> str:
        parts = [
            f"{self.similarity:.2f}",
            f"{readable_label(self.label):<16}",
            f"document {self.number + 1:,}",
        ]
        if self.share is not None:
            parts.append(f"{percent(self.share)} of the votes")
        if self.excerpt is not None:
            parts.append(self.excerpt)
        return "  ".join(parts)


@dataclass(frozen=True)
class Explanation:
    """A prediction and the words behind it, strongest first, and the most similar documents.

    Where documents have several labels, the label is a tuple of classes, and the probabilities
    of the classes do not sum to one.
    """

    label: Any
    probability: dict[Any, float]  # class → probability
    words: list[WordPull]
    unknown_words: int  # distinct words of the text that the model never saw
    neighbors: list[Neighbor] = field(default_factory=list)
    is_hashed: bool = False  # words have no names, so that none is listed
    # probability of the label; of a tuple, that exactly these classes are correct
    confidence: float = None  # type: ignore[assignment]
    generated: Generated | None = None  # None: the method does not model where words come from

    def __post_init__(self) -> None:
        if self.confidence is None:
            object.__setattr__(self, "confidence", self.probability[self.label])

    @property
    def has_sets(self) -> bool:
        """Whether the text can have several labels."""
        return isinstance(self.label, tuple)

    @property
    def ranked(self) -> list[Any]:
        """All classes, the most probable first."""
        return sorted(self.probability, key=self.probability.__getitem__, reverse=True)

    def __str__(self) -> str:
        ranked = self.ranked
        lines = [f"{readable_label(self.label)}  ({percent(self.confidence, 1)})"]
        if self.has_sets:
            found = (f"{name} {percent(self.probability[name], 1)}" for name in ranked[:5])
            lines.append("  " + "  ".join(found))
        if self.is_hashed:
            lines.append("  words are hashed, so that none can be named")
        elif not self.words:
            lines.append("  no word of this text is in the model's vocabulary")
        for entry in self.words:
            towards = max(entry.pull, key=entry.pull.__getitem__)
            shown = "  ".join(f"{name} {entry.pull[name]:+.2f}" for name in ranked[:3])
            lines.append(f"  {entry.word:<20} → {towards!s:<16} {shown}")
        lines += [f"  {neighbor}" for neighbor in self.neighbors]
        return "\n".join(map(printable, lines))


def strongest(pulls: FloatArray, of: BoolArray | None = None) -> tuple[IntArray, FloatArray]:
    """Order of words by how far they moved classes apart, and the pulls centred on zero.

    Where each class has log odds of its own, ``of`` are the classes to explain: words are in the
    order of their largest effect on these, and pulls are not centred.
    """
    if of is not None:
        return np.argsort(-np.abs(pulls[:, of]).max(axis=1, initial=0.0), kind="stable"), pulls
    centred = pulls - pulls.mean(axis=1, keepdims=True)
    reach = centred.max(axis=1, initial=0.0) - centred.min(axis=1, initial=0.0)
    return np.argsort(-reach, kind="stable"), centred

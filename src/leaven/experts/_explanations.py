"""Explanations of predictions: words of classes, the effect of each word, nearest documents."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven._base.typing import FloatArray, IntArray

__all__ = ["ComponentWords", "Explanation", "Neighbor", "WordPull", "strongest"]


@dataclass(frozen=True)
class WordPull:
    """One word of a text and how far it moved the log odds of each class."""

    word: str
    weight: float  # the word's weighted count in the text
    pull: dict[Any, float]  # class → what the word added to its score, against the mean


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
    label: Any  # its class
    similarity: float  # cosine of the two documents' weighted counts
    share: float | None = None  # of the votes; None where predictions do not come from neighbors
    is_labeled: bool = True  # False: an unlabeled document that earlier votes classified
    excerpt: str | None = None  # its first characters, if the model holds any text

    def __str__(self) -> str:
        parts = [f"{self.similarity:.2f}", f"{self.label!s:<16}", f"document {self.number + 1:,}"]
        if self.share is not None:
            parts.append(f"{percent(self.share)} of the votes")
        if self.excerpt is not None:
            parts.append(self.excerpt)
        return "  ".join(parts)


@dataclass(frozen=True)
class Explanation:
    """A prediction and the words behind it, strongest first, and the most similar documents."""

    label: Any
    probability: dict[Any, float]  # class → probability
    words: list[WordPull]
    unknown_words: int  # distinct words of the text that the model never saw
    neighbors: list[Neighbor] = field(default_factory=list)
    is_hashed: bool = False  # words have no names, so that none is listed

    def __str__(self) -> str:
        ranked = sorted(self.probability, key=self.probability.__getitem__, reverse=True)
        lines = [f"{self.label}  ({percent(self.probability[self.label], 1)})"]
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


def strongest(pulls: FloatArray) -> tuple[IntArray, FloatArray]:
    """Order of words by how far they moved classes apart, and the pulls centred on zero."""
    centred = pulls - pulls.mean(axis=1, keepdims=True)
    reach = centred.max(axis=1, initial=0.0) - centred.min(axis=1, initial=0.0)
    return np.argsort(-reach, kind="stable"), centred

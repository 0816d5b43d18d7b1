"""Which labels generated the words of a text, where a method models it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.percent import percent
from leaven._base.tables import TextTable

__all__ = ["Generated", "GeneratedWord", "Origin"]

COMMON, OTHER = "common to all labels", "none of these"


@dataclass(frozen=True)
class GeneratedWord:
    """One word of a text and which of its labels generated it, in shares that add up to one.

    Attributes
    ----------
    word : str
        The word, as it is counted.
    count : int
        Its occurrences in the text.
    shares : dict of label to float
        Share of each of the text's own labels.
    common : float
        Share of what all labels have in common.
    other : float
        Share of none of these.
    """

    word: str
    count: int
    shares: dict[Any, float]
    common: float
    other: float

    @property
    def with_count(self) -> str:
        """The word, and how often it occurs if more than once."""
        return self.word if self.count == 1 else f"{self.word} ×{self.count}"


@dataclass(frozen=True)
class Origin:
    """A label, or what all labels have in common, or none of them.

    Attributes
    ----------
    title : str
        Its name.
    share : float
        Its share of the text's known words.
    of_words : list of float
        Its share of each word.
    words : list of GeneratedWord
        Those that it most probably generated, the largest contributions first.
    """

    title: str
    share: float
    of_words: list[float]
    words: list[GeneratedWord]


@dataclass(frozen=True)
class Generated:
    """All known words of a text and which labels generated them.

    Attributes
    ----------
    words : list of GeneratedWord
        In the order of the vocabulary.
    pieces : list of (str, str or None)
        The text in pieces: each with the word that it is counted as, or None.
    """

    words: list[GeneratedWord]
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

    @property
    def origins(self) -> list[Origin]:
        """The labels, that of the largest share first, then what is common to all, then the rest.

        Every word belongs to the origin that most probably generated it, the first of equals.
        """
        if not self.words:
            return []
        ranked = sorted(self.shares.items(), key=lambda item: -item[1])
        titles = [str(name) for name, _ in ranked] + [COMMON, OTHER]
        of_words = [[each.shares[name] for each in self.words] for name, _ in ranked]
        of_words += [[each.common for each in self.words], [each.other for each in self.words]]
        best = np.argmax(of_words, axis=0)
        found = []
        for number, shares in enumerate(of_words):
            parts = [-each.count * share for each, share in zip(self.words, shares, strict=True)]
            own = np.flatnonzero(best == number).tolist()
            words = [self.words[place] for place in sorted(own, key=parts.__getitem__)]
            found.append(Origin(titles[number], self._mean(shares), shares, words))
        return found

    def table(self, how_many: int = 10) -> TextTable:
        """One row per origin, with its share of the text and at most so many of its words."""
        rows = []
        for origin in self.origins:
            named = ", ".join(each.with_count for each in origin.words[:how_many])
            n_more = len(origin.words) - how_many
            more = f", and {n_more} more" if n_more > 0 else ""
            if origin.words or origin.share:
                rows.append((origin.title, percent(origin.share, 1), named + more))
        return TextTable(("label", "of the text", "words"), list(rows), ("of the text",))

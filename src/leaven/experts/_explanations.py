"""Explanations of predictions: words of classes, the effect of each word, nearest documents."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leaven._base.html import (
    Markup,
    bold,
    document,
    isolated,
    joined,
    muted,
    paragraph,
    signed_bar,
    table,
)
from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven._base.tables import TextTable
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.documents._label_sets import readable_label
from leaven.experts._generated import Generated
from leaven.experts._listed import Neighbor, neighbors_table

__all__ = ["SMALLEST_PULL", "Explanation", "WordPull", "strongest"]

SHOWN_CLASSES = 5  # most, in an explanation
WORTH_SHOWING = 0.0005  # a probability that does not round to 0.0 %
SMALLEST_PULL = 0.005  # on log odds, which does not round to 0.00


@dataclass(frozen=True)
class WordPull:
    """One word of a text and how far it moved the log odds of each class.

    Attributes
    ----------
    word : str
        The word, as it is counted.
    weight : float
        Its weighted count in the text.
    pull : dict of class to float
        What the word added to the score of each class; against the mean of all, where one class
        is chosen.
    """

    word: str
    weight: float
    pull: dict[Any, float]

    @property
    def towards(self) -> Any:
        """The class that the word speaks for most."""
        return max(self.pull, key=self.pull.__getitem__)

    @property
    def strongest(self) -> Any:
        """The class that the word changes most, up or down; None if it changes hardly any."""
        found = max(self.pull, key=lambda name: abs(self.pull[name]))
        return found if abs(self.pull[found]) >= SMALLEST_PULL else None


@dataclass(frozen=True)
class Explanation:
    """A prediction and the words behind it, strongest first, and the most similar documents.

    ``print(explanation)`` shows it as text; a notebook draws the contributions as bars.

    Attributes
    ----------
    label : str, int or tuple of them
        The predicted class. Where documents can have several labels, a tuple of classes.
    probability : dict of class to float
        Probability of each class. They do not sum to one where documents can have several labels.
    words : list of WordPull
        The words with the largest effect, and what each adds to the score of each class.
    unknown_words : int
        Different words of the text that the model never saw.
    neighbors : list of Neighbor
        Training documents that are similar to the text, if asked for.
    is_hashed : bool
        Whether words were hashed, so that none can be named.
    confidence : float
        Probability of the label; of a tuple, that exactly these classes are correct.
    generated : Generated or None
        Which label each word comes from; None if the method does not model it.

    Examples
    --------
    >>> from leaven import TextClassifier
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
    >>> explanation = clf.explain("a bread in orbit around bread")
    >>> explanation.label, [each.word for each in explanation.words]
    ('baking', ['bread', 'orbit'])
    """

    label: Any
    probability: dict[Any, float]
    words: list[WordPull]
    unknown_words: int
    neighbors: list[Neighbor] = field(default_factory=list)
    is_hashed: bool = False
    confidence: float = None  # type: ignore[assignment]
    generated: Generated | None = None

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
            shown = "  ".join(f"{name} {entry.pull[name]:+.2f}" for name in ranked[:3])
            lines.append(f"  {entry.word:<20} → {entry.towards!s:<16} {shown}")
        lines += [f"  {neighbor}" for neighbor in self.neighbors]
        return "\n".join(map(printable, lines))

    @property
    def other_classes(self) -> list[str]:
        """Classes with their probabilities, as far as they are worth showing, in words."""
        ranked, probability = self.ranked, self.probability
        if self.has_sets:
            n_shown = max(SHOWN_CLASSES, len(self.label))
            shown = [f"{name} {percent(probability[name], 1)}" for name in ranked[:n_shown]]
            n_others = len(ranked) - n_shown
            return [*shown, f"{_others(n_others)} below"] if n_others > 0 else shown
        likely = [name for name in ranked[1:SHOWN_CLASSES] if probability[name] >= WORTH_SHOWING]
        shown = [f"{name} {percent(probability[name], 1)}" for name in likely]
        n_others = len(ranked) - 1 - len(likely)
        if n_others:
            rest = sum(probability[name] for name in ranked[1 + len(likely) :])
            shown.append(f"{_others(n_others)} {percent(rest, 1)}")
        return shown

    @property
    def notes(self) -> list[str]:
        """What to know about the words."""
        found = []
        if self.unknown_words:
            noun = "word" if self.unknown_words == 1 else "words"
            found.append(f"{self.unknown_words} {noun} not in the model's vocabulary")
        if self.is_hashed:
            found.append("this model hashed its words, so that none can be shown")
        elif not self.words:
            found.append("no known word")
        return found

    @property
    def leads(self) -> list[tuple[float, WordPull]]:
        """Words by what they add to the most probable class beyond the second, most first."""
        first, second = self.ranked[:2]
        pulls = [(entry.pull[first] - entry.pull[second], entry) for entry in self.words]
        return sorted(pulls, key=lambda pull: -pull[0])

    @property
    def explained_labels(self) -> list[Any]:
        """Of several labels, the predicted ones and at least two, as far as they fit."""
        own = [name for name in self.ranked if name in self.label]
        beside = [name for name in self.ranked if name not in own][: max(2 - len(own), 1)]
        return [*own, *beside][:SHOWN_CLASSES]

    def _repr_html_(self) -> str:
        parts = [
            paragraph(bold(readable_label(self.label)), f" {percent(self.confidence, 1)}"),
            paragraph(muted(joined(" · ", map(isolated, self.other_classes)))),
        ]
        if self.words:
            parts.append(table(self._set_table() if self.has_sets else self._lead_table()))
        parts += [paragraph(muted(note)) for note in self.notes]
        if self.generated is not None and self.generated.words:
            heading = "words by the label that most probably generated them:"
            parts += [paragraph(muted(heading)), table(self.generated.table())]
        if self.neighbors:
            parts.append(table(neighbors_table(self.neighbors)))
        return document(*parts)

    def _lead_table(self) -> TextTable:
        first, second = map(str, self.ranked[:2])
        longest = max(abs(lead) for lead, _ in self.leads) or 1.0
        rows = [
            (entry.word, signed_bar(lead / longest), f"{lead:+.2f}", str(entry.towards))
            for lead, entry in self.leads
        ]
        sides = joined(" ← → ", [isolated(second), isolated(first)])
        return TextTable(("word", sides, "log odds", "strongest class"), list(rows), ("log odds",))

    def _set_table(self) -> TextTable:
        columns = self.explained_labels
        longest = max(abs(each.pull[name]) for each in self.words for name in columns) or 1.0
        rows = []
        for each in self.words:
            cells: list[Markup] = []
            for name in columns:
                effect = each.pull[name]
                cells.append(joined(" ", [signed_bar(effect / longest), f"{effect:+.2f}"]))
            rows.append((each.word, *cells, "" if each.strongest is None else str(each.strongest)))
        titles = [str(name) for name in columns]
        return TextTable(("word", *titles, "strongest label"), list(rows))


def _others(number: int) -> str:
    return f"{number} {'other' if number == 1 else 'others'}"


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

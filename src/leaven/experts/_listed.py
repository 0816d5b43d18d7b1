"""Lists of words and documents that describe a classifier, which notebooks show as tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaven._base.html import bar, document, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.tables import TextTable
from leaven.documents._label_sets import readable_label

__all__ = [
    "NO_NEIGHBOR",
    "ComponentWords",
    "Components",
    "Neighbor",
    "NeighborLists",
    "TopWords",
    "neighbors_table",
]

NO_NEIGHBOR = "no document that the model holds has a word in common with this text"


class TopWords(dict[Any, list[str]]):
    """The most characteristic words of each class: a dict that notebooks show as a table.

    Examples
    --------
    >>> TopWords(baking=["yeast", "bread"], space=["planets", "orbit"])
    {'baking': ['yeast', 'bread'], 'space': ['planets', 'orbit']}
    """

    def table(self) -> TextTable:
        """One row of words per class."""
        rows = [(str(name), " ".join(words)) for name, words in self.items()]
        return TextTable(("class", "most characteristic words"), list(rows))

    def _repr_html_(self) -> str:
        return document(table(self.table()))


@dataclass(frozen=True)
class ComponentWords:
    """A component of a mixture: its class, its share of the documents, its words.

    Attributes
    ----------
    number : int
        Number of the component, from 0.
    label : str or int
        The class that it belongs to.
    share : float
        Its share of the documents.
    words : list of str
        Its most characteristic words.
    """

    number: int
    label: Any
    share: float
    words: list[str]


class Components(list[ComponentWords]):
    """The components of a mixture: a list that notebooks show as a table."""

    def table(self) -> TextTable:
        """One row of words per component."""
        rows = [
            (str(each.number), str(each.label), percent(each.share, 1), " ".join(each.words))
            for each in self
        ]
        titles = ("number", "class", "share", "most characteristic words")
        return TextTable(titles, list(rows), ("number", "share"))

    def _repr_html_(self) -> str:
        plain = self.table()
        largest = max((each.share for each in self), default=0.0) or 1.0
        rows = [
            (*row[:2], bar(each.share / largest), *row[2:])
            for each, row in zip(self, plain.rows, strict=True)
        ]
        titles = (*plain.titles[:2], "", *plain.titles[2:])
        return document(table(TextTable(titles, list(rows), plain.numeric)))


@dataclass(frozen=True)
class Neighbor:
    """A training document that is similar to a text.

    Attributes
    ----------
    number : int
        Position among the training documents, from 0.
    label : str, int or tuple of them
        Its class, or its classes where documents can have several.
    similarity : float
        Cosine of the two documents' weighted counts.
    share : float or None
        Its share of the votes; None where predictions do not come from neighbors.
    is_labeled : bool
        False for an unlabeled document that earlier votes classified.
    excerpt : str or None
        Its first characters, if the model holds any text.
    """

    number: int
    label: Any
    similarity: float
    share: float | None = None
    is_labeled: bool = True
    excerpt: str | None = None

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


class NeighborLists(list[list[Neighbor]]):
    """The neighbors of each text: a list of lists that notebooks show as tables."""

    def _repr_html_(self) -> str:
        parts = []
        for number, neighbors in enumerate(self, 1):
            if len(self) > 1:
                parts.append(paragraph(muted(f"text {number:,}")))
            parts.append(
                table(neighbors_table(neighbors)) if neighbors else paragraph(muted(NO_NEIGHBOR))
            )
        return document(*parts)


def neighbors_table(neighbors: Sequence[Neighbor]) -> TextTable:
    """One row per document; columns about votes, status and text only where there are any."""
    is_set = bool(neighbors) and isinstance(neighbors[0].label, tuple)
    kinds = {True: "labeled", False: "classified"}
    columns: dict[str, list[str]] = {
        "similarity": [f"{each.similarity:.2f}" for each in neighbors],
        "votes": [percent(each.share) for each in neighbors if each.share is not None],
        "labels" if is_set else "class": [readable_label(each.label) for each in neighbors],
        "document": [f"{each.number + 1:,}" for each in neighbors],
        "status": [kinds[each.is_labeled] for each in neighbors],
        "text": [each.excerpt for each in neighbors if each.excerpt is not None],
    }
    if all(each.is_labeled for each in neighbors):
        del columns["status"]
    shown = {title: values for title, values in columns.items() if values}
    rows = list(zip(*shown.values(), strict=True))
    return TextTable(tuple(shown), list(rows), ("similarity", "votes", "document"))

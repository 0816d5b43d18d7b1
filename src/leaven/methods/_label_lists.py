"""Documents to label and labels to check: lists that notebooks show as tables."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import pyarrow as pa

from leaven._base.html import document, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.printing import shortened
from leaven._base.tables import TextTable
from leaven.documents._label_sets import readable_label

__all__ = ["DisputedLabel", "DisputedLabels", "Suggestion", "Suggestions"]

EXCERPT = 200  # characters of a text


@dataclass(frozen=True)
class Suggestion:
    """A document that is worth a label.

    Attributes
    ----------
    number : int
        Position of the document, from 0.
    why : str
        "typical" of a group of documents without a label, or "uncertain".
    predicted : str, int, tuple or None
        The predicted label, where there is a model.
    probability : float or None
        Its probability.
    excerpt : str or None
        The beginning of the text.
    """

    number: int
    why: str
    predicted: Any = None
    probability: float | None = None
    excerpt: str | None = field(default=None, compare=False, repr=False)


class Suggestions(list[Suggestion]):
    """Documents to label next: a list that notebooks show as a table.

    Examples
    --------
    >>> from leaven import suggest
    >>> texts = ["dough and yeast", "yeast bread", "stars and planets", "planets orbit stars"]
    >>> found = suggest(texts, n=2)
    >>> found[0].why
    'typical'
    """

    def with_excerpts(self, texts: pa.LargeStringArray) -> Self:
        """The same suggestions with the beginnings of their texts."""
        return type(self)(
            replace(each, excerpt=shortened(texts[each.number].as_py(), EXCERPT)) for each in self
        )

    def table(self) -> TextTable:
        """One row per document, with the prediction where there is a model."""
        has_model = any(each.predicted is not None for each in self)
        titles = ["document", "why", *(["predicted", "probability"] if has_model else []), "text"]
        rows = []
        for each in self:
            said = (_predicted(each), percent(each.probability or 0.0, 1)) if has_model else ()
            rows.append((f"{each.number + 1:,}", each.why, *said, each.excerpt or ""))
        return TextTable(titles, list(rows), ("document", "probability"))

    def _repr_html_(self) -> str:
        if not self:
            return document(paragraph(muted("every document has a label")))
        return document(table(self.table()))


def _predicted(each: Suggestion) -> str:
    return "" if each.predicted is None else readable_label(each.predicted)


@dataclass(frozen=True)
class DisputedLabel:
    """A document whose label may be wrong.

    Attributes
    ----------
    number : int
        Position of the document, from 0.
    label : str or int
        Its label.
    suggested : str or int
        The most probable class.
    probability : float
        Probability of the suggested class.
    label_probability : float
        Probability of the label.
    excerpt : str or None
        The beginning of the text.
    """

    number: int
    label: Any
    suggested: Any
    probability: float
    label_probability: float
    excerpt: str | None = field(default=None, compare=False, repr=False)


class DisputedLabels(list[DisputedLabel]):
    """Labels that may be wrong: a list that notebooks show as a table."""

    def with_excerpts(self, texts: pa.LargeStringArray) -> Self:
        """The same labels with the beginnings of their texts."""
        return type(self)(
            replace(each, excerpt=shortened(texts[each.number].as_py(), EXCERPT)) for each in self
        )

    def table(self) -> TextTable:
        """One row per document."""
        rows: Iterable[tuple[str, ...]] = (
            (
                f"{each.number + 1:,}",
                str(each.label),
                str(each.suggested),
                percent(each.probability, 1),
                percent(each.label_probability, 1),
                each.excerpt or "",
            )
            for each in self
        )
        numbers = ("document", "probability", "of the label")
        titles = ("document", "label", "suggested", "probability", "of the label", "text")
        return TextTable(titles, list(rows), numbers)

    def _repr_html_(self) -> str:
        if not self:
            return document(paragraph(muted("no label is disputed")))
        return document(table(self.table()))

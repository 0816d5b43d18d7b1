"""The columns of text and label, settled for a set of files before any of them is read."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from leaven.documents._columns import (
    TEXT_NAMES,
    Header,
    choose_label,
    choose_text,
    guess,
    parts_of,
)
from leaven.documents._folders import FolderSource
from leaven.documents._formats import Source
from leaven.documents._reading import Columns
from leaven.exceptions import DataError

__all__ = ["Choice", "Settled", "settle"]


@dataclass(frozen=True)
class Choice:
    """What is asked of the columns; None where their names decide."""

    text: Columns | None
    label: str | None
    likely_text: Columns | None
    likely_label: str | None
    needs_labels: bool

    @property
    def wants_label(self) -> bool:
        return self.label is not None or self.needs_labels

    def check(self) -> None:
        """Refuse columns that cannot be meant."""
        if self.text is None:
            return
        parts = (self.text,) if isinstance(self.text, str) else self.text
        if not isinstance(parts, tuple | list) or not all(isinstance(each, str) for each in parts):
            raise TypeError(f"text must be a column or a tuple of columns, got {self.text!r}")
        if not parts:
            raise DataError("text must name at least one column, got none; leave it out instead")
        if self.label in parts:
            raise DataError(
                f"the text and the label must be two columns, got {self.label!r} for both"
            )

    def is_met(self, names: Sequence[str]) -> bool:
        """Whether all columns asked for are among these names."""
        names = tuple(names)
        if self.text is not None:
            has_text = set(parts_of(self.text, names)) <= set(names)
        else:
            likely = self.likely_text
            has_text = guess(names, TEXT_NAMES) is not None or (
                likely is not None and set(parts_of(likely, names)) <= set(names)
            )
        if not has_text or not self.wants_label:
            return has_text
        header = Header(names, frozenset())
        return choose_label(header, self.label, (), True, "", self.likely_label) is not None


@dataclass(frozen=True)
class Settled:
    """The columns that were chosen."""

    choice: Choice
    text: tuple[str, ...]
    label: str | None  # None if no file has labels
    headers: dict[Source, Header | None]
    labeled: set[Source] = field(default_factory=set)

    @property
    def is_text_detected(self) -> bool:
        """Whether the column of the text was chosen without being named."""
        return self.choice.text is None

    @property
    def is_label_detected(self) -> bool:
        """Whether the column of the label was chosen without being named."""
        has_own_label = any(source in self.with_header for source in self.labeled)
        return self.choice.label is None and has_own_label

    @property
    def with_header(self) -> set[Source]:
        """Sources whose columns have names."""
        return {source for source, header in self.headers.items() if header is not None}

    @property
    def text_without_header(self) -> tuple[str, ...]:
        """What the only column of the other sources is called."""
        return self.text if len(self.text) == 1 else ("text",)

    @property
    def column_names(self) -> frozenset[str]:
        """All columns known to occur."""
        named = [header.names for header in self.headers.values() if header is not None]
        label = self.label or self.choice.label
        return frozenset().union(("file", *self.text), [label] if label else [], *named)

    def check(self) -> None:
        """Raise an error if labels are required and there are none."""
        if self.labeled or not self.choice.wants_label:
            return
        label = self.choice.label
        for source, header in self.headers.items():
            if header is not None:
                missing = f"column {label!r}" if label else "column that is clearly the label"
                raise DataError(
                    f"{source.name} has no {missing} ({header}); {header.remedy('label')}"
                )
        first, *others = self.headers
        name = f"{first.name} and {len(others)} more" if others else first.name
        raise DataError(
            f"{name} has no labels; use a file with a label column, or a folder per class"
        )


def settle(
    sources: Iterable[Source],
    choice: Choice,
    skipping: Callable[[str], AbstractContextManager[None]],
) -> Settled:
    """Choose the columns; ``skipping(name)`` handles what is wrong with a file."""
    headers: dict[Source, Header | None] = {}
    text: Columns | None = choice.text
    for source in sources:
        with skipping(source.name):
            with source.explained():
                header = source.header(choice.is_met)
            if header is not None:
                if not header.names:
                    raise DataError(f"{source.name} holds no documents; pass a file that does")
                text = choose_text(header, text, source.name, choice.likely_text)
            headers[source] = header
    chosen = parts_of(text or "text", ())
    if choice.label is not None and choice.label in chosen:
        raise DataError(
            f"the text and the label must be two columns, got {choice.label!r} for both"
        )
    label = choice.label
    labeled: set[Source] = set()
    for source, header in headers.items():
        if header is not None:
            column = choose_label(
                header, label, chosen, choice.needs_labels, source.name, choice.likely_label
            )
            label = column or label
            if column is not None:
                labeled.add(source)
    for source in headers:
        if isinstance(source, FolderSource) and source.has_labels:
            label = label or "label"
            labeled.add(source)
    return Settled(choice, chosen, label if labeled else None, headers, labeled)

"""Beginnings of documents in tables and in JSON."""

from typing import TYPE_CHECKING

from leaven._base.printing import shortened

if TYPE_CHECKING:
    from leaven.documents import Documents

__all__ = ["EXCERPT", "NARROWEST", "excerpt"]

EXCERPT = 200  # characters of a text in JSON
NARROWEST = 24  # characters of a text in a table


def excerpt(documents: "Documents", number: int, width: int) -> str:
    """The beginning of a text, on one line."""
    return shortened(documents.texts[number].as_py(), width)

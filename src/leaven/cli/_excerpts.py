"""Beginnings of documents in tables and in JSON."""

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaven.documents import Documents

__all__ = ["EXCERPT", "NARROWEST", "excerpt"]

EXCERPT = 200  # characters of a text in JSON
NARROWEST = 24  # characters of a text in a table


def excerpt(documents: "Documents", number: int, width: int) -> str:
    """The beginning of a text, on one line."""
    # So much of a long text is enough, however much space is in it.
    text = documents.texts[number].as_py()[: 10 * width]
    return textwrap.shorten(text, width, placeholder="…")

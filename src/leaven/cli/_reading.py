"""How predict and evaluate read documents, and what they warn about."""

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from leaven.cli._help import WHERE

if TYPE_CHECKING:
    from leaven.documents import DocumentFiles

__all__ = [
    "StreamThrough",
    "warn_bad_files",
    "warn_wordless",
]

StreamThrough = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="For files larger than memory: read and classify them in pieces.",
        rich_help_panel=WHERE,
    ),
]


def warn_bad_files(files: "DocumentFiles") -> None:
    """Warn about files that were left out."""
    from leaven.documents._readers import bad_files_notes

    for note in bad_files_notes(files):
        warnings.warn(note, stacklevel=2)


def warn_wordless(n_wordless: int, n_documents: int) -> None:
    """Warn once about all documents without a word that the model knows."""
    if n_wordless:
        from leaven.classifier._fitted import wordless_message
        from leaven.exceptions import UnseenWordsWarning

        warnings.warn(wordless_message(n_wordless, n_documents), UnseenWordsWarning, stacklevel=2)

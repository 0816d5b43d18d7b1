"""From raw text to counts: readers, words, vocabulary, weights."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaven.text._readers import DocumentFiles, Documents, read_documents
    from leaven.text._vectorizer import TextVectorizer

__all__ = ["DocumentFiles", "Documents", "TextVectorizer", "read_documents"]


def __getattr__(name: str) -> Any:
    # The shell imports scikit-learn, which costs a second that `leaven predict` need not pay.
    if name == "TextVectorizer":
        from leaven.text._vectorizer import TextVectorizer

        return TextVectorizer
    if name in __all__:
        from leaven.text import _readers

        return getattr(_readers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

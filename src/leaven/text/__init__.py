"""From strings to counts: words, vocabulary, weights."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaven.text._vectorizer import TextVectorizer

__all__ = ["TextVectorizer"]


def __getattr__(name: str) -> Any:
    # The vectorizer imports scikit-learn, which takes a second that `leaven predict` can save.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from leaven.text._vectorizer import TextVectorizer

    return TextVectorizer

"""Stop words: lists of languages, and the most frequent words of a corpus."""

import re
from collections.abc import Sequence

import numpy as np

from leaven._base.typing import IntArray
from leaven.text._vocabulary import Vocabulary, check_words

__all__ = ["FREQUENT", "frequent_words", "stop_word_list"]

FREQUENT = "frequent"
ENGLISH = ("english", "en")
# How many words of a corpus are frequent. In texts of a few words few words are in 5 % of the
# documents; in long ones hundreds are, of which the first 50 are hardly ever about a topic.
MOST_FREQUENT = 50
SMALLEST_SHARE = 0.05  # of the documents, which a frequent word is in
FEWEST_DOCUMENTS = 20  # so that a few documents by chance make no word frequent


def stop_word_list(stop_words: str | Sequence[str] | frozenset[str] | None) -> list[str]:
    """Stop words as a list; None is no word, and so is "frequent", before texts are counted.

    "english" is scikit-learn's list, other languages are those of the package stop-words.
    """
    if stop_words is None:
        return []
    if not isinstance(stop_words, str):
        return sorted(set(check_words("stop_words", stop_words)))
    if stop_words == FREQUENT:
        return []
    if stop_words.lower() in ENGLISH:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted(ENGLISH_STOP_WORDS)
    return _of_language(stop_words)


def _of_language(name: str) -> list[str]:
    try:
        from stop_words import LANGUAGE_MAPPING, get_stop_words
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"stop_words={name!r} needs the package stop-words, which is not installed; pip "
            "install 'leaven[stopwords]', or give 'english', 'frequent' or a list of words"
        ) from None
    language = LANGUAGE_MAPPING.get(name.lower(), name.lower())
    languages = sorted(LANGUAGE_MAPPING.values())
    if language not in languages:
        raise ValueError(
            f"stop_words must be 'frequent', a list of words, or a language ("
            f"{', '.join(languages)}) or its code, such as 'de', got {name!r}; choose one"
        )
    words = set(get_stop_words(language))
    # Texts are cut at apostrophes: qu'il is counted as two words.
    words |= {part for word in words if " " not in word for part in re.split("['’]", word) if part}
    return sorted(words)


def frequent_words(vocabulary: Vocabulary, documents: IntArray, n_documents: int) -> IntArray:
    """Numbers of the words that most documents contain, by how many contain each."""
    fewest = max(SMALLEST_SHARE * n_documents, FEWEST_DOCUMENTS)
    order = vocabulary.sorted_order()  # so that ties do not depend on the order of documents
    falling = order[np.argsort(-documents[order], kind="stable")][:MOST_FREQUENT]
    return falling[documents[falling] >= fewest]

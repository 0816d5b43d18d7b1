"""What the words of a text add to the scores of classes, as words and through their subwords."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from leaven._base.typing import BoolArray, ClassArray, Counts, FloatArray
from leaven.classifier._channel import Channel, Seen
from leaven.documents._arrow import as_text_array
from leaven.experts import WordPull, strongest
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._html import text_of_html
from leaven.text._options import TextOptions
from leaven.text._spans import text_pieces

__all__ = ["count_unknown", "word_pulls"]

# Options that say what is a word.
COUNTED = ("html", "tokens", "analyzer", "lowercase", "stop_words", "ngram_range", "numbers")


class Explained(Protocol):
    """A classifier whose scores come from words, and perhaps subwords."""

    @property
    def classes(self) -> ClassArray: ...
    @property
    def words(self) -> Channel: ...
    @property
    def beside(self) -> Channel | None: ...


def word_pulls(
    classifier: Explained,
    text: str,
    seen: Seen,
    given: Any,
    wanted: BoolArray | None,
    how_many: int | None = None,
) -> list[WordPull]:
    """Words of a text, those first that move classes apart most, or these classes if given.

    ``given`` is the user's vector of the text, if the classifier uses any.
    """
    x, channel = seen.X, classifier.words
    words = channel.counter.vocabulary.words.take(pa.array(x.indices)).to_pylist()
    added, weights = channel.pulls(x, given), x.data.tolist()
    if classifier.beside is not None and seen.beside is not None:
        through = _through_subwords(text, seen.beside, classifier.beside, channel)
        for place, word in enumerate(words):
            added[place] += through.pop(word, 0.0)
        added = np.vstack([added, *through.values()])  # words that the model does not know
        words += through
        weights += [0.0] * len(through)
    order, pulls = strongest(added, wanted)
    names = classifier.classes.tolist()
    return [
        WordPull(
            words[place],
            float(weights[place]),
            dict(zip(names, map(float, pulls[place]), strict=True)),
        )
        for place in order[:how_many].tolist()
    ]


def count_unknown(counter: TextCounter, text: str, x: Counts) -> int:
    """Number of different words of a text that are not counted; ``x`` are those that are."""
    options = TextOptions(**{name: getattr(counter.options, name) for name in COUNTED})
    try:
        alone, _ = fit_counter(as_text_array([text]), options)
    except ValueError:  # the text holds no word at all
        return 0
    return max(alone.n_words - x.nnz, 0)


def _through_subwords(
    text: str, x: Counts, channel: Channel, words: Channel
) -> dict[str, FloatArray]:
    """What each word of a text adds through its subwords, by the word as it is counted.

    A subword that is in several words, or several times in one, is shared among them by its
    occurrences. ``x`` are the subwords of the whole text.
    """
    tokens = (text_of_html(text) if words.counter.options.html else text).split()
    if not tokens or not x.nnz:
        return {}
    options = replace(
        channel.counter.options, html=False, binary=False, log_tf=False, idf=False, length=None
    )
    plain = replace(channel.counter, options=options)
    counts = plain.count(as_text_array(tokens), dtype=np.float64)[:, x.indices]
    totals = np.maximum(np.asarray(counts.sum(axis=0)).ravel(), 1.0)
    pulls = counts @ (channel.pulls(x) / totals[:, None])  # (n_tokens, n_classes)
    found: dict[str, FloatArray] = {}
    for token, pull in zip(tokens, np.asarray(pulls), strict=True):
        if np.any(pull):
            for word, share in _words_in(token, words):
                found[word] = found.get(word, 0.0) + share * pull
    return found


def _words_in(token: str, words: Channel) -> Iterator[tuple[str, float]]:
    """The words of what white space separates, with their shares of its length."""
    pieces = text_pieces(token, words.counter.tokens)
    inside = [(word, len(piece)) for piece, word in pieces if word is not None] or [(token, 1)]
    total = sum(length for _, length in inside)
    for word, length in inside:
        yield word, length / total

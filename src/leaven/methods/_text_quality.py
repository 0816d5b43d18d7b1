"""Texts from which little can be learned, because their words are not what people call words."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven.corpora import Counted

__all__ = ["word_notes"]

LONG = 15.0  # mean characters of a word: 5 in English, 7 in German, 9 in Finnish
SHARED = 0.02  # least share of words that occur in two documents or more
FEWEST = 20  # documents; of fewer, most words occur once anyway
SHOWN = 40  # characters of a word in a note


def word_notes(counted: Counted, has_subwords: bool) -> list[str]:
    """What a report should say of words that are very long, or that documents do not share.

    ``has_subwords`` says whether subwords are counted beside them.
    """
    counter, size = counted.counter, counted.training.size
    if counter.options.hash_features or counter.options.analyzer != "word":
        return []
    if counted.n_documents < FEWEST or not size.documents.sum():
        return []
    words = counter.vocabulary.words
    lengths = pc.utf8_length(words).to_numpy()
    mean = float(np.average(lengths, weights=size.documents))
    usual = words.take(pa.array([int(np.argmax(size.documents * (lengths > mean)))]))[0].as_py()
    example = usual if len(usual) <= SHOWN else f"{usual[:SHOWN]}…"
    advice = "if the text is right, --subwords counts parts of words"
    if has_subwords:
        advice = "parts of words are counted too"
    if mean > LONG:
        return [
            f"words are {mean:.0f} characters long on average, such as {example!r}: the text may "
            "be identifiers, encoded, or without spaces between words, so that whole clauses count "
            f"as words; {advice}, and a segmenter can split it (docs/how-to/languages.md)"
        ]
    is_shared = size.documents > 1
    if is_shared.mean() < SHARED:
        return [
            f"the documents have almost no word in common: of {len(words):,} words "
            f"{int(is_shared.sum()):,} occur in more than one document, so that little can be "
            f"learned from unlabeled documents; check the text column; {advice}"
        ]
    return []

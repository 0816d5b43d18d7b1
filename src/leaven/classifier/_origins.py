"""Which label each word of a text comes from, where an expert models it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from leaven._base.typing import Counts
from leaven.documents._arrow import as_text_array
from leaven.documents._labels import EncodedLabels
from leaven.experts import Expert, Generated, GeneratedWord
from leaven.text._counter import TextCounter
from leaven.text._html import text_of_html
from leaven.text._spans import text_pieces

__all__ = ["explain_origin"]


def explain_origin(
    counter: TextCounter, experts: Sequence[Expert], text: str, x: Counts, decided: EncodedLabels
) -> Generated | None:
    """The words of one text, ``x`` as experts see it, with the labels that generated them."""
    has_class = decided.membership[0]
    asked = ((expert.name, expert.generated(x, has_class)) for expert in experts)
    name, shares = next(((name, own) for name, own in asked if own is not None), ("", None))
    if shares is None:
        return None
    wanted = (len(x.indices), len(has_class) + 2)
    if np.shape(shares) != wanted:
        raise ValueError(
            f"{name!r} must give shares of shape {wanted}, one per word and class and two more, "
            f"got {np.shape(shares)}; correct its generated method"
        )
    words = counter.vocabulary.words.take(pa.array(x.indices)).to_pylist()
    names = decided.classes[has_class].tolist()
    found = [
        GeneratedWord(word, count, dict(zip(names, own, strict=True)), *others)
        for word, count, own, others in zip(
            words,
            _occurrences(counter, text, x),
            shares[:, :-2][:, has_class].tolist(),
            shares[:, -2:].tolist(),
            strict=True,
        )
    ]
    shown = text_of_html(text) if counter.options.html else text
    return Generated(found, text_pieces(shown, counter.tokens))


def _occurrences(counter: TextCounter, text: str, x: Counts) -> list[int]:
    """How often each word of ``x`` is in the text."""
    options = replace(counter.options, binary=False, log_tf=False, idf=False, length=None)
    plain = replace(counter, options=options).count(as_text_array([text]), dtype=np.float64)
    numbers = dict(zip(plain.indices.tolist(), plain.data.tolist(), strict=True))
    return [int(numbers[index]) for index in x.indices.tolist()]

"""Where the words of one text are in it, for showing it to people."""

import re
from functools import cache

import numpy as np

from leaven._base.typing import BoolArray
from leaven.text._counting import Tokens
from leaven.text._unicode import FEWEST_CHARACTERS, MARK, TOKEN_CHARACTERS, UNSPACED, fold_table

__all__ = ["text_pieces"]

NUMBER = "<number>"  # what all numbers become, where they are mapped to one word
TWO_WHEN_LOWER = "\u0130"  # the only character that becomes two in lower case


def text_pieces(text: str, tokens: Tokens) -> list[tuple[str, str | None]]:
    """A text in pieces: a word as it is written with the word it is counted as, or None between.

    Stop words are words here too; of n-grams, the single words are given, or the single
    characters where there are no spaces between words. Where n-grams of characters are counted,
    the words are given all the same.
    """
    lower = text.lower() if tokens.lowercase else text
    # Place in the text of each place in lower case, and of its end.
    places = list(range(len(text) + 1))
    if tokens.lowercase and TWO_WHEN_LOWER in text:
        sizes = [1 + (character == TWO_WHEN_LOWER) for character in text] + [1]
        places = [place for place, size in enumerate(sizes) for _ in range(size)]
    pieces: list[tuple[str, str | None]] = []
    end = 0
    for found in _word_pattern(tokens.tokens).finditer(lower):
        begin = places[found.start()]
        if begin > end:
            pieces.append((text[end:begin], None))
        end = places[found.end()]
        word = NUMBER if tokens.map_numbers and found[0].isdecimal() else found[0]
        pieces.append((text[begin:end], word))
    if end < len(text):
        pieces.append((text[end:], None))
    return pieces


@cache
def _word_pattern(tokens: str) -> re.Pattern[str]:
    begin, fewest = TOKEN_CHARACTERS[tokens], FEWEST_CHARACTERS[tokens]
    if tokens != "scripts":
        return re.compile(f"(?:{begin}){{{fewest},}}")
    fold = fold_table(tokens, False)
    unspaced = _class_of(fold & UNSPACED != 0)
    mark = _class_of(fold & MARK != 0)
    spaced = f"(?!{unspaced}){begin}"
    return re.compile(f"{unspaced}|{spaced}(?:{spaced}|{mark}){{{fewest - 1},}}")


def _class_of(is_member: BoolArray) -> str:
    """Regular expression for one of these code points."""
    edges = np.flatnonzero(np.diff(is_member, prepend=False, append=False))
    runs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return "[" + "".join(f"\\U{begin:08x}-\\U{end - 1:08x}" for begin, end in runs) + "]"

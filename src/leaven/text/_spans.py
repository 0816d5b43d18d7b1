"""Where the words of one text are in it, for showing it to people."""

import re

from leaven.text._counting import FEWEST_CHARACTERS, Tokens
from leaven.text._unicode import TOKEN_CHARACTERS

__all__ = ["text_pieces"]

NUMBER = "<number>"  # what all numbers become, where they are mapped to one word
TWO_WHEN_LOWER = "\u0130"  # the only character that becomes two in lower case


def text_pieces(text: str, tokens: Tokens) -> list[tuple[str, str | None]]:
    """A text in pieces: a word as it is written with the word it is counted as, or None between.

    Stop words are words here too; of n-grams, the single words are given.
    """
    lower = text.lower() if tokens.lowercase else text
    # Place in the text of each place in lower case, and of its end.
    places = list(range(len(text) + 1))
    if tokens.lowercase and TWO_WHEN_LOWER in text:
        sizes = [1 + (character == TWO_WHEN_LOWER) for character in text] + [1]
        places = [place for place, size in enumerate(sizes) for _ in range(size)]
    pattern = f"(?:{TOKEN_CHARACTERS[tokens.tokens]}){{{FEWEST_CHARACTERS},}}"
    pieces: list[tuple[str, str | None]] = []
    end = 0
    for found in re.finditer(pattern, lower):
        begin = places[found.start()]
        if begin > end:
            pieces.append((text[end:begin], None))
        end = places[found.end()]
        word = NUMBER if tokens.map_numbers and found[0].isdecimal() else found[0]
        pieces.append((text[begin:end], word))
    if end < len(text):
        pieces.append((text[end:], None))
    return pieces

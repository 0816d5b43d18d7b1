"""Character tables that make the tokenizer agree with Python's ``re`` and ``str.lower``.

Python lower-cases almost every code point by itself. Two do not fit a table: ``İ``
becomes two code points, and ``Σ`` becomes ``σ`` or ``ς`` depending on its neighbours.
Documents that hold one of them are lower-cased by Python before they reach the kernel
(:data:`NEEDS_PYTHON_LOWER`).
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIGIT", "NEEDS_PYTHON_LOWER", "TOKEN_CHARACTERS", "fold_table"]

NEEDS_PYTHON_LOWER = "[\u0130\u03a3]"
DIGIT = np.uint32(1 << 31)
TOKEN_CHARACTERS = {"words": r"\w", "letters": r"[^\W\d_]"}

_SURROGATES = range(0xD800, 0xE000)


@cache
def fold_table(tokens: str, lowercase: bool) -> NDArray[np.uint32]:
    """Code point → code point as it appears in a token, 0 where it ends the token.

    Decimal digits carry the flag :data:`DIGIT`.
    """
    points = np.r_[: _SURROGATES.start, _SURROGATES.stop : 0x110000].astype(np.uint32)
    special = np.isin(points, [ord(c) for c in NEEDS_PYTHON_LOWER[1:-1]])
    points = points[~special]
    every = points.astype("<u4").tobytes().decode("utf-32-le")
    folded = every.lower() if lowercase else every
    table = np.zeros(0x110000, dtype=np.uint32)
    table[points] = np.frombuffer(folded.encode("utf-32-le"), dtype="<u4")
    if not lowercase:
        for character in NEEDS_PYTHON_LOWER[1:-1]:
            table[ord(character)] = ord(character)
    letters = TOKEN_CHARACTERS[tokens]
    in_token = _matches(letters, every)
    in_token = in_token[
        table
    ]  # a letter is classified by its lower case, as when matching after lower()
    table[~in_token] = 0
    table[in_token & _matches(r"\d", every)[table & ~DIGIT]] |= DIGIT
    return table


def _matches(character_class: str, every: str) -> NDArray[np.bool_]:
    """For each code point, whether the one-character pattern matches it."""
    matches = np.zeros(0x110000, dtype=bool)
    points = np.frombuffer(every.encode("utf-32-le"), dtype="<u4")
    for run in re.finditer(f"(?:{character_class})+", every):
        matches[points[run.start() : run.end()]] = True
    for character in NEEDS_PYTHON_LOWER[1:-1]:
        matches[ord(character)] = re.fullmatch(character_class, character) is not None
    return matches

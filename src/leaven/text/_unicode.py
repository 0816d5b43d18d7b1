"""Character tables that make the tokenizer agree with Python's ``re`` and ``str.lower``.

Python lower-cases almost every code point by itself. Two do not fit a table: ``İ``
becomes two code points, and ``Σ`` becomes ``σ`` or ``ς`` depending on its neighbours.
Documents that hold one of them are lower-cased by Python before they reach the kernel
(``NEEDS_PYTHON_LOWER``).
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from leaven.text._unspaced import marks, unspaced_scripts

__all__ = [
    "ALL",
    "ASCII",
    "DIGIT",
    "FEWEST_CHARACTERS",
    "MARK",
    "NEEDS_PYTHON_LOWER",
    "SPACE",
    "TOKEN_CHARACTERS",
    "UNSPACED",
    "fold_table",
    "lower_table",
]

NEEDS_PYTHON_LOWER = "[\u0130\u03a3]"
DIGIT = np.uint32(1 << 31)
SPACE = np.uint32(1 << 30)
UNSPACED = np.uint32(1 << 29)
MARK = np.uint32(1 << 28)
# What a word consists of.
TOKEN_CHARACTERS = {"words": r"\w", "letters": r"[^\W\d_]", "scripts": r"\w", "spaces": r"[^\s\0]"}
FEWEST_CHARACTERS = {"words": 2, "letters": 2, "scripts": 2, "spaces": 1}  # of a word

ALL = 0x110000  # code points
ASCII = 128  # code points, whose tables take no time to make
_SURROGATES = range(0xD800, 0xE000)


@cache
def fold_table(tokens: str, lowercase: bool, n_points: int = ALL) -> NDArray[np.uint32]:
    """Code point → code point as it appears in a token, 0 where it ends the token.

    The table has the first ``n_points``: ``ALL``, or ``ASCII``. Decimal digits carry the flag
    ``DIGIT``. For ``tokens="scripts"``, characters of scripts without spaces between words
    carry ``UNSPACED``, other combining marks ``MARK``.
    """
    every = _every(n_points)
    table = _case_table(lowercase, n_points).copy()
    letters = TOKEN_CHARACTERS[tokens]
    in_token = _matches(letters, every, n_points)
    in_token = in_token[
        table
    ]  # a letter is classified by its lower case, as when matching after lower()
    flags = np.where(in_token & _matches(r"\d", every, n_points)[table], DIGIT, np.uint32(0))
    if tokens == "scripts" and n_points > ASCII:
        is_unspaced = unspaced_scripts()[table] > 0
        is_mark = marks()[table] & ~is_unspaced
        flags |= np.where(is_unspaced, UNSPACED, 0) | np.where(is_mark, MARK, 0)
        in_token |= is_unspaced | is_mark
    table[~in_token] = 0
    return table | flags


@cache
def lower_table(lowercase: bool, n_points: int = ALL) -> NDArray[np.uint32]:
    """Code point → its lower case, or itself; white space carries the flag ``SPACE``."""
    table = _case_table(lowercase, n_points).copy()
    table[_matches(r"\s", _every(n_points), n_points)] |= SPACE  # as str.split and re see it
    return table


@cache
def _every(n_points: int) -> str:
    """Every code point a table can lower-case, in order."""
    points = np.arange(n_points, dtype="<u4")
    points = points[(points < _SURROGATES.start) | (points >= _SURROGATES.stop)]
    special = np.isin(points, [ord(c) for c in NEEDS_PYTHON_LOWER[1:-1]])
    return bytes(points[~special]).decode("utf-32-le")


@cache
def _case_table(lowercase: bool, n_points: int) -> NDArray[np.uint32]:
    every = _every(n_points)
    folded = every.lower() if lowercase else every
    table = np.zeros(n_points, dtype=np.uint32)
    table[_points(every)] = _points(folded)
    if not lowercase and n_points > ASCII:
        for character in NEEDS_PYTHON_LOWER[1:-1]:
            table[ord(character)] = ord(character)
    return table


def _points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4")


def _matches(character_class: str, every: str, n_points: int) -> NDArray[np.bool_]:
    """For each code point, whether the one-character pattern matches it."""
    matches = np.zeros(n_points, dtype=bool)
    points = _points(every)
    for run in re.finditer(f"(?:{character_class})+", every):
        matches[points[run.start() : run.end()]] = True
    for character in NEEDS_PYTHON_LOWER[1:-1] if n_points > ASCII else "":
        matches[ord(character)] = re.fullmatch(character_class, character) is not None
    return matches

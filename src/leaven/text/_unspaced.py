"""Scripts that are written without spaces between words, by blocks of Unicode.

Python's standard library knows the category of a code point, not its script. Of the blocks
below, letters and marks belong to the script; digits and punctuation do not.
"""

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from leaven._base.typing import BoolArray

__all__ = ["UNSPACED_SCRIPTS", "marks", "unspaced_scripts"]

# First and last code points. Blocks without an assigned letter in Python's version of Unicode
# add nothing.
UNSPACED_SCRIPTS = {
    "Han": [
        (0x3005, 0x3007),  # 々〆〇
        (0x303B, 0x303B),  # 〻
        (0x3400, 0x4DBF),  # extension A
        (0x4E00, 0x9FFF),
        (0xF900, 0xFAFF),  # compatibility ideographs
        (0x20000, 0x2FA1F),  # extensions B to F and I, compatibility supplement
        (0x30000, 0x323AF),  # extensions G and H
    ],
    "Hiragana": [(0x3040, 0x309F), (0x1B001, 0x1B11F), (0x1B132, 0x1B132), (0x1B150, 0x1B152)],
    "Katakana": [
        (0x30A0, 0x30FF),
        (0x31F0, 0x31FF),
        (0xFF66, 0xFF9F),  # halfwidth
        (0x1AFF0, 0x1B000),
        (0x1B120, 0x1B122),
        (0x1B155, 0x1B155),
        (0x1B164, 0x1B167),
    ],
    "Bopomofo": [(0x3100, 0x312F), (0x31A0, 0x31BF)],
    "Yi": [(0xA000, 0xA48F)],
    "Thai": [(0x0E00, 0x0E7F)],
    "Lao": [(0x0E80, 0x0EFF)],
    "Khmer": [(0x1780, 0x17FF)],
    "Myanmar": [(0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)],
    "Tibetan": [(0x0F00, 0x0FFF)],
    "Javanese": [(0xA980, 0xA9DF)],
    "Balinese": [(0x1B00, 0x1B7F)],
    "Tai Le": [(0x1950, 0x197F)],
    "New Tai Lue": [(0x1980, 0x19DF)],
    "Tai Tham": [(0x1A20, 0x1AAF)],
    "Tai Viet": [(0xAA80, 0xAADF)],
}
ZERO = 0x3007  # 〇, of category Nl but written like an ideograph
JOINERS = (0x200C, 0x200D)  # zero-width non-joiner and joiner, which belong to words
# Nothing is assigned between these, nor after them anything but characters of private use.
ASSIGNED = ((0, 0x323AF), (0xE0000, 0xE01EF))


@cache
def unspaced_scripts() -> NDArray[np.uint8]:
    """Code point → 1 + number of its script in ``UNSPACED_SCRIPTS``, 0 for any other."""
    script = np.zeros(0x110000, dtype=np.uint8)
    for number, blocks in enumerate(UNSPACED_SCRIPTS.values(), start=1):
        for first, last in blocks:
            script[first : last + 1] = number
    script[~np.isin(_categories(), [ord("L"), ord("M")])] = 0
    script[ZERO] = 1 + list(UNSPACED_SCRIPTS).index("Han")
    return script


@cache
def marks() -> BoolArray:
    """For each code point, whether it is a combining mark or a joiner, of any script."""
    is_mark: BoolArray = _categories() == ord("M")
    is_mark[list(JOINERS)] = True
    return is_mark


@cache
def _categories() -> NDArray[np.uint8]:
    """First letter of each code point's category, 0 where nothing is assigned."""
    letters = np.zeros(0x110000, dtype=np.uint8)
    for first, last in ASSIGNED:
        # Joined by compiled code: every program that classifies a text waits for this.
        names = "".join(map(unicodedata.category, map(chr, range(first, last + 1))))
        letters[first : last + 1] = np.frombuffer(names.encode(), np.uint8)[::2]
    return letters

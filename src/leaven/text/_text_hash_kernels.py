# mypy: ignore-errors
"""Compiled loop that hashes whole texts."""

import numpy as np

from leaven._base.compile import kernel, kernel_inline
from leaven.text._hash_table_kernels import load8, mix

# Keeps these hashes apart from those of the same bytes made elsewhere.
_KEY = np.uint64(0x6C656176656E2074)
_EIGHT = np.uint64(8)


@kernel_inline
def _scrambled(number):
    """Hash in which every output bit depends on every input bit: splitmix64's last steps."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@kernel
def hash_texts(data, offsets, hashes):
    """Fill in a hash of each text, ``data[offsets[i] : offsets[i + 1]]``."""
    for text in range(len(hashes)):
        begin, end = offsets[text], offsets[text + 1]
        state = _scrambled(_KEY ^ np.uint64(end - begin))
        place = begin
        while place + 8 <= end:
            state = mix(state ^ load8(data, place))
            place += 8
        rest = np.uint64(0)
        while place < end:
            rest = (rest << _EIGHT) | np.uint64(data[place])
            place += 1
        hashes[text] = _scrambled(state ^ rest)

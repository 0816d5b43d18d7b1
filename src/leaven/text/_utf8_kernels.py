# mypy: ignore-errors
"""Compiled steps between UTF-8 bytes and code points."""

import numpy as np

from leaven._base.compile import kernel_inline, kernel_part


@kernel_inline
def decode(data, position):
    """Code point that begins at ``position``, and where the next one begins."""
    byte = np.int64(data[position])
    if byte < 0x80:
        return byte, position + 1
    if byte < 0xE0:
        return ((byte & 0x1F) << 6) | (data[position + 1] & 0x3F), position + 2
    if byte < 0xF0:
        point = ((byte & 0x0F) << 12) | ((data[position + 1] & 0x3F) << 6)
        return point | (data[position + 2] & 0x3F), position + 3
    point = ((byte & 0x07) << 18) | ((data[position + 1] & 0x3F) << 12)
    point |= (data[position + 2] & 0x3F) << 6
    return point | (data[position + 3] & 0x3F), position + 4


@kernel_part
def encode(point, scratch, written):
    """Append one code point's UTF-8 bytes; returns the new number of bytes written."""
    if point < 0x80:
        scratch[written] = point
        return written + 1
    if point < 0x800:
        scratch[written] = 0xC0 | (point >> 6)
        scratch[written + 1] = 0x80 | (point & 0x3F)
        return written + 2
    if point < 0x10000:
        scratch[written] = 0xE0 | (point >> 12)
        scratch[written + 1] = 0x80 | ((point >> 6) & 0x3F)
        scratch[written + 2] = 0x80 | (point & 0x3F)
        return written + 3
    scratch[written] = 0xF0 | (point >> 18)
    scratch[written + 1] = 0x80 | ((point >> 12) & 0x3F)
    scratch[written + 2] = 0x80 | ((point >> 6) & 0x3F)
    scratch[written + 3] = 0x80 | (point & 0x3F)
    return written + 4

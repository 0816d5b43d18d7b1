"""How much of texts is written in scripts that have no spaces between words."""

from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leaven.text._counting import text_buffers
from leaven.text._script_kernels import count_points
from leaven.text._unicode import fold_table
from leaven.text._unspaced import UNSPACED_SCRIPTS, unspaced_scripts

__all__ = ["count_scripts"]


def count_scripts(texts: pa.LargeStringArray) -> tuple[dict[str, int], int]:
    """Characters of each script without spaces that occurs, most first, and of all words.

    The characters of words are letters, digits, underscores and combining marks.
    """
    data, offsets = text_buffers(texts)
    counts = np.zeros(len(UNSPACED_SCRIPTS) + 2, dtype=np.int64)
    count_points(data, offsets[0], offsets[-1], _kinds(), counts)
    of_script = zip(UNSPACED_SCRIPTS, counts[2:].tolist(), strict=True)
    falling = sorted(of_script, key=lambda item: -item[1])
    return {name: count for name, count in falling if count}, int(counts[1:].sum())


@cache
def _kinds() -> NDArray[np.uint8]:
    """Kind of each code point: 0 outside words, 1 for scripts with spaces, others from 2 on."""
    kinds = unspaced_scripts() + np.uint8(1)
    kinds[fold_table("scripts", False) == 0] = 0
    return kinds

"""Type aliases for the arrays that modules exchange."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
ClassArray: TypeAlias = NDArray[Any]  # names of classes: object (str), integer or bool
Counts: TypeAlias = "csr_array[Any, tuple[int, int]]"

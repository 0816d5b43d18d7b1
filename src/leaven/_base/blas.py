"""Threads of BLAS: one at a time, where matrix products are small and many."""

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread."""
    # scipy has a BLAS of its own, which is loaded when it is first needed.
    limited: AbstractContextManager[Any] = _controller("scipy.linalg" in sys.modules).limit(
        limits=1, user_api="blas"
    )
    return limited


@cache
def _controller(_has_scipy: bool) -> ThreadpoolController:
    return ThreadpoolController()  # looks through all libraries, which takes milliseconds

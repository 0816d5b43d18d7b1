"""Compilation of kernels with numba: without the GIL, cached on disk."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from numba import njit

__all__ = ["kernel", "kernel_inline"]

PACKAGE = Path(__file__).parents[1]
SOURCES = "*_kernels.py"  # names of files that contain kernels, in any folder


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use."""
    return _compiled(function, "never")


def kernel_inline(function: Callable[..., Any]) -> Any:
    """As :func:`kernel`, but inlined into its callers: for steps of a hot loop."""
    return _compiled(function, "always")


def _compiled(function: Callable[..., Any], inline: Literal["never", "always"]) -> Any:
    try:
        dispatcher = njit(nogil=True, cache=True, inline=inline)(function)
    except RuntimeError:  # no cache folder is writable
        return njit(nogil=True, inline=inline)(function)
    # numba recompiles only when the file of the function itself has changed; a kernel also
    # contains code of the functions it calls, from other files.
    files: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(files, "_source_stamp"):
        files._source_stamp = _digest()
    return dispatcher


@cache
def _digest() -> str:
    files = sorted(PACKAGE.rglob(SOURCES))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

"""One way to compile kernels: without the GIL, and kept on disk for the next start."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from numba import njit

__all__ = ["kernel", "kernel_inline"]

PACKAGE = Path(__file__).parents[1]
SOURCES = "*_kernels.py"  # what a file with kernels is called, wherever it is


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use."""
    return _compiled(function, "never")


def kernel_inline(function: Callable[..., Any]) -> Any:
    """As :func:`kernel`, copied into its callers: for steps of a hot loop."""
    return _compiled(function, "always")


def _compiled(function: Callable[..., Any], inline: Literal["never", "always"]) -> Any:
    try:
        dispatcher = njit(nogil=True, cache=True, inline=inline)(function)
    except RuntimeError:  # no folder to keep compiled code in can be written to
        return njit(nogil=True, inline=inline)(function)
    # numba compiles anew only when the function's own file has changed; a kernel also
    # contains code of the functions it calls, from other files.
    files: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(files, "_source_stamp"):
        files._source_stamp = _digest()
    return dispatcher


@cache
def _digest() -> str:
    files = sorted(PACKAGE.rglob(SOURCES))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

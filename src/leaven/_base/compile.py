"""Compilation of kernels with numba: without the GIL, cached on disk, never in the main thread."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from numba import njit
from numba.core import event
from numba.extending import typeof_impl

from leaven._base.compile_notice import NOTICE
from leaven._base.threads import outside_main_thread

__all__ = ["Kernel", "kernel", "kernel_inline"]

PACKAGE = Path(__file__).parents[1]
SOURCES = "*_kernels.py"  # names of files that contain kernels, in any folder


class _Announcer(event.Listener):
    """Passes on when numba compiles kernels of this package; loading them is no such event."""

    is_kept = True

    def on_start(self, event: Any) -> None:
        NOTICE.begin(self.is_kept)

    def on_end(self, event: Any) -> None:
        NOTICE.end()

    def notify(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("leaven."):
            super().notify(event)  # type: ignore[no-untyped-call]


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]


class Kernel:
    """A compiled function that is safe to interrupt.

    Python runs signal handlers in the main thread. One that raises inside a compiled function
    leaves it as if nothing had happened, with an exception pending that surfaces elsewhere as a
    SystemError, or crashes the interpreter. So compiled code runs in another thread while the
    main thread waits for it.
    """

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher

    def __call__(self, *arguments: Any) -> Any:
        return outside_main_thread(self.dispatcher, *arguments)


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, context: Any) -> Any:
    """To numba a kernel that another one calls is the compiled function itself."""
    return typeof_impl(kernel.dispatcher, context)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function on first use."""
    return Kernel(_compiled(function, "never"))


def kernel_inline(function: Callable[..., Any]) -> Any:
    """As ``kernel``, but inlined into its callers: for steps of a hot loop."""
    return _compiled(function, "always")


def _compiled(function: Callable[..., Any], inline: Literal["never", "always"]) -> Any:
    try:
        dispatcher = njit(nogil=True, cache=True, inline=inline)(function)
    except RuntimeError:  # no cache folder is writable
        _announcer.is_kept = False
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

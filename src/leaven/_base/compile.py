"""Compilation of kernels with numba: without the GIL, cached on disk, never in the main thread."""

import gc
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import event
from numba.extending import typeof_impl

from leaven._base import compile_parts
from leaven._base.compile_cache import KernelCache
from leaven._base.compile_notice import NOTICE
from leaven._base.threads import outside_main_thread

__all__ = ["Kernel", "kernel", "kernel_inline", "kernel_part"]


class _Announcer(event.Listener):
    """Passes on when numba compiles kernels of this package; loading them is no such event.

    Python does not look for garbage meanwhile: numba makes many objects and keeps most of them,
    so that a tenth of the time would be spent on looking at them again and again.
    """

    is_kept = True
    depth = 0  # kernels being compiled, each for the one before; one thread compiles at a time
    is_paused = False

    def on_start(self, event: Any) -> None:
        NOTICE.begin(self.is_kept)
        self.depth += 1
        if gc.isenabled():
            self.is_paused = True
            gc.disable()

    def on_end(self, event: Any) -> None:
        try:
            NOTICE.end()
        finally:  # a progress callback may have raised an error
            self.depth -= 1
            if self.depth == 0 and self.is_paused:
                self.is_paused = False
                gc.enable()

    def notify(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("leaven."):
            super().notify(event)  # type: ignore[no-untyped-call]

    def keep_nothing(self) -> None:
        self.is_kept = False


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


class KernelPart:
    """A compiled function that only kernels call."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher


@typeof_impl.register(Kernel)
@typeof_impl.register(KernelPart)
def _type_of_kernel(kernel: Kernel | KernelPart, context: Any) -> Any:
    """To numba a kernel that another one calls is the compiled function itself."""
    return typeof_impl(kernel.dispatcher, context)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function on first use."""
    compiler = compile_parts.Callable
    dispatcher: Any = njit(pipeline_class=compiler, **compile_parts.OPTIONS)(function)
    dispatcher._cache = KernelCache(function, _announcer.keep_nothing)
    return Kernel(dispatcher)


def kernel_part(function: Callable[..., Any]) -> KernelPart:
    """As ``kernel``, but compiled into the kernels that call it, and only callable by these."""
    compiler = compile_parts.Part
    return KernelPart(njit(pipeline_class=compiler, **compile_parts.OPTIONS)(function))


def kernel_inline(function: Callable[..., Any]) -> KernelPart:
    """As ``kernel_part``, but inlined into its callers: for steps of a hot loop.

    It counts no references to arrays, which would take longer than many a step, and so must
    neither create arrays nor return any.
    """
    compiler = compile_parts.Inlined
    options = {**compile_parts.OPTIONS, "_nrt": False}
    return KernelPart(njit(pipeline_class=compiler, **options)(function))

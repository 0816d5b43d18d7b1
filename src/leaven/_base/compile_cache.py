"""Compiled kernels on disk: found again by any process, until a file with kernels changes."""

from collections.abc import Callable
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, NullCache
from numba.core.runtime.nrt import rtsys

__all__ = ["KernelCache"]

PACKAGE = Path(__file__).parents[1]
SOURCES = "*_kernels.py"  # names of files that contain kernels, in any folder
COMPILERS = "_base/compile*.py"  # files that determine how kernels are compiled


class KernelCache:
    """What numba's dispatcher of one kernel asks for compiled code, in place of its own cache.

    The folder is looked for when code is first asked for, because numba writes a file there to see
    whether it can: that takes longer than importing a module with kernels.
    """

    def __init__(self, function: Callable[..., Any], on_nowhere: Callable[[], object]) -> None:
        self.function = function
        self.on_nowhere = on_nowhere  # called if no folder can be written

    @cached_property
    def on_disk(self) -> Any:
        try:
            files: Any = FunctionCache(self.function)  # type: ignore[no-untyped-call]
        except RuntimeError:  # no folder can be written
            self.on_nowhere()
            return NullCache()
        # numba recompiles only when the file of the function itself has changed; a kernel also
        # contains code of the functions it calls, from other files.
        if hasattr(files._cache_file, "_source_stamp"):
            files._cache_file._source_stamp = digest()
        return files

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled code for a signature, or None.

        numba's own method first imports and registers all that can be compiled. Code that is
        compiled already needs none of it but the functions for memory.
        """
        if isinstance(self.on_disk, NullCache):
            return None
        rtsys.initialize(context)  # type: ignore[no-untyped-call]
        with self.on_disk._guard_against_spurious_io_errors():
            return self.on_disk._load_overload(signature, context)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        self.on_disk.save_overload(signature, compiled)

    @property
    def cache_path(self) -> Any:
        return self.on_disk.cache_path


@cache
def digest() -> str:
    """Digest of all files that compiled code depends on."""
    files = sorted([*PACKAGE.rglob(SOURCES), *PACKAGE.glob(COMPILERS)])
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

"""The lock of the one process that writes to a store."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from leaven.labeling._errors import StoreError

__all__ = ["WriterLock"]


class WriterLock:
    """Held by the process that labels; the system releases it when that ends, in whatever way.

    SQLite's own locks let several processes write in turn. But a second page would ask the same
    questions, and the writer keeps the labels in memory. The lock is on a file beside the store,
    because closing any other handle of the store itself would release SQLite's locks on it.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(f"{store.name}-lock")
        self._handle: int | None = None
        try:
            while self._handle is None:
                self._handle = self._acquired()
        except BlockingIOError:
            raise StoreError(
                "locked",
                f"{str(store)!r} is being labeled by another process (number {self._holder()}): "
                "use its page, or stop it first",
            ) from None
        except OSError as error:
            raise StoreError(
                "not_writable",
                f"labeling locks a file beside {str(store)!r}, which failed ({error.strerror}): "
                "choose a folder that you may write to, or open the store read-only",
            ) from error

    def release(self) -> None:
        """Let another process write; the file is removed while it is still locked."""
        if self._handle is not None:
            with suppress(OSError):  # a folder that nothing can be removed from
                self.path.unlink()
            os.close(self._handle)
            self._handle = None

    def _acquired(self) -> int | None:
        """A handle of the locked file; None if its last holder removed it at that moment."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                with suppress(OSError):  # only informative; a full disk has no room for it
                    os.ftruncate(handle, 0)
                    os.write(handle, str(os.getpid()).encode())
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    def _holder(self) -> str:
        with suppress(OSError, UnicodeDecodeError):
            return self.path.read_text("ascii") or "unknown"
        return "unknown"

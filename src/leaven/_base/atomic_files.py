"""Atomic file writes: a file appears complete or not at all."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from leaven._base.interrupts import raise_pending

__all__ = ["replacing", "write_atomically"]

_ELSEWHERE = "free some space there, or write to another disk"
_ALLOWED = "choose a folder that you may write to, or change its permissions"
# Reasons of the system that a file cannot be written, and what to do.
_REMEDIES = {
    errno.ENOSPC: _ELSEWHERE,
    errno.EDQUOT: _ELSEWHERE,
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), or write to another disk",
    errno.EROFS: "choose a folder on a disk that can be written to",
    errno.EACCES: _ALLOWED,
    errno.EPERM: _ALLOWED,
    errno.EIO: "check the disk, or write to another",
}


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing under a temporary name; it is renamed when complete.

    On an error or interrupt nothing is left behind and an existing file is unchanged. A link
    keeps pointing to the file; a pipe or device is written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        incomplete = "what was written to it is incomplete"
        with _explained(target, {None, str(target)}, incomplete), target.open("wb") as file:
            yield file
        return
    part = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.part")
    kept = "the earlier file is unchanged" if target.exists() else "no file was left behind"
    try:
        with _explained(target, {None, str(part)}, kept):
            with part.open("wb") as file:
                yield file
            with part.open("rb") as file:  # opened again, because a compressor may have closed it
                os.fsync(file.fileno())
            raise_pending()
            os.replace(part, target)
    finally:
        with suppress(OSError):  # missing, or in a folder that nothing can be removed from
            part.unlink()


@contextmanager
def _explained(target: Path, names: set[str | None], kept: str) -> Iterator[None]:
    """Say which file could not be written, what became of it, and what to do.

    Errors that name another file are passed on: what is written may be read from there.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _REMEDIES or error.filename not in names:
            raise
        explained = type(error)(
            f"{str(target)!r} could not be written: {error.strerror}; {kept}: "
            f"{_REMEDIES[error.errno]}"
        )
        explained.errno = error.errno
        raise explained from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it appears complete or not at all."""
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"the folder {str(path.parent)!r} does not exist; create it or choose another"
        )
    with replacing(path) as file:
        file.write(content)

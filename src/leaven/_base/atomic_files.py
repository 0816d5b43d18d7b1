"""Atomic file writes: a file appears complete or not at all."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from leaven._base.interrupts import raise_pending

__all__ = ["replacing", "write_atomically"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing under a temporary name; it is renamed when complete.

    On an error or interrupt nothing is left behind and an existing file is unchanged. A link
    keeps pointing to the file; a pipe or device is written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    part = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with part.open("wb") as file:
            yield file
        with part.open("rb") as file:  # opened again, because a compressor may have closed it
            os.fsync(file.fileno())
        raise_pending()
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


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

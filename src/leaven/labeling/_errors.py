"""Errors of the store of labels, each with a short code for programs."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["StoreError", "explained"]


class StoreError(ValueError):
    """The store refuses an operation or cannot do it; nothing was changed.

    The message is one sentence for people. ``code`` is for programs: the page and its tests
    decide by it, so it stays the same when a message is reworded.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


# By SQLite's primary result code: our code, what happened, what to do.
_EXPLANATIONS = {
    sqlite3.SQLITE_FULL: (
        "disk_full",
        "is on a full disk, so nothing was saved by the last action: free some space and repeat it",
    ),
    sqlite3.SQLITE_IOERR: (
        "disk_error",
        "could not be read or written: check the disk, then repeat the last action",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "store_damaged",
        "is damaged: restore it from a backup, or save what is readable with sqlite3's .recover",
    ),
    sqlite3.SQLITE_NOTADB: (
        "store_damaged",
        "is damaged or encrypted: restore it from a backup, or choose another file",
    ),
    sqlite3.SQLITE_BUSY: (
        "locked",
        "is locked by another program: close what else has it open, then repeat the last action",
    ),
    sqlite3.SQLITE_READONLY: (
        "not_writable",
        "cannot be written to: change its permissions, or open it read-only",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "not_readable",
        "could not be opened: check the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_PERM: (
        "not_readable",
        "could not be opened: check the permissions of the file and its folder",
    ),
}
_NO_ROOM_FOR_INDEX = sqlite3.SQLITE_IOERR_SHMSIZE  # the -shm file could not grow


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into a ``StoreError``; errors in our own SQL stay as they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # Errors of the module itself, such as a closed connection, have no code.
        extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        primary = sqlite3.SQLITE_FULL if extended == _NO_ROOM_FOR_INDEX else extended & 0xFF
        if primary not in _EXPLANATIONS:
            raise
        code, sentence = _EXPLANATIONS[primary]
        raise StoreError(code, f"{str(path)!r} {sentence} (SQLite: {error})") from error

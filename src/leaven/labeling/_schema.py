"""The SQLite file of a store: its tables, how it is created, opened and checked."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from leaven.labeling._errors import StoreError, explained
from leaven.labeling._events import Event

__all__ = ["INSERT_EVENT", "VERSION", "connect", "create", "snapshot"]

APPLICATION_ID = 0x6C766C62  # "lvlb"
VERSION = 1
BUSY_SECONDS = 5.0  # to wait for other programs that look into the file
MAGIC = b"SQLite format 3\0"

# Events and requests are only added, so that no later mistake loses an answer. The third trigger
# also stops INSERT OR REPLACE, which deletes without asking the second.
TABLES = """
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL CHECK (batch <= id),
    kind TEXT NOT NULL CHECK (
        kind IN ('label', 'skip', 'clear', 'move', 'class', 'rename', 'key', 'merge', 'undo')
    ),
    at TEXT NOT NULL,
    permanent INTEGER NOT NULL CHECK (permanent IN (0, 1)),
    undoes INTEGER CHECK ((kind = 'undo') = (undoes IS NOT NULL) AND undoes < id),
    document INTEGER CHECK (typeof(document) IN ('integer', 'null')),
    text_hash INTEGER CHECK (typeof(text_hash) IN ('integer', 'null')),
    classes TEXT CHECK ((kind = 'label') = (classes IS NOT NULL)),
    why TEXT,
    model INTEGER,
    predicted TEXT,
    probability REAL,
    shown INTEGER,
    accepted INTEGER,
    milliseconds INTEGER,
    class_id INTEGER,
    other_id INTEGER,
    name TEXT,
    key TEXT,
    moves TEXT
);
CREATE UNIQUE INDEX event_undone_once ON event (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER event_not_updated BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_not_deleted BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER event_numbered_in_order BEFORE INSERT ON event
    WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM event)
        OR EXISTS (SELECT 1 FROM event WHERE undoes = NEW.undoes)
    BEGIN SELECT RAISE(ABORT, 'events are numbered in order and undone once'); END;

CREATE TABLE request (
    request TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    result TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER request_not_updated BEFORE UPDATE ON request
    BEGIN SELECT RAISE(ABORT, 'requests are never changed'); END;
CREATE TRIGGER request_not_deleted BEFORE DELETE ON request
    BEGIN SELECT RAISE(ABORT, 'requests are never deleted'); END;

CREATE TABLE model (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    n_labels INTEGER NOT NULL,
    method TEXT NOT NULL,
    seconds REAL NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
INSERT_EVENT = f"INSERT INTO event VALUES ({', '.join('?' * len(Event._fields))})"


def create(path: Path) -> None:
    """Create an empty store, which appears complete or not at all.

    The caller holds the lock, so nobody else creates it at the same time.
    """
    journal = path.with_name(f"{path.name}-wal")
    if journal.exists():  # SQLite would take its pages for those of the new file
        raise StoreError(
            "journal_left",
            f"{str(path)!r} is missing, but its journal {journal.name!r} is there: put the file "
            "back beside it, or remove the journal if the labels are not needed",
        )
    part = path.with_name(f".{path.name}.part")
    try:
        _remove(part)  # what a process left that was killed here
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with explained(path), closing(sqlite3.connect(part, isolation_level=None)) as db:
            db.executescript(
                f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID};"
                f"PRAGMA user_version = {VERSION}; COMMIT; PRAGMA journal_mode = WAL;"
            )
        with part.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            "not_writable",
            f"{str(path)!r} could not be created ({error.strerror}): choose a folder with room "
            "that you may write to",
        ) from error
    finally:
        with suppress(OSError):
            _remove(part)


def connect(path: Path) -> sqlite3.Connection:
    """Open an existing store for writing."""
    _check_kind(path)
    with explained(path):
        db = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _check_content(db, path)
            # FULL: a commit is on the disk before it returns, also through a loss of power.
            # fullfsync asks the same of the disk's own cache on macOS.
            for setting in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON"):
                db.execute(f"PRAGMA {setting}")
        except BaseException:
            db.close()
            raise
        return db


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing store for reading, without writing to it or beside it.

    A file without a journal was closed properly, and is read as it is. With a journal, its
    writer is at work or was killed: then the journal is read too, by its index if it has one.
    """
    _check_kind(path)
    journal, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    readable, options = path, "mode=ro&immutable=1"
    with ExitStack() as stack, explained(path):
        if journal.exists() and index.exists():
            options = "mode=ro&readonly_shm=1"
        elif journal.exists():  # SQLite creates the index: not here
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="leaven-"))
            readable, options = Path(folder) / path.name, "mode=ro"
            shutil.copy(path, readable)
            shutil.copy(journal, Path(folder) / journal.name)
        uri = f"file:{quote(str(readable))}?{options}"
        db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        stack.enter_context(closing(db))
        _check_content(db, path)
        yield db


def _check_kind(path: Path) -> None:
    """Refuse files of other programs before anything could write to them."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        code = "not_found" if isinstance(error, FileNotFoundError) else "not_readable"
        raise StoreError(
            code,
            f"{str(path)!r} must be a file with labels, but it cannot be read "
            f"({error.strerror}): check its name and permissions",
        ) from error
    if header[:16] != MAGIC:
        what = "is not a SQLite file"
    elif int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        what = "is the SQLite file of another program"
    else:
        return
    raise StoreError(
        "not_a_store", f"{str(path)!r} {what}, so no labels can be kept in it: choose another name"
    )


def _check_content(db: sqlite3.Connection, path: Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(
            "newer_version",
            f"{str(path)!r} was written by a newer leaven (format {version}, this one reads up to "
            f"{VERSION}): update leaven",
        )
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(
            "store_damaged",
            f"{str(path)!r} is damaged ({' '.join(verdict.split())}): restore it from a backup, "
            "or save what is readable with sqlite3's .recover",
        )


def _remove(part: Path) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        part.with_name(part.name + end).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

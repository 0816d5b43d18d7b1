"""Events on the disk and the state in memory that they lead to, kept in step."""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leaven.labeling._errors import StoreError, explained
from leaven.labeling._events import Event, TrainedModel
from leaven.labeling._lock import WriterLock
from leaven.labeling._schema import INSERT_EVENT, connect, create, snapshot
from leaven.labeling._state import State

__all__ = ["Journal", "now"]

LONGEST_REQUEST = 1000  # characters: of a UUID, or with the name of a class


class Journal:
    """Writes events in transactions, each on the disk before it is visible in ``state``.

    Writers wait for each other. Readers hold ``reading`` while they look at ``state``; it is
    never held during a commit, so they do not wait for the disk. A journal opened to be read
    only holds the state at that time, and no file.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path, self.read_only = path, read_only
        self.reading, self._writing = threading.Lock(), threading.Lock()
        self.state, self.meta, self.models = State(), dict[str, str](), list[TrainedModel]()
        self._db: sqlite3.Connection | None = None
        self._lock: WriterLock | None = None
        self._is_behind = False  # whether the state may lack what was committed
        if read_only:
            with snapshot(path) as db:
                self._load(db)
            return
        self._lock = WriterLock(path)
        try:
            if not path.exists():
                create(path)
            self._db = connect(path)
            self._identity = os.stat(path)
            self._load(self._db)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file, when the last write is done."""
        with self._writing:
            if self._db is not None:
                self._db.close()
                self._db = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def record(
        self,
        request: str,
        action: Sequence[Any],
        plan: Callable[[State], tuple[Sequence[Event], Any]],
    ) -> Any:
        """Do an action once: write its events, and return its result, which JSON can hold.

        A request that was done before returns its result again, if the action is the same.
        ``plan`` looks at the state and returns the events and the result, or refuses.
        """
        if not (_is_text(request) and 1 <= len(request) <= LONGEST_REQUEST):
            raise StoreError(
                "bad_request",
                f"request must be text of 1 to {LONGEST_REQUEST} characters, got "
                f"{request[:50]!r}: send a fresh UUID",
            )
        written = json.dumps(action, separators=(",", ":"), default=str)
        digest = hashlib.sha256(written.encode()).hexdigest()
        with self._written() as db:
            earlier = db.execute(
                "SELECT digest, result FROM request WHERE request = ?", (request,)
            ).fetchone()
            if earlier is not None:
                if earlier[0] != digest:
                    raise StoreError(
                        "request_reused",
                        f"request {request!r} was used for another action: send a fresh UUID with "
                        "each action",
                    )
                return json.loads(earlier[1])
            events, result = plan(self.state)
            with self._transaction(db):
                db.executemany(INSERT_EVENT, events)
                row = (request, digest, json.dumps(result))
                db.execute("INSERT INTO request VALUES (?, ?, ?)", row)
            self._is_behind = True
            with self.reading:
                for event in events:
                    self.state.apply(event)
            self._is_behind = False
            return result

    def suppose(self, plan: Callable[[State], tuple[Sequence[Event], Any]]) -> Any:
        """Do an action in memory only, where nothing is ever written."""
        with self.reading:
            events, result = plan(self.state)
            for event in events:
                self.state.apply(event)
            return result

    def set_meta(self, key: str, value: Any) -> None:
        """Keep a value that JSON can hold, in place of an earlier one."""
        text = json.dumps(value)
        with self._written() as db:
            if self.meta.get(key) != text:
                with self._transaction(db):
                    db.execute("REPLACE INTO meta VALUES (?, ?)", (key, text))
                self.meta[key] = text

    def add_model(self, model: TrainedModel) -> None:
        """Keep facts about a model, whose number must be new."""
        row = (model.number, model.at, model.n_labels, model.method, model.seconds)
        with self._written() as db:
            last = self.models[-1].number if self.models else 0
            if model.number <= last:
                raise StoreError(
                    "model_exists",
                    f"models are numbered upwards and the last is {last}, got {model.number}: "
                    f"use {last + 1}",
                )
            with self._transaction(db):
                facts = json.dumps(model.facts)
                db.execute("INSERT INTO model VALUES (?, ?, ?, ?, ?, ?)", (*row, facts))
            self.models.append(model)

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one writer at a time, with the state in step."""
        with self._writing:
            if self.read_only:
                raise StoreError(
                    "read_only",
                    f"{str(self.path)!r} is open to be read only: open it for writing to label",
                )
            if self._db is None:
                raise StoreError("closed", f"{str(self.path)!r} was closed: open it again")
            self._check_in_place()
            if self._is_behind:
                self._load(self._db)
                self._is_behind = False
            with explained(self.path):
                yield self._db

    def _check_in_place(self) -> None:
        """Refuse to write to a file that was removed or replaced: nobody would find it again."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(self.path), self._identity):
                return
        raise StoreError(
            "store_moved",
            f"{str(self.path)!r} was removed or replaced while it was open, so nothing can be "
            "saved: put it back, or start again",
        )

    @contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException as error:
            # An interrupt may come just after the commit: the next writer looks at the file.
            self._is_behind = not isinstance(error, sqlite3.Error)
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _load(self, db: sqlite3.Connection) -> None:
        """Read everything, in one transaction."""
        state = State()
        with explained(self.path):
            db.execute("BEGIN")
            try:
                for row in db.execute("SELECT * FROM event ORDER BY id"):
                    state.apply(Event._make(row))
                meta = dict(db.execute("SELECT key, value FROM meta"))
                rows = db.execute("SELECT * FROM model ORDER BY number")
                models = [
                    TrainedModel(number, at, n_labels, method, seconds, json.loads(facts))
                    for number, at, n_labels, method, seconds, facts in rows
                ]
            except (LookupError, TypeError, ValueError) as error:
                raise StoreError(
                    "store_damaged",
                    f"{str(self.path)!r} has events that do not follow from each other after event "
                    f"{state.last_event} ({error}): restore it from a backup",
                ) from error
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
        with self.reading:
            self.state, self.meta, self.models = state, meta, models


def _is_text(text: str) -> bool:
    """Whether text can be written to a file: JSON may contain halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def now() -> str:
    """The time as events hold it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

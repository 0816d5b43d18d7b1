"""The store of labels: its actions against a plain model, its refusals, its file."""

import hashlib
import itertools
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from leaven.labeling._store import (
    KEYS,
    LOST,
    Answer,
    LabelClass,
    LabelStore,
    Move,
    StoreError,
    Undone,
)

N = 50
fresh = map("request {}".format, itertools.count()).__next__


def opened(path, *, several=False, n=N, read_only=False):
    return LabelStore.open(
        path, name="tickets.csv", n_documents=n, several_labels=several, read_only=read_only
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tickets.labels"


@pytest.fixture
def store(path):
    with opened(path) as store:
        store.add_class("billing", fresh())
        store.add_class("delivery", fresh())
        yield store


def answer(document, *classes, **facts):
    return Answer(document, 1000 + document, classes, **facts)


def labels(store):
    return {label.document: label.classes for label in store.labels()}


def refused(code, match, function, *arguments, **options):
    with pytest.raises(StoreError, match=match) as caught:
        function(*arguments, **options)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_an_answer_comes_back_as_it_was_given(path):
    hash_ = 2**64 - 3
    given = Answer(7, hash_, (1,), "audit", 4, (2,), 0.25, shown=True, milliseconds=1200)
    with opened(path) as store:
        store.add_class("billing", fresh())
        store.add_class("delivery", fresh())
        event = store.answer(given, fresh())
    with opened(path) as store:
        (label,) = store.labels()
    assert (label.document, label.text_hash, label.classes) == (7, hash_, (1,))
    assert (label.why, label.model, label.predicted) == ("audit", 4, (2,))
    assert (label.probability, label.shown, label.event) == (0.25, True, event)
    assert label.at.endswith("Z")
    assert store.label(7) == label
    assert store.label(8) is None


def test_numbers_of_numpy_are_plain_numbers_in_the_file(store, path):
    given = Answer(np.int64(3), np.uint64(2**63 + 1), (np.int64(1),), probability=np.float32(0.5))
    store.answer(given, fresh())
    store.close()
    with opened(path) as again:
        (label,) = again.labels()
    assert (label.document, label.text_hash, label.classes) == (3, 2**63 + 1, (1,))


def test_undo_takes_back_one_action_after_the_other(store):
    billing, delivery = store.classes()
    store.answer(answer(17, billing.id), fresh())
    store.answer(answer(17, delivery.id), fresh())
    store.skip(3, 1003, fresh())
    store.clear(17, 1017, fresh())
    bulk = [answer(i, billing.id, why="bulk") for i in (3, 4)]
    store.answer_many(bulk, fresh())
    store.answer_many([answer(5, 1, why="import"), answer(6, 2, why="import")], fresh())
    store.rename_class(billing.id, "money", fresh())
    store.set_key(billing.id, "q", fresh())
    store.merge_class(delivery.id, billing.id, fresh())
    assert labels(store) == {3: (1,), 4: (1,), 5: (1,), 6: (1,)}
    expected = [
        Undone("Merge delivery into money", (), "merge"),
        Undone("Key q for money", (), "key"),
        Undone("Rename billing to money", (), "rename"),
        Undone("Import 2 documents", (5, 6), "import"),
        Undone("Label 2 documents as billing", (3, 4), "bulk"),
        Undone("Clear 17", (17,), "clear"),
        Undone("Skip 3", (3,), "skip"),
        Undone("Label 17 as delivery", (17,), "label"),
        Undone("Label 17 as billing", (17,), "label"),
        Undone("New class delivery", (), "class"),
        Undone("New class billing", (), "class"),
    ]
    for undone in expected:
        assert store.can_undo == undone.text
        assert store.undo(fresh()) == undone
    assert store.can_undo == ""
    assert store.undo(fresh()) is None
    assert (store.classes(), store.labels(), store.skipped()) == ([], [], set())
    assert store.add_class("third", fresh()).id == 3  # numbers are never used again


def test_labels_of_the_data_file_and_what_was_before_are_not_undone(store):
    store.answer_many([answer(1, 1, why="file"), answer(2, 2, why="file")], fresh())
    assert store.can_undo == ""
    store.answer(answer(1, 2), fresh())
    store.undo(fresh())
    assert store.undo(fresh()) is None
    assert labels(store) == {1: (1,), 2: (2,)}
    assert len(store.classes()) == 2
    mixed = [answer(1, 1, why="file"), answer(2, 2)]
    refused("bad_answer", "come alone, got 1 of 2", store.answer_many, mixed, fresh())
    store.add_class("given at the start", fresh(), permanent=True)
    assert store.can_undo == ""


def test_skipping_a_labeled_document_keeps_its_label(store):
    store.answer(answer(1, 1), fresh())
    store.skip(1, 1001, fresh())
    assert (labels(store), store.skipped(), store.can_undo) == ({1: (1,)}, set(), "Skip 1")
    store.skip(2, 1002, fresh())
    assert store.skipped() == {2}
    store.answer(answer(2, 1), fresh())
    assert store.skipped() == set()


def test_history_has_all_answers_newest_first(store):
    for document in (4, 5, 6, 5):
        store.answer(answer(document, 1), fresh())
    store.answer(answer(9, 1), fresh())
    store.undo(fresh())
    store.merge_class(1, 2, fresh())
    newest = store.history(2)
    assert [(each.document, each.classes) for each in newest] == [(5, (2,)), (6, (2,))]
    rest = store.history(10, before=newest[-1].event)
    assert [each.document for each in rest] == [5, 4]
    assert store.history(0) == []


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("answer", (answer(1, 1),)),
        ("answer_many", ([answer(1, 1), answer(2, 2)],)),
        ("answer_many", ([],)),
        ("skip", (1, 1001)),
        ("clear", (0, 1000)),
        ("add_class", ("refunds",)),
        ("rename_class", (1, "money")),
        ("set_key", (1, "2")),
        ("merge_class", (1, 2)),
        ("undo", ()),
        ("move", ([Move(0, 1000, 5)],)),
    ],
)
def test_a_request_is_done_once(store, path, method, arguments):
    store.answer(answer(0, 1), fresh())
    request = fresh()
    first = getattr(store, method)(*arguments, request)
    state = (store.classes(), store.labels(), store.skipped(), store.can_undo)
    n_events = events_in(path)
    assert getattr(store, method)(*arguments, request) == first
    store.close()
    with opened(path) as again:
        assert getattr(again, method)(*arguments, request) == first
        assert (again.classes(), again.labels(), again.skipped(), again.can_undo) == state
        assert events_in(path) == n_events
        refused("request_reused", "fresh UUID", again.skip, 30, 1, request)


def events_in(path):
    db = sqlite3.connect(path)
    (n,) = db.execute("SELECT count(*) FROM event").fetchone()
    db.close()
    return n


def test_nothing_to_undo_stays_so_for_the_same_request(path):
    with opened(path) as store:
        assert store.undo("first") is None
        store.add_class("billing", fresh())
        assert store.undo("first") is None
        assert len(store.classes()) == 1


def test_keys_are_given_in_order_and_exchanged(path):
    with opened(path) as store:
        given = [store.add_class(f"class {i}", fresh()).key for i in range(len(KEYS) + 1)]
        assert given == [*KEYS, ""]
        assert store.set_key(1, "2", fresh()) == LabelClass(1, "class 0", "2")
        assert [each.key for each in store.classes()[:3]] == ["2", "1", "3"]
        store.set_key(3, "", fresh())
        assert store.can_undo == "No key for class 2"
        store.undo(fresh())
        store.undo(fresh())
        assert [each.key for each in store.classes()] == given
        for key in ("n", "12", "A", " "):
            refused("bad_key", "key must be one of 1234567890abc", store.set_key, 1, key, fresh())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("  ", "bad_name"),
        ("a" * 201, "bad_name"),
        ("two\nlines", "bad_name"),
        ("nul\0", "bad_name"),
        ("\ud800", "bad_name"),
        (" Billing ", "name_taken"),
    ],
)
def test_names_that_no_class_can_have(store, name, code):
    refused(code, "name", store.add_class, name, fresh())
    refused(code, "name", store.rename_class, 2, name, fresh())


def test_names_differ_by_more_than_case_and_encoding_of_accents(store):
    store.add_class("  Café ", fresh())
    assert store.classes()[-1].name == "Café"
    refused("name_taken", "use that class", store.add_class, "CAFE\u0301", fresh())
    refused("name_taken", "merge the two", store.rename_class, 1, "café", fresh())
    assert store.rename_class(1, "BILLING", fresh()).name == "BILLING"


def test_a_merged_class_is_gone_but_its_name_is_free(store):
    store.add_class("refunds", fresh())
    store.answer(answer(1, 1, predicted=(3,)), fresh())
    store.merge_class(1, 2, fresh())
    store.merge_class(2, 3, fresh())
    assert labels(store) == {1: (3,)}
    assert store.labels()[0].predicted == (3,)
    assert [each.id for each in store.classes()] == [3]
    merged = "merged into 'refunds', class 3"
    refused("unknown_class", merged, store.answer, answer(2, 1), fresh())
    refused("unknown_class", merged, store.merge_class, 3, 1, fresh())
    refused("unknown_class", merged, store.rename_class, 2, "x", fresh())
    refused("same_class", "itself", store.merge_class, 3, 3, fresh())
    assert store.add_class("billing", fresh()) == LabelClass(4, "billing", "1")


def test_several_labels_merge_into_one(path):
    with opened(path, several=True) as store:
        for name in "abc":
            store.add_class(name, fresh())
        store.answer(answer(1, 3, 1, 3), fresh())
        store.answer(answer(2), fresh())
        assert store.can_undo == "Label 2 as none"
        store.merge_class(3, 1, fresh())
        assert labels(store) == {1: (1,), 2: ()}
        store.undo(fresh())
        assert labels(store) == {1: (1, 3), 2: ()}
        store.merge_class(3, 2, fresh())
        store.merge_class(1, 2, fresh())
        assert labels(store) == {1: (2,), 2: ()}
        store.undo(fresh())
        assert labels(store) == {1: (1, 2), 2: ()}


def test_answers_that_make_no_sense_are_refused(store):
    refused("unknown_class", "class 9 does not exist", store.answer, answer(1, 9), fresh())
    refused("unknown_document", "0 to 49, got 50", store.answer, answer(N, 1), fresh())
    refused("one_class", "one class here, got 2", store.answer, answer(1, 1, 2), fresh())
    refused("one_class", "got 0", store.answer, answer(1), fresh())
    refused("bad_answer", "why must be", store.answer, answer(1, 1, why="mood"), fresh())
    nan = answer(1, 1, probability=float("nan"))
    refused("bad_answer", "probability", store.answer, nan, fresh())
    refused("bad_answer", "text_hash", store.answer, Answer(1, -1, (1,)), fresh())
    slow = answer(1, 1, milliseconds=2**63)
    refused("bad_answer", "milliseconds", store.answer, slow, fresh())
    refused("bad_answer", "why must be", store.skip, 1, 1, fresh(), why="mood")
    refused("not_labeled", "no label", store.clear, 1, 1001, fresh())
    for request in ("", "x" * 1001, "\ud800"):
        refused("bad_request", "1 to 1000", store.answer, answer(1, 1), request)
    batch = [answer(1, 1), answer(2, 9)]
    refused("unknown_class", "class 9", store.answer_many, batch, fresh())
    assert labels(store) == {}


def test_labels_follow_their_texts_when_the_data_file_changes(store, path):
    for document in (1, 2, 3):
        store.answer(answer(document, 1), fresh())
    store.answer(answer(2, 2), fresh())
    store.skip(4, 1004, fresh())
    assert store.placed() == {1: 1001, 2: 1002, 3: 1003, 4: 1004}
    moves = [Move(1, 1001, 2), Move(2, 1002, 1), Move(3, 1003, LOST), Move(4, 1004, 9)]
    assert store.move([*moves, Move(7, 1007, 8)], fresh()) == 4
    store.close()
    with opened(path) as again:
        assert labels(again) == {1: (2,), 2: (1,)}
        assert again.skipped() == {9}
        assert again.can_undo == ""
        assert [(each.document, each.text_hash) for each in again.lost()] == [(LOST, 1003)]
        assert [each.document for each in again.history(9)] == [1, 1, 2]
        again.answer(answer(3, 2), fresh())  # another text is there now
        assert again.move([Move(LOST, 1003, 5)], fresh()) == 1
        assert labels(again) == {1: (2,), 2: (1,), 3: (2,), 5: (1,)}
        assert again.lost() == []


def test_models_and_meta(store, path):
    store.add_model(1, 12, "two-view", 0.4, {"kappa": 0.9})
    store.set_meta("audit", [1, {"a": None}])
    refused("model_exists", "last is 1, got 1: use 2", store.add_model, 1, 2, "nb", 0.1, {})
    refused("bad_request", "own key", store.set_meta, "leaven.store", 1)
    store.close()
    with opened(path) as again:
        (model,) = again.models()
        assert (model.number, model.n_labels, model.method) == (1, 12, "two-view")
        assert (model.seconds, model.facts) == (0.4, {"kappa": 0.9})
        assert again.get_meta("audit") == [1, {"a": None}]
        assert again.get_meta("other", "none") == "none"


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("UPDATE event SET document = 3", "never changed"),
        ("DELETE FROM event", "never deleted"),
        ("INSERT OR REPLACE INTO event SELECT * FROM event WHERE id = 1", "numbered in order"),
        ("UPDATE request SET digest = ''", "never changed"),
        ("DELETE FROM request", "never deleted"),
        (
            "INSERT INTO event (id, batch, kind, at, permanent, undoes) "
            "SELECT max(id) + 1, 1, 'undo', '', 0, 3 FROM event",
            "undone once",
        ),
    ],
)
def test_the_file_itself_refuses_to_change_events(store, path, statement, match):
    store.answer(answer(1, 1), fresh())
    store.undo(fresh())  # of event 3
    db = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match=match):
        db.execute(statement)
    db.close()


def test_the_file_is_private_and_commits_reach_the_disk(store, path):
    for name in os.listdir(path.parent):
        assert stat.S_IMODE(os.stat(path.parent / name).st_mode) == 0o600, name
    db = store._journal._db
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)
    store.close()
    assert os.listdir(path.parent) == [path.name]
    store.close()
    refused("closed", "open it again", store.undo, fresh())


@pytest.mark.parametrize("read_only", [False, True])
def test_files_that_are_no_stores_are_refused_unchanged(path, read_only):
    def refuse(code, match):
        before = path.read_bytes()
        refused(code, match, opened, path, read_only=read_only)
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]

    path.write_text("document,label\n1,billing\n")
    refuse("not_a_store", "is not a SQLite file")
    path.write_bytes(b"")
    refuse("not_a_store", "is not a SQLite file")
    path.unlink()
    change(path, "CREATE TABLE photo (id)")
    refuse("not_a_store", "SQLite file of another program")
    path.unlink()
    opened(path).close()
    has_one = "has one label per document, but was opened for several"
    refused("several_labels", has_one, opened, path, several=True, read_only=read_only)
    change(path, "PRAGMA user_version = 99")
    refuse("newer_version", "format 99, this one reads up to 1")
    change(path, "PRAGMA user_version = 1")
    opened(path).close()


def change(path, statement):
    db = sqlite3.connect(path)
    db.execute(statement)
    db.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_damaged_files_are_refused(path, read_only):
    with opened(path) as store:
        store.add_class("billing", fresh())
        store.answer_many([answer(i % N, 1) for i in range(2000)], fresh())
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(4096 * 3) + content[4096 * 4 :])
    refused("store_damaged", "damaged", opened, path, read_only=read_only)
    path.write_bytes(content[: len(content) // 2])
    refused("store_damaged", "damaged", opened, path, read_only=read_only)
    path.write_bytes(content)
    change_event = "PRAGMA writable_schema = ON; DROP TRIGGER event_not_updated;"
    db = sqlite3.connect(path)
    db.executescript(f"{change_event} UPDATE event SET kind = 'rename', class_id = 7 WHERE id = 1")
    db.close()
    refused("store_damaged", "after event 1", opened, path, read_only=read_only)
    assert not path.with_name(path.name + "-lock").exists()


def test_missing_folders_and_files(tmp_path):
    refused("not_writable", "No such file", opened, tmp_path / "no" / "labels")
    refused("not_found", "No such file", opened, tmp_path / "labels", read_only=True)
    refused("not_readable", "Is a directory", opened, tmp_path)


def test_the_journal_of_a_removed_file_is_not_mixed_with_a_new_one(store, path, tmp_path):
    store.answer(answer(1, 1), fresh())
    left = tmp_path / "left"
    left.mkdir()
    (left / "x-wal").write_bytes(path.with_name(path.name + "-wal").read_bytes())
    refused("journal_left", "is missing, but its journal 'x-wal' is there", opened, left / "x")
    assert os.listdir(left) == ["x-wal"]


def test_what_was_left_by_a_killed_creation_does_no_harm(store, path, tmp_path):
    left = tmp_path / "left"
    left.mkdir()
    for end in ("", "-wal", "-shm"):
        (left / f".x.part{end}").write_bytes(path.with_name(path.name + end).read_bytes())
    with opened(left / "x") as new:
        assert new.classes() == []
    assert os.listdir(left) == ["x"]


def test_one_process_writes_at_a_time(store, path):
    refused("locked", f"another process \\(number {os.getpid()}\\)", opened, path)
    code = (
        "from leaven.labeling._store import *\n"
        f"LabelStore.open({str(path)!r}, name='', n_documents=1, several_labels=False)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"labeled by another process (number {os.getpid()})" in run.stderr
    store.answer(answer(1, 1), fresh())
    with opened(path, read_only=True) as reader:  # reading is allowed, and complete
        assert labels(reader) == {1: (1,)}
    store.close()
    opened(path).close()


def contents(folder):
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}


def test_read_only_changes_no_byte(store, path):
    store.answer(answer(1, 1), fresh())
    store.close()
    before, times = contents(path.parent), os.stat(path).st_mtime_ns
    with opened(path, read_only=True) as reader:
        assert labels(reader) == {1: (1,)}
        assert reader.read_only
        assert contents(path.parent) == before
        refused("read_only", "open it for writing", reader.answer, answer(2, 1), fresh())
        refused("read_only", "open it for writing", reader.undo, fresh())
        refused("read_only", "open it for writing", reader.set_meta, "a", 1)
    assert contents(path.parent) == before
    assert os.stat(path).st_mtime_ns == times


@pytest.mark.parametrize("has_index", [True, False])
def test_read_only_sees_what_a_killed_writer_left_in_the_journal(store, path, tmp_path, has_index):
    store.answer(answer(1, 1), fresh())
    copy = tmp_path / "copy"
    copy.mkdir()
    for end in ("", "-wal", "-shm")[: 3 if has_index else 2]:
        (copy / f"x{end}").write_bytes(path.with_name(path.name + end).read_bytes())
    before = contents(copy)
    with opened(copy / "x", read_only=True) as reader:
        assert labels(reader) == {1: (1,)}
    assert contents(copy) == before
    with opened(copy / "x") as writer:
        assert labels(writer) == {1: (1,)}


def test_a_file_that_was_removed_is_not_written_to(store, path):
    path.rename(path.with_name("elsewhere"))
    refused("store_moved", "removed or replaced", store.answer, answer(1, 1), fresh())
    path.with_name("elsewhere").rename(path)
    store.answer(answer(1, 1), fresh())


def test_after_an_interrupted_write_the_file_decides(store, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(store._journal.state, "apply", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.answer(answer(1, 1), "interrupted")
    store.answer(answer(2, 1), fresh())
    assert labels(store) == {1: (1,), 2: (1,)}
    store.answer(answer(1, 1), "interrupted")
    assert store.can_undo == "Label 2 as billing"


@pytest.mark.slow
def test_a_hundred_thousand_events(path):
    with opened(path, n=100_000) as store:
        store.add_class("billing", fresh())
        store.add_class("delivery", fresh())
        answers = [Answer(i, i, (1 + i % 2,), why="bulk") for i in range(100_000)]
        assert store.answer_many(answers, fresh()) == 100_000
    with opened(path, n=100_000) as store:
        start = time.process_time()
        assert len(store.labels()) == store.n_labeled == 100_000
        assert time.process_time() - start < 1
        assert store.can_undo == "Label 100000 documents"
        store.undo(fresh())
        assert store.labels() == []


def test_threads_write_and_read_at_once(store, path):
    def write(first):
        for document in range(first, N, 2):
            store.answer(answer(document, 1), f"thread {document}")

    writers = [threading.Thread(target=write, args=(first,)) for first in (0, 1)]
    for each in writers:
        each.start()
    sizes = [len(store.labels())]
    while any(each.is_alive() for each in writers):
        sizes.append(len(store.labels()))
    for each in writers:
        each.join()
    assert sizes == sorted(sizes)
    assert len(store.labels()) == N
    store.close()
    with opened(path) as again:
        assert len(again.labels()) == N
        assert [each.event for each in again.history(N)] == list(range(N + 2, 2, -1))


def test_readers_do_not_wait_for_a_commit(store):
    db = sqlite3.connect(store.path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")  # another program makes the writer wait
    writer = threading.Thread(target=store.answer, args=(answer(1, 1), fresh()))
    writer.start()
    time.sleep(0.05)
    start = time.perf_counter()
    assert (labels(store), store.can_undo) == ({}, "New class delivery")
    assert len(store.classes()) == 2
    assert writer.is_alive()
    assert time.perf_counter() - start < 0.5
    db.execute("ROLLBACK")
    db.close()
    writer.join()
    assert labels(store) == {1: (1,)}


@dataclass
class Plain:
    """What a store should hold, with no thought of speed: undo restores a copy."""

    names: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    skips: set = field(default_factory=set)
    history: list = field(default_factory=list)

    def label(self, document, classes):
        self.labels[document] = classes
        self.skips.discard(document)
        self.history.append((document, classes))

    def merge(self, old, new):
        def merged(classes):
            return tuple(sorted({new if each == old else each for each in classes}))

        del self.names[old], self.keys[old]
        self.labels = {document: merged(classes) for document, classes in self.labels.items()}
        self.history = [(document, merged(classes)) for document, classes in self.history]


DOCUMENTS = st.integers(0, 5)  # few, so that actions meet
PICKS = st.integers(0, 10**6)
NAMES = st.sampled_from(["a", "A", " b", "c ", "dd", "é", "É"])
KEY_CHOICES = st.sampled_from(["", "1", "2", "3", "q", "z"])


class StoreAgainstPlainModel(RuleBasedStateMachine):
    """Any order of actions, with closing and opening in between."""

    def __init__(self):
        super().__init__()
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # where syncing costs nothing
        self.folder = tempfile.TemporaryDirectory(dir=memory)
        self.path = Path(self.folder.name) / "labels"
        self.store = opened(self.path, several=True, n=6)
        self.plain, self.earlier, self.n_created = Plain(), [], 0
        self.last = None

    def teardown(self):
        self.store.close()
        self.folder.cleanup()

    def act(self, method, *arguments):
        """Do it in the store, and remember the plain model of before."""
        self.last = (method, (*arguments, fresh()))
        self.result = getattr(self.store, method)(*self.last[1])
        self.earlier.append((self.store.can_undo, deepcopy(self.plain)))
        return self.result

    def is_taken(self, name, by=None):
        others = [each for number, each in self.plain.names.items() if number != by]
        return name.strip().casefold() in [each.casefold() for each in others]

    def chosen(self, picks):
        live = sorted(self.plain.names)
        return tuple(sorted({live[pick % len(live)] for pick in picks})) if live else ()

    @rule(name=NAMES)
    def add_class(self, name):
        if self.is_taken(name):
            refused("name_taken", "use that class", self.store.add_class, name, fresh())
            return
        key = next(each for each in KEYS if each not in self.plain.keys.values())
        created = self.act("add_class", name)
        self.n_created += 1
        assert created == LabelClass(self.n_created, name.strip(), key)
        self.plain.names[created.id], self.plain.keys[created.id] = created.name, key

    @rule(document=DOCUMENTS, picks=st.lists(PICKS, max_size=3))
    def answer(self, document, picks):
        classes = self.chosen(picks)
        self.act("answer", answer(document, *classes))
        self.plain.label(document, classes)

    @rule(documents=st.lists(DOCUMENTS, min_size=1, max_size=4), picks=st.lists(PICKS, max_size=3))
    def answer_many(self, documents, picks):
        classes = self.chosen(picks)
        self.act("answer_many", [answer(each, *classes, why="bulk") for each in documents])
        for each in documents:
            self.plain.label(each, classes)

    @rule(document=DOCUMENTS)
    def skip(self, document):
        self.act("skip", document, 1000 + document)
        if document not in self.plain.labels:
            self.plain.skips.add(document)

    @rule(document=DOCUMENTS)
    def clear(self, document):
        if document not in self.plain.labels and document not in self.plain.skips:
            refused("not_labeled", "no label", self.store.clear, document, 1, fresh())
            return
        self.act("clear", document, 1000 + document)
        self.plain.labels.pop(document, None)
        self.plain.skips.discard(document)

    @precondition(lambda self: self.plain.names)
    @rule(pick=PICKS, name=NAMES)
    def rename(self, pick, name):
        (number,) = self.chosen([pick])
        if self.is_taken(name, by=number):
            refused("name_taken", "merge", self.store.rename_class, number, name, fresh())
        elif name.strip() != self.plain.names[number]:
            self.act("rename_class", number, name)
            self.plain.names[number] = name.strip()

    @precondition(lambda self: self.plain.names)
    @rule(pick=PICKS, key=KEY_CHOICES)
    def set_key(self, pick, key):
        (number,) = self.chosen([pick])
        old = self.plain.keys[number]
        if key != old:
            self.act("set_key", number, key)
            if key:
                has = [each for each, theirs in self.plain.keys.items() if theirs == key]
                self.plain.keys.update(dict.fromkeys(has, old))
            self.plain.keys[number] = key

    @precondition(lambda self: len(self.plain.names) > 1)
    @rule(picks=st.lists(PICKS, min_size=2, max_size=2))
    def merge(self, picks):
        if len(self.chosen(picks)) == 2:
            old, new = (self.chosen([pick])[0] for pick in picks)
            self.act("merge_class", old, new)
            self.plain.merge(old, new)
            refused("unknown_class", "merged into", self.store.merge_class, new, old, fresh())

    @rule()
    def undo(self):
        self.last = ("undo", (fresh(),))
        self.result = self.store.undo(*self.last[1])
        if not self.earlier:
            assert self.result is None
            return
        text, self.plain = self.earlier.pop()
        assert self.result.text == text

    @precondition(lambda self: self.last)
    @rule()
    def repeat_the_last_request(self):
        method, arguments = self.last
        assert getattr(self.store, method)(*arguments) == self.result

    @rule()
    def close_and_open(self):
        self.store.close()
        self.store = opened(self.path, several=True, n=6)

    @invariant()
    def they_agree(self):
        plain, store = self.plain, self.store
        live = [LabelClass(i, plain.names[i], plain.keys[i]) for i in sorted(plain.names)]
        assert store.classes() == live
        assert labels(store) == plain.labels
        assert store.skipped() == plain.skips
        answers = [(each.document, each.classes) for each in store.history(1000)]
        assert answers == plain.history[::-1]
        assert bool(store.can_undo) == bool(self.earlier)


TestStoreAgainstPlainModel = StoreAgainstPlainModel.TestCase
TestStoreAgainstPlainModel.settings = settings(max_examples=25, stateful_step_count=30)

"""What was acknowledged survives: processes killed at any moment, and full disks."""

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from leaven.labeling._store import Answer, LabelStore, StoreError

KILLS = int(os.environ.get("LEAVEN_KILLS", "20"))
BULK = 5  # documents in a bulk
N = 10**6

# Answers documents from the given one on, without end: one, a bulk, one, … Each is printed
# when the call has returned.
LABELER = f"""
import itertools, sys
from leaven.labeling._store import Answer, LabelStore
store = LabelStore.open(sys.argv[1], name="", n_documents={N}, several_labels=False)
documents = itertools.count(int(sys.argv[2]))
for turn in itertools.count():
    found = [next(documents) for _ in range({BULK} if turn % 2 else 1)]
    answers = [Answer(each, each, (1,)) for each in found]
    request = f"r{{found[0]}}"
    if turn % 2:
        store.answer_many(answers, request)
    else:
        store.answer(*answers, request)
    sys.stdout.write(f"{{request}} {{found[0]}} {{len(found)}}\\n")
    sys.stdout.flush()
"""


def opened(path):
    return LabelStore.open(path, name="", n_documents=N, several_labels=False)


def check_integrity(path):
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def killed_labeler(path, first, seconds):
    """What a labeler acknowledged until it was killed: requests, with first document and number."""
    labeler = subprocess.Popen(
        [sys.executable, "-c", LABELER, str(path), str(first)], stdout=subprocess.PIPE, text=True
    )
    with labeler:
        lines = [labeler.stdout.readline()]
        time.sleep(seconds)
        os.kill(labeler.pid, signal.SIGKILL)
        lines += labeler.stdout.read().splitlines(keepends=True)
    assert labeler.returncode == -signal.SIGKILL
    # The pipe may end within a line: that one was acknowledged too, but cannot be read.
    return [line.split() for line in lines if line.endswith("\n")]


@pytest.mark.slow
def test_killed_processes_lose_no_acknowledged_answer(tmp_path):
    path, rng, acknowledged, first = tmp_path / "labels", random.Random(0), {}, 0
    with opened(path) as store:
        store.add_class("billing", "class")
    for _ in range(KILLS):
        for request, start, n in killed_labeler(path, first, rng.uniform(0, 0.15)):
            acknowledged[request] = range(int(start), int(start) + int(n))
        check_integrity(path)
        with opened(path) as store:
            labeled = {label.document for label in store.labels()}
            expected = set(itertools.chain(*acknowledged.values()))
            assert expected <= labeled
            # At most the action at the moment of the kill is there too, and then as a whole.
            assert len(labeled - expected) in (0, 1, BULK)
            request, documents = list(acknowledged.items())[-1]
            repeat(store, request, documents)
            assert store.n_labeled == len(labeled)
            first = max(labeled) + 1
            for left in labeled - expected:
                acknowledged[f"unread {left}"] = [left]
    print(f"{KILLS} kills, {first} answers")


def repeat(store, request, documents):
    """Send a request again, as a page does that got no reply."""
    if request.startswith("unread"):
        return
    answers = [Answer(each, each, (1,)) for each in documents]
    if len(answers) == 1:
        store.answer(*answers, request)
    else:
        store.answer_many(answers, request)


def fill(store):
    """Answer until it is refused; returns the document and the request that was."""
    for document in range(N):
        request = f"{document} {'x' * 150}"
        try:
            store.answer(Answer(document, document, (1,)), request)
        except StoreError as error:
            return document, request, error
    raise AssertionError("the disk is never full")


def check_full_disk(path, store, make_room):
    """Nothing acknowledged is lost, and the store goes on when there is room again."""
    store.add_class("billing", "class")
    refused, request, error = fill(store)
    assert refused > 10
    assert error.code == "disk_full"
    assert "free some space and repeat it" in str(error)
    assert [label.document for label in store.labels()] == list(range(refused))
    with pytest.raises(StoreError, match="free some space"):
        store.answer_many([Answer(each, each, (1,)) for each in range(5_000)], "bulk")
    assert store.n_labeled == refused
    make_room()
    store.answer(Answer(refused, refused, (1,)), request)  # the same request, as a page repeats it
    assert store.undo("undo").documents == (refused,)
    store.close()
    check_integrity(path)
    with opened(path) as again:
        assert [label.document for label in again.labels()] == list(range(refused))


def test_a_full_database_loses_nothing(tmp_path):
    with opened(tmp_path / "labels") as store:
        db = store._journal._db
        db.execute("PRAGMA max_page_count = 25")
        check_full_disk(store.path, store, lambda: db.execute("PRAGMA max_page_count = 100000"))


@pytest.fixture
def small_disk(tmp_path):
    """A folder that is a file system of its own; needs the right to mount."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    try:
        subprocess.run(mount, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small disk is not allowed here")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_loses_nothing(small_disk):
    other = small_disk / "other"
    other.write_bytes(bytes(300_000))
    with opened(small_disk / "labels") as store:
        check_full_disk(store.path, store, other.unlink)


def test_a_store_that_cannot_be_created_leaves_no_file(small_disk):
    other = small_disk / "other"
    with suppress(OSError), other.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with pytest.raises(StoreError, match="disk") as caught:
        opened(small_disk / "labels")
    assert caught.value.code == "disk_full"
    assert os.listdir(small_disk) == ["other"]
    other.unlink()
    opened(small_disk / "labels").close()

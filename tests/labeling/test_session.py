"""A labeling session without HTTP: answers train, and what it says about itself is right."""

import csv
import itertools
import json
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaven import TextClassifier
from leaven.documents._reading import Reading
from leaven.documents._writers import write_tables
from leaven.labeling import _trainer
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._session import LabelingSession
from leaven.labeling._status import progress, state
from leaven.labeling._store import StoreError
from leaven.labeling._transfer import exported, imported
from leaven.labeling._views import document_view, listed, question_views

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}
COMMON = ["the", "and", "with", "about", "some", "very", "one", "other"]
NAMES = list(WORDS)
fresh = map("request {}".format, itertools.count()).__next__


def make_texts(n=60):
    rng = np.random.default_rng(0)
    return [
        " ".join([*rng.choice(WORDS[NAMES[i % 3]], 6), *rng.choice(COMMON, 4)]) for i in range(n)
    ]


TEXTS = make_texts()


def write_rows(path, texts, **columns):
    names = ["id", "text", *columns]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for i, text in enumerate(texts):
            writer.writerow([f"T-{i}", text, *(column[i] for column in columns.values())])
    return path


def read(path, **reading):
    return LabelingDocuments.read([str(path)], Reading(**reading))


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Open sessions of files, closed at the end; slower work waits."""
    monkeypatch.setattr(_trainer, "IDLE", 600)
    sessions = []

    def open_(texts=TEXTS, *, path=None, reading=None, columns=None, **options):
        if not isinstance(texts, LabelingDocuments):
            path = path or tmp_path / "tickets.csv"
            write_rows(path, texts, **(columns or {}))
            texts = read(path, **(reading or {}))
        options.setdefault("method", "nb")
        session = LabelingSession(texts, tmp_path / "tickets.labels", n_jobs=1, **options)
        sessions.append(session)
        return session

    yield open_
    for session in sessions:
        session.close()


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)


def settle(session):
    """Wait until a model knows all labels."""
    until(lambda: not session.trainer.is_training)


def settle_fully(session):
    """Wait until slower work is done too."""
    trainer = session.trainer
    until(lambda: trainer._checked >= trainer._wanted and not trainer.is_training)


@pytest.fixture
def idle(opened, monkeypatch):
    """Slower work begins soon."""
    monkeypatch.setattr(_trainer, "IDLE", 0.05)


def add_classes(session, *names):
    return [
        session.change_classes(lambda store, name=name: store.add_class(name, fresh())).id
        for name in names
    ]


def label(session, numbers, why="asked", own=lambda i: i % 3 + 1):
    """Label documents at once, which waits for the disk once."""
    session.label_each({i: (own(i),) for i in numbers}, fresh(), why)


def answer_each(session, numbers, why="asked"):
    for i in numbers:
        session.answer(i, [i % 3 + 1], fresh(), why=why)


@pytest.fixture
def session(opened):
    """Sixty documents of three classes, which have the numbers 1, 2 and 3."""
    return opened(classes=NAMES)


def test_answers_train_a_model_that_predicts_the_others(session):
    assert state(session)["model"] is None
    label(session, range(12))
    settle(session)
    said = state(session)
    assert said["n_labeled"] == said["model"]["n_labels"] == 12
    assert not said["is_training"]
    found = session.predictions(range(12, 60))
    right = [each.classes == (i % 3 + 1,) for i, each in enumerate(found, 12)]
    assert np.mean(right) > 0.9
    assert [each["n_labeled"] for each in said["classes"]] == [4, 4, 4]
    assert sum(each["share"] for each in said["classes"]) == pytest.approx(1.0)
    (view,) = question_views(session, [(20, "uncertain")])
    assert view["model"] == said["model"]["number"]
    assert view["suggested"] == [3]
    assert view["probabilities"][0]["class"] == 3
    assert view["fields"] == {"id": "T-20"}
    assert {view["text"][word["start"] : word["end"]] for word in view["words"]} & set(
        WORDS["sport"]
    )


def test_one_class_or_none_trains_nothing(session):
    label(session, [0, 3, 6])
    settle(session)
    said = state(session)
    assert said["model"] is None
    assert {each["share"] for each in said["classes"]} == {None}
    assert session.questions(3, [])
    assert listed(session, "class", number=1)["total"] == 0


def test_undo_takes_labels_back_and_the_model_with_them(session):
    answer_each(session, range(2))
    settle(session)
    assert state(session)["model"]["n_labels"] == 2
    assert session.undo(fresh()).text == "Label 1 as space"
    settle(session)
    assert state(session)["model"] is None
    session.undo(fresh())
    with pytest.raises(StoreError, match="nothing to undo") as caught:
        session.undo(fresh())
    assert caught.value.code == "nothing_to_undo"


def test_a_model_that_names_a_merged_class_is_understood(session):
    label(session, range(12))
    settle(session)
    session.trainer.stop()  # the model stays as it is
    before = state(session)["classes"]
    session.change_classes(lambda store: store.merge_class(3, 1, fresh()))
    after = state(session)["classes"]
    assert [each["id"] for each in after] == [1, 2]
    assert after[0]["share"] == pytest.approx(before[0]["share"] + before[2]["share"])
    assert [each["n_labeled"] for each in after] == [8, 4]
    view = document_view(session, 20)
    assert view["suggested"] == [1]
    assert [each["class"] for each in view["probabilities"]] == [1, 2]
    assert sum(each["probability"] for each in view["probabilities"]) == pytest.approx(1, abs=1e-5)
    assert {word["class"] for word in view["words"]} <= {1, 2}
    audit = session.answer(23, [1], fresh(), why="audit")["audit"]
    assert (audit["predicted"], audit["is_right"]) == ([1], True)
    assert listed(session, "class", number=3)["total"] == 0
    assert listed(session, "class", number=1)["total"] == 60 - 13
    table = pa.concat_tables(exported(session, "csv"))
    assert set(table["predicted"].to_pylist()) <= {"baking", "space"}


def test_a_model_that_names_a_class_whose_creation_was_undone_is_understood(session):
    label(session, range(9), own=lambda i: i % 2 + 1)
    (number,) = add_classes(session, "news")
    session.answer(9, [number], fresh())
    settle(session)
    session.trainer.stop()
    session.undo(fresh())
    session.undo(fresh())
    known = {1, 2, 3}
    for i in range(60):
        assert set(document_view(session, i)["suggested"]) <= known
        assert {each["class"] for each in document_view(session, i)["probabilities"]} <= known
    assert {each["id"] for each in state(session)["classes"]} == known
    pa.concat_tables(exported(session, "jsonl"))


def test_renaming_and_merging_during_training(session):
    stop = threading.Event()
    failures = []

    def look():
        while not stop.is_set():
            try:
                said = state(session)
                known = {each["id"] for each in said["classes"]}
                assert sum(each["n_labeled"] for each in said["classes"]) == said["n_labeled"]
                assert len(known) in (2, 3)
                question_views(session, session.questions(3, []))
                progress(session)
                listed(session, "disputed")
                for _ in exported(session, "csv"):
                    pass
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    label(session, range(15))
    for _ in range(6):
        session.change_classes(lambda store: store.merge_class(3, 2, fresh()))
        session.change_classes(lambda store: store.rename_class(1, f"one {fresh()}", fresh()))
        session.undo(fresh())
        session.undo(fresh())
    stop.set()
    for thread in threads:
        thread.join(20)
    assert not failures
    settle(session)
    assert session.trainer.failure == ""
    assert session.model.n_labels == 15
    assert session.model.class_ids == (1, 2, 3)


def test_many_quick_answers_lead_to_far_fewer_fits_and_the_last_model_knows_all(
    session, monkeypatch
):
    fits = []
    original = session.fits.fit

    def fit(method, labels, **options):
        fits.append(len(labels))
        time.sleep(0.05)
        return original(method, labels, **options)

    monkeypatch.setattr(session.fits, "fit", fit)
    monkeypatch.setattr(session.trainer, "_look_for_disputes", lambda _: None)
    answer_each(session, range(50))
    until(lambda: session.model is not None and session.model.n_labels == 50)
    until(lambda: not session.trainer.is_training)
    assert len(fits) < 25


def test_an_answer_does_not_wait_for_training(session, monkeypatch):
    label(session, range(3))
    settle(session)
    go_on = threading.Event()
    original = session.fits.fit
    monkeypatch.setattr(session.fits, "fit", lambda *a, **k: (go_on.wait(10), original(*a, **k))[1])
    try:
        began = time.perf_counter()
        answer_each(session, range(3, 33))
        state(session)
        took = time.perf_counter() - began
        assert session.trainer.is_training
        assert took < 5.0
    finally:
        go_on.set()


# Audits.


def test_an_audit_is_predicted_before_its_label_is_known(session):
    label(session, range(12))
    settle(session)
    (view,) = question_views(session, [(20, "audit")])
    assert (view["suggested"], view["probabilities"], view["words"]) == ([], [], [])
    assert (view["model"], view["is_unsupported"]) == (None, False)
    found = session.answer(20, [3], fresh(), why="audit")
    assert found["audit"]["is_right"] == (found["audit"]["predicted"] == [3])
    wrong = session.answer(21, [2], fresh(), why="audit")["audit"]  # about baking
    assert (wrong["predicted"], wrong["is_right"]) == ([1], False)
    assert progress(session)["audits"] == {"right": 1, "wrong": 1}
    assert session.answer(22, [2], fresh(), why="typical")["audit"] is None


def test_a_corrected_audit_stays_one_with_what_the_model_had_said(session):
    label(session, range(12))
    settle(session)
    session.answer(21, [2], fresh(), why="audit")
    first = session.store.label(21)
    settle(session)  # this model knows the wrong label
    session.answer(21, [1], fresh(), why="asked")
    second = session.store.label(21)
    assert (second.why, second.predicted, second.model) == ("audit", first.predicted, first.model)
    assert progress(session)["audits"] == {"right": 1, "wrong": 0}


def test_an_audit_answered_again_after_undo_is_not_predicted_by_a_model_that_knew_it(session):
    label(session, range(12))
    settle(session)
    session.answer(21, [2], fresh(), why="audit")  # wrong: the model said 1
    settle(session)
    session.undo(fresh())
    session.answer(21, [2], fresh(), why="audit")
    assert session.store.label(21).predicted == (1,)
    assert progress(session)["audits"] == {"right": 0, "wrong": 1}


def test_a_document_whose_label_the_model_knew_is_no_audit_of_it(session):
    label(session, range(12))
    settle(session)
    session.trainer.stop()
    session.clear(5, fresh())
    assert session.answer(5, [3], fresh(), why="audit")["audit"] is None
    assert state(session)["n_audits"] == 0


def test_accuracy_is_shown_from_ten_audits_on(session, monkeypatch):
    monkeypatch.setattr(session.trainer, "_fit_fully", lambda found: None)
    label(session, range(12))
    until(lambda: session.model is not None and session.model.n_labels == 12)
    session.trainer.stop()
    for n, i in enumerate(range(20, 29)):
        assert state(session)["accuracy"] is None
        assert state(session)["n_audits"] == n
        session.answer(i, [i % 3 + 1], fresh(), why="audit")
    session.answer(30, [2], fresh(), why="audit")  # wrong
    said = state(session)
    audits = [each for each in session.store.labels() if each.why == "audit"]
    right = sum(each.predicted == each.classes for each in audits)
    assert right < 10
    assert said["accuracy"]["accuracy"] == pytest.approx(right / 10)
    assert said["accuracy"]["n_audits"] == said["n_audits"] == said["n_audits_needed"] == 10
    assert 0 < said["accuracy"]["low"] < right / 10 < said["accuracy"]["high"] < 1
    session.undo(fresh())
    assert state(session)["accuracy"] is None


def test_a_full_model_holds_audits_out_and_its_estimate_ends_with_them(idle, session):
    label(session, range(12))
    settle_fully(session)
    answer_each(session, range(20, 32), why="audit")
    settle_fully(session)
    full = session._full
    assert full.expected["n_audited"] == 12
    said = state(session)["accuracy"]
    assert said["accuracy"] == full.expected["accuracy"]
    curve = progress(session)["curve"]
    assert [each["n_labels"] for each in curve] == sorted({each["n_labels"] for each in curve})
    session.trainer.stop()
    for _ in range(3):
        session.undo(fresh())
    assert state(session)["accuracy"] is None  # nine audits are left


def test_accuracy_of_other_classes_is_not_shown(idle, session):
    label(session, range(12))
    settle_fully(session)
    answer_each(session, range(20, 32), why="audit")
    settle_fully(session)
    session.trainer.stop()
    session._full.expected["accuracy"] = 0.123
    assert state(session)["accuracy"]["accuracy"] == 0.123
    session.change_classes(lambda store: store.merge_class(3, 1, fresh()))
    assert state(session)["accuracy"]["accuracy"] != 0.123


# Disputes.


def disputed(session):
    return [each["document"] for each in listed(session, "disputed")["documents"]]


def test_a_wrong_label_is_found_and_one_that_is_confirmed_stays_away(idle, opened, session):
    label(session, range(40))
    session.answer(7, [3], fresh())  # about space
    until(lambda: disputed(session))
    (row,) = listed(session, "disputed")["documents"]
    assert (row["document"], row["labels"], row["disputed_by"]["class"]) == (7, [3], 2)
    session.answer(7, [3], fresh(), why="asked")
    assert disputed(session) == []
    settle_fully(session)
    assert disputed(session) == []
    session.undo(fresh())  # of the confirmation
    settle_fully(session)
    assert disputed(session) == [7]
    session.answer(7, [3], fresh(), why="asked")
    session.close()
    again = opened()
    settle_fully(again)
    assert disputed(again) == []
    again.answer(7, [1], fresh(), why="asked")  # another wrong label is not confirmed
    settle_fully(again)
    assert disputed(again) == [7]
    again.answer(7, [2], fresh(), why="asked")
    assert disputed(again) == []


def test_a_confirmed_label_stays_so_when_rows_move(idle, opened, session):
    label(session, range(40))
    session.answer(7, [3], fresh())
    session.answer(7, [3], fresh())
    session.close()
    again = opened(["a new row", *TEXTS])
    settle_fully(again)
    assert again.store.label(8).classes == (3,)
    assert disputed(again) == []


def test_the_same_request_again_confirms_nothing(idle, session):
    label(session, range(40))
    session.answer(7, [3], "the same")
    settle_fully(session)  # there is another model now
    session.answer(7, [3], "the same")
    settle_fully(session)
    assert disputed(session) == [7]
    assert session.store.n_answers == 41


# Files.


def test_labels_of_the_file_are_taken_over_once(opened):
    given = [NAMES[i % 3] if i < 20 else "" for i in range(60)]
    session = opened(columns={"label": given})
    assert [each.name for each in session.store.classes()] == NAMES
    assert {each.why for each in session.store.labels()} == {"file"}
    settle(session)
    assert session.model.n_labels == 20
    session.clear(3, fresh())
    session.answer(4, [3], fresh())
    session.close()
    again = opened(columns={"label": given})
    assert again.store.label(3) is None
    assert again.store.label(4).classes == (3,)
    assert again.store.n_labeled == 19


def test_names_that_differ_in_case_or_encoding_are_one_class(opened):
    given = ["Café", "cafe\u0301", " CAFÉ ", "tea", *[""] * 56]
    session = opened(columns={"label": given})
    assert [each.name for each in session.store.classes()] == ["Café", "tea"]
    assert [session.store.label(i).classes for i in range(4)] == [(1,), (1,), (1,), (2,)]


@pytest.mark.parametrize("read_only", [False, True])
def test_labels_follow_their_texts_when_rows_change(opened, session, read_only):
    label(session, [0, 1, 2, 50])
    session.skip(10, fresh())
    session.close()
    moved = ["new at the top", *TEXTS[:1], *TEXTS[2:]]  # without document 1
    again = opened(moved, read_only=read_only)
    labels = {each.document: each.classes for each in again.store.labels()}
    assert labels == {1: (1,), 2: (3,), 50: (3,)}
    assert again.store.skipped() == {10}
    assert state(again)["n_lost"] == 1
    again.close()
    back = opened(TEXTS)
    assert {each.document for each in back.store.labels()} == {0, 1, 2, 50}
    assert state(back)["n_lost"] == 0


def test_a_shorter_file_loses_labels_but_no_answers(opened, session):
    label(session, range(60))
    session.close()
    for read_only in (True, False):
        short = opened(TEXTS[:30], read_only=read_only)
        settle(short)
        assert short.trainer.failure == ""
        assert state(short)["n_labeled"] == 30
        assert state(short)["n_lost"] == 30
        assert pa.concat_tables(exported(short, "csv")).num_rows == 30
        short.close()


def test_a_read_only_session_changes_nothing(opened, session):
    label(session, range(9))
    session.close()
    before = session.store.path.read_bytes()
    shown = opened(read_only=True)
    settle(shown)
    assert shown.model.n_labels == 9
    assert state(shown)["read_only"]
    assert shown.questions(2, [])
    for change in (
        lambda: shown.answer(0, [1], fresh()),
        lambda: shown.skip(0, fresh()),
        lambda: shown.undo(fresh()),
        lambda: add_classes(shown, "x"),
        lambda: shown.answer_many([1], [1], fresh()),
    ):
        with pytest.raises(StoreError) as caught:
            change()
        assert caught.value.code == "read_only"
    shown.close()
    assert session.store.path.read_bytes() == before


def test_classes_given_at_the_start_are_created_once(opened):
    first = opened(classes=["a", " b ", "A"])
    assert [each.name for each in first.store.classes()] == ["a", "b"]
    first.change_classes(lambda store: store.rename_class(1, "c", fresh()))
    first.close()
    again = opened(classes=["a", "b"])  # the same command continues
    assert [each.name for each in again.store.classes()] == ["c", "b"]
    again.close()
    with pytest.raises(StoreError, match="at least one character"):
        opened(classes=["a", ""])
    opened(classes=["d"]).close()  # the lock was released


def test_methods_that_cannot_be_fitted_are_refused_at_the_start(opened):
    with pytest.raises(ValueError, match="one label per document"):
        opened(several_labels=True, method="two-view")
    with pytest.raises(ValueError, match="magic"):
        opened(method="magic")
    session = opened()
    with pytest.raises(ValueError, match="magic"):
        session.train_fully("magic")
    assert session.method == "nb"


def test_several_labels(opened):
    session = opened(classes=NAMES, several_labels=True, method="auto")
    for i in range(24):
        own = [i % 3 + 1] if i % 4 else [i % 3 + 1, (i + 1) % 3 + 1]
        session.answer(i, [*own, own[0]] if i % 7 else [], fresh(), why="typical")
    settle(session)
    assert session.trainer.failure == ""
    assert session.store.label(0).classes == ()
    assert session.store.label(4).classes == (2, 3)
    said = state(session)
    assert said["several_labels"]
    assert said["model"]["n_labels"] == 24
    assert sum(each["n_labeled"] for each in said["classes"]) > 20
    found = document_view(session, 30)
    assert len(found["probabilities"]) == 3
    audit = session.answer(30, [1], fresh(), why="audit")["audit"]
    assert isinstance(audit["predicted"], list)
    session.change_classes(lambda store: store.merge_class(3, 1, fresh()))
    settle(session)
    assert session.model.class_ids == (1, 2)
    fitted = session.fit_to_save()
    assert fitted.classes.tolist() == ["baking", "space"]


def test_vectors_of_the_user(opened, tmp_path):
    vectors = np.eye(3, dtype=np.float32)[np.arange(60) % 3].tolist()
    table = pa.table({"text": TEXTS, "vec": pa.array(vectors, pa.list_(pa.float32()))})
    pq.write_table(table, tmp_path / "t.parquet")
    documents = read(tmp_path / "t.parquet", vectors="vec")
    session = opened(documents, classes=NAMES, method="two-view")
    label(session, range(12))
    settle(session)
    assert session.trainer.failure == ""
    view = document_view(session, 20)
    assert view["suggested"] == [3]
    assert view["words"]
    assert view["fields"] == {}
    assert session.fit_to_save().needs_vectors


# Exports and imports.


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("several", [False, True])
def test_an_export_can_be_trained_from_and_imported(opened, tmp_path, format, several):
    session = opened(classes=NAMES, several_labels=several, method="nb" if not several else "auto")
    label(session, range(12), why="typical")
    settle(session)
    answer_each(session, range(20, 32), why="audit")
    session.skip(40, fresh())
    settle(session)
    path = tmp_path / f"out.{format}"
    write_tables(exported(session, format), str(path), format)
    expected = {each.document: each.classes for each in session.store.labels()}
    session.close()

    separator = {"label_separator": ";"} if several and format == "csv" else {}
    clf = TextClassifier("nb" if not several else "auto")
    clf.fit_files(str(path), text="text", label="label", audited="label_chosen", **separator)
    assert clf.report_.expected_accuracy["n_audited"] == 12
    assert sorted(clf.classes_.tolist()) == NAMES
    if format == "csv":
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        names = ["id", "text", "label", "label_chosen", "predicted", "probability"]
        assert list(rows[0]) == names
        assert [row["text"] for row in rows] == TEXTS
        assert rows[5]["id"] == "T-5"
        assert [rows[i]["label_chosen"] for i in (0, 20, 40)] == ["chosen", "audit", ""]
        assert all(0 < float(row["probability"]) <= 1 for row in rows)
        (tmp_path / "tickets.labels").unlink()
        again = opened(several_labels=several, method="auto")
        n, n_unmatched = imported(again, path.read_text(), fresh())
        assert (n, n_unmatched) == (24, 0)
        names = {each.id: each.name for each in again.store.classes()}
        found = {each.document: each.classes for each in again.store.labels()}
        named = {d: tuple(NAMES.index(names[one]) + 1 for one in own) for d, own in found.items()}
        assert named == expected


def test_an_export_of_labeled_documents_alone(session):
    label(session, [5, 3])
    table = pa.concat_tables(exported(session, "csv", only_labeled=True))
    assert table["id"].to_pylist() == ["T-3", "T-5"]
    assert table["label"].to_pylist() == ["baking", "sport"]
    assert table["predicted"].null_count in (0, 2)


def test_an_export_before_anything_has_all_rows_and_columns(session):
    table = pa.concat_tables(exported(session, "parquet"))
    assert table.num_rows == 60
    assert table["label"].null_count == 60
    assert pa.concat_tables(exported(session, "csv", only_labeled=True)).num_rows == 0


def test_labels_go_into_the_column_of_labels_that_the_file_has(opened):
    session = opened(columns={"label": ["x"] * 3 + [""] * 57, "predicted": ["?"] * 60})
    session.answer(0, [add_classes(session, "y")[0]], fresh())
    table = pa.concat_tables(exported(session, "csv"))
    assert table["label"].to_pylist()[:4] == ["y", "x", "x", None]
    assert table["label_chosen"].to_pylist()[:4] == ["chosen", "file", "file", ""]
    assert len(set(table.column_names)) == len(table.column_names)
    assert table["predicted"].to_pylist() == ["?"] * 60


def test_importing_labels_by_number_and_by_text(session):
    rows = [
        ("document", "label"),
        ("0", "baking"),
        ("1", " news "),
        ("60", "baking"),
        ("-1", "baking"),
        ("9" * 30, "space"),
        ("2", ""),
        ("x", "y"),
    ]
    text = "\ufeff" + "".join(f"{a},{b}\r\n" for a, b in rows)
    assert imported(session, text, fresh()) == (2, 4)
    assert [each.name for each in session.store.classes()] == [*NAMES, "news"]
    assert session.store.label(1).classes == (4,)
    assert session.store.label(0).why == "import"
    by_text = f'text,label\n"{TEXTS[7]}",SPACE\nunknown,space\n'
    assert imported(session, by_text, fresh()) == (1, 1)
    assert session.store.label(7).classes == (2,)
    assert session.undo(fresh()).kind == "import"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "document\n1\n",
        "label\nx\n",
        "document;label\n1;x\n",
        'document,label\n1,"' + "a" * 300 + '"\n',
        'document,label\n1,"a\nb"\n',
        "document,label\n1,a\0b\n",
    ],
)
def test_imports_that_make_no_sense_are_refused_and_change_nothing(session, text):
    with pytest.raises(StoreError) as caught:
        imported(session, text, fresh())
    assert caught.value.code in ("bad_import", "bad_name")
    assert "\n" not in str(caught.value)
    assert (session.store.n_labeled, len(session.store.classes())) == (0, 3)


def test_columns_of_the_file_itself_are_no_numbers_of_documents(opened):
    numbers = [str(59 - i) for i in range(60)]
    session = opened(columns={"number": numbers, "row": ["?"] * 60}, classes=["a", "b"])
    label(session, [3], own=lambda i: 2)
    text = session.documents.text(3)
    head = "id,text,number,row,label"
    assert imported(session, f"{head}\nT-3,{text},56,?,a\n", fresh()) == (1, 0)
    assert {each.document: each.classes for each in session.store.labels()} == {3: (1,)}


def test_long_texts_can_be_imported(opened):
    long = "word " * 40_000
    session = opened([long, *TEXTS[:5]], classes=["a", "b"])
    assert imported(session, f'text,label\n"{long}",a\n', fresh()) == (1, 0)


# Lists.


def test_the_history_has_every_answer_as_it_was(session):
    label(session, [4, 5])
    session.answer(4, [3], fresh(), why="typical")
    found = listed(session, "history", limit=2)
    assert found["total"] == 3
    assert [(each["document"], each["labels"]) for each in found["documents"]] == [
        (4, [3]),
        (5, [3]),
    ]
    rest = listed(session, "history", offset=2, limit=2)["documents"]
    assert [(each["document"], each["labels"], each["why"]) for each in rest] == [(4, [2], "asked")]
    assert listed(session, "history", offset=9)["documents"] == []


def test_searching_and_the_documents_of_a_class(session):
    label(session, range(12))
    settle(session)
    found = listed(session, "search", words="DOUGH", limit=3)
    matches = [i for i, text in enumerate(TEXTS) if "dough" in text]
    assert found["total"] == len(matches)
    assert found["n_unlabeled"] == sum(i >= 12 for i in matches)
    assert [each["document"] for each in found["documents"]] == matches[:3]
    assert all("dough" in each["excerpt"] for each in found["documents"])
    best = listed(session, "class", number=2, limit=5)
    assert best["total"] == 48
    assert {each["document"] % 3 for each in best["documents"]} == {1}


def test_labeling_many_at_once_is_undone_at_once(session):
    assert session.answer_many([1, 2, 3], [2], fresh()) == 3
    assert session.answer_many([], [2], fresh()) == 0
    assert state(session)["undo_text"] == "Label 3 documents as space"
    session.undo(fresh())
    assert state(session)["n_labeled"] == 0
    with pytest.raises(StoreError, match="0 to 59"):
        session.answer_many([1, 60], [2], fresh())
    assert state(session)["n_labeled"] == 0


# Corpora at the edge, and failures.


@pytest.mark.parametrize(
    "texts",
    [
        ["one document alone", "another one here"],
        ["dough", "", "stars"],
        ["!!! ???", "…", "dough bread"],
        ["same text"] * 30,
        ["only one"],
    ],
    ids=["two", "empty", "no words", "copies", "one"],
)
def test_small_and_empty_corpora(idle, opened, texts):
    documents = pa.table({"text": texts})
    session = opened(
        LabelingDocuments(
            "made", pa.array(texts, pa.large_string()), documents, ("text",), None, None, Reading()
        ),
        classes=["a", "b"],
    )
    asked = session.questions(5, [])
    assert len(asked) == min(5, len(texts))
    question_views(session, asked)
    for i in range(len(texts)):
        session.answer(i, [i % 2 + 1], fresh())
    settle_fully(session)
    assert session.questions(5, []) == []
    said = state(session)
    assert said["n_labeled"] == len(texts)
    json.dumps(said, allow_nan=False)
    json.dumps([document_view(session, i) for i in range(len(texts))], allow_nan=False)
    json.dumps(progress(session), allow_nan=False)
    assert pa.concat_tables(exported(session, "csv")).num_rows == len(texts)


def test_a_corpus_without_any_word_is_refused_in_one_line(opened):
    for _ in range(2):  # the lock was released
        with pytest.raises(ValueError, match="none of the 2 documents holds a word"):
            opened(["", "!?"])


def test_a_document_without_a_known_word_is_unsupported(opened):
    session = opened([*TEXTS, "!?", ""], classes=NAMES)
    label(session, range(12))
    settle(session)
    for number in (60, 61):
        view = document_view(session, number)
        assert view["is_unsupported"]
        assert (view["suggested"], view["words"]) == ([], [])
    assert session.predictions([60])[0].is_unsupported


def test_a_failure_is_told_and_does_not_end_training(session, monkeypatch):
    told = []
    session.subscribe(lambda: told.append(session.trainer.failure))
    original = session.fits.fit
    monkeypatch.setattr(session.fits, "fit", lambda *_, **__: 1 / 0)
    label(session, range(3))
    until(lambda: not session.trainer.is_training)
    assert state(session)["failure"] == "division by zero"
    until(lambda: "division by zero" in told)
    monkeypatch.setattr(session.fits, "fit", original)
    label(session, range(3, 6))
    settle(session)
    assert state(session)["failure"] == ""
    assert session.model.n_labels == 6


def test_labels_that_come_during_a_fit_that_fails_are_trained_with(session, monkeypatch):
    is_fitting, go_on = threading.Event(), threading.Event()
    original = session.fits.fit

    def fail(*_, **__):
        is_fitting.set()
        go_on.wait(10)
        monkeypatch.setattr(session.fits, "fit", original)
        raise ValueError("refused")

    monkeypatch.setattr(session.fits, "fit", fail)
    label(session, range(3))
    assert is_fitting.wait(10)
    label(session, range(3, 9))
    go_on.set()
    until(lambda: session.model is not None and session.model.n_labels == 9)


def test_a_method_asked_for_during_a_full_fit_is_fitted(idle, session, monkeypatch):
    is_fitting, go_on = threading.Event(), threading.Event()
    original, methods = session.fits.fit, []

    def fit(method, *arguments, **options):
        methods.append(method)
        if method == "nb":
            is_fitting.set()
            go_on.wait(10)
        return original(method, *arguments, **options)

    monkeypatch.setattr(session.fits, "fit", fit)
    label(session, range(12))
    assert is_fitting.wait(10)
    session.train_fully("em")
    assert session.trainer.is_training
    go_on.set()
    until(lambda: session._full is not None and session._full.method == "em")
    until(lambda: not session.trainer.is_training)
    assert session.method == "em"
    assert session.fit_to_save().report.method == "em"


def test_too_few_labels_for_a_full_model_are_told(session):
    label(session, range(3))
    settle(session)
    session.train_fully()
    until(lambda: not session.trainer.is_training)
    assert "needs 10 labels and two classes, got 3" in state(session)["failure"]


def test_the_last_thing_told_is_that_training_is_over(session):
    seen = []
    session.subscribe(lambda: seen.append((session.version, session.trainer.is_training)))
    label(session, range(6))
    settle(session)
    until(lambda: seen and not seen[-1][1])
    versions = [version for version, _ in seen]
    assert versions == sorted(versions)


def test_closing_during_training(session, monkeypatch):
    is_fitting = threading.Event()
    original = session.fits.fit

    def fit(method, labels, *, on_progress, **options):
        is_fitting.set()
        until(lambda: on_progress("fitting", 1, 2) is True)
        return original(method, labels, on_progress=on_progress, **options)

    monkeypatch.setattr(session.fits, "fit", fit)
    label(session, range(12))
    assert is_fitting.wait(10)
    began = time.perf_counter()
    session.close()
    assert time.perf_counter() - began < 5
    assert not session.trainer._thread.is_alive()
    assert session.model is None
    session.close()

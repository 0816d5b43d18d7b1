"""The labeling page over HTTP: every route, the form of errors, and what is sent again."""

import csv
import http.client
import io
import json
import threading
import time

import pyarrow.parquet as pq
import pytest

pytest.importorskip("fastapi")

from labeling_page import N, Page, fresh, make_session, until

from leaven.labeling import _trainer


@pytest.fixture(autouse=True)
def is_slow_work_waiting(monkeypatch):
    monkeypatch.setattr(_trainer, "IDLE", 600)


@pytest.fixture
def page(tmp_path):
    page = Page(make_session(tmp_path))
    yield page
    page.close()


@pytest.fixture(scope="module")
def unchanged_page(tmp_path_factory):
    """One page for all tests that change nothing."""
    page = Page(make_session(tmp_path_factory.mktemp("unchanged")))
    yield page
    page.close()


def label(page, numbers):
    """Label documents without HTTP, and waiting for the disk once."""
    page.session.label_each({i: (i % 2 + 1,) for i in numbers}, fresh(), "typical")


def answer_each(page, numbers):
    for i in numbers:
        page.write("/api/answers", document=i, classes=[i % 2 + 1], why="typical")


def trained(page):
    until(lambda: not page.get("/api/state")["is_training"])
    return page.get("/api/state")


STATE = {
    "version": int,
    "name": str,
    "several_labels": bool,
    "read_only": bool,
    "n_documents": int,
    "n_labeled": int,
    "n_skipped": int,
    "n_lost": int,
    "classes": list,
    "is_training": bool,
    "failure": str,
    "model": (dict, type(None)),
    "accuracy": (dict, type(None)),
    "n_audits": int,
    "n_audits_needed": int,
    "advice": dict,
    "can_undo": bool,
    "undo_text": str,
}


def check_state(found):
    assert set(found) == set(STATE)
    for name, kind in STATE.items():
        assert isinstance(found[name], kind), name
    for each in found["classes"]:
        assert set(each) == {"id", "name", "key", "n_labeled", "share"}
    if found["model"] is not None:
        assert set(found["model"]) == {"number", "n_labels", "method", "seconds"}


QUESTION = {
    "document",
    "text",
    "is_cut",
    "n_characters",
    "fields",
    "why",
    "labels",
    "is_skipped",
    "model",
    "probabilities",
    "suggested",
    "words",
    "is_unsupported",
}


def test_the_page_and_its_files(page):
    status, headers, text = page.ask("GET", "/")
    assert status == 200
    assert headers["content-type"].startswith("text/html")
    assert b"tickets.csv" in text
    status, headers, _ = page.ask("GET", "/static/main.js")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/javascript")
    status, headers, _ = page.ask("GET", "/static/style.css")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/css")
    page.refused(404, "not_found", "GET", "/static/none.js")
    page.refused(404, "not_found", "GET", "/nothing")
    for path in ("/docs", "/openapi.json", "/redoc"):
        page.refused(404, "not_found", "GET", path)


def test_the_state_questions_and_documents(page):
    check_state(page.get("/api/state"))
    asked = page.get("/api/next?n=4")["questions"]
    assert len(asked) == 4
    assert {each["why"] for each in asked} == {"typical"}
    assert all(set(each) == QUESTION for each in asked)
    held = ",".join(str(each["document"]) for each in asked)
    more = page.get(f"/api/next?n=50&without={held}")["questions"]
    assert len(more) == N - 4
    label(page, range(12))
    state = trained(page)
    check_state(state)
    assert (state["n_labeled"], state["model"]["n_labels"]) == (12, 12)
    found = page.get("/api/documents/20")
    assert set(found) == QUESTION
    assert (found["why"], found["suggested"], found["fields"]) == ("asked", [1], {"id": "T-20"})
    page.refused(404, "unknown_document", "GET", f"/api/documents/{N}")
    listed = page.get("/api/documents?view=search&search=DOUGH&limit=2")
    assert len(listed["documents"]) == 2
    assert set(listed["documents"][0]) == {
        "document",
        "excerpt",
        "labels",
        "is_skipped",
        "suggested",
        "probability",
        "disputed_by",
        "why",
        "at",
    }
    assert page.get("/api/documents?view=class&class=1")["total"] == N - 12
    assert page.get("/api/documents?view=history&limit=5")["total"] == 12
    assert page.get("/api/documents?view=disputed")["total"] == 0
    progress = page.get("/api/progress")
    assert set(progress) == {"curve", "agreement", "shares", "audits", "advice"}
    assert len(progress["advice"]["checks"]) == 3


@pytest.mark.parametrize(
    "path",
    [
        "/api/next?n=0",
        "/api/next?n=51",
        "/api/next?n=x",
        "/api/next?without=1,,2",
        "/api/next?without=-1",
        "/api/next?without=" + ",".join(["1"] * 3000),
        "/api/documents/-1",
        "/api/documents/1.5",
        "/api/documents/" + "9" * 40,
        "/api/documents?view=all",
        "/api/documents?offset=-1",
        "/api/documents?limit=1000",
        "/api/documents?view=class&class=x",
        "/api/export?format=xlsx",
        "/api/export?what=some",
    ],
)
def test_questions_that_make_no_sense_are_refused(unchanged_page, path):
    unchanged_page.refused(422, "bad_request", "GET", path)


def test_answers_skips_and_clears(page):
    found = page.write("/api/answers", document=3, classes=[2], why="typical", milliseconds=900)
    assert (found["document"], found["labels"], found["audit"]) == (3, [2], None)
    check_state(found["state"])
    assert found["state"]["undo_text"] == "Label 3 as space"
    assert page.write("/api/answers", document=4, skip=True)["state"]["n_skipped"] == 1
    assert page.write("/api/answers", document=3, clear=True)["labels"] == []
    undone = page.write("/api/undo")
    assert (undone["undone"], undone["documents"]) == ("Clear 3", [3])
    assert undone["question"]["document"] == 3
    assert undone["question"]["labels"] == [2]
    page.write("/api/undo")
    assert page.write("/api/undo")["state"]["n_labeled"] == 0
    page.refused(409, "nothing_to_undo", "POST", "/api/undo", {"request": fresh()})


def test_an_undone_audit_shows_no_prediction(page):
    label(page, range(12))
    trained(page)
    asked = page.get("/api/next?n=5")["questions"]
    audit = next(each for each in asked if each["why"] == "audit")
    assert (audit["suggested"], audit["probabilities"], audit["model"]) == ([], [], None)
    number = audit["document"]
    found = page.write("/api/answers", document=number, classes=[number % 2 + 1], why="audit")
    assert set(found["audit"]) == {"predicted", "probability", "is_right"}
    assert page.write("/api/undo")["question"]["probabilities"] == []


def test_classes_are_created_renamed_and_merged(page):
    found = page.write("/api/classes", name=" news ")
    assert found["class"] == {"id": 3, "name": "news", "key": "3", "n_labeled": 0, "share": None}
    page.refused(409, "name_taken", "POST", "/api/classes", {"request": fresh(), "name": "NEWS"})
    page.write("/api/classes/3", "PATCH", name="world")
    page.write("/api/classes/3", "PATCH", key="q")
    label(page, [0, 1])
    state = page.write("/api/classes/3", "PATCH", merge_into=1)["state"]
    assert [each["name"] for each in state["classes"]] == ["baking", "space"]
    for body in ({}, {"name": "x", "key": "y"}):
        page.refused(400, "bad_request", "PATCH", "/api/classes/1", {"request": fresh(), **body})
    page.refused(404, "unknown_class", "PATCH", "/api/classes/9", {"request": fresh(), "name": "x"})
    page.refused(
        404,
        "unknown_class",
        "POST",
        "/api/answers",
        {"request": fresh(), "document": 1, "classes": [3]},
    )


def test_labeling_many_at_once(page):
    found = page.write("/api/bulk", documents=[1, 2, 3], classes=[2])
    assert (found["n"], found["state"]["n_labeled"]) == (3, 3)
    n_matches = page.get("/api/documents?search=dough")["total"]
    n_open = page.get("/api/documents?search=dough")["n_unlabeled"]
    assert page.write("/api/bulk", search="dough", classes=[1])["n"] == n_open
    everything = page.write("/api/bulk", search="dough", classes=[1], only_unlabeled=False)
    assert everything["n"] == n_matches
    for body in ({}, {"documents": [1], "search": "x"}):
        page.refused(
            400, "bad_request", "POST", "/api/bulk", {"request": fresh(), "classes": [1], **body}
        )
    page.refused(
        404,
        "unknown_document",
        "POST",
        "/api/bulk",
        {"request": fresh(), "classes": [1], "documents": [1, N]},
    )


def test_importing_and_exporting(page):
    found = page.write("/api/import", csv="document,label\n1,space\n99,space\n2,news\n")
    assert (found["n"], found["n_unmatched"]) == (2, 1)
    page.refused(
        400, "bad_import", "POST", "/api/import", {"request": fresh(), "csv": "nothing here"}
    )
    for format, kind in (("csv", "text/csv"), ("jsonl", "ndjson"), ("parquet", "parquet")):
        status, headers, data = page.ask("GET", f"/api/export?format={format}")
        assert status == 200
        assert kind in headers["content-type"]
        assert headers["content-disposition"] == f'attachment; filename="tickets.labeled.{format}"'
        if format == "csv":
            rows = list(csv.DictReader(io.StringIO(data.decode())))
        elif format == "jsonl":
            rows = [json.loads(line) for line in data.splitlines()]
        else:
            rows = pq.read_table(io.BytesIO(data)).to_pylist()
        assert len(rows) == N
        assert [rows[i]["label"] or "" for i in (0, 1, 2)] == ["", "space", "news"]
    _, _, data = page.ask("GET", "/api/export?what=labeled")
    assert len(list(csv.DictReader(io.StringIO(data.decode())))) == 2


def test_a_model_is_trained_on_request(page):
    label(page, range(12))
    page.write("/api/model", method="em")
    until(lambda: (page.get("/api/state")["model"] or {}).get("method") == "em")
    page.refused(400, "bad_method", "POST", "/api/model", {"request": fresh(), "method": "magic"})


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answers", {"document": 1}),
        ("/api/answers", {"document": 1, "skip": True, "clear": True}),
        ("/api/answers", {"document": 1, "classes": [1], "skip": True}),
        ("/api/answers", {"document": 1, "classes": []}),
        ("/api/answers", {"document": 1, "classes": [1, 2]}),
        ("/api/answers", {"document": "1", "classes": [1]}),
        ("/api/answers", {"document": 1.0, "classes": [1]}),
        ("/api/answers", {"document": True, "classes": [1]}),
        ("/api/answers", {"document": -1, "classes": [1]}),
        ("/api/answers", {"document": 10**30, "classes": [1]}),
        ("/api/answers", {"document": 1, "classes": [1], "why": "file"}),
        ("/api/answers", {"document": 1, "classes": [1], "more": 1}),
        ("/api/answers", {"document": 1, "classes": [1], "milliseconds": float("nan")}),
        ("/api/answers", {"document": 1, "classes": [1] * 2000}),
        ("/api/answers", {"request": "", "document": 1, "classes": [1]}),
        ("/api/answers", {"request": "\ud800", "document": 1, "classes": [1]}),
        ("/api/answers", {"request": "x" * 101, "document": 1, "classes": [1]}),
        ("/api/answers", {"request": None, "document": 1, "classes": [1]}),
        ("/api/answers", []),
        ("/api/answers", None),
        ("/api/undo", {"extra": 1}),
        ("/api/bulk", {"search": "", "classes": [1]}),
        ("/api/bulk", {"search": "\ud800", "classes": [1]}),
        ("/api/classes", {"name": "\ud800"}),
        ("/api/classes", {"name": "two\nlines"}),
        ("/api/classes", {"name": ""}),
        ("/api/classes", {"name": "x" * 300}),
        ("/api/import", {"csv": 5}),
        ("/api/import", {"csv": "document,label\n" + "9" * 5000 + ",a"}),
        ("/api/model", {"method": 5}),
    ],
)
def test_writes_that_make_no_sense_are_refused_and_change_nothing(unchanged_page, path, body):
    page = unchanged_page
    before = page.get("/api/state")
    sent = {"request": fresh(), **body} if isinstance(body, dict) else body
    encoded = b"null" if sent is None else None
    status, _, found = page.ask("POST", path, sent, encoded=encoded)
    if path == "/api/import" and "999" in str(body):
        assert (status, found["n_unmatched"]) == (200, 1)
    else:
        assert status in (400, 422), found
        assert set(found) == {"error"}
        assert "\n" not in found["error"]["message"]
    after = page.get("/api/state")
    assert (after["n_labeled"], after["classes"]) == (0, before["classes"])


def test_a_request_sent_again_is_answered_the_same_and_done_once(page):
    label(page, range(12))
    trained(page)
    writes = [
        ("POST", "/api/answers", {"document": 20, "classes": [1], "why": "audit"}),
        ("POST", "/api/answers", {"document": 21, "skip": True}),
        ("POST", "/api/bulk", {"search": "moon", "classes": [2]}),
        ("POST", "/api/classes", {"name": "news"}),
        ("PATCH", "/api/classes/3", {"name": "world"}),
        ("POST", "/api/import", {"csv": "document,label\n5,food\n"}),
        ("POST", "/api/undo", {}),
        ("POST", "/api/model", {}),
    ]
    for method, path, body in writes:
        body = {"request": fresh(), **body}
        _, _, first = page.ask(method, path, body)
        n_answers = page.session.store.n_answers
        trained(page)  # there may be another model now
        status, _, again = page.ask(method, path, body)
        assert status == 200, again
        assert {**again, "state": 0} == {**first, "state": 0}
        assert page.session.store.n_answers == n_answers
        if path in OTHER:
            page.refused(409, "request_reused", method, path, {**body, **OTHER[path]})


OTHER = {
    "/api/answers": {"document": 30},
    "/api/bulk": {"classes": [1]},
    "/api/classes": {"name": "other"},
    "/api/classes/3": {"name": "other"},
    "/api/import": {"csv": "document,label\n6,food\n"},
    "/api/model": {"method": "em"},
}


def test_two_clients_at_once(page):
    failures = []

    def work(first):
        try:
            for i in range(first, N, 2):
                answer_each(page, [i])
                page.get("/api/next?n=3")
                page.get("/api/state")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[first]) for first in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert trained(page)["n_labeled"] == N
    assert page.session.store.n_answers == N
    assert page.get("/api/next")["questions"] == []


def events_of(page):
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)
    connection.request("GET", "/api/events", headers=page.headers())
    response = connection.getresponse()
    assert response.status == 200
    assert response.headers["content-type"].startswith("text/event-stream")
    return connection, response


def next_event(response):
    lines = []
    while (line := response.readline().decode().rstrip("\n")) or not lines:
        lines.append(line)
        assert line or response.fp is not None, "the stream ended"
    assert lines[0] == "event: state"
    return json.loads(lines[1].removeprefix("data: "))


def test_events_tell_the_state_now_and_after_every_change(page):
    connection, response = events_of(page)
    first = next_event(response)
    check_state(first)
    assert first["n_labeled"] == 0
    label(page, [0, 1])
    while True:
        found = next_event(response)
        assert found["version"] >= first["version"]
        first = found
        if found["model"] is not None and not found["is_training"]:
            break
    assert (found["n_labeled"], found["model"]["n_labels"]) == (2, 2)
    connection.close()
    until(lambda: not page.session._listeners)


def test_the_server_ends_soon_with_streams_open(tmp_path):
    page = Page(make_session(tmp_path))
    streams = [events_of(page) for _ in range(3)]
    for _, response in streams:
        next_event(response)
    began = time.perf_counter()
    page.server.stop()
    page.thread.join(10)
    took = time.perf_counter() - began
    assert not page.thread.is_alive()
    assert took < 3
    for connection, response in streams:
        response.read()  # to its end
        connection.close()
    page.close()


def test_a_page_that_is_read_only(tmp_path):
    page = Page(make_session(tmp_path))
    label(page, range(6))
    page.close()
    shown = Page(make_session(tmp_path, read_only=True))
    try:
        assert shown.get("/api/state")["read_only"]
        assert shown.get("/api/next")["questions"]
        for path, body in (
            ("/api/answers", {"document": 1, "classes": [1]}),
            ("/api/answers", {"document": 99, "classes": [1]}),
            ("/api/undo", {}),
            ("/api/bulk", {"search": "nowhere", "classes": [1]}),
            ("/api/classes", {"name": "x"}),
            ("/api/import", {"csv": "document,label\n"}),
            ("/api/model", {}),
        ):
            shown.refused(403, "read_only", "POST", path, {"request": fresh(), **body})
        shown.refused(
            403, "read_only", "PATCH", "/api/classes/1", {"request": fresh(), "name": "x"}
        )
    finally:
        shown.close()


def test_a_failure_inside_is_one_line_for_all(page, monkeypatch, capfd, caplog):
    monkeypatch.setattr(page.session, "questions", lambda *_: 1 / 0)
    page.refused(500, "internal", "GET", "/api/next")
    until(lambda: "a request failed: ZeroDivisionError" in caplog.text)
    assert "Traceback" not in caplog.text + capfd.readouterr().err
    check_state(page.get("/api/state"))


def test_a_full_disk_is_told(page, monkeypatch):
    from leaven.labeling._store import StoreError

    def full(*_, **__):
        raise StoreError("disk_full", "the disk is full")

    monkeypatch.setattr(page.session.store, "answer", full)
    body = {"request": "again", "document": 1, "classes": [1]}
    page.refused(507, "disk_full", "POST", "/api/answers", body)
    monkeypatch.undo()
    status, _, _ = page.ask("POST", "/api/answers", body)  # a refusal is not remembered
    assert status == 200


def test_answers_come_back_while_a_model_is_trained(page, monkeypatch):
    label(page, range(4))
    trained(page)
    go_on, original = threading.Event(), page.session.fits.fit
    monkeypatch.setattr(
        page.session.fits, "fit", lambda *a, **k: (go_on.wait(20), original(*a, **k))[1]
    )
    try:
        began = time.perf_counter()
        answer_each(page, range(4, 14))
        assert time.perf_counter() - began < 5
        assert page.get("/api/state")["is_training"]
    finally:
        go_on.set()

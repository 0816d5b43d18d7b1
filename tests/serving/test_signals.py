"""Signals to a server that is a process: it ends in order, and replaces its models."""

import http.client
import json
import queue
import shutil
import signal
import threading
import time

import pytest
from prediction_server import in_process, until

pytestmark = pytest.mark.slow


class Client(threading.Thread):
    """Asks one question after another over one connection, until told to stop or it is closed."""

    def __init__(self, port, body):
        super().__init__(daemon=True)
        self.port, self.body = port, json.dumps(body)
        self.replies, self.failures = [], []
        self.should_stop = False
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.should_stop and len(self.replies) < 50_000:
            try:
                connection.request("POST", "/predict", self.body)
                response = connection.getresponse()
                self.replies.append((response.status, json.loads(response.read())))
                if response.headers["connection"] == "close":
                    break
            except Exception as error:
                self.failures.append(error)
                return
        connection.close()


def test_models_are_replaced_under_load_without_a_failed_request(models, tmp_path):
    path = tmp_path / "m.leaven"
    shutil.copy(models["em"], path)
    with in_process(path) as served:
        clients = [Client(served.port, {"text": "dough stars goal", "top": 1}) for _ in range(3)]
        until(lambda: all(client.replies for client in clients))
        for number, name in enumerate(("numbers", "em", "numbers"), start=1):
            fresh = tmp_path / "fresh"
            shutil.copy(models[name], fresh)
            fresh.replace(path)
            served.tell(signal.SIGHUP)
            done = 'leaven_reloads_total{model="m",result="ok"}'
            until(lambda: served.metric(done) == number)  # noqa: B023
        for client in clients:
            client.should_stop = True
            client.join(20)
        assert [client.failures for client in clients] == [[], [], []]
        assert {status for client in clients for status, _ in client.replies} == {200}
        kinds = {type(reply["predicted"]) for client in clients for _, reply in client.replies}
        assert kinds == {str, int}  # of both models
        code, errors = served.end()
    assert code == 0
    assert errors.count("m was reloaded from") == 3
    assert "Traceback" not in errors


def test_no_change_of_a_file_is_missed_however_many_signals_come(serve, models, monkeypatch):
    """Signals while a reload waits are one with it; those while it reads files start another."""
    server = serve(models["em"]).server
    reads = queue.SimpleQueue()
    may_end = threading.Semaphore(0)

    def reload():
        reads.put("begun")
        assert may_end.acquire(timeout=20)
        return {}

    monkeypatch.setattr(server.service.shelf, "reload", reload)
    server._begin_reload()
    reads.get(timeout=20)
    for _ in range(3):
        server._begin_reload()
    may_end.release()
    reads.get(timeout=20)  # the second reload reads files: what is changed now needs a third
    server._begin_reload()
    may_end.release(2)
    reads.get(timeout=20)
    until(lambda: not any(each.name == "leaven-reload" for each in threading.enumerate()))
    assert reads.empty()


def test_a_file_that_cannot_be_loaded_keeps_the_old_model(models, tmp_path):
    path = tmp_path / "m.leaven"
    shutil.copy(models["em"], path)
    with in_process(path, f"other={models['em']}") as served:
        before = served.post("/predict", text="dough", model="m")
        path.write_bytes(path.read_bytes()[:-100])
        served.tell(signal.SIGHUP)
        failed = 'leaven_reloads_total{model="m",result="failed"}'
        until(lambda: served.metric(failed) == 1)
        until(lambda: served.metric('leaven_reloads_total{model="other",result="ok"}') == 1)
        assert served.post("/predict", text="dough", model="m") == before
        code, errors = served.end()
    assert code == 0
    (line,) = [each for each in errors.splitlines() if "not reloaded" in each]
    assert line.startswith("error: m was not reloaded, the old model stays: ")


def test_accepted_requests_are_answered_before_the_end(models):
    """Several requests of many texts each, about a second's work."""
    limits = ("--max-waiting", 100_000, "--max-texts", 10_000, "--max-body", 20_000_000)
    with in_process(models["knn"], *limits) as served:
        texts = ["dough yeast bread " * 50 + str(number) for number in range(10_000)]
        body = json.dumps({"texts": texts}).encode()
        found = []

        def ask():
            found.append(served.ask("POST", "/predict", encoded=body))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        until(lambda: served.metric("leaven_queue_texts") > 10_000)
        code, errors = served.end()
        for thread in threads:
            thread.join(20)
    assert [status for status, _, _ in found] == [200] * 4
    assert all(len(reply["predictions"]) == 10_000 for _, _, reply in found)
    assert (code, "Traceback" in errors) == (0, False)


def test_no_request_of_a_busy_connection_is_lost_at_the_end(models):
    """The last reply of each says that its connection is closed; none is cut off."""
    with in_process(models["em"]) as served:
        clients = [Client(served.port, {"text": "dough"}) for _ in range(6)]
        until(lambda: all(len(client.replies) > 20 for client in clients))
        code, _ = served.end()
        for client in clients:
            client.join(20)
            assert not client.is_alive()
    assert code == 0
    assert [client.failures for client in clients] == [[]] * 6
    assert {status for client in clients for status, _ in client.replies} == {200}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_exit_codes(models, number, code):
    with in_process(models["em"]) as served:
        assert served.post("/predict", text="dough")["predicted"] == "baking"
        start = time.monotonic()
        found, errors = served.end(number)
    assert found == code
    assert "Traceback" not in errors
    assert time.monotonic() - start < 10


def test_a_request_that_takes_too_long_does_not_keep_the_server(models):
    with in_process(models["em"], "--shutdown-timeout", "0.3") as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
        connection.putrequest("POST", "/predict")
        connection.putheader("content-length", "100")
        connection.endheaders(b'{"text"')  # and nothing more
        time.sleep(0.1)
        start = time.monotonic()
        code, errors = served.end()
        connection.close()
    assert code == 0
    assert "Traceback" not in errors
    assert time.monotonic() - start < 10

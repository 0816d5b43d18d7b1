"""A labeling page served by a thread, and clients that speak to it in plain HTTP."""

import csv
import http.client
import itertools
import json
import random
import socket
import threading
import time

from leaven.documents._reading import Reading
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._server import LabelingServer
from leaven.labeling._session import LabelingSession

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
}
N = 40
fresh = map("request {}".format, itertools.count()).__next__


def make_session(folder, **options):
    """Forty documents of two classes, in turn."""
    chosen = random.Random(0)
    folder.mkdir(exist_ok=True)
    path = folder / "tickets.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        for i in range(N):
            writer.writerow([f"T-{i}", " ".join(chosen.choices(WORDS[[*WORDS][i % 2]], k=6))])
    documents = LabelingDocuments.read([str(path)], Reading())
    options = {"classes": [*WORDS], "method": "nb", "n_jobs": 1, **options}
    return LabelingSession(documents, f"{path}.labels.sqlite", **options)


class Page:
    """A server in a thread, and requests to it as the page sends them."""

    def __init__(self, session):
        self.session, self.server = session, LabelingServer(session)
        self.port, self.token = self.server.port, self.server.token
        self.host = f"127.0.0.1:{self.port}"
        ready = threading.Event()
        self.thread = threading.Thread(target=self.server.run, args=[ready.set])
        self.thread.start()
        assert ready.wait(20)

    def close(self):
        self.server.stop()
        self.thread.join(20)
        self.session.close()

    def headers(self, **changed):
        usual = {
            "Host": self.host,
            "Cookie": f"leaven_token={self.token}",
            "Origin": f"http://{self.host}",
            "Content-Type": "application/json",
        }
        given = usual | {name.replace("_", "-"): value for name, value in changed.items()}
        return {name: value for name, value in given.items() if value is not None}

    def ask(self, method, path, body=None, *, headers=None, encoded=None, **kwargs):
        """Status, headers and body of a response, as JSON where it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            sent = json.dumps(body).encode() if body is not None else encoded
            named = self.headers() if headers is None else headers
            connection.request(method, path, sent, named, **kwargs)
            response = connection.getresponse()
            found = response.read()
        finally:
            connection.close()
        is_json = "json" in (response.headers.get("content-type") or "")
        is_lines = "ndjson" in (response.headers.get("content-type") or "")
        return (
            response.status,
            response.headers,
            (json.loads(found) if is_json and not is_lines and found else found),
        )

    def get(self, path):
        status, _, found = self.ask("GET", path)
        assert status == 200, found
        return found

    def write(self, path, verb="POST", **body):
        status, _, found = self.ask(verb, path, {"request": fresh(), **body})
        assert status == 200, found
        return found

    def refused(self, status, code, method, path, body=None, **kwargs):
        """A request must be refused, in the one form of all errors."""
        found, headers, told = self.ask(method, path, body, **kwargs)
        assert (found, told["error"]["code"]) == (status, code), told
        check_error(told)
        return headers

    def raw(self, data, seconds=5.0):
        """Send bytes, and return what comes back until the end or for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as plain:
            try:
                plain.sendall(data)
                plain.shutdown(socket.SHUT_WR)
                received = b""
                while piece := plain.recv(1 << 16):
                    received += piece
            except OSError:  # too late, or the page has closed the connection already
                return b""
        return received


def check_error(told):
    assert set(told) == {"error"}
    assert set(told["error"]) == {"code", "message"}
    assert told["error"]["message"]
    assert "\n" not in told["error"]["message"]
    assert "Traceback" not in told["error"]["message"]


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)

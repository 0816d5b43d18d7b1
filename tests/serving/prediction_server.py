"""A server of predictions in a thread or a process, and clients that speak plain HTTP."""

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

from leaven import TextClassifier
from leaven.cli.serve import open_server
from leaven.serving._service import Limits

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}


def make_texts(n, seed=0):
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS[[*WORDS][i % 3]], k=6)) for i in range(n)]


def save_models(folder):
    texts = make_texts(60)
    names = [[*WORDS][i % 3] for i in range(60)]
    labels = {
        "auto": ("auto", [name if i < 30 else None for i, name in enumerate(names)]),
        "em": ("em", [name if i < 30 else None for i, name in enumerate(names)]),
        "numbers": ("nb", [list(WORDS).index(name) for name in names]),
        "sets": ("multilabel", [[name, *(["food"] if name == "baking" else [])] for name in names]),
        "knn": ("knn", [name if i < 30 else None for i, name in enumerate(names)]),
    }
    paths = {}
    for name, (method, given) in labels.items():
        paths[name] = folder / f"{name}.leaven"
        TextClassifier(method, n_jobs=1).fit(texts, given).save(paths[name])
    return paths


class Asking:
    """Requests to a port, each over a connection of its own."""

    port: int

    def ask(self, method, path, body=None, *, encoded=None, headers=None):
        """Status, headers and body of a reply, as JSON where it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            sent = json.dumps(body).encode() if body is not None else encoded
            is_chunked = "transfer-encoding" in (headers or {})
            connection.request(method, path, sent, headers or {}, encode_chunked=is_chunked)
            response = connection.getresponse()
            found = response.read()
        finally:
            connection.close()
        is_json = "json" in (response.headers.get("content-type") or "")
        return response.status, response.headers, json.loads(found) if is_json else found.decode()

    def get(self, path):
        status, _, found = self.ask("GET", path)
        assert status == 200, found
        return found

    def post(self, path, **body):
        status, _, found = self.ask("POST", path, body)
        assert status == 200, found
        return found

    def refused(self, status, code, method, path, body=None, **how):
        """The message of an error, which has one line."""
        found, headers, reply = self.ask(method, path, body, **how)
        assert (found, reply["error"]["code"]) == (status, code), reply
        assert set(reply) == {"error"}
        assert set(reply["error"]) == {"code", "message"}
        assert "\n" not in reply["error"]["message"]
        return reply["error"]["message"], headers

    def metric(self, name):
        """The value of a sample, by its name and labels as they are written; 0 if there is none."""
        for line in self.get("/metrics").splitlines():
            before, _, value = line.rpartition(" ")
            if before == name:
                return float(value)
        return 0.0


class Served(Asking):
    """A server in a thread."""

    def __init__(self, models, **limits):
        self.server = open_server(models, limits=Limits(**limits))
        self.service, self.port = self.server.service, self.server.port
        is_ready = threading.Event()
        self.thread = threading.Thread(target=self.server.run, args=[is_ready.set])
        self.thread.start()
        assert is_ready.wait(20)

    def close(self):
        self.server.stop()
        self.thread.join(20)
        assert not self.thread.is_alive()


class ServedByProcess(Asking):
    """A server that is a process, as users run it."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "leaven", "serve", *map(str, arguments), "--port", "0"]
        environment = {**os.environ, "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])

    def tell(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Exit code, and what was printed to stderr."""
        self.tell(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@contextmanager
def in_process(*arguments):
    served = ServedByProcess(*arguments)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.process.kill()
            served.process.communicate()


def until(is_so, seconds=20):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)

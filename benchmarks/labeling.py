"""The labeling page: how long answers and new suggestions take, over HTTP while models train.

``leaven label`` runs in a process of its own, as for a person. A client answers as fast as it is
shown documents and waits for the model that knows the answer: 20,000 messages of 20 Newsgroups
(the first 1,500 characters of each), 100 answers, then 100 more without waiting, while models train
all the time. And a million short texts (the first 60 to 120 characters of lines of these messages):
time to the first question, answers, memory. Rows of seconds, without a peer.
"""

import csv
import http.client
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import Row, newsgroups

CHARACTERS = 1500
N_ANSWERS = 100
N_SHORT = 1_000_000
SHORT = (60, 120)  # characters
COLD = 180  # seconds until the page must answer
PREFIX = "labeling"


class Client:
    """Talks to a labeling page as its front end does."""

    def __init__(self, address: str) -> None:
        found = re.match(r"http://([\d.]+):(\d+)/\?token=(.+)", address)
        assert found is not None
        self.host, self.token = f"{found[1]}:{found[2]}", found[3]
        self._connection = http.client.HTTPConnection(self.host, timeout=120)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Cookie": f"leaven_token={self.token}", "Origin": f"http://{self.host}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps({"request": str(uuid.uuid4()), **body})
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        assert response.status == 200, (path, response.status, content[:200])
        return json.loads(content)

    def question(self) -> Any:
        return self.call("GET", "/api/next?n=1")["questions"][0]


@contextmanager
def page(data: Path) -> Iterator[tuple[Client, subprocess.Popen[str], float]]:
    """A page over a file; also the seconds until it can be asked."""
    began = time.perf_counter()
    labels = data.with_name(f"{uuid.uuid4()}.sqlite")
    command = [sys.executable, "-m", "leaven", "label", str(data), "--text", "text"]
    process = subprocess.Popen(
        [*command, "--labels", str(labels), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        client = Client(line.removeprefix("Open ").strip())
        client.question()
        yield client, process, time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGKILL)  # the model need not be saved
        process.wait()


def run() -> list[Row]:
    texts, labels = newsgroups()
    texts = [text[:CHARACTERS] for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        rows = messages(Path(folder) / "messages.csv", texts, labels)
        return rows + short_texts(Path(folder) / "short.csv", texts)


def messages(path: Path, texts: list[str], labels: list[str]) -> list[Row]:
    """Answers to 20,000 messages, with and without waiting for models."""
    _write(path, texts)
    with page(path) as (client, _, first):
        pass  # compiled and read from the disk before
    with page(path) as (client, process, first):
        ids: dict[str, int] = {}
        stored, known = [], []
        for number in range(2 * N_ANSWERS):
            question = client.question()
            seconds, n_labels = answered(client, question, labels[question["document"]], ids)
            stored.append(seconds)
            if number < N_ANSWERS and len(ids) > 1:
                known.append(seconds + until_known(client, n_labels))
        rows = [
            _row("first question, 20,000 messages", first, 5.0),
            _row("answer stored, median", float(np.median(stored)), None),
            _row("answer stored, p99", float(np.quantile(stored, 0.99)), 0.030),
            _row("suggestions know the answer, median", float(np.median(known)), 1.0),
            _row("suggestions know the answer, p95", float(np.quantile(known, 0.95)), 2.0),
        ]
        rows[0].details["mebibytes"] = _memory(process.pid)
    return rows


def short_texts(path: Path, texts: list[str]) -> list[Row]:
    """A million short texts, two classes by whether a text contains a digit."""
    rng = np.random.default_rng(0)
    lines = [line.strip() for text in texts for line in text.splitlines() if len(line) > 30]
    short = [
        f"{lines[i]} {lines[j]}"[:length]
        for i, j, length in zip(
            *rng.integers(len(lines), size=(2, N_SHORT)), rng.integers(*SHORT, N_SHORT), strict=True
        )
    ]
    _write(path, short)
    with page(path) as (client, process, first):
        ids: dict[str, int] = {}
        stored, known = [], []
        for _ in range(N_ANSWERS // 4):
            question = client.question()
            label = "digit" if re.search(r"\d", short[question["document"]]) else "none"
            seconds, n_labels = answered(client, question, label, ids)
            stored.append(seconds)
            if len(ids) > 1:
                known.append(seconds + until_known(client, n_labels))
        began = time.perf_counter()
        client.call("GET", "/api/documents?view=search&search=windows")
        searched = time.perf_counter() - began
        rows = [
            _row("first question, a million short texts", first, None),
            _row("answer stored, median, a million", float(np.median(stored)), None),
            _row("suggestions know the answer, median, a million", float(np.median(known)), None),
            _row("search, a million", searched, None),
        ]
        rows[0].details["mebibytes"] = _memory(process.pid)
    return rows


def answered(client: Client, question: Any, label: str, ids: dict[str, int]) -> tuple[float, int]:
    """Seconds until an answer is stored, and the number of labels then."""
    if label not in ids:
        ids[label] = client.call("POST", "/api/classes", {"name": label})["class"]["id"]
    body = {"document": question["document"], "classes": [ids[label]], "why": question["why"]}
    began = time.perf_counter()
    found = client.call("POST", "/api/answers", body)
    return time.perf_counter() - began, found["state"]["n_labeled"]


def until_known(client: Client, n_labels: int) -> float:
    """Seconds until the page's model knows so many labels."""
    began = time.perf_counter()
    while True:
        model = client.call("GET", "/api/state")["model"]
        if model is not None and model["n_labels"] >= n_labels:
            return time.perf_counter() - began
        time.sleep(0.01)


def _write(path: Path, texts: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        writer.writerows([text.replace("\x00", " ")] for text in texts)


def _memory(process: int) -> float | None:
    """Peak memory of a process in MiB; None where the system does not say."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return None if found is None else int(found[1]) / 1024


def _row(what: str, seconds: float, target: float | None) -> Row:
    return Row(f"{PREFIX}: {what}", seconds, target=target)

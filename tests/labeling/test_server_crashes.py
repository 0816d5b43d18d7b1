"""A labeling page that is killed while people answer loses nothing that it acknowledged."""

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
import uuid

import pytest

from leaven.labeling._store import LabelStore

KILLS = int(os.environ.get("LEAVEN_PAGE_KILLS", "2"))
CLIENTS = 2


class Client(threading.Thread):
    """Answers without end, and remembers what was acknowledged."""

    def __init__(self, host, token, numbers, class_ids):
        super().__init__(daemon=True)
        self.host, self.numbers, self.class_ids = host, numbers, class_ids
        self.headers = {
            "Cookie": f"leaven_token={token}",
            "Origin": f"http://{host}",
            "Content-Type": "application/json",
        }
        self.acknowledged = []

    def post(self, connection, path, **body):
        body = json.dumps({"request": str(uuid.uuid4()), **body})
        connection.request("POST", path, body, self.headers)
        response = connection.getresponse()
        content = json.loads(response.read())
        assert response.status in (200, 409), content
        return content

    def run(self):
        connection = http.client.HTTPConnection(self.host, timeout=30)
        try:
            for number in self.numbers:
                chosen = self.class_ids[number % len(self.class_ids)]
                self.post(connection, "/api/answers", document=number, classes=[chosen])
                self.acknowledged.append((number, chosen))
        except (OSError, http.client.HTTPException):
            pass  # the page was killed
        finally:
            connection.close()


@pytest.mark.slow  # every round starts the command
def test_a_killed_page_loses_no_answer(tickets, tmp_path):
    data, labels = tmp_path / "tickets.csv", tmp_path / "labels.sqlite"
    rows = tickets(4000)
    data.write_text("text\n" + "".join(f'"{row["text"]}"\n' for row in rows))
    command = [sys.executable, "-m", "leaven", "label", str(data), "--labels", str(labels)]
    expected, chosen = {}, random.Random(0)
    for turn in range(KILLS):
        process = subprocess.Popen(
            [*command, "--classes", "a,b,c", "--no-browser", "--quiet"],
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            address = re.search(r"http://([\d.:]+)/\?token=(\S+)", process.stdout.readline())
            host, token = address.groups()
            # Documents are answered again and again: the last acknowledged answer counts.
            spans = [range(i, len(rows), CLIENTS) for i in range(CLIENTS)]
            orders = [chosen.sample(span, len(span)) for span in spans]
            ids = [1, 2, 3]
            chosen.shuffle(ids)
            clients = [Client(host, token, order, ids) for order in orders]
            for client in clients:
                client.start()
            while not any(client.acknowledged for client in clients):
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(chosen.uniform(0.0, 0.5))
            os.kill(process.pid, signal.SIGKILL)
            for client in clients:
                client.join()
        known = [each for client in clients for each in client.acknowledged]
        expected |= dict(known)
        with LabelStore.open(
            labels, name="", n_documents=len(rows), several_labels=False, read_only=False
        ) as store:
            found = {label.document: label.classes[0] for label in store.labels()}
        # An answer under way may have been stored without having been acknowledged.
        unsure = {client.numbers[len(client.acknowledged)] for client in clients}
        wrong = {n for n, own in expected.items() if found.get(n) != own and n not in unsure}
        assert not wrong, (turn, sorted(wrong)[:5])
        expected |= {n: found[n] for n in unsure if n in found}

"""Labeling pages that are served by a thread, and a watch on what pages do."""

import csv
import random
import re
import threading
import time

import pytest

import browsers
from leaven.documents._reading import Reading

WORDS = {
    "billing": ("invoice", "charged", "payment", "card", "amount", "twice"),
    "delivery": ("parcel", "courier", "tracking", "late", "address", "doorstep"),
    "login": ("password", "account", "locked", "reset", "username", "captcha"),
}


def make_tickets(n=90, n_labeled=0, seed=0):
    """Short documents of three classes, in turn; the first ones are labeled."""
    chosen = random.Random(seed)
    rows = []
    for i in range(n):
        name = [*WORDS][i % len(WORDS)]
        words = chosen.sample(WORDS[name], 4)
        text = f"Ticket {i}: the {words[0]} and the {words[1]}, then {words[2]} with {words[3]}"
        rows.append({"id": f"T-{i}", "text": text, "label": name if i < n_labeled else ""})
    return rows


@pytest.fixture
def tickets():
    return make_tickets


class Watch:
    """Opens pages, and remembers what none of them may do."""

    def __init__(self, browser):
        self.browser, self.contexts, self.problems = browser, [], []
        self.expected = []  # patterns of console messages that a test provokes

    def open(self, address, context=None, **options):
        """A page at an address; in a window of its own, or a further tab of one."""
        if context is None:
            options = {"viewport": {"width": 1280, "height": 800}, **options}
            context = self.browser.new_context(**options)
            context.set_default_timeout(browsers.SOON)
            self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("dialog", self._on_dialog)
        origin = address.partition("?")[0]
        page.on("request", lambda request: self._on_request(request, origin))
        page.goto(address)
        return page

    def _on_console(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _on_dialog(self, dialog):
        if dialog.type == "beforeunload":  # an answer is stored, but its reply is on the way
            dialog.accept()
            return
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request, origin):
        if not request.url.startswith((origin, "blob:", "data:")):
            self.problems.append(f"request: {request.url}")

    def close(self):
        for context in self.contexts:
            context.close()
        expected = "|".join(self.expected) or r"(?!)"
        assert [each for each in self.problems if not re.search(expected, each)] == []


@pytest.fixture
def watch(browser):
    """Opens pages; fails at the end if one had an error or asked another site for something."""
    found = Watch(browser)
    yield found
    found.close()


class Labeling:
    """A labeling session over a CSV file, with its server in a thread."""

    def __init__(self, path, **options):
        self.path, self.options, self.labels = path, options, f"{path}.labels.sqlite"
        self.port, self.token, self.thread = 0, None, None

    def start(self):
        from leaven.labeling._documents import LabelingDocuments
        from leaven.labeling._server import LabelingServer
        from leaven.labeling._session import LabelingSession

        documents = LabelingDocuments.read([str(self.path)], Reading())
        self.session = LabelingSession(documents, self.labels, n_jobs=1, **self.options)
        # The trainer ignores warnings, and FastAPI while it is set up: each would undo the other's.
        while self.session.trainer.is_training:
            time.sleep(0.01)
        self.server = LabelingServer(self.session, self.port, self.token)
        self.port, self.token = self.server.port, self.server.token
        is_ready = threading.Event()
        self.thread = threading.Thread(target=self.server.run, args=(is_ready.set,))
        self.thread.start()
        assert is_ready.wait(30)
        return self

    def stop(self):
        if self.thread is not None:
            self.server.stop()
            self.thread.join(30)
            self.session.close()
            self.thread = None

    @property
    def address(self):
        return self.server.address

    def given(self):
        """Names of the classes of each labeled document, as the file of labels has them."""
        names = {each.id: each.name for each in self.session.store.classes()}
        labels = self.session.store.labels()
        return {each.document: [names[one] for one in each.classes] for each in labels}


@pytest.fixture
def serve(browser, tmp_path):
    """Serves rows as a CSV file until the end of the test; options are those of the session."""
    pytest.importorskip("fastapi", reason="the labeling page needs leaven[web]")
    started = []

    def start(rows, **options):
        path = tmp_path / f"tickets{len(started) or ''}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
        started.append(Labeling(path, **options))
        return started[-1].start()

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def label(serve, watch):
    """Serves rows and opens the page: the session with its server, and the page."""

    def start(rows, *, page_options=None, **options):
        served = serve(rows, **options)
        return served, watch.open(served.address, **(page_options or {}))

    return start

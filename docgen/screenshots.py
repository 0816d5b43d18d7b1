"""Make the pictures of the labeling page: a real session over the built-in corpus, in a browser.

Run it by hand after a change of the page; it needs Chromium, so that ``make lint`` does not.
"""

import csv
import io
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from leaven.datasets import load_docstrings
from leaven.documents._reading import Reading
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._server import LabelingServer
from leaven.labeling._session import LabelingSession

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
N_ANSWERS, AT_ONCE = 110, 5
MISTAKES = {41: "io", 72: "signal"}  # answers that are wrong, for the review
PATIENCE = 120  # seconds


def main() -> None:
    """Label, and take a picture of each tab."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("no Chromium was found: install chromium-headless-shell (apt-get) or Chrome")
    expect.set_options(timeout=1000 * PATIENCE)
    with (
        tempfile.TemporaryDirectory() as folder,
        labeled_session(Path(folder)) as session,
        served(session) as address,
        sync_playwright() as running,
    ):
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        take_pictures(browser, address)
        browser.close()


@contextmanager
def labeled_session(folder: Path) -> Iterator[LabelingSession]:
    """A session in which a person has given a hundred answers, some of them wrong."""
    texts, truth, _ = load_docstrings()
    path = folder / "docstrings.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    documents = LabelingDocuments.read([str(path)], Reading())
    session = LabelingSession(documents, f"{path}.labels.sqlite")
    try:
        answer(session, truth)
        wait_until(lambda: bool(session.disputes))
        yield session
    finally:
        session.close()


def answer(session: LabelingSession, truth: list[str]) -> None:
    """Answer what the session asks, a few documents for each model."""
    ids: dict[str, int] = {}
    n_answers = 0
    while n_answers < N_ANSWERS:
        wait_until(lambda: not session.trainer.is_training)
        for document, why in session.questions(AT_ONCE, []):
            name = MISTAKES.get(n_answers, truth[document])
            if name not in ids:
                ids[name] = add_class(session, name)
            session.answer(document, [ids[name]], f"answer {n_answers}", why=why)
            n_answers += 1


def add_class(session: LabelingSession, name: str) -> int:
    created = session.change_classes(lambda store: store.add_class(name, f"class {name}"))
    return int(created.id)


def wait_until(holds: Any) -> None:
    """Wait for the thread that trains."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            sys.exit("the session did not come as far as the pictures need; is a fit failing?")
        time.sleep(0.05)


@contextmanager
def served(session: LabelingSession) -> Iterator[str]:
    """The address of the page."""
    server, is_ready = LabelingServer(session), threading.Event()
    thread = threading.Thread(target=server.run, args=(is_ready.set,))
    thread.start()
    is_ready.wait()
    try:
        yield server.address
    finally:
        server.stop()
        thread.join()


def take_pictures(browser: Browser, address: str) -> None:
    """All pictures; nothing is answered in between."""
    page = opened(browser, address, WIDE)
    find_good_example(page)
    save(page, "label")
    page.keyboard.press("/")
    page.keyboard.type("eigenvalue")
    expect(page.locator("#search-total")).to_contain_text("documents")
    page.locator("#bulk-class").select_option("linalg")
    for i in (0, 2):
        page.locator("#search-results input").nth(i).check()
    save(page, "label_search")
    page.locator("#tab-progress").click()
    expect(page.locator(".chart")).to_have_count(2)
    save(page, "label_progress")

    dark = opened(browser, address, WIDE, color_scheme="dark")
    dark.locator("#tab-review").click()
    expect(dark.locator(".result.is-current")).to_have_count(1)
    save(dark, "label_review")

    narrow = opened(browser, address, NARROW, device_scale_factor=2)
    find_good_example(narrow)
    save(narrow, "label_narrow")


def opened(browser: Browser, address: str, viewport: dict[str, int], **options: Any) -> Page:
    page = browser.new_context(viewport=viewport, **options).new_page()
    page.goto(address)
    expect(page.locator("#document-number")).to_contain_text("Document")
    return page


def find_good_example(page: Page) -> None:
    """Go to a document that is neither an audit nor long, and has words that pull."""
    for _ in range(40):
        page.wait_for_timeout(400)
        length = len(page.locator("#text").inner_text())
        if 250 < length < 900 and page.locator("#text mark").count() > 8:
            break
        page.locator("#skip").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def save(page: Page, name: str) -> None:
    """Write a picture, as small as it can be."""
    page.wait_for_timeout(800)  # for what moves
    path = IMAGES / f"{name}.png"
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    # Without k-means, colors of classes that cover few pixels become the same.
    picture.quantize(256, kmeans=4, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"wrote {path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""Fixtures of all tests."""

import shutil

import pytest
from hypothesis import settings

import browsers
from leaven.datasets import data_folder

# Time is measured by benchmarks: on a busy machine any test can be slow.
settings.register_profile("leaven", deadline=None)
settings.load_profile("leaven")


@pytest.fixture(scope="session")
def real_data():
    """Folder of the real corpora, or a skip."""
    folder = data_folder()
    if folder is None:
        pytest.skip("real corpora are absent; set LEAVEN_DATA to the folder that holds them")
    return folder


@pytest.fixture(scope="module")
def browser():
    """Chromium, or a skip; closed after a module, as Playwright keeps an event loop running."""
    path = next(filter(None, map(shutil.which, browsers.NAMES)), None)
    if path is None:
        pytest.skip("no Chromium was found; install chromium-headless-shell")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=browsers.SOON)
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()

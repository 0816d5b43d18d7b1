"""The site: it builds, loads nothing from outside, and its links, formulas and search work."""

import fcntl
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from docgen.site import (
    BrokenLinkError,
    collect,
    configured,
    place,
    with_links_of_the_site,
    zensical,
)

import leaven

pytestmark = pytest.mark.slow
UNRENDERED = (
    "[...document.querySelectorAll('.arithmatex')].filter(each => !each.querySelector('.katex'))"
)
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src"}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site, built once for all processes that run tests."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "documentation"
    with (shared / "documentation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "site" / "built").exists():
            folder.mkdir(exist_ok=True)
            collect(folder / "docs")
            configuration = configured(folder)
            code, printed = zensical("build", "--strict", configuration=configuration, capture=True)
            assert code == 0, printed
            (folder / "site" / "built").touch()
    return folder / "site"


class Links(HTMLParser):
    """What a page loads, what it links to, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.loaded, self.linked, self.anchors = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if found.get("id"):
            self.anchors.add(found["id"])
        if tag == "a" and found.get("href"):
            self.linked.append(found["href"])
        if tag in LOADED and found.get(LOADED[tag]):
            self.loaded.append(found[LOADED[tag]])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loaded.append(found["href"])


@pytest.fixture(scope="session")
def pages(site):
    return {path: Links(path) for path in sorted(site.rglob("*.html"))}


def test_pages_load_nothing_from_outside(pages):
    outside = {
        (str(path.name), url) for path, page in pages.items() for url in page.loaded
        if urlsplit(url).scheme or url.startswith("//")
    }  # fmt: skip
    assert not {each for each in outside if not each[1].startswith("data:")}


def test_files_that_pages_load_exist(pages):
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for url in page.loaded:
            if not urlsplit(url).scheme:
                assert (path.parent / unquote(urlsplit(url).path)).is_file(), (path.name, url)


def test_links_and_anchors_exist(pages):
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.linked:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), (path.name, link)
            if target.suffix == ".html" and parts.fragment:
                assert unquote(parts.fragment) in pages[target].anchors, (path.name, link)


def test_every_public_name_has_an_entry_to_link_to(pages):
    anchors = {anchor for page in pages.values() for anchor in page.anchors}
    names = [name for name in leaven.__all__ if not name.startswith("__")]
    assert [name for name in names if f"leaven.{name}" not in anchors] == []
    for name in ("TextClassifier.explain", "TextClassifier.fit_files", "exceptions.DataError"):
        assert f"leaven.{name}" in anchors


def test_references_of_docstrings_are_links(pages):
    for path in pages:
        text = re.sub(r"<code>.*?</code>", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"\]\[\w*\]|:(?:class|func|meth|attr):", text), path.name


def test_the_search_index_knows_the_pages(site):
    index = (site / "search.json").read_text(encoding="utf-8")
    assert "methods/annealing.html" in index
    assert "annealing" in index


def test_a_link_to_nothing_is_told():
    with pytest.raises(BrokenLinkError, match=r"docs/index\.md links to nothing\.md"):
        with_links_of_the_site("docs/index.md", "[a](nothing.md)")


def test_links_are_those_of_the_site():
    text = "[a](../../CONTRIBUTING.md#x) [b](auto.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n"
    text = text.replace(" `[c](d.md)`", "")
    moved = with_links_of_the_site("docs/methods/index.md", text)
    assert moved == "[a](../contributing.md#x) [b](auto.md)\n```text\n[e](f.md)\n```\n"
    assert place("studies/results/few_labels.json") == "results/few_labels.json"


@pytest.fixture
def opened(browser, site):
    """Open pages without a network; what they ask for outside, and what goes wrong."""
    contexts, asked, wrong = [], [], []

    def open_page(name, width=1280, scheme="light"):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / name).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_search_finds_annealing(opened):
    page = opened("index.html")
    results = page.locator("a[href*='annealing.html?h=annealing']")
    page.wait_for_timeout(500)  # for the search, which is loaded after the page
    for _ in range(20):
        page.keyboard.press("Control+k")
        page.keyboard.type("annealing")
        page.wait_for_timeout(1000)
        if results.count():
            break
        page.keyboard.press("Escape")
    results.first.click()
    page.wait_for_url("**/methods/annealing.html**")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_formulas_are_rendered_and_pages_fit_the_screen(opened, width, scheme):
    page = opened("methods/auto.html", width, scheme)
    page.locator(".katex").first.wait_for(state="attached")
    assert page.locator(".katex").count() > 10
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_all_formulas_can_be_rendered(opened, site):
    page = opened("methods/index.html")
    for path in sorted((site / "methods").glob("*.html")):
        page.goto(path.as_uri())
        page.wait_for_function(f"{UNRENDERED}.length === 0")
        assert page.locator(".katex-error").count() == 0
        shown = page.locator("article").inner_text()
        assert not re.search(r"\\(?:frac|sum|log|theta|mid)\b|\$\$", shown), path.name


def test_a_reference_leads_to_another_page(opened):
    page = opened("reference/python/functions.html")
    page.locator("article a", has_text="leaven.TextClassifier").first.click()
    page.wait_for_url("**/text-classifier.html#leaven.TextClassifier*")
    assert page.locator("h1").inner_text().startswith("TextClassifier")


def test_the_site_has_the_files_of_the_project(site):
    assert "0.1.0" in (site / "changelog.html").read_text(encoding="utf-8")
    assert (site / "contributing.html").is_file()
    assert Path(site / "assets/katex/LICENSE").is_file()

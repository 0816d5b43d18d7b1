"""Papers that docstrings and pages cite are in the bibliography, and none is there in vain."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path != BIBLIOGRAPHY]
MODULES = sorted((ROOT / "src" / "leaven").rglob("*.py"))
HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

ENTRIES = re.findall(r"^### (\S+)$", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE)


def cited_in_module(path):
    """Keys in docstrings, as in ``[Holm (1979)][holm1979]``."""
    keys = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, HOLDERS):
            keys |= set(re.findall(r"\]\[([a-z]\w*)\]", ast.get_docstring(node) or ""))
    return keys


def cited_on_page(path):
    """Keys of links to the bibliography, wherever the page is."""
    return set(re.findall(r"bibliography\.md#([\w-]+)\)", path.read_text(encoding="utf-8")))


def all_cited():
    found = [cited_in_module(path) for path in MODULES] + [cited_on_page(path) for path in PAGES]
    return set().union(*found)


def test_keys_are_different_and_in_the_form_of_keys():
    assert len(ENTRIES) > 15
    assert len(set(ENTRIES)) == len(ENTRIES)
    assert all(re.fullmatch(r"[a-z]+(\d{4})?", key) for key in ENTRIES)


@pytest.mark.parametrize("path", [*MODULES, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_paper_cited_has_an_entry(path):
    cited = cited_in_module(path) if path.suffix == ".py" else cited_on_page(path)
    assert cited <= set(ENTRIES)


def test_every_entry_is_cited():
    assert set(ENTRIES) - all_cited() == set()


def test_docstrings_and_pages_both_cite():
    assert {"nigam2006", "druck2007"} <= cited_in_module_of("estimators")
    assert any(cited_on_page(path) for path in PAGES)


def cited_in_module_of(package):
    paths = (ROOT / "src" / "leaven" / package).rglob("*.py")
    return set().union(*(cited_in_module(path) for path in paths))


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_names_a_year_or_a_place_and_says_what_is_taken(key):
    text = BIBLIOGRAPHY.read_text(encoding="utf-8").partition(f"### {key}\n")[2]
    entry, said, *_ = re.split(r"\n\n", text.partition("\n#")[0].strip())
    year = re.search(r"\d{4}$", key)
    assert year is None or year[0] in entry
    assert said.endswith(".")

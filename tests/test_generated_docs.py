"""Numbers in the documentation are those of the results, and stay so."""

import json
import re
import shutil
from pathlib import Path

import docgen.__main__ as docgen
import pytest
from docgen import command_line, methods, multilabel, studies

from leaven.methods import METHODS

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/accuracy.md", "docs/methods/auto.md")


@pytest.fixture
def copies(tmp_path):
    """All that is generated, copied to a folder."""
    for file in (command_line.PAGE, *docgen.PICTURES, *(each.file for each in docgen.SECTIONS)):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def outdated(root):
    """Without the page of the command line, which other versions of typer lay out differently."""
    found = docgen.outdated(docgen.wanted(root), root)
    return [file for file in found if file != command_line.PAGE]


def test_what_is_generated_is_current():
    assert outdated(ROOT) == [], "run: python -m docgen"


@pytest.mark.parametrize("page", PAGES)
def test_a_changed_number_is_found(page, copies):
    path = copies / page
    text = path.read_text(encoding="utf-8")
    start = text.index("<!-- few_labels: accuracy table -->")
    number = re.compile(r"\d+\.\d").search(text, start)
    path.write_text(f"{text[: number.start()]}99.9{text[number.end() :]}", encoding="utf-8")
    assert outdated(copies) == [page]


def test_a_changed_result_is_found(copies, monkeypatch, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(ROOT / "studies" / "results", folder)
    path = folder / "few_labels.json"
    results = json.loads(path.read_text())
    auto = next(row for row in results["overall"] if row["method"] == "auto")
    auto["accuracy_50"] += 0.01
    path.write_text(json.dumps(results))
    monkeypatch.setattr(studies, "RESULTS", folder)
    studies.read.cache_clear()
    try:
        assert outdated(copies) == list(PAGES)
    finally:
        studies.read.cache_clear()


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("new_corpora", ["README.md", "docs/accuracy.md"]),
        ("sentence_vectors", ["docs/accuracy.md", "docs/methods/two-view.md"]),
    ],
)
def test_a_changed_number_of_other_results_is_found(name, pages, copies, monkeypatch, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(ROOT / "studies" / "results", folder)
    path = folder / f"{name}.json"
    results = json.loads(path.read_text())
    score = results["accuracy"]["auto"]["1"]
    results["accuracy"]["auto"]["1"] = [0.9] * 5 if isinstance(score, list) else 0.9
    path.write_text(json.dumps(results))
    monkeypatch.setattr(studies, "RESULTS", folder)
    studies.read.cache_clear()
    try:
        assert outdated(copies) == pages
    finally:
        studies.read.cache_clear()


def test_a_changed_number_of_label_sets_is_found(copies, monkeypatch, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(ROOT / "studies" / "results", folder)
    path = folder / "mccallum_table_2.json"
    results = json.loads(path.read_text())
    results["rows"]["auto"]["exact"] = 0.999
    path.write_text(json.dumps(results))
    monkeypatch.setattr(studies, "RESULTS", folder)
    studies.read.cache_clear()
    try:
        assert outdated(copies) == [multilabel.PAGE]
    finally:
        studies.read.cache_clear()


def test_results_that_cannot_be_reproduced_say_so():
    results = json.loads((ROOT / "studies" / "results" / "new_corpora.json").read_text())
    assert "Measured once" in results["provenance"]
    assert "cannot reproduce" in studies.new_corpora_table()


def test_a_changed_picture_is_found(copies):
    picture = next(iter(docgen.PICTURES))
    (copies / picture).write_bytes(b"another picture")
    assert outdated(copies) == [picture]


def test_a_missing_marker_is_told_in_one_line(copies):
    path = copies / "README.md"
    text = path.read_text(encoding="utf-8")
    marker = "<!-- few_labels: accuracy table -->"
    path.write_text(text.replace(marker, ""), encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        docgen.wanted(copies)
    assert str(caught.value).startswith(f"README.md has no marker {marker}; ")
    assert "\n" not in str(caught.value)


def test_a_section_without_an_end_is_told(copies):
    path = copies / "README.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<!-- end -->", "", 1), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"has no <!-- end --> after <!-- .* -->"):
        docgen.wanted(copies)


def test_a_section_that_nothing_writes_is_told(copies):
    with (copies / "README.md").open("a", encoding="utf-8") as file:
        file.write("<!-- by hand -->\n1.0\n<!-- end -->\n")
    with pytest.raises(SystemExit, match=r"README\.md has \d+ <!-- end -->"):
        docgen.wanted(copies)


def test_a_missing_result_is_told_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(studies, "RESULTS", tmp_path)
    studies.read.cache_clear()
    with pytest.raises(SystemExit) as caught:
        studies.few_labels_table()
    studies.read.cache_clear()
    assert str(caught.value) == (
        "studies/results/few_labels.json is missing; run: python -m studies few_labels"
    )


def test_all_pages_have_the_same_table():
    pattern = r"<!-- few_labels: accuracy table -->\n(.*?)<!-- end -->"
    tables = [
        re.search(pattern, (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)[1]
        for page in PAGES
    ]
    assert len(set(tables)) == 1
    assert tables[0].count("\n| ") == 10


def test_every_method_has_a_page():
    pages = methods.PAGES
    assert sorted(name for names in pages.values() for name in names) == sorted(METHODS)
    assert all((ROOT / "docs" / "methods" / page).is_file() for page in pages)

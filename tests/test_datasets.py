"""The built-in corpus and the folder of real ones."""

import gzip
import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from leaven import datasets
from leaven.datasets import TextDataset, data_folder, load_corpus, load_docstrings


@pytest.fixture(scope="module")
def docstrings():
    return load_docstrings()


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    rows = [
        {"text": "a", "label": None, "date": "2024-01-01", "labels": [], "fold": 3},
        {"text": "b", "label": "x", "date": "2024-01-02", "labels": ["p", "q"], "fold": 4},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "tiny.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    monkeypatch.setenv("LEAVEN_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_docstrings_give_eleven_classes_of_some_hundred_documents(docstrings):
    assert isinstance(docstrings, TextDataset)
    assert docstrings.name == "scipy-docstrings"
    assert 2_000 < len(docstrings.texts) < 4_000
    assert len(docstrings.labels) == len(docstrings.texts)
    counts = Counter(docstrings.labels)
    assert set(counts) == set(datasets.SUBPACKAGES)
    assert min(counts.values()) >= 50


def test_docstrings_are_long_enough_clean_and_different(docstrings):
    assert min(map(len, docstrings.texts)) >= 80
    assert len(set(docstrings.texts)) == len(docstrings.texts)
    assert all(text.strip("\n") == text for text in docstrings.texts)
    label = {text.split("\n")[0]: y for text, y in zip(*docstrings[:2], strict=True)}
    assert label["Compressed Sparse Row matrix."] == "sparse"


@pytest.mark.slow
def test_docstrings_come_in_the_same_order_and_import_no_subpackage(docstrings):
    code = (
        "import sys, hashlib; from leaven.datasets import load_docstrings;"
        "digest = hashlib.sha256(repr(load_docstrings()).encode()).hexdigest();"
        "print(digest, 'scipy.stats' in sys.modules)"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    digest = hashlib.sha256(repr(docstrings).encode()).hexdigest()
    assert other.stdout.split() == [digest, "False"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("stats/tests/common.py", True),
        ("stats/_tests/data.py", True),
        ("stats/test_it.py", True),
        ("stats/conftest.py", True),
        ("stats/_hypotests.py", False),
        ("stats/_stats_py.py", False),
    ],
)
def test_files_of_tests_are_known_by_their_place(path, expected):
    assert datasets._is_test(Path(path)) is expected


def test_nested_functions_and_methods_have_their_docstrings_found(tmp_path):
    source = (
        '"""module"""\nif True:\n    class A:\n        """class"""\n'
        '        def f(self):\n            """  method\n            more"""\n'
        '            x = "no"\n            "nor this"\n'
        'try:\n    pass\nexcept ValueError:\n    async def g():\n        """async"""\n'
    )
    path = tmp_path / "m.py"
    path.write_text(source)
    assert list(datasets._docstrings(path)) == ["module", "class", "method\nmore", "async"]


def test_fields_are_read_in_the_order_asked_for(corpora):
    table = load_corpus("tiny", columns=["labels", "date", "text", "fold", "label"])
    assert table.schema.names == ["labels", "date", "text", "fold", "label"]
    assert table["date"].to_pylist() == ["2024-01-01", "2024-01-02"]
    assert table["labels"].to_pylist() == [[], ["p", "q"]]
    assert table["fold"].to_pylist() == [3, 4]
    assert table["text"].type == pa.large_string()


def test_a_missing_field_is_refused_with_those_there_are(corpora):
    with pytest.raises(KeyError, match="no field 'title'; choose among date, fold, label"):
        load_corpus("tiny", columns=["title"])


def test_a_missing_corpus_names_the_variable_to_set(corpora):
    with pytest.raises(FileNotFoundError, match=r"'huge' is not in .* tiny\).*LEAVEN_DATA"):
        load_corpus("huge")


def test_without_any_folder_the_variable_to_set_is_named(monkeypatch):
    monkeypatch.setattr(datasets, "data_folder", lambda: None)
    with pytest.raises(FileNotFoundError, match=r"set LEAVEN_DATA .* tiny\.jsonl\.gz"):
        load_corpus("tiny")


def test_the_variable_comes_first_and_must_name_a_folder(corpora, monkeypatch):
    assert data_folder() == corpora
    monkeypatch.setenv("LEAVEN_DATA", str(corpora / "nowhere"))
    with pytest.raises(FileNotFoundError, match="LEAVEN_DATA must name a folder"):
        data_folder()


def test_without_the_variable_the_folder_beside_the_project_is_used(monkeypatch, tmp_path):
    monkeypatch.delenv("LEAVEN_DATA", raising=False)
    module = tmp_path / "project" / "src" / "leaven" / "datasets.py"
    monkeypatch.setattr(datasets, "__file__", str(module))
    assert data_folder() is None
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_folder() == tmp_path / "shared" / "data"


@pytest.mark.slow
def test_the_real_corpora_have_their_published_sizes():
    folder = data_folder()
    if folder is None:
        pytest.skip("needs the folder of real corpora; set LEAVEN_DATA")
    expected = {"20news_bydate": 18_846, "movie_reviews": 2_000, "webkb4_stemmed": 4_199}
    for name, n_documents in expected.items():
        if not (folder / f"{name}.jsonl.gz").is_file():
            pytest.skip(f"{name} is not in the folder of corpora")
        assert load_corpus(name).num_rows == n_documents

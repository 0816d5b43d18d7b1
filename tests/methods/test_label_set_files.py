"""Documents with several labels: the same classifier from memory, files on disk and a cluster."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import clusters
from leaven import TextClassifier
from leaven.corpora._file_blocks import CountedFiles
from leaven.documents._label_encoding import encode_labels
from leaven.documents._label_sets import SEPARATOR
from leaven.documents._readers import DocumentFiles
from leaven.exceptions import DataError, LabelWarning

WORDS = {
    "space": ["orbit", "planet", "star", "comet", "moon", "galaxy", "rocket", "telescope"],
    "baking": ["dough", "yeast", "oven", "flour", "crust", "loaf", "butter", "salt"],
    "sport": ["goal", "match", "team", "player", "league", "score", "referee", "stadium"],
}
OTHERS = ["time", "week", "people", "year", "world", "day", "place", "part"]
NEW = ["orbit comet moon dough yeast", "goal match team", "time week people", "loaf salt rocket"]


def documents(n_documents=240, share_unlabeled=0.3):
    """Texts of zero to two classes, a third of them unlabeled (None)."""
    rng = np.random.default_rng(3)
    texts, labels = [], []
    for _ in range(n_documents):
        names = sorted(rng.choice(list(WORDS), rng.choice([0, 1, 1, 2]), replace=False).tolist())
        words = [word for name in names for word in rng.choice(WORDS[name], 5)]
        texts.append(" ".join([*words, *rng.choice(OTHERS, 6)]))
        labels.append(None if rng.random() < share_unlabeled else names)
    return texts, labels


TEXTS, LABELS = documents()


def write_parquet(folder):
    kind = pa.list_(pa.string())
    table = pa.table({"text": TEXTS, "labels": pa.array(LABELS, kind)})
    pq.write_table(table, folder / "a.parquet", row_group_size=50)
    return folder / "a.parquet", {}


def write_jsonl(folder):
    rows = zip(TEXTS, LABELS, strict=True)
    lines = [json.dumps({"text": text, "labels": names}) for text, names in rows]
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "a.jsonl", {}


def write_csv(folder):
    cells = ["" if names is None else ";".join(names) or ";" for names in LABELS]
    lines = [f"{text},{cell}\n" for text, cell in zip(TEXTS, cells, strict=True)]
    (folder / "a.csv").write_text("text,label\n" + "".join(lines))
    return folder / "a.csv", {"label_separator": ";"}


def write_mixed(folder):
    """Lists in one file, and single labels in another, which are sets of one."""
    is_single = [names is not None and len(names) == 1 for names in LABELS]
    lists, singles = folder / "a.jsonl", folder / "b.csv"
    rows = [
        json.dumps({"text": text, "label": names})
        for text, names, single in zip(TEXTS, LABELS, is_single, strict=True)
        if not single
    ]
    lists.write_text("\n".join(rows) + "\n")
    cells = [
        f"{text},{names[0]}\n"
        for text, names, single in zip(TEXTS, LABELS, is_single, strict=True)
        if single
    ]
    singles.write_text("text,label\n" + "".join(cells))
    return [lists, singles], {}


WRITERS = {
    "parquet": write_parquet,
    "jsonl": write_jsonl,
    "csv": write_csv,
    "mixed": write_mixed,
}


@pytest.fixture(scope="module")
def here():
    return TextClassifier("svm").fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def client():
    with clusters.threads() as own:
        yield own


def assert_same(here, there):
    assert there.classes_.tolist() == here.classes_.tolist() == sorted(WORDS)
    assert there.fitted.labels.keys == here.fitted.labels.keys
    assert there.predict(NEW).tolist() == here.predict(NEW).tolist()
    assert_allclose(there.predict_proba(NEW), here.predict_proba(NEW), atol=2e-3)
    assert there.report_.n_labeled == here.report_.n_labeled
    assert there.report_.class_counts == here.report_.class_counts
    assert there.report_.warnings == here.report_.warnings


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
@pytest.mark.parametrize("place", ["memory", "stream", "dask"])
def test_files_with_label_sets_give_the_classifier_that_memory_gives(
    tmp_path, here, client, place, write
):
    paths, how = write(tmp_path)
    where = {"client": client} if place == "dask" else {"stream": place == "stream"}
    there = TextClassifier("svm").fit_files(paths, **how, **where)
    assert_same(here, there)
    assert here.predict(NEW).tolist() == [
        ("baking", "space"), ("sport",), (), ("baking", "space"),
    ]  # fmt: skip
    assert there.fitted.reading.label_separator == how.get("label_separator")


def test_unlabeled_and_without_a_label_differ(tmp_path):
    paths, how = write_csv(tmp_path)
    column = DocumentFiles(paths, **how).read().labels
    assert column.null_count == LABELS.count(None) > 0
    assert column.to_pylist().count(SEPARATOR) == LABELS.count([]) > 0


@pytest.mark.parametrize("stream", [False, True])
def test_notes_name_label_sets_readably(tmp_path, stream):
    texts = [*TEXTS, *["the same text twice"] * 3]
    labels = [*LABELS, ["space", "baking"], [], ["sport"]]
    table = pa.table({"text": texts, "labels": pa.array(labels, pa.list_(pa.string()))})
    pq.write_table(table, tmp_path / "a.parquet")
    clf = TextClassifier("svm").fit_files(tmp_path / "a.parquet", stream=stream)
    (note,) = [note for note in clf.report_.warnings if "different labels" in note]
    assert "as 'baking, space', 'no label' and 'sport')" in note
    assert SEPARATOR not in str(clf.report_)


@pytest.mark.parametrize("stream", [False, True])
def test_a_separator_is_suggested_where_labels_look_joined(tmp_path, stream):
    paths, _ = write_csv(tmp_path)
    with pytest.warns(LabelWarning, match=r"look like several labels with ';' between them") as all:
        TextClassifier("nb").fit_files(paths, stream=stream)
    assert any("--label-separator ';' reads a set" in str(each.message) for each in all)


@pytest.mark.parametrize("stream", [False, True])
def test_other_methods_refuse_sets_in_files(tmp_path, stream):
    paths, how = write_csv(tmp_path)
    with pytest.raises(ValueError, match=r"method 'em' learns one label per document.*'?svm"):
        TextClassifier("em").fit_files(paths, stream=stream, **how)


def test_a_set_that_turns_up_late_is_named_readably(tmp_path):
    paths, how = write_csv(tmp_path)
    files = DocumentFiles(paths, **how)
    counter = TextClassifier("svm", calibrate=False).fit(TEXTS, LABELS).fitted.counter
    labels = encode_labels([["space"], ["sport"], []]).labels
    with pytest.raises(DataError, match=r"the label 'baking(, sp\w+)?' is not among the classes"):
        list(CountedFiles(files, counter, labels))

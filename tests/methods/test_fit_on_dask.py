"""Files trained on by a cluster: every method gives what it gives in memory."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import clusters
from leaven import TextClassifier
from leaven.corpora import dask_uncounted
from leaven.exceptions import ClusterError, DataError
from leaven.methods import METHODS as REGISTRY

WORDS = {
    "space": "orbit planet star comet moon galaxy rocket telescope",
    "baking": "dough yeast oven flour crust loaf butter salt",
    "sport": "goal match team player league score referee stadium",
}
QUICK = {
    "mixture": {"n_components": [1, 2], "n_splits": 2, "n_init": 1, "max_iter": 200},
    "annealed": {"beta_start": 0.3, "beta_factor": 1.5},
    "tsvm": {"C_unlabeled": 1.0},
    "maxent": {"variance": 1.0},
    "pcp": {"alpha": 0.3},
}
METHODS = {name: QUICK.get(name, {}) for name in REGISTRY}


def documents(n_documents, seed=0, n_labeled=12):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n_documents):
        name = list(WORDS)[i % 3]
        others = " ".join(WORDS.values()).split()
        texts.append(" ".join([*rng.choice(WORDS[name].split(), 5), *rng.choice(others, 4)]))
        labels.append(name if i < n_labeled else None)
    return texts, labels


@pytest.fixture(scope="module")
def client():
    with clusters.threads() as own:
        yield own


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The same documents as lists and as files of three formats."""
    folder = tmp_path_factory.mktemp("corpus")
    texts, labels = documents(600)
    pq.write_table(
        pa.table({"text": texts[:300], "label": pa.array(labels[:300], pa.string())}),
        folder / "a.parquet",
        row_group_size=40,
    )
    rows = zip(texts[300:450], labels[300:450], strict=True)
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    (folder / "b.jsonl").write_text("\n".join(lines) + "\n")
    with gzip.open(folder / "c.csv.gz", "wt") as file:
        file.write("text,label\n" + "".join(f"{text},\n" for text in texts[450:]))
    return texts, labels, str(folder)


def assert_same(found, expected, tolerance=1e-4):
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert found.fitted.counter.vocabulary.words == expected.fitted.counter.vocabulary.words
    if expected.fitted.decides_by_neighbors:
        a, b = (each.fitted.kept_documents() for each in (found, expected))
        assert a.numbers.tolist() == b.numbers.tolist()
        assert a.codes.tolist() == b.codes.tolist()
        return
    if expected.fitted.mixture is None:
        return
    a, b = found.fitted.mixture.params, expected.fitted.mixture.params
    assert_allclose(a.log_word, b.log_word, rtol=tolerance, atol=tolerance)
    assert_allclose(a.log_weight, b.log_weight, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_what_it_gives_in_memory(client, corpus, method):
    texts, labels, folder = corpus
    classifier = TextClassifier(method, options=METHODS[method], diagnose=True)
    here = classifier.fit(texts, labels)
    classes, probability = here.predict(texts), here.predict_proba(texts)
    there = TextClassifier(method, options=METHODS[method], diagnose=True)
    there.fit_files(folder, client=client)
    assert_same(there, here, 1e-3 if method in ("two-view", "auto") else 1e-4)
    assert there.predict(texts).tolist() == classes.tolist()
    assert_allclose(there.predict_proba(texts), probability, atol=2e-3)
    assert there.report_.n_documents == 600
    assert there.report_.diagnosis.get("verdict") == here.report_.diagnosis.get("verdict")


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_twenty_newsgroups_on_any_number_of_workers(real_data, tmp_path, n_workers):
    with gzip.open(real_data / "20news_19997.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file][:: 5 - n_workers]
    texts = [row["text"] for row in rows]
    labels = [row["label"] if i % 40 == 0 else None for i, row in enumerate(rows)]
    table = pa.table({"text": texts, "label": pa.array(labels, pa.string())})
    n_files = 2 * n_workers - 1
    for number in range(n_files):
        first, last = number * len(rows) // n_files, (number + 1) * len(rows) // n_files
        part = table.slice(first, last - first)
        pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=500 * n_workers)
    here = TextClassifier("em", calibrate=False).fit(texts, labels)
    streamed = TextClassifier("em", calibrate=False).fit_files(tmp_path)
    with clusters.threads(n_workers) as client:
        there = TextClassifier("em", calibrate=False).fit_files(tmp_path, client=client)
    for other in (streamed, there):
        # EM magnifies rounding where a document is between two classes: a few rare words differ.
        assert_same(other, here, tolerance=5e-3)
        assert_allclose(other.report_.objective, here.report_.objective, rtol=1e-6)


def write_many(folder, n_files=50):
    for number in range(n_files):
        texts, labels = documents(30, seed=number)
        table = pa.table({"text": texts, "label": pa.array(labels, pa.string())})
        pq.write_table(table, folder / f"{number:02}.parquet")


def test_a_damaged_file_among_fifty_is_named_and_can_be_left_out(client, tmp_path):
    write_many(tmp_path)
    good = TextClassifier("nb", calibrate=False)
    damaged = tmp_path / "17.parquet"
    content = bytearray(damaged.read_bytes())
    middle = len(content) // 3
    content[10:middle] = bytes(middle - 10)  # the footer still tells of what is no longer there
    damaged.write_bytes(content)
    classifier = TextClassifier("nb", calibrate=False)
    with pytest.raises(DataError, match=r"17\.parquet cannot be read as Parquet"):
        classifier.fit_files(tmp_path, client=client)
    assert not hasattr(classifier, "report_")
    paths = [*sorted(map(str, tmp_path.glob("*.parquet"))), str(tmp_path / "missing.parquet")]
    classifier.fit_files(paths, client=client, skip_bad_files=True)
    assert classifier.report_.n_documents == 49 * 30
    assert "2 bad files were left out (" in classifier.report_.warnings[0]
    damaged.unlink()
    assert_same(classifier, good.fit_files(tmp_path), 1e-5)


def test_files_that_only_this_machine_has_are_no_trouble_here(client, corpus, monkeypatch):
    # Workers run in folders of their own, so that a relative path must still be found.
    monkeypatch.chdir(corpus[2])
    found = TextClassifier("nb", calibrate=False).fit_files(["a.parquet", "b.jsonl"], client=client)
    assert found.report_.n_documents == 450


def test_a_closed_client_is_refused_in_one_sentence(corpus):
    with clusters.threads(1) as client:
        pass
    with pytest.raises(ClusterError, match="is gone"):
        TextClassifier("nb").fit_files(corpus[2], client=client)


def test_a_file_that_workers_do_not_see_is_told_apart_from_a_missing_one(client, tmp_path):
    write_many(tmp_path, 3)
    classifier = TextClassifier("nb", calibrate=False)

    seen = dask_uncounted.pieces_of

    def gone_meanwhile(*given):
        found = seen(*given)
        (tmp_path / "01.parquet").unlink()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_uncounted, "pieces_of", gone_meanwhile)
        with pytest.raises(DataError, match=r"01\.parquet does not exist for the worker on "):
            classifier.fit_files(tmp_path, client=client)

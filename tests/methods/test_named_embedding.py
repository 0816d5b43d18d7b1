"""Classifiers with an embedding by name: in memory, streamed, on Dask, saved and loaded."""

import json

import numpy as np
import pytest

import clusters
from leaven import TextClassifier, load
from leaven.text import _embeddings
from leaven.text._embeddings import EMBEDDINGS

CLASSES = ("up", "down", "left")
HINTS = {"up": "alpha", "down": "bravo", "left": "gamma"}


def by_hint(texts):
    """A vector that knows what three words mean, whatever comes behind them."""
    rng = np.random.default_rng(0)
    codes = [next((i for i, h in enumerate(HINTS.values()) if h in text), 0) for text in texts]
    return np.eye(3)[codes] + 0.05 * rng.normal(size=(len(texts), 3))


@pytest.fixture(autouse=True)
def hints(monkeypatch):
    monkeypatch.setitem(EMBEDDINGS, "hints", lambda: by_hint)
    _embeddings._loaded.cache_clear()
    yield
    _embeddings._loaded.cache_clear()


@pytest.fixture
def rows():
    """Texts whose words tell nothing but the hint, which every text spells differently."""
    rng = np.random.default_rng(1)
    names = [CLASSES[i % 3] for i in range(90)]
    return [
        {
            "text": " ".join(
                [f"{HINTS[name]}{number}", *rng.choice(["stone", "river", "cloud", "sand"], 5)]
            ),
            "label": name if number < 15 else None,
            "truth": name,
        }
        for number, name in enumerate(names)
    ]


@pytest.fixture
def file(rows, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def accuracy(clf, rows):
    return clf.score([row["text"] for row in rows], [row["truth"] for row in rows])


def test_a_model_remembers_the_name_and_predicts_without_being_told(rows, tmp_path):
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    clf = TextClassifier("two-view", embed="hints").fit(texts, labels)
    assert accuracy(clf, rows) == 1 > accuracy(TextClassifier("two-view").fit(texts, labels), rows)
    clf.save(tmp_path / "m.leaven")
    loaded = load(tmp_path / "m.leaven")
    assert loaded.embed == "hints"
    np.testing.assert_array_equal(loaded.predict(texts), clf.predict(texts))
    assert loaded.explain(texts[1]).label == "down"


@pytest.mark.parametrize("stream", [True, False])
def test_files_are_embedded_where_they_are_counted(rows, file, stream):
    clf = TextClassifier("two-view", embed="hints").fit_files(file, label="label", stream=stream)
    assert clf.fitted.needs_vectors
    assert accuracy(clf, rows) == 1


def test_workers_embed_their_own_pieces(rows, file):
    with clusters.threads() as client:
        clf = TextClassifier("two-view", embed="hints").fit_files(
            file, label="label", client=client
        )
    assert accuracy(clf, rows) == 1


def test_a_column_of_vectors_takes_the_place_of_an_embedding(rows, tmp_path):
    path = tmp_path / "data.jsonl"
    vectors = by_hint([row["text"] for row in rows]).tolist()
    both = [{**row, "v": v} for row, v in zip(rows, vectors, strict=True)]
    path.write_text("\n".join(map(json.dumps, both)))
    clf = TextClassifier("two-view", embed="hints").fit_files(path, label="label", vectors="v")
    assert clf.fitted.reading.vectors == "v"
    assert clf.fitted.reading.embed is None


def test_embeddings_that_cannot_be_used_are_refused_before_anything_is_read(rows, file):
    with pytest.raises(ValueError, match=r"embed must be a function or one of .*, got 'no'"):
        TextClassifier(embed="no").fit_files("nowhere.csv")
    with pytest.raises(ValueError, match="'em' uses words only and cannot use vectors"):
        TextClassifier("em", embed="hints").fit_files("nowhere.csv")
    with pytest.raises(ValueError, match="'em' uses words only and cannot use vectors"):
        TextClassifier("em", embed="hints").fit(["a b", "c d"], ["x", "y"])
    with pytest.raises(ValueError, match="a function as embed is for texts in memory"):
        TextClassifier(embed=by_hint).fit_files(file, label="label")


def test_a_function_gets_the_text_of_html():
    seen = []

    def embed(texts):
        seen.extend(texts)
        return np.eye(2)[[len(text) % 2 for text in texts]]

    texts = ["<p>dough</p>", "<p>stars</p>", "<b>yeast</b>", "<b>moons</b>"]
    TextClassifier("two-view", embed=embed, text_options={"html": True, "min_df": 1}).fit(
        texts, ["a", "b", None, None]
    )
    assert [text.strip() for text in seen] == ["dough", "stars", "yeast", "moons"]

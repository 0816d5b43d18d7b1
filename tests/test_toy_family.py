"""A family of methods in one file: what it takes, and all that then works without more.

The part between the two markers also stands in CONTRIBUTING.md.
"""

# ruff: noqa: I001

import json

import numpy as np
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from leaven import TextClassifier, compare, load
from leaven.cli import app
from leaven.methods import METHODS

# begin: the family
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from scipy.sparse import csr_array, diags_array

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import check_in
from leaven.corpora import Block, TrainingSet
from leaven.experts import Expert, StoredExpert, register_expert, row_norms
from leaven.learners import Learned, Learner, Run
from leaven.methods import Method, register


@register_expert
@dataclass(frozen=True, eq=False)
class CentroidExpert(Expert):
    """Scores a class by the squared distance of a unit-length document to its centroid."""

    kind: ClassVar[str] = "centroid"

    name: str
    centroids: FloatArray  # (n_classes, n_words)

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        near = X @ self.centroids.T / row_norms(X)[:, None]
        return np.asarray(2 * near - (self.centroids**2).sum(axis=1))

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        return np.asarray(2 * x.data[:, None] * self.centroids.T[x.indices] / row_norms(x))

    def word_scores(self) -> FloatArray:
        return np.asarray(self.centroids - self.centroids.mean(axis=0))

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        return {}, {"centroids": self.centroids}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        centroids = stored.arrays.get("centroids", 2)
        check_shapes(centroids.shape == (stored.n_classes, stored.n_words))
        check_sensible(centroids)
        return cls(stored.name, centroids)


@dataclass(frozen=True)
class CentroidLearner(Learner):
    """The mean of each class's labeled documents, drawn towards the mean of all classes."""

    title: ClassVar[str] = "nearest centroid"

    shrinkage: float = 0.0

    def check(self, dtype: Any) -> None:
        check_in("shrinkage", self.shrinkage, "[0, 1]")

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        def total(block: Block) -> FloatArray:
            labeled = block.rows(np.flatnonzero(block.y >= 0))
            unit = diags_array(labeled.weight / row_norms(labeled.X)) @ labeled.X
            is_of_class = labeled.y == np.arange(training.n_classes)[:, None]
            return np.asarray((csr_array(is_of_class.astype(float)) @ unit).toarray())

        means = training.corpus.reduce(total) / training.label_weights[:, None]
        means += self.shrinkage * (means.mean(axis=0) - means)
        return Learned(self, CentroidExpert(self.title, means))


CENTROID = Method(
    "centroid",
    "the class whose mean document is nearest",
    "a baseline is wanted that nobody can misunderstand",
    CentroidLearner,
    text={"log_tf": True, "idf": True},
    places=frozenset({"memory", "stream"}),
)
# end: the family; register(CENTROID) makes it a method like any other

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}


@pytest.fixture(autouse=True)
def registered():
    register(CENTROID)
    yield
    METHODS.pop("centroid")


def documents(n, seed):
    rng = np.random.default_rng(seed)
    names = [list(WORDS)[i % 3] for i in range(n)]
    return [" ".join([*rng.choice(WORDS[name], 5), "the", "and"]) for name in names], names


@pytest.fixture
def texts():
    return documents(60, 0)[0]


@pytest.fixture
def labels():
    return [name if i < 15 else None for i, name in enumerate(documents(60, 0)[1])]


@pytest.fixture
def csv(tmp_path, texts, labels):
    table = pyarrow.table({"text": texts, "label": [label or "" for label in labels]})
    pyarrow.csv.write_csv(table, tmp_path / "data.csv")
    return tmp_path / "data.csv"


def run(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, result.stderr
    return result


def test_it_trains_and_predicts(texts, labels):
    clf = TextClassifier("centroid").fit(texts, labels)
    new_texts, truth = documents(90, 1)
    assert clf.score(new_texts, truth) > 0.95
    assert clf.report_.method == "centroid"
    assert str(clf.report_).startswith("method centroid: the class whose mean document")


def test_its_scores_are_those_of_a_slow_loop(texts, labels):
    fitted = TextClassifier("centroid", options={"shrinkage": 0.3}).fit(texts, labels).fitted
    X = fitted.counter.count(pyarrow.array(texts, pyarrow.large_string())).toarray()
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    codes = [fitted.classes.tolist().index(label) if label else -1 for label in labels]
    means = np.array([unit[np.array(codes) == code].mean(axis=0) for code in range(3)])
    means = 0.7 * means + 0.3 * means.mean(axis=0)
    distance = ((unit[:, None] - means) ** 2).sum(axis=2)
    found = fitted.experts[0].scores(csr_array(X), None)
    np.testing.assert_allclose(found, 1 - distance, atol=1e-6)


def test_it_is_held_out_and_calibrated(texts, labels):
    report = TextClassifier("centroid").fit(texts, labels).report_
    assert report.expected_accuracy["n_held_out"] == 15
    raw = TextClassifier("centroid", calibrate=False).fit(texts, labels)
    calibrated = TextClassifier("centroid").fit(texts, labels)
    assert not np.allclose(raw.predict_proba(texts), calibrated.predict_proba(texts))
    np.testing.assert_array_equal(raw.predict(texts), calibrated.predict(texts))


def test_it_explains_and_names_top_words(texts, labels):
    clf = TextClassifier("centroid").fit(texts, labels)
    words = clf.top_words(5)
    assert set(words["space"]) <= set(WORDS["space"])
    explanation = clf.explain("a comet and the moon")
    assert explanation.label == "space"
    assert explanation.words[0].word in ("comet", "moon")
    with pytest.raises(ValueError, match="components only, but this one has none"):
        clf.components()


def test_it_is_saved_and_loaded(texts, labels, tmp_path):
    clf = TextClassifier("centroid", options={"shrinkage": 0.5}).fit(texts, labels)
    clf.save(tmp_path / "toy.leaven")
    again = load(tmp_path / "toy.leaven")
    np.testing.assert_array_equal(again.predict_proba(texts), clf.predict_proba(texts))
    assert again.options == {"shrinkage": 0.5}


def test_it_is_compared(texts, labels):
    found = compare(texts, labels, methods=["nb", "centroid"])
    assert {result.method for result in found.scored} == {"nb", "centroid"}
    assert "centroid" in {result.method for result in compare(texts, labels).results}


def test_it_streams(texts, labels, csv):
    here = TextClassifier("centroid").fit(texts, labels)
    streamed = TextClassifier("centroid").fit_files(csv)
    np.testing.assert_allclose(
        streamed.predict_proba(texts), here.predict_proba(texts), rtol=1e-6, atol=1e-9
    )


def test_a_place_it_does_not_have_is_refused_before_any_work(csv):
    class Client:
        scheduler = None

    with pytest.raises(ValueError, match=r"cannot run on a Dask cluster, only in memory or stream"):
        TextClassifier("centroid").fit_files(csv.with_name("missing.csv"), client=Client())


def test_the_command_line_refuses_the_place_before_it_starts_a_cluster(csv, monkeypatch):
    from leaven.cli import train

    monkeypatch.setattr(train, "connected", None)
    arguments = ["train", str(csv), "--method", "centroid", "--dask", "local"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "error: method 'centroid' cannot run on a Dask cluster, only in memory" in result.stderr


def test_options_and_vectors_it_does_not_have_are_refused(texts, labels):
    with pytest.raises(ValueError, match="'centroid' has no option 'alpha'; choose from shrinkage"):
        TextClassifier("centroid", options={"alpha": 1.0}).fit(texts, labels)
    with pytest.raises(ValueError, match=r"shrinkage must be in \[0, 1\], got 2"):
        TextClassifier("centroid", options={"shrinkage": 2}).fit(texts, labels)
    with pytest.raises(ValueError, match="uses words only and cannot use vectors"):
        TextClassifier("centroid").fit(texts, labels, vectors=np.ones((60, 2)))


def test_it_runs_from_the_command_line(csv, tmp_path):
    model = tmp_path / "toy.leaven"
    arguments = ("train", csv, "--method", "centroid", "-o", model, "--json")
    report = json.loads(run(*arguments, "--option", "shrinkage=0.25").stdout)
    assert report["method"] == "centroid"
    assert report["options"]["method"]["shrinkage"] == 0.25
    assert report["expected_accuracy"]["n_held_out"] == 15
    run("train", csv, "--method", "centroid", "-o", model, "--stream")
    found = json.loads(run("explain", model, "the moon", "--json").stdout)
    assert found["predicted"] == "space"
    assert "method centroid" in run("info", model).stdout
    run("predict", model, csv, "-o", tmp_path / "out.csv")
    assert pyarrow.csv.read_csv(tmp_path / "out.csv")["predicted"].to_pylist()[1] == "space"
    assert (
        json.loads(run("evaluate", model, csv, "--include-training", "--json").stdout)["accuracy"]
        == 1.0
    )
    compared = json.loads(run("compare", csv, "--methods", "centroid,nb", "--json").stdout)
    assert {own["method"] for own in compared["results"]} == {"centroid", "nb"}


def test_a_damaged_file_of_its_kind_is_refused(texts, labels, tmp_path):
    clf = TextClassifier("centroid").fit(texts, labels)
    bad: Any = clf.fitted.experts[0]
    object.__setattr__(bad, "centroids", bad.centroids[:, 1:])
    clf.save(tmp_path / "bad.leaven")
    with pytest.raises(ValueError, match="its arrays do not fit together"):
        load(tmp_path / "bad.leaven")

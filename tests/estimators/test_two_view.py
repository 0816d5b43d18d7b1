"""EM over words and vectors, as an estimator and as a method for raw text."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from leaven import NaiveBayesEM, TextClassifier, TwoViewEM, load
from leaven.learning import GivenVectors, LatentSpace
from leaven.methods import _auto

TOPICS = {
    "baking": "dough yeast flour oven bread butter crust knead bake loaf",
    "space": "orbit planet rocket star moon launch comet galaxy probe mars",
    "music": "guitar piano melody chord rhythm singer drum concert tune band",
}

NOISE = ["the", "of", "and", "this", "that", "with", "from", "they", "have", "here"]


def corpus(n=90, n_labeled=2, seed=0):
    """Short texts on three topics with noise, a few of them labeled."""
    rng = np.random.default_rng(seed)
    texts, truth = [], []
    for i in range(n):
        name = list(TOPICS)[i % 3]
        words = rng.choice(TOPICS[name].split(), 6).tolist()
        noise = rng.choice(NOISE, 6).tolist()
        texts.append(" ".join(words + noise))
        truth.append(name)
    labels = [name if i < 3 * n_labeled else None for i, name in enumerate(truth)]
    return texts, labels, np.array(truth)


def counts(seed=0, n=60):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    words = rng.dirichlet(np.full(40, 0.2), size=3)
    X = np.array([rng.multinomial(20, words[code]) for code in truth])
    vectors = np.eye(3)[truth] + 0.3 * rng.normal(size=(n, 3)) + 2.0
    return csr_array(X.astype(float)), np.where(np.arange(n) < 6, truth, -1), truth, vectors


def test_two_views_classify_what_one_label_per_class_starts():
    texts, labels, truth = corpus(n_labeled=1)
    clf = TextClassifier("two-view").fit(texts, labels)
    assert clf.score(texts, truth) > 0.9
    assert isinstance(clf.fitted.view, LatentSpace)
    assert 0 < clf.report_.n_iter <= 10


def test_the_objective_never_falls():
    X, y, _, _ = counts()
    for dtype, slack in ((np.float64, 1e-9), (np.float32, 1e-5)):
        clf = TwoViewEM(max_iter=40, tol=0.0).fit(X.astype(dtype), y)
        assert np.diff(clf.objective_).min() >= -slack * abs(clf.objective_[-1])


def test_stopping_early_is_no_fault():
    X, y, _, _ = counts()
    clf = TwoViewEM(max_iter=1).fit(X, y)  # a ConvergenceWarning would be an error here
    assert clf.n_iter_ == 1
    assert not clf.converged_


def test_vectors_of_ones_own_are_the_second_view():
    X, y, truth, vectors = counts()
    noise = csr_array(np.ones(X.shape))  # words that tell nothing
    clf = TwoViewEM().fit(noise, y, vectors=vectors)
    assert isinstance(clf.latent_, GivenVectors)
    assert (clf.predict(noise, vectors=vectors) == truth).mean() > 0.95
    proba = clf.predict_proba(noise, vectors=vectors)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_allclose(np.exp(clf.predict_log_proba(noise, vectors=vectors)), proba)


def test_a_fit_with_vectors_wants_them_to_predict_and_without_refuses_them():
    X, y, _, vectors = counts()
    with pytest.raises(ValueError, match="pass vectors"):
        TwoViewEM().fit(X, y, vectors=vectors).predict(X)
    with pytest.raises(ValueError, match="learned its own"):
        TwoViewEM().fit(X, y).predict(X, vectors=vectors)
    with pytest.raises(ValueError, match="one row per document"):
        TwoViewEM().fit(X, y, vectors=vectors[:10])


def test_the_length_of_documents_does_not_matter():
    X, y, _, _ = counts()
    longer = csr_array(X * np.random.default_rng(0).integers(1, 9, X.shape[0])[:, None])
    here, there = TwoViewEM().fit(X, y), TwoViewEM().fit(longer, y)
    assert_allclose(there.predict_proba(longer), here.predict_proba(X), atol=1e-6)


def test_a_fit_that_fails_leaves_the_estimator_as_it_was():
    X, y, _, _ = counts()
    clf = TwoViewEM().fit(X, y)
    before = clf.predict_proba(X[:20])
    with pytest.raises(ValueError, match="Negative"):
        clf.fit(-X, y)
    with pytest.raises(ValueError, match="one class"):
        clf.fit(X, np.where(y == 1, 1, -1))
    assert_array_equal(clf.predict_proba(X[:20]), before)


def test_where_the_supervised_model_decides_vectors_may_still_be_given(monkeypatch):
    monkeypatch.setattr(_auto, "_supervised_wins", lambda *_: True)
    texts, labels, _ = corpus()
    clf = TextClassifier(embed=embed).fit(texts, labels)
    assert [own.name for own in clf.fitted.experts] == ["linear model of words"]
    assert clf.predict(texts).shape == (90,)


def test_the_length_of_documents_is_an_option_of_the_text():
    texts, labels, _ = corpus()
    with pytest.raises(ValueError, match="text_options="):
        TextClassifier("two-view", options={"length": 5.0}).fit(texts, labels)


def test_fitting_again_forgets_the_old_view():
    X, y, _, vectors = counts()
    clf = TwoViewEM().fit(X, y, vectors=vectors)
    clf.fit(X, y)
    assert_array_equal(clf.predict(X), TwoViewEM().fit(X, y).predict(X))


def test_with_a_faint_second_view_it_is_naive_bayes_with_em():
    X, y, _, _ = counts()
    scaled = csr_array(X / X.sum(axis=1)[:, None] * 10.0)
    plain = NaiveBayesEM(alpha=0.05, max_iter=10, tol=0.0).fit(scaled, y)
    faint = TwoViewEM(concentration=1e-9, tol=0.0).fit(X, y)
    assert_allclose(faint.predict_proba(X), plain.predict_proba(scaled), atol=1e-6)


def test_several_components_and_annealing_come_with_the_model():
    X, y, truth, _ = counts()
    clf = TwoViewEM(n_components=2, n_init=1).fit(X, y)
    assert_array_equal(clf.component_class_, [0, 0, 1, 1, 2, 2])
    assert (clf.predict(X) == truth).mean() > 0.9
    cooled = TwoViewEM(beta_start=0.2, beta_factor=1.5, correspondence="labels").fit(X, y)
    assert (cooled.predict(X) == truth).mean() > 0.9


@pytest.mark.parametrize(
    ("option", "value"),
    [("length", 0.0), ("concentration", -1.0), ("n_dims", 0), ("n_dims", 1.5), ("alpha", 0.0)],
)
def test_options_out_of_range_are_refused(option, value):
    X, y, _, _ = counts()
    with pytest.raises((ValueError, TypeError), match=option):
        TwoViewEM(**{option: value}).fit(X, y)


def embed(texts):
    """Two numbers per text: a stand-in for a sentence encoder."""
    table = [[len(set(TOPICS[name].split()) & set(t.split())) for name in TOPICS] for t in texts]
    return np.array(table, dtype=float) + 0.1


@pytest.mark.parametrize("method", ["auto", "two-view"])
def test_a_function_from_texts_to_vectors_is_used_in_fit_and_prediction(method, tmp_path):
    texts, labels, truth = corpus()
    clf = TextClassifier(method, embed=embed).fit(texts, labels)
    assert clf.score(texts, truth) > 0.95
    given = TextClassifier(method).fit(texts, labels, vectors=embed(texts))
    assert_allclose(given.predict_proba(texts, vectors=embed(texts)), clf.predict_proba(texts))
    clf.save(tmp_path / "model.leaven")
    again = load(tmp_path / "model.leaven", embed=embed)
    assert_allclose(again.predict_proba(texts), clf.predict_proba(texts))
    assert again.explain(texts[0]).label == truth[0]
    with pytest.raises(ValueError, match="vectors of your own"):
        load(tmp_path / "model.leaven").predict(texts)


def test_methods_of_words_alone_refuse_vectors():
    texts, labels, _ = corpus()
    with pytest.raises(ValueError, match="words only"):
        TextClassifier("em", embed=embed).fit(texts, labels)
    clf = TextClassifier("em").fit(texts, labels)
    with pytest.raises(ValueError, match="trained without"):
        clf.predict_proba(texts, vectors=embed(texts))


def test_an_explanation_of_two_views_adds_up():
    texts, labels, _ = corpus()
    clf = TextClassifier("two-view").fit(texts, labels)
    found = clf.explain(texts[4], how_many=100)
    pulled = {name: sum(own.pull[name] for own in found.words) for name in TOPICS}
    assert max(pulled, key=pulled.get) == found.label == "space"
    assert {own.word for own in found.words[:4]} & set(TOPICS["space"].split())

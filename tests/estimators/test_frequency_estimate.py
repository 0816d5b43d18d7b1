"""FrequencyEstimateNB and method "sfe": scikit-learn's answers where it has one, and every door."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import MultinomialNB

from drawing import cut_up, draw_corpus
from leaven import FrequencyEstimateNB, TextClassifier, compare, load
from leaven.corpora import StreamedCorpus, TrainingSet
from leaven.documents import Labels
from leaven.learners import Run

TOLERANCES = {np.float64: 1e-10, np.float32: 2e-5}
BAKING = ["dough", "yeast", "flour", "oven", "crust", "knead", "bake", "loaf"]
SPACE = ["star", "planet", "orbit", "rocket", "moon", "comet", "probe", "launch"]


def draw_texts(n_documents=200, n_labeled=20, seed=0):
    """Texts of two topics with words in common: texts, their classes, and the labels known."""
    rng = np.random.default_rng(seed)
    truth = ["baking" if i % 2 else "space" for i in range(n_documents)]
    own = {"baking": BAKING, "space": SPACE}
    texts = [
        " ".join([*rng.choice(own[name], 3), *rng.choice(["the", "of", "and", "to"], 4)])
        for name in truth
    ]
    return texts, truth, [name if i < n_labeled else None for i, name in enumerate(truth)]


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 10.0])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=lambda dtype: dtype.__name__)
def test_without_unlabeled_documents_it_is_sklearn_naive_bayes(dtype, shrinkage):
    drawn = draw_corpus(0, n_documents=60, labeled=1.0, dtype=dtype, weighted=True)
    y = np.where(drawn.y < 0, 2, drawn.y)
    theirs = MultinomialNB(alpha=0.3).fit(drawn.X, y, sample_weight=drawn.weight)
    ours = FrequencyEstimateNB(alpha=0.3, shrinkage=shrinkage).fit(drawn.X, y, drawn.weight)
    rtol = TOLERANCES[dtype]
    assert ours.feature_log_prob_.dtype == dtype
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=rtol)
    assert_allclose(ours.class_log_prior_, theirs.class_log_prior_, rtol=rtol)
    assert_allclose(ours.predict_proba(drawn.X), theirs.predict_proba(drawn.X), atol=30 * rtol)


def test_an_unlabeled_weight_of_zero_is_the_same_as_dropping_unlabeled_documents():
    drawn = draw_corpus(1)
    labeled = drawn.y >= 0
    ignored = FrequencyEstimateNB(unlabeled_weight=0.0).fit(drawn.X, drawn.y)
    dropped = FrequencyEstimateNB().fit(drawn.X[labeled], drawn.y[labeled])
    assert_allclose(ignored.feature_log_prob_, dropped.feature_log_prob_)
    assert_allclose(ignored.class_log_prior_, dropped.class_log_prior_)


def test_unlabeled_documents_tell_how_frequent_words_are():
    # Word 0 and word 1 were seen once each, in class 0; all the text says that word 0 is frequent.
    X = np.array([[1, 1, 0], [0, 0, 1], [9, 0, 0]])
    y = np.array([0, 1, -1])
    found = np.exp(FrequencyEstimateNB().fit(X, y).feature_log_prob_)
    assert found[0, 0] > 4 * found[0, 1]
    assert found[0, 0] > found[1, 0]


def test_a_corpus_can_be_fitted_wherever_it_is():
    drawn = draw_corpus(1)
    here = FrequencyEstimateNB().fit(drawn.X, drawn.y)
    corpus = StreamedCorpus(cut_up(drawn))
    there = FrequencyEstimateNB().fit_corpus(corpus, classes=[0, 1, 2])
    assert_allclose(there.feature_log_prob_, here.feature_log_prob_, rtol=1e-12)


def test_fitting_again_on_other_documents_leaves_the_estimator_as_it_is():
    drawn, others = draw_corpus(1), draw_corpus(2)
    ours = FrequencyEstimateNB().fit(drawn.X, drawn.y)
    before = ours.feature_log_prob_.copy()
    training = TrainingSet.of(StreamedCorpus(cut_up(others)), Labels(np.arange(3)))
    expert = ours._learned.refit(training, Run())
    expected = FrequencyEstimateNB().fit(others.X, others.y).feature_log_prob_
    assert_allclose(expert.params.log_word, expected, rtol=1e-12)
    assert_array_equal(ours.feature_log_prob_, before)


def test_attributes_say_what_happened():
    drawn = draw_corpus(1)
    ours = FrequencyEstimateNB().fit(drawn.X, drawn.y)
    assert ours.classes_.tolist() == [0, 1, 2]
    assert_allclose(np.exp(ours.feature_log_prob_).sum(axis=1), 1.0)
    assert_allclose(np.exp(ours.class_log_prior_).sum(), 1.0)
    assert ours.component_class_.tolist() == [0, 1, 2]
    assert np.isnan(ours.unlabeled_shares_).all()
    for of_em in ("objective_", "betas_", "n_iter_", "converged_", "choices_"):
        assert not hasattr(ours, of_em)
    assert ours.messages_ == []
    assert_array_equal(clone(ours).fit(drawn.X, drawn.y).feature_log_prob_, ours.feature_log_prob_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, r"alpha must be in \(0, inf\), got 0"),
        ({"unlabeled_weight": 1.5}, r"unlabeled_weight must be in \[0, 1\], got 1\.5"),
        ({"shrinkage": -1.0}, r"shrinkage must be in \[0, inf\), got -1\.0"),
        ({"random_state": -1}, r"random_state must be in \[0, inf\), got -1"),
        ({"n_jobs": 0}, "n_jobs must be at least 1, or -1 or None for all, got 0"),
    ],
    ids=str,
)
def test_parameters_outside_their_range_are_refused(parameters, message):
    drawn = draw_corpus(1)
    with pytest.raises(ValueError, match=message):
        FrequencyEstimateNB(**parameters).fit(drawn.X, drawn.y)


def test_a_failed_fit_changes_nothing():
    model = FrequencyEstimateNB()
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(np.eye(2), [5, 5])
    with pytest.raises(NotFittedError):
        model.predict(np.eye(2))
    with pytest.raises(ValueError, match="positive weight, class 0 has none"):
        model.fit(np.eye(4), [0, 0, 1, -1], sample_weight=[0.0, 0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="must not be negative"):
        model.fit(csr_array(np.array([[1.0, -1.0], [1.0, 0.0]])), [0, 1])
    model.fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(np.eye(2), [5, 5])
    assert model.predict(np.eye(2)).tolist() == [0, 1]


@pytest.mark.parametrize("calibrate", [True, False])
def test_the_one_door_leads_to_it(calibrate, tmp_path):
    texts, truth, labels = draw_texts()
    clf = TextClassifier("sfe", calibrate=calibrate, diagnose=True).fit(texts, labels)
    assert clf.score(texts, truth) > 0.95
    report = clf.report_
    assert (report.method, report.n_labeled, report.warnings) == ("sfe", 20, [])
    assert bool(report.expected_accuracy) == calibrate
    assert "EM iterations" not in str(report)
    assert report.options["method"]["unlabeled_weight"] == 0.1
    json.dumps(report.to_json(), allow_nan=False)
    assert set(clf.top_words(3)["baking"]) <= set(BAKING)
    assert clf.explain("yeast").label == "baking"
    clf.save(tmp_path / "model.leaven")
    again = load(tmp_path / "model.leaven")
    assert_array_equal(again.predict_proba(texts), clf.predict_proba(texts))
    refitted = clone(again).fit(texts, labels)
    assert_allclose(refitted.predict_proba(texts), clf.predict_proba(texts))


def test_options_that_it_does_not_have_are_refused_with_those_it_has():
    texts, _, labels = draw_texts()
    expected = "method 'sfe' has no option 'max_iter'; choose from alpha, shrinkage, unlabeled_wei"
    with pytest.raises(ValueError, match=expected):
        TextClassifier("sfe", options={"max_iter": 5}).fit(texts, labels)
    with pytest.raises(ValueError, match="method 'sfe' uses words only"):
        TextClassifier("sfe").fit(texts, labels, vectors=np.ones((len(texts), 3)))


def test_it_is_compared_with_the_others():
    texts, _, labels = draw_texts()
    found = compare(texts, labels, methods=["nb", "sfe"], n_splits=2)
    assert {own.method for own in found.results} == {"nb", "sfe"}
    assert all(own.error is None for own in found.results)

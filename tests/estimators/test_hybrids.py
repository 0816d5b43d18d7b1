"""Classifiers of Druck et al. on counts: limits, choices, collapse, every corpus, clear errors."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from drawing import CORPORA, draw_corpus
from leaven import (
    MaxEntClassifier,
    MultiConditionalClassifier,
    ParameterCouplingClassifier,
    TransductiveSVM,
)
from leaven.exceptions import CollapseWarning
from leaven.learners._tuning import ranked, scaled_log_likelihood

GIVEN = {
    "maxent": MaxEntClassifier(variance=0.5),
    "mcl": MultiConditionalClassifier(alpha=100.0, variance=0.5),
    "mcl from zero": MultiConditionalClassifier(alpha=100.0, variance=0.5, start="zero"),
    "pcp": ParameterCouplingClassifier(alpha=0.4),
    "svm": TransductiveSVM(C=1.0, C_unlabeled=0.0),
    "tsvm": TransductiveSVM(C=1.0, C_unlabeled=0.5),
}
AUTO = {
    "maxent": MaxEntClassifier(),
    "mcl": MultiConditionalClassifier(),
    "pcp": ParameterCouplingClassifier(),
    "tsvm": TransductiveSVM(C="auto"),
}
SUPERVISED = {"mcl": {"alpha_": np.inf}, "pcp": {"alpha_": 1.0}, "tsvm": {"C_unlabeled_": 0.0}}
every_given = pytest.mark.parametrize("clf", GIVEN.values(), ids=GIVEN.keys())
every_auto = pytest.mark.parametrize("clf", AUTO.values(), ids=AUTO.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
pytestmark = pytest.mark.filterwarnings("ignore::leaven.exceptions.CollapseWarning")


def topics(seed=0, n_labeled=4, n_unlabeled=150, n_classes=3, spread=0.1):
    """Documents of clear topics, few of them labeled, and their classes."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(60, spread), size=n_classes)
    truth = np.tile(np.arange(n_classes), n_labeled + n_unlabeled // n_classes)
    X = np.array([rng.multinomial(12, words[code]) for code in truth], float)
    y = truth.copy()
    y[n_labeled * n_classes :] = -1
    return X, y, truth


def misleading():
    """Two classes that a rare word tells apart, and another topic in half of all documents."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(200, 12)).astype(float)
    X[:190, 2:5] += rng.poisson(4.0, size=(190, 3))  # almost every document
    y = np.full(200, -1)
    y[190:195], y[180:185] = 0, 1
    X[190:195, 0] += 3
    X[180:185, 1] += 1
    return X, y


@every_corpus
@every_given
def test_every_corpus_gives_the_same_classifier(clf, corpus):
    drawn = draw_corpus(11, weighted=True, labeled=0.6)
    here = clf.fit_corpus(CORPORA["memory"](drawn), classes=["a", "b", "c"]).coef_.copy()
    there = clf.fit_corpus(corpus(drawn), classes=["a", "b", "c"])
    assert_allclose(there.coef_, here, atol=2e-3)
    assert_allclose(there.unlabeled_shares_.sum(), 1.0)


@every_given
def test_weights_count_as_repetitions(clf):
    X, y, _ = topics(1)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weight[y >= 0] += 1
    many = np.repeat(np.arange(len(y)), weight.astype(int))
    heavy = clf.fit(X, y, sample_weight=weight).predict_proba(X)
    assert_allclose(heavy, clf.fit(X[many], y[many]).predict_proba(X), atol=5e-3)


@pytest.mark.parametrize("name", ["mcl", "pcp", "tsvm"])
def test_unlabeled_documents_help_where_classes_are_topics(name):
    supervised = {"tsvm": TransductiveSVM(C_unlabeled=0.0)}.get(name, MaxEntClassifier())
    gains = []
    for seed in range(5):
        X, y, truth = topics(seed, n_labeled=2, spread=0.5)
        rest = y < 0
        gains.append(
            np.mean(AUTO[name].fit(X, y).predict(X)[rest] == truth[rest])
            - np.mean(supervised.fit(X, y).predict(X)[rest] == truth[rest])
        )
    assert np.mean(gains) > 0.02


def test_at_the_discriminative_end_they_are_maximum_entropy():
    X, y, _ = topics(2)
    alone = MaxEntClassifier(variance=1.0).fit(X, y)
    for clf in (
        MultiConditionalClassifier(alpha=np.inf, variance=1.0),
        ParameterCouplingClassifier(alpha=1.0, variance=1.0),
    ):
        assert_array_equal(clf.fit(X, y).coef_, alone.coef_)


def test_maximum_entropy_predicts_as_logistic_regression():
    X, y, _ = topics(3, n_labeled=20)
    rows = y >= 0
    ours = MaxEntClassifier(variance=1.0, tol=1e-9).fit(X, y)
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X[rows], y[rows])
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.02)


@every_auto
def test_settings_are_chosen_among_candidates_by_held_out_labels(clf):
    X, y, _ = topics(4, n_labeled=6)
    learned = clf.fit(X, y)._learned
    tried = learned.facts["tried"]
    chosen = learned.learner.plain_settings()
    assert chosen in [each["settings"] for each in tried]
    assert len({tuple(each["settings"].values()) for each in tried}) == len(tried) > 1
    assert {each["n_scored"] for each in tried} == {18}
    assert learned.is_chosen_by_labels
    assert f"chosen among {len(tried)} settings" in learned.lines[0]


@every_auto
def test_with_one_label_per_class_the_usual_settings_are_used(clf):
    X, y, _ = topics(5, n_labeled=1)
    learned = clf.fit(X, y)._learned
    assert learned.learner == clf.learner().usual_path(False)[-1]
    assert learned.facts["tried"] == []
    assert not learned.is_chosen_by_labels
    assert "no labels could be held out" in learned.lines[0]


RIGHT = {  # of ten held-out documents; the first settings are supervised
    "a lead by chance": ([6, 5], 1),
    "a lead of a standard error": ([9, 5], 0),
    "no lead": ([5, 6], 1),
    "equal": ([5, 5], 1),
}


@pytest.mark.parametrize(("n_right", "chosen"), RIGHT.values(), ids=RIGHT.keys())
def test_supervised_settings_are_chosen_if_they_lead_by_a_standard_error(n_right, chosen):
    """Those that are right differ on as many documents as they can."""
    first = np.arange(10) < n_right[0]
    second = np.arange(10) >= 10 - n_right[1]
    assert ranked([first, second], [0.0, 0.0], [True, False]) == (chosen, 0)


def test_likelihood_decides_between_equally_accurate_settings():
    right = [np.arange(6) < 3] * 3
    assert ranked(right, [-3.0, -1.0, -2.0], [False] * 3) == (1, 1)
    assert ranked(right, [-3.0, -1.0, -2.0], [True] * 3) == (1, 1)


@every_auto
def test_without_unlabeled_documents_and_with_one_label_per_class_it_is_supervised(clf):
    X, y, _ = topics(5, n_labeled=1)
    clf.fit(X[:3], y[:3])
    assert clf._learned.learner.is_supervised


def test_at_the_discriminative_end_variances_are_those_of_maximum_entropy():
    X, y, _ = topics(4, n_labeled=6)
    alone = MaxEntClassifier().fit(X, y)
    for clf in (
        MultiConditionalClassifier(alpha=np.inf),
        ParameterCouplingClassifier(alpha=1.0, variance="auto"),
    ):
        assert clf.fit(X, y).variance_ == alone.variance_
        assert_array_equal(clf.coef_, alone.coef_)


def test_a_stop_while_settings_are_chosen_is_reported_as_one():
    drawn = draw_corpus(3, labeled=0.7)
    clf = MultiConditionalClassifier()
    clf.fit_corpus(CORPORA["memory"](drawn), classes=["a", "b", "c"], on_progress=lambda *_: True)
    assert "training was stopped before settings were chosen" in clf._learned.lines[0]


@every_auto
def test_without_unlabeled_documents_only_supervised_settings_are_tried(clf):
    X, _, truth = topics(6, n_unlabeled=30)
    learned = clf.fit(X, truth)._learned
    assert learned.learner.is_supervised
    assert np.isnan(clf.unlabeled_shares_).all()


@pytest.mark.parametrize("name", ["mcl", "pcp"])
def test_a_collapse_with_given_settings_is_reported(name):
    X, y = misleading()
    given = {"mcl": {"alpha": 1.0, "variance": 100.0}, "pcp": {"alpha": 0.05}}[name]
    clf = type(AUTO[name])(**given, start="zero")
    with pytest.warns(CollapseWarning, match="has probably collapsed. Try another start") as caught:
        clf.fit(X, y)
    assert f"{100 * clf.unlabeled_shares_.max():.0f} % of the unlabeled" in str(caught[0].message)


def test_without_supervised_candidates_a_collapse_is_reported(monkeypatch):
    X, y, _ = topics(7, n_labeled=5)
    monkeypatch.setattr("leaven.learners._tuning.collapse_message", lambda *_: "collapsed")
    with pytest.warns(CollapseWarning, match="collapsed"):
        clf = MultiConditionalClassifier(alpha=100.0).fit(X, y)
    assert clf.alpha_ == 100.0
    assert not any("ignored" in line for line in clf._learned.lines)


@pytest.mark.parametrize("n_labeled", [1, 5])
@pytest.mark.parametrize("name", ["mcl", "pcp", "tsvm"])
def test_where_the_chosen_settings_collapse_the_supervised_ones_are_used(
    name, n_labeled, monkeypatch
):
    """Whatever the shares, they are called a collapse."""
    X, y, _ = topics(7, n_labeled=n_labeled)
    monkeypatch.setattr("leaven.learners._tuning.collapse_message", lambda *_: "collapsed")
    clf = AUTO[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was not returned is not warned about
        clf.fit(X, y)
    assert clf._learned.learner.is_supervised
    for attribute, value in SUPERVISED[name].items():
        assert getattr(clf, attribute) == value
    assert any("unlabeled documents were ignored" in line for line in clf._learned.lines)


@pytest.mark.parametrize("name", [name for name in GIVEN if name != "svm"])
def test_too_few_iterations_are_reported(name):
    X, y, _ = topics(8)
    clf = GIVEN[name]
    short = type(clf)(**{**clf.get_params(), "max_iter": 1, "tol": 1e-12})
    with pytest.warns(ConvergenceWarning, match="increase max_iter or tol"):
        short.fit(X, y)


@every_auto
def test_a_listener_stops_the_fit(clf):
    drawn = draw_corpus(3, labeled=0.7)
    phases = []

    def listen(phase, done, total):
        phases.append((phase, done, total))
        return phase == "climbing" and done >= 1

    clf.fit_corpus(CORPORA["memory"](drawn), classes=["a", "b", "c"], on_progress=listen)
    assert {"choosing", "climbing"} <= {phase for phase, *_ in phases}
    assert clf.n_iter_ <= 2


BAD = {
    "variance must be 'auto' or a number in (0, inf), got 'small'": MaxEntClassifier(
        variance="small"
    ),
    "variance must be in (0, inf), got 0": MaxEntClassifier(variance=0),
    "alpha must be in (0, inf], got -1": MultiConditionalClassifier(alpha=-1),
    "alpha must be in (0, 1.0], got 2": ParameterCouplingClassifier(alpha=2),
    "start must be one of 'supervised', 'zero', got 'nb'": MultiConditionalClassifier(start="nb"),
    "C must be in (0, inf), got 0": TransductiveSVM(C=0),
    "C_unlabeled must be in [0, inf), got -1": TransductiveSVM(C_unlabeled=-1),
    "ramp must be in (-1, 0], got 1": TransductiveSVM(ramp=1),
    "balance must be one of": TransductiveSVM(balance="equal"),
    "max_iter must be a whole number": MaxEntClassifier(max_iter=1.5),
}


@pytest.mark.parametrize(("message", "clf"), BAD.items(), ids=BAD.keys())
def test_invalid_options_are_refused_in_one_sentence(message, clf):
    X, y, _ = topics()
    with pytest.raises((ValueError, TypeError)) as caught:
        clf.fit(X, y)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@every_given
def test_documents_without_words_and_words_without_documents_are_no_problem(clf):
    X, y, _ = topics(9)
    X[-5:] = 0
    X = csr_array(np.hstack([X, np.zeros((len(X), 3))]))
    proba = clf.fit(X, y).predict_proba(X)
    assert np.isfinite(proba).all()
    assert_allclose(clf.coef_[:, -3:] - clf.coef_[:, -3:].mean(axis=0), 0.0, atol=0.05)


def test_two_classes_have_opposite_weights_in_a_transductive_svm():
    X, y, _ = topics(10, n_classes=2)
    clf = TransductiveSVM(C_unlabeled=1.0).fit(X, y)
    assert_array_equal(clf.coef_[0], -clf.coef_[1])


def test_the_objective_of_a_transductive_svm_falls_and_that_of_the_others_rises():
    X, y, _ = topics(12)
    for name, clf in GIVEN.items():
        sign = -1 if "svm" in name else 1
        clf.fit(X, y)
        assert (np.diff(sign * clf.objective_) >= -1e-6 * abs(clf.objective_[0])).all(), name


def test_the_likelihood_that_settings_are_compared_by_does_not_depend_on_confidence():
    scores = np.random.default_rng(0).normal(size=(30, 4))
    truth = scores.argmax(axis=1)
    truth[:10] = 0
    assert_allclose(
        scaled_log_likelihood(1000.0 * scores, truth), scaled_log_likelihood(scores, truth)
    )
    wrong = np.where(truth == 0, 1, 0)
    assert scaled_log_likelihood(scores, truth) > scaled_log_likelihood(scores, wrong)

"""TextClassifier in scikit-learn's tools: weights, keywords, seeds, searches, cross-validation."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from leaven import LabeledFold, NaiveBayesEM, TextClassifier, compare, diagnose

TEXTS = ["yeast dough bread", "orbit moon star", "bread oven crust", "star planet orbit"] * 8
LABELS = ["baking", "space"] * 6 + [None] * 20


@pytest.fixture
def nb():
    return TextClassifier("nb", calibrate=False, n_jobs=1)


def test_a_weight_of_two_is_a_document_twice(nb):
    weights = np.ones(len(TEXTS))
    weights[[0, 3, 14]] = 2
    twice = [0, 3, 14]
    weighted = clone(nb).fit(TEXTS, LABELS, sample_weight=weights)
    repeated = clone(nb).fit(TEXTS + [TEXTS[i] for i in twice], LABELS + [LABELS[i] for i in twice])
    asked = ["bread star", "dough orbit", "moon"]
    assert weighted.predict_proba(asked) == pytest.approx(repeated.predict_proba(asked), abs=1e-6)
    assert weighted.report_.class_counts == {"baking": 6, "space": 6}


@pytest.mark.parametrize("method", ["auto", "em", "sfe", "two-view", "mixture", "annealed"])
def test_every_method_takes_weights(method):
    clf = TextClassifier(method, n_jobs=1)
    clf.fit(TEXTS, LABELS, sample_weight=np.linspace(0.5, 2, len(TEXTS)))
    assert clf.predict(["oven bread", "moon orbit"]).tolist() == ["baking", "space"]


def test_weights_that_cannot_be_used_are_refused(nb):
    with pytest.raises(ValueError, match="one number per document"):
        nb.fit(TEXTS, LABELS, sample_weight=[1.0])
    with pytest.raises(ValueError, match="class 'space' has none"):
        nb.fit(TEXTS, LABELS, [0.0 if label == "space" else 1.0 for label in LABELS])


def test_scikit_learns_names_are_keywords(nb):
    nb.fit(X=TEXTS, y=LABELS)
    assert nb.predict(X=["bread"]) == ["baking"]
    assert nb.predict_proba(X=["bread"]).shape == (1, 2)
    assert nb.score(X=TEXTS, y=LABELS) == 1.0


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_are_seeds(make):
    fits = [
        TextClassifier("mixture", options={"n_components": 2}, random_state=make(7), n_jobs=1)
        .fit(TEXTS, LABELS)
        .predict_proba(TEXTS)
        for _ in range(2)
    ]
    assert (fits[0] == fits[1]).all()
    X = np.eye(6)[[0, 1, 2, 3, 4, 5] * 3]
    y = np.array([0, 1, 0, 1, 0, 1] * 3)
    NaiveBayesEM(random_state=make(1)).fit(X, y)
    first, second = (list(LabeledFold(2, random_state=make(3)).split(X, y)) for _ in range(2))
    assert [test.tolist() for _, test in first] == [test.tolist() for _, test in second]
    assert compare(TEXTS, LABELS, methods=["nb"], random_state=make(2)).results
    assert diagnose(TEXTS, LABELS, alternatives=False, n_starts=2, random_state=make(2)).sentence


def test_searches_reach_options(nb):
    grid = {"options__alpha": [0.1, 1.0], "text_options__min_df": [1, 2]}
    search = GridSearchCV(nb, grid, cv=LabeledFold(2)).fit(TEXTS, LABELS)
    assert set(search.best_params_) == set(grid)
    best = search.best_estimator_
    assert best.options == {"alpha": search.best_params_["options__alpha"]}
    assert best.get_params()["options__alpha"] == best.options["alpha"]
    assert nb.options is None
    assert clone(best).options == best.options
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        nb.set_params(nonsense=1)


def test_unlabeled_test_folds_are_told_about_labeled_fold(nb):
    with pytest.raises(ValueError, match="LabeledFold"):
        cross_val_score(nb, TEXTS, LABELS, cv=KFold(2), error_score="raise")
    assert cross_val_score(nb, TEXTS, LABELS, cv=LabeledFold(3)).tolist() == [1.0, 1.0, 1.0]


def test_minus_one_job_is_all_processors(nb):
    assert nb.set_params(n_jobs=-1).fit(TEXTS, LABELS).predict(["bread"]) == ["baking"]
    with pytest.raises(ValueError, match="n_jobs must be at least 1"):
        nb.set_params(n_jobs=0).fit(TEXTS, LABELS)

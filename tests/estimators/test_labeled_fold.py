"""Folds that hold out labeled documents only."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier

from leaven import LabeledFold, NaiveBayesEM, TextClassifier, TextVectorizer

Y = np.array([0, 1, -1, 2, 0, 1, -1, 2, 0, 1, 2, -1, 3])


@pytest.mark.parametrize("n_splits", [2, 3, "loo", None])
def test_unlabeled_documents_always_train_and_are_never_scored(n_splits):
    folds = list(LabeledFold(n_splits).split(Y, Y))
    scored = np.concatenate([test for _, test in folds])
    assert sorted(scored) == [0, 1, 3, 4, 5, 7, 8, 9, 10]  # the only document of class 3 trains
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(Y)))
        assert set(np.flatnonzero(Y < 0)) <= set(train)
        assert set(Y[train]) == set(Y)
    assert LabeledFold(n_splits).get_n_splits(Y, Y) == len(folds)
    assert len(folds) == (9 if n_splits in ("loo", None) else n_splits)


def test_string_labels_with_gaps_are_understood():
    y = np.array(["a", "b", None, "", "a", "b"], dtype=object)
    for train, test in LabeledFold(2).split(y, y):
        assert {2, 3} <= set(train)
        assert set(y[test]) == {"a", "b"}


def test_folds_are_drawn_by_the_seed():
    y = np.repeat([0, 1], 20)
    here, same, other = (
        [test.tolist() for _, test in LabeledFold(5, random_state=seed).split(y, y)]
        for seed in (0, 0, 1)
    )
    assert here == same != other


@pytest.mark.parametrize(
    ("n_splits", "message"),
    [(1, r"n_splits must be in \[2, inf\), got 1"), ("five", "n_splits must be 'loo', a whole")],
)
def test_other_numbers_of_folds_are_refused(n_splits, message):
    with pytest.raises(ValueError, match=message):
        list(LabeledFold(n_splits).split(Y, Y))


def test_labels_are_needed():
    with pytest.raises(ValueError, match="LabeledFold needs y"):
        list(LabeledFold().split(Y))


def documents(seed, n=120):
    rng = np.random.default_rng(seed)
    topics = {0: "dough yeast bread oven", 1: "orbit star moon rocket"}
    y = np.arange(n) % 2
    texts = [" ".join(rng.choice([*topics[c].split(), "and", "the", "of"], 6)) for c in y]
    return texts, np.where(np.arange(n) < 20, y, -1)


def test_a_grid_search_over_a_pipeline_of_texts():
    texts, y = documents(0)
    search = GridSearchCV(
        make_pipeline(
            TextVectorizer(length=100, rank_by="mutual_information"), NaiveBayesEM(n_init=1)
        ),
        {"textvectorizer__max_features": [2, 8], "naivebayesem__n_components": [1, {1: 2}]},
        cv=LabeledFold(4),
    ).fit(texts, y)
    assert search.best_score_ > 0.9
    assert search.n_splits_ == 4
    assert set(search.predict(texts)) == {0, 1}


def test_a_grid_search_over_the_text_classifier():
    texts, y = documents(1)
    search = GridSearchCV(TextClassifier(), {"method": ["nb", "em"]}, cv=LabeledFold(3))
    assert search.fit(texts, y).best_score_ > 0.8


def test_other_semi_supervised_classifiers_can_use_it():
    texts, y = documents(2)
    X = TextVectorizer().fit_transform(texts)
    scores = cross_val_score(SelfTrainingClassifier(NaiveBayesEM()), X, y, cv=LabeledFold(5))
    assert len(scores) == 5
    assert scores.mean() > 0.8


def test_scores_are_of_labeled_documents_alone():
    """With -1 as one more class in the test sets, accuracy could not reach one."""
    texts, y = documents(3)
    X = TextVectorizer(length=100).fit_transform(texts)
    found = cross_validate(NaiveBayesEM(), X, y, cv=LabeledFold("loo"), return_indices=True)
    assert all(y[test] >= 0 for test in found["indices"]["test"])
    assert found["test_score"].mean() == 1.0

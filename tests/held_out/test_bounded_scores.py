"""Scores of held-out and sampled documents are bounded, however many classes there are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from leaven._base.folds import drawn_folds
from leaven.corpora import InMemoryCorpus, TrainingSet
from leaven.documents._labels import Labels
from leaven.held_out import _combination, _held_out
from leaven.held_out._combination import sampled_documents
from leaven.learners import NaiveBayesLearner, Run
from leaven.learning import Climb, fit_mixture
from leaven.models import MultinomialMixture

N_CLASSES, N_WORDS = 30, 50


@pytest.fixture
def training():
    rng = np.random.default_rng(0)
    X = csr_array(rng.poisson(0.5, (200, N_WORDS)).astype(np.float32))
    y = np.concatenate([np.tile(np.arange(N_CLASSES), 4), np.full(80, -1)])
    return TrainingSet.of(InMemoryCorpus(X, y, n_threads=2), Labels(np.arange(N_CLASSES)))


def test_few_documents_are_drawn_from_each_fold():
    folds = [np.arange(first, 100, 4) for first in range(4)]
    rng = np.random.default_rng(0)
    assert drawn_folds(folds, 100, rng) is folds
    drawn = drawn_folds(folds, 40, rng)
    assert [len(fold) for fold in drawn] == [10] * 4
    for fold, every in zip(drawn, folds, strict=True):
        assert_array_equal(np.intersect1d(fold, every), fold)
    assert [len(fold) for fold in drawn_folds(folds, 0, rng)] == [1] * 4


def test_scores_of_held_out_documents_are_bounded(training, monkeypatch):
    every = _held_out.HeldOut(training, Run())
    assert len(every.truth) == 4 * N_CLASSES
    monkeypatch.setattr(_held_out, "MOST_SCORES", 20 * N_CLASSES)
    some = _held_out.HeldOut(training, Run())
    assert len(some.truth) == 20
    learned = NaiveBayesLearner(max_iter=2).fit(training, Run())
    assert some.scores(learned).shape == (20, N_CLASSES)


def test_documents_that_stand_for_all_are_bounded_and_keep_the_weight_of_all(training, monkeypatch):
    every = sampled_documents(training)
    assert len(every.y) == 200
    monkeypatch.setattr(_combination, "MOST_SCORES", 25 * N_CLASSES)
    some = sampled_documents(training)
    assert len(some.y) == 25
    assert some.weight.sum() == pytest.approx(every.weight.sum())
    assert set(some.numbers.tolist()) < set(every.numbers.tolist())


def test_a_fit_without_words_reaches_the_same_parameters(training):
    model, climb = MultinomialMixture(np.arange(N_CLASSES)), Climb(max_iter=5)
    usual = fit_mixture(model, training.corpus, climb)
    slim = fit_mixture(model, training.corpus, climb, keep_words=False)
    assert_array_equal(slim.result.params.log_word, usual.result.params.log_word)
    assert_array_equal(slim.unlabeled_shares(model), usual.unlabeled_shares(model))
    assert slim.result.stats.words.size == slim.labeled.words.size == 0
    learned = NaiveBayesLearner(max_iter=5).fit(training, Run())
    assert learned.fit.result.stats.words.size == learned.fit.labeled.words.size == 0

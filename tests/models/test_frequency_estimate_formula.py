"""The frequency estimate: against a slow loop, over splits, and in what it does not compute."""

import tracemalloc
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, random_array
from sklearn.naive_bayes import MultinomialNB

from drawing import CORPORA, N_WORDS, Drawn, cut_up, draw_corpus, in_memory
from leaven import FrequencyEstimateNB
from leaven.corpora import Block, TrainingSet
from leaven.documents._labels import Labels
from leaven.learners import FrequencyEstimateLearner, Run
from leaven.models import FrequencyEstimate

N_CLASSES = 3
FORMULAS = {
    "default": FrequencyEstimate(N_CLASSES, N_WORDS),
    "the paper's": FrequencyEstimate(N_CLASSES, N_WORDS, alpha=0.4, shrinkage=0.0),
    "light, shrunk": FrequencyEstimate(N_CLASSES, N_WORDS, 0.1, 0.2, shrinkage=5.0),
}
DTYPES = {np.float64: 1e-10, np.float32: 1e-5}

every_formula = pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS.keys())
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=8, deadline=None, derandomize=True)


def totals_of(formula, drawn, corpus=in_memory):
    return corpus(drawn).reduce(formula.count)


def params_of(formula, drawn, **options):
    return formula.estimate(totals_of(formula, drawn), **options)


def assert_same(here, there, **tolerance):
    assert_allclose(here.log_weight, there.log_weight, **tolerance)
    assert_allclose(here.log_word, there.log_word, **tolerance)


def by_hand(formula, drawn):
    """P(w | c) word by word and class by class."""
    X, y = drawn.X.toarray().astype(float) * drawn.weight[:, np.newaxis], drawn.y
    documents = np.array([drawn.weight[y == c].sum() for c in range(N_CLASSES)])
    prior = documents / documents.sum()
    words = np.zeros((N_CLASSES, N_WORDS))
    for w in range(N_WORDS):
        in_labeled, in_unlabeled = X[y >= 0, w].sum(), X[y < 0, w].sum()
        for c in range(N_CLASSES):
            own = X[y == c, w].sum()
            known = in_labeled + formula.shrinkage
            share = (own + formula.shrinkage * prior[c]) / known if known else prior[c]
            words[c, w] = formula.alpha + own + formula.unlabeled_weight * in_unlabeled * share
    return np.log(prior), np.log(words / words.sum(axis=1, keepdims=True))


@every_dtype
@every_formula
@few
@seeds
def test_it_is_the_slow_loop(formula, dtype, seed):
    drawn = draw_corpus(seed, dtype=dtype, weighted=True)
    params = params_of(formula, drawn, dtype=dtype)
    log_prior, log_word = by_hand(formula, drawn)
    assert params.log_word.dtype == dtype
    assert params.log_word.flags.f_contiguous
    assert_allclose(params.log_weight, log_prior, rtol=1e-10)
    assert_allclose(params.log_word, log_word, rtol=DTYPES[dtype])


def test_without_shrinkage_it_is_the_product_of_the_derivation():
    drawn, formula = draw_corpus(4), FORMULAS["the paper's"]
    totals = totals_of(formula, drawn)
    seen = totals.labeled.sum(axis=0) > 0
    assert seen.sum() < N_WORDS
    class_of_word = totals.labeled[:, seen] / totals.labeled[:, seen].sum(axis=0)
    all_words = totals.labeled.sum(axis=0) + totals.unlabeled
    tiny = replace(formula, alpha=1e-12).estimate(totals)
    # P(w | c) is P(c | w) P(w) / P(c): the last cancels among the words of a class.
    product = class_of_word * all_words[seen]
    found = np.exp(tiny.log_word[:, seen])
    ratio = np.divide(found, product, where=product > 0, out=np.ones_like(found))
    assert_allclose((ratio / ratio[:, product.min(axis=0) > 0][:, :1])[product > 0], 1.0)


@every_formula
@few
@seeds
def test_totals_add_over_any_split(formula, seed):
    drawn = draw_corpus(seed, weighted=True)
    rng = np.random.default_rng(seed)
    part = rng.integers(4, size=drawn.X.shape[0])
    parts = [totals_of(formula, drawn.rows(np.flatnonzero(part == k))) for k in range(4)]
    assert_same(formula.estimate(reduce(add, parts)), params_of(formula, drawn))


@every_formula
@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
def test_where_documents_are_does_not_matter(corpus, formula):
    drawn = draw_corpus(5, weighted=True)
    there = formula.estimate(totals_of(formula, drawn, corpus))
    assert_same(there, params_of(formula, drawn))


@every_formula
@few
@seeds
def test_a_document_of_weight_two_counts_as_two(formula, seed):
    drawn = draw_corpus(seed)
    twice = np.random.default_rng(seed).random(len(drawn.y)) < 0.5
    rows = np.concatenate([np.arange(len(drawn.y)), np.flatnonzero(twice)])
    weighted = replace(drawn, weight=np.where(twice, 2.0, 1.0))
    assert_same(params_of(formula, weighted), params_of(formula, drawn.rows(rows)))


@every_formula
@few
@seeds
def test_order_and_names_do_not_matter(formula, seed):
    drawn = draw_corpus(seed, weighted=True)
    rng = np.random.default_rng(seed)
    expected = params_of(formula, drawn)
    shuffled = drawn.rows(rng.permutation(len(drawn.y)))
    assert_same(params_of(formula, shuffled), expected)
    name = rng.permutation(N_CLASSES)
    renamed = params_of(formula, replace(drawn, y=np.where(drawn.y < 0, -1, name[drawn.y])))
    assert_allclose(renamed.log_word[name], expected.log_word)
    assert_allclose(renamed.log_weight[name], expected.log_weight)


@every_formula
def test_with_every_document_labeled_it_is_sklearn_naive_bayes(formula):
    drawn = draw_corpus(1, labeled=1.0, weighted=True)
    drawn = replace(drawn, y=np.where(drawn.y < 0, 2, drawn.y))
    theirs = MultinomialNB(alpha=formula.alpha).fit(drawn.X, drawn.y, sample_weight=drawn.weight)
    ours = params_of(formula, drawn)
    assert_allclose(ours.log_word, theirs.feature_log_prob_, rtol=1e-12)
    assert_allclose(ours.log_weight, theirs.class_log_prior_, rtol=1e-12)


def test_a_word_without_a_label_has_the_classes_of_the_labeled_documents():
    X = csr_array(np.array([[2.0, 0], [1, 0], [1, 0], [3, 0], [0, 8]]))
    drawn = Drawn(X, np.array([0, 0, 0, 1, -1]), np.ones(5))
    formula = FrequencyEstimate(2, 2, alpha=1.0, shrinkage=0.0)
    # Six of the eight go to the class with three of the four labels.
    words = np.array([[1 + 4, 1 + 6], [1 + 3, 1 + 2]])
    expected = np.log(words / words.sum(axis=1, keepdims=True))
    assert_allclose(params_of(formula, drawn).log_word, expected)


def test_shrinkage_moves_rare_words_more_than_frequent_ones():
    # Both words are of class 0 alone, where they were seen once and a hundred times.
    X = csr_array(np.array([[1.0, 100], [0, 0], [100, 100]]))
    drawn = Drawn(X, np.array([0, 1, -1]), np.ones(3))
    words = {}
    for shrinkage in (0.0, 1.0):
        formula = FrequencyEstimate(2, 2, alpha=1e-9, shrinkage=shrinkage)
        words[shrinkage] = np.exp(params_of(formula, drawn).log_word[1])
    assert_allclose(words[0.0], 0.5)  # class 1 has no word: the pseudo-counts alone
    assert words[1.0][0] > 0.9


def test_no_array_of_classes_times_documents_is_made():
    n_documents, n_words, n_classes = 20_000, 50, 400
    rng = np.random.default_rng(0)
    X = csr_array(random_array((n_documents, n_words), density=0.04, rng=rng))
    y = np.where(np.arange(n_documents) < n_classes, np.arange(n_documents), -1)
    block = Block(X, y, np.ones(n_documents))
    formula = FrequencyEstimate(n_classes, n_words)
    tracemalloc.start()
    formula.estimate(formula.count(block))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    class_by_document = 8 * n_classes * n_documents
    assert peak < class_by_document / 10


class Watched:
    """Counts the passes over its documents."""

    n_words, dtype = N_WORDS, np.dtype(np.float64)

    def __init__(self, drawn):
        self.drawn, self.n_passes = drawn, 0

    def reduce(self, summarize, add=add):
        self.n_passes += 1
        return reduce(add, map(summarize, cut_up(self.drawn)))


def test_one_pass_over_the_documents_is_enough():
    drawn = draw_corpus(3)
    corpus, labels = Watched(drawn), Labels(np.arange(3))
    weights = np.bincount(drawn.y[drawn.y >= 0], minlength=3).astype(float)
    learned = FrequencyEstimateLearner().fit(TrainingSet(corpus, labels, weights), Run())
    assert corpus.n_passes == 1
    assert_same(learned.expert.params, params_of(FORMULAS["default"], drawn))


def test_labels_that_nobody_counted_take_another_pass():
    corpus = Watched(draw_corpus(3))
    FrequencyEstimateNB().fit_corpus(corpus, classes=[0, 1, 2])
    assert corpus.n_passes == 2


def test_documents_of_other_words_or_classes_are_refused():
    block = in_memory(draw_corpus(0)).blocks[0]
    with pytest.raises(ValueError, match="same words, got 30 and 7; count them with the"):
        FrequencyEstimate(3, 7).count(block)
    with pytest.raises(ValueError, match="class codes must be below the number of classes, 2"):
        FrequencyEstimate(2, N_WORDS).count(block)

"""The laws every model keeps, over every posterior and every corpus."""

from dataclasses import replace
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, vstack
from sklearn.naive_bayes import MultinomialNB

from drawing import CORPORA, N_WORDS, Drawn, cut_up, draw_corpus, in_memory, random_params
from leaven.corpora import Block
from leaven.em import run_em
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT, Hard, Tempered

POSTERIORS = [SOFT, Tempered(0.3), Hard()]
MODELS = {
    "one component": MultinomialMixture(np.arange(3)),
    "smoothed classes, small alpha": MultinomialMixture(np.arange(3), 0.05, class_alpha=1.0),
    "light unlabeled documents": MultinomialMixture(np.arange(3), 0.5, unlabeled_weight=0.2),
    # So many that few have a share of a document, which the kernel adds up in another way.
    "many components": MultinomialMixture(np.arange(24) % 3, 0.2),
    "several components": MultinomialMixture(np.array([0, 0, 1, 2, 2, 2]), 0.7, class_alpha=0.5),
}
NEVER = -1.0  # as tol: never stop early, so that compared runs are equally long
DTYPES = {np.float64: 1e-10, np.float32: 1e-6}

every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_posterior = pytest.mark.parametrize("posterior", POSTERIORS, ids=str)
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=8, deadline=None, derandomize=True)


def start(model, seed, dtype=np.float64):
    return random_params(seed, len(model.component_class), dtype)


def slow_stats(model, params, posterior, drawn: Drawn):
    """Ten plain lines: the oracle of the fused kernel."""
    n_components = len(model.component_class)
    objective, documents = 0.0, np.zeros(n_components)
    words = np.zeros((n_components, N_WORDS))
    for x, y, weight in zip(drawn.X.toarray().astype(float), drawn.y, drawn.weight, strict=True):
        allowed = np.flatnonzero((model.component_class == y) | (y < 0))
        score = params.log_weight[allowed] + params.log_word[allowed].astype(float) @ x
        q, maximum = posterior(score[None, :])
        weight = weight * (model.unlabeled_weight if y < 0 else 1.0)
        objective += weight * maximum[0]
        documents[allowed] += weight * q[0]
        words[allowed] += weight * np.outer(q[0], x)
    return objective, documents, words


@every_dtype
@every_posterior
@every_model
@few
@seeds
def test_the_kernel_equals_a_slow_loop(model, posterior, dtype, seed):
    drawn = draw_corpus(seed, dtype=dtype, weighted=True)
    params = start(model, seed, dtype)
    stats = in_memory(drawn).reduce(partial(model.expect, params, posterior))
    objective, documents, words = slow_stats(model, params, posterior, drawn)
    rtol = 1e-9 if dtype == np.float64 else 2e-5
    assert_allclose(stats.objective, objective, rtol=rtol)
    assert_allclose(stats.documents, documents, rtol=rtol, atol=rtol)
    assert_allclose(stats.words, words, rtol=rtol, atol=10 * rtol)


@every_dtype
@every_corpus
@every_posterior
@every_model
@few
@seeds
def test_no_step_lowers_the_objective(model, posterior, corpus, dtype, seed):
    drawn = draw_corpus(seed, dtype=dtype, weighted=True)
    result = run_em(
        model,
        corpus(drawn),
        start(model, seed, dtype),
        posterior=posterior,
        max_iter=15,
        tol=NEVER,
    )
    smallest = np.diff(result.objective).min(initial=0.0)
    assert smallest >= -DTYPES[dtype] * abs(result.objective[-1])


@every_posterior
@every_model
@few
@seeds
def test_statistics_of_two_parts_add_up(model, posterior, seed):
    drawn = draw_corpus(seed, weighted=True)
    params = start(model, seed)
    whole = in_memory(drawn).reduce(partial(model.expect, params, posterior))
    parts = [model.expect(params, posterior, block) for block in cut_up(drawn, 1 + seed % 11)]
    total = reduce(add, parts)
    assert_allclose(total.objective, whole.objective)
    assert_allclose(total.documents, whole.documents, atol=1e-12)
    assert_allclose(total.words, whole.words, atol=1e-12)


@few
@seeds
def test_with_every_document_labeled_it_is_sklearn_naive_bayes(seed):
    drawn = draw_corpus(seed, labeled=1.0, weighted=True)
    y = np.where(drawn.y < 0, 0, drawn.y)
    theirs = MultinomialNB(alpha=0.5).fit(drawn.X, y, sample_weight=drawn.weight)
    model = MultinomialMixture(np.arange(3), alpha=0.5)
    corpus = in_memory(replace(drawn, y=y))
    result = run_em(model, corpus, start(model, seed), max_iter=3)
    assert_allclose(result.params.log_word, theirs.feature_log_prob_)
    assert_allclose(result.params.log_weight, theirs.class_log_prior_, atol=1e-12)


@every_posterior
@every_model
@few
@seeds
def test_a_document_of_weight_two_counts_as_two_documents(model, posterior, seed):
    drawn = draw_corpus(seed)
    doubled = replace(drawn, weight=np.full(len(drawn.y), 2.0))
    twice = Drawn(csr_array(vstack([drawn.X, drawn.X])), np.tile(drawn.y, 2), np.ones(80))
    params = start(model, seed)
    heavy = run_em(model, in_memory(doubled), params, posterior=posterior, max_iter=4, tol=NEVER)
    many = run_em(model, in_memory(twice), params, posterior=posterior, max_iter=4, tol=NEVER)
    assert_allclose(heavy.objective, many.objective)
    assert_allclose(heavy.params.log_word, many.params.log_word)


@every_posterior
@every_model
@few
@seeds
def test_the_order_of_documents_does_not_matter(model, posterior, seed):
    drawn = draw_corpus(seed, weighted=True)
    shuffle = np.random.default_rng(seed).permutation(len(drawn.y))
    shuffled = Drawn(csr_array(drawn.X[shuffle]), drawn.y[shuffle], drawn.weight[shuffle])
    params = start(model, seed)
    here = run_em(model, in_memory(drawn), params, posterior=posterior, max_iter=5, tol=NEVER)
    there = run_em(model, in_memory(shuffled), params, posterior=posterior, max_iter=5, tol=NEVER)
    assert_allclose(there.objective, here.objective)
    assert_allclose(there.params.log_word, here.params.log_word, atol=1e-9)


@every_posterior
@every_model
@few
@seeds
def test_permuting_components_permutes_parameters(model, posterior, seed):
    drawn = draw_corpus(seed, weighted=True)  # without ties, which Hard gives to the first
    params = start(model, seed)
    shuffle = np.random.default_rng(seed).permutation(len(model.component_class))
    renamed = replace(model, component_class=model.component_class[shuffle])
    moved = type(params)(params.log_weight[shuffle], np.asfortranarray(params.log_word[shuffle]))
    here = run_em(model, in_memory(drawn), params, posterior=posterior, max_iter=5, tol=NEVER)
    there = run_em(renamed, in_memory(drawn), moved, posterior=posterior, max_iter=5, tol=NEVER)
    assert_allclose(there.objective, here.objective)
    assert_allclose(there.params.log_word, here.params.log_word[shuffle], atol=1e-9)


@few
@seeds
def test_permuting_classes_permutes_parameters(seed):
    model = MODELS["one component"]
    drawn = draw_corpus(seed)
    shuffle = np.random.default_rng(seed).permutation(3)
    new_code = np.argsort(shuffle)
    params = start(model, seed)
    renamed = replace(drawn, y=np.where(drawn.y < 0, -1, new_code[drawn.y]))
    moved = type(params)(params.log_weight[shuffle], np.asfortranarray(params.log_word[shuffle]))
    here = run_em(model, in_memory(drawn), params, max_iter=5, tol=NEVER)
    there = run_em(model, in_memory(renamed), moved, max_iter=5, tol=NEVER)
    assert_allclose(there.params.log_word, here.params.log_word[shuffle], atol=1e-9)


@every_corpus
@every_posterior
@every_model
def test_the_last_objective_belongs_to_the_returned_parameters(model, posterior, corpus):
    drawn = draw_corpus(5)
    for max_iter in (0, 1, 50):
        result = run_em(
            model, corpus(drawn), start(model, 5), posterior=posterior, max_iter=max_iter
        )
        stats = in_memory(drawn).reduce(partial(model.expect, result.params, posterior))
        assert_allclose(result.objective[-1], stats.objective + model.log_prior(result.params))
        assert_allclose(result.stats.words, stats.words, atol=1e-9)
        assert result.n_iter <= max_iter


@every_posterior
@every_model
@few
@seeds
def test_every_corpus_gives_the_same_answer(model, posterior, seed):
    drawn = draw_corpus(seed, weighted=True)
    results = [
        run_em(model, corpus(drawn), start(model, seed), posterior=posterior, max_iter=6, tol=NEVER)
        for corpus in CORPORA.values()
    ]
    for other in results[1:]:
        assert_allclose(other.objective, results[0].objective)
        assert_allclose(other.params.log_word, results[0].params.log_word, atol=1e-9)


@every_model
def test_the_m_step_is_a_maximum_of_its_objective(model):
    """Brute force: no parameters nearby are better under the same expectations."""
    drawn = draw_corpus(3)
    params = start(model, 3)
    stats = in_memory(drawn).reduce(partial(model.expect, params, SOFT))
    best = model.maximize(params, stats)

    def value(candidate):
        expected = stats.documents @ candidate.log_weight
        return expected + (stats.words * candidate.log_word).sum() + model.log_prior(candidate)

    top = value(best)
    rng = np.random.default_rng(0)
    for _ in range(50):
        weight = np.exp(best.log_weight + 0.01 * rng.normal(size=best.log_weight.shape))
        word = np.exp(best.log_word + 0.01 * rng.normal(size=best.log_word.shape))
        other = type(best)(
            np.log(weight / weight.sum()), np.log(word / word.sum(axis=1, keepdims=True))
        )
        assert value(other) <= top + 1e-9


def test_the_objective_is_the_penalized_log_likelihood_by_brute_force():
    """Eq. (3.8) of Nigam et al. on a corpus small enough to write out."""
    X = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]])
    y = np.array([0, 1, -1])
    model = MultinomialMixture(np.arange(2), alpha=0.5, class_alpha=0.25)
    prior, theta = np.array([0.3, 0.7]), np.array([[0.6, 0.4], [0.2, 0.8]])
    params = start(model, 0)
    params = type(params)(np.log(prior), np.asfortranarray(np.log(theta)))
    likelihood = prior[0] * 0.6**2 * 0.4
    likelihood *= prior[1] * 0.8**3
    likelihood *= prior[0] * 0.6 * 0.4 + prior[1] * 0.2 * 0.8
    expected = np.log(likelihood) + 0.5 * np.log(theta).sum() + 0.25 * np.log(prior).sum()
    stats = model.expect(params, SOFT, Block(csr_array(X), y, np.ones(3)))
    assert_allclose(stats.objective + model.log_prior(params), expected)

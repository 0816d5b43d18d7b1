"""The laws every model keeps, over every posterior, every schedule and every corpus."""

import tracemalloc
from dataclasses import dataclass, field, fields, replace
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

from drawing import (
    CORPORA,
    N_DIMS,
    N_WORDS,
    Drawn,
    cut_up,
    draw_corpus,
    in_memory,
    random_directions,
    random_params,
    rare_words_apart,
    rare_words_first,
)
from leaven.corpora import Block
from leaven.learning import run_em
from leaven.models import MultinomialMixture, TwoViewMixture, TwoViewParams
from leaven.posteriors import SOFT, Hard, Tempered, cooling

POSTERIORS = [SOFT, Tempered(0.3), Hard()]
WARM_UP = cooling(0.1, 2.0, repeats=3)  # three steps at each of four temperatures
# How to climb: what ``run_em`` is told beside the model, the documents and the start.
CLIMBS = {
    **{str(posterior): {"posterior": posterior} for posterior in POSTERIORS},
    "annealed": {"warm_up": WARM_UP},
}
MODELS = {
    "one component": MultinomialMixture(np.arange(3)),
    "smoothed classes, small alpha": MultinomialMixture(np.arange(3), 0.05, class_alpha=1.0),
    "light unlabeled documents": MultinomialMixture(np.arange(3), 0.5, unlabeled_weight=0.2),
    # So many that few have a share of a document, which the kernel adds up in another way.
    "many components": MultinomialMixture(np.arange(24) % 3, 0.2),
    "several components": MultinomialMixture(np.array([0, 0, 1, 2, 2, 2]), 0.7, class_alpha=0.5),
    "several, light": MultinomialMixture(np.array([0, 1, 1, 2]), 0.3, unlabeled_weight=0.1),
    "two views": TwoViewMixture(np.arange(3), 0.05, concentration=5.0, n_dims=N_DIMS),
    "two views, many": TwoViewMixture(np.arange(12) % 3, 0.3, concentration=5.0, n_dims=N_DIMS),
    "two views, several, light": TwoViewMixture(
        np.array([0, 1, 1, 2]), 0.3, 0.5, unlabeled_weight=0.1, concentration=20.0, n_dims=N_DIMS
    ),
}
NEVER = -1.0  # as tol: never stop early, so that compared runs are equally long
DTYPES = {np.float64: 1e-10, np.float32: 1e-6}

every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_posterior = pytest.mark.parametrize("posterior", POSTERIORS, ids=str)
every_climb = pytest.mark.parametrize("climb", CLIMBS.values(), ids=CLIMBS.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=8, deadline=None, derandomize=True)


def start(model, seed, dtype=np.float64):
    params = random_params(seed, len(model.component_class), dtype)
    if not isinstance(model, TwoViewMixture):
        return params
    directions = random_directions(seed, len(model.component_class), dtype)
    return TwoViewParams(params.log_weight, params.log_word, directions)


def arrays_of(*owners):
    """Every array of some parameters or statistics."""
    values = [getattr(owner, own.name) for owner in owners for own in fields(owner)]
    return [value for value in values if isinstance(value, np.ndarray)]


def assert_same(here, there, **tolerance):
    for a, b in zip(arrays_of(here), arrays_of(there), strict=True):
        assert_allclose(a, b, **tolerance)


def slow_stats(model, params, posterior, drawn: Drawn):
    """Ten plain lines: the oracle of the fused kernel."""
    n_components = len(model.component_class)
    objective, documents = 0.0, np.zeros(n_components)
    words, vectors = np.zeros((n_components, N_WORDS)), np.zeros((n_components, N_DIMS))
    rows = zip(drawn.X.toarray().astype(float), drawn.y, drawn.weight, drawn.vectors, strict=True)
    for x, y, weight, v in rows:
        allowed = np.flatnonzero((model.component_class == y) | (y < 0))
        score = params.log_weight[allowed] + params.log_word[allowed].astype(float) @ x
        if isinstance(model, TwoViewMixture):
            score += model.concentration * params.directions[allowed].astype(float) @ v
        q, maximum = posterior(score[None, :])
        weight = weight * (model.unlabeled_weight if y < 0 else 1.0)
        objective += weight * maximum[0]
        documents[allowed] += weight * q[0]
        words[allowed] += weight * np.outer(q[0], x)
        vectors[allowed] += weight * np.outer(q[0], v)
    return objective, documents, words, vectors


@every_dtype
@pytest.mark.parametrize("corpus", [in_memory, rare_words_apart, rare_words_first])
@every_posterior
@every_model
@few
@seeds
def test_the_kernel_equals_a_slow_loop(model, posterior, corpus, dtype, seed):
    drawn = draw_corpus(seed, dtype=dtype, weighted=True)
    drawn.weight[seed % len(drawn.weight)] = 0.0
    params = start(model, seed, dtype)
    stats = corpus(drawn).reduce(partial(model.expect, params, posterior))
    objective, documents, words, vectors = slow_stats(model, params, posterior, drawn)
    rtol = 1e-9 if dtype == np.float64 else 2e-5
    assert_allclose(stats.objective, objective, rtol=rtol)
    assert_allclose(stats.documents, documents, rtol=rtol, atol=rtol)
    assert_allclose(stats.words, words, rtol=rtol, atol=10 * rtol)
    if isinstance(model, TwoViewMixture):
        assert_allclose(stats.vectors, vectors, rtol=rtol, atol=10 * rtol)


@every_dtype
@every_corpus
@every_climb
@every_model
@few
@seeds
def test_no_step_lowers_the_objective_of_its_temperature(model, climb, corpus, dtype, seed):
    drawn = draw_corpus(seed, dtype=dtype, weighted=True)
    result = run_em(model, corpus(drawn), start(model, seed, dtype), **climb, max_iter=8, tol=NEVER)
    is_same_beta = np.equal(result.betas[1:], result.betas[:-1])
    assert is_same_beta.sum() == 8 + len(climb.get("warm_up", ())) * 2 // 3
    smallest = np.diff(result.objective)[is_same_beta].min()
    assert smallest >= -DTYPES[dtype] * abs(result.objective[-1])


@every_model
@few
@seeds
def test_cooling_alone_never_raises_the_objective(model, seed):
    """An entropy that counts for less: the maximum over q falls while parameters stay."""
    corpus, params = in_memory(draw_corpus(seed, weighted=True)), start(model, seed)
    posteriors = [*WARM_UP[::3], SOFT, Hard()]
    values = [corpus.reduce(partial(model.expect, params, own)).objective for own in posteriors]
    assert np.diff(values).max() <= 1e-9 * abs(values[0])
    assert values[0] > values[-1]


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
    assert_same(total, whole, atol=1e-12)


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


@every_climb
@every_model
@few
@seeds
def test_a_document_of_weight_two_counts_as_two_documents(model, climb, seed):
    drawn = draw_corpus(seed)
    doubled = replace(drawn, weight=np.full(len(drawn.y), 2.0))
    twice = drawn.rows(np.tile(np.arange(40), 2))
    params = start(model, seed)
    heavy = run_em(model, in_memory(doubled), params, **climb, max_iter=4, tol=NEVER)
    many = run_em(model, in_memory(twice), params, **climb, max_iter=4, tol=NEVER)
    assert_allclose(heavy.objective, many.objective)
    assert_same(heavy.params, many.params, atol=1e-12)


@every_climb
@every_model
@few
@seeds
def test_the_order_of_documents_does_not_matter(model, climb, seed):
    drawn = draw_corpus(seed, weighted=True)
    shuffle = np.random.default_rng(seed).permutation(len(drawn.y))
    shuffled = drawn.rows(shuffle)
    params = start(model, seed)
    here = run_em(model, in_memory(drawn), params, **climb, max_iter=5, tol=NEVER)
    there = run_em(model, in_memory(shuffled), params, **climb, max_iter=5, tol=NEVER)
    assert_allclose(there.objective, here.objective)
    assert_same(there.params, here.params, atol=1e-9)


@every_climb
@every_model
@pytest.mark.parametrize("seed", range(8))  # without ties, which Hard gives to the first
def test_permuting_components_permutes_parameters(model, climb, seed):
    drawn = draw_corpus(seed, weighted=True)
    params = start(model, seed)
    shuffle = np.random.default_rng(seed).permutation(len(model.component_class))
    renamed = replace(model, component_class=model.component_class[shuffle])
    moved = params.reordered(shuffle)
    here = run_em(model, in_memory(drawn), params, **climb, max_iter=5, tol=NEVER)
    there = run_em(renamed, in_memory(drawn), moved, **climb, max_iter=5, tol=NEVER)
    assert_allclose(there.objective, here.objective)
    assert_same(there.params, here.params.reordered(shuffle), atol=1e-9)


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
@every_climb
@every_model
def test_the_last_objective_belongs_to_the_returned_parameters(model, climb, corpus):
    drawn = draw_corpus(5)
    posterior = climb.get("posterior", SOFT)
    for max_iter in (0, 1, 50):
        result = run_em(model, corpus(drawn), start(model, 5), **climb, max_iter=max_iter)
        stats = in_memory(drawn).reduce(partial(model.expect, result.params, posterior))
        assert_allclose(result.objective[-1], stats.objective + model.log_prior(result.params))
        assert_same(result.stats, stats, atol=1e-9)
        assert result.n_iter <= len(climb.get("warm_up", ())) + max_iter


@every_climb
@every_model
@few
@seeds
def test_every_corpus_gives_the_same_answer(model, climb, seed):
    drawn = draw_corpus(seed, weighted=True)
    results = [
        run_em(model, corpus(drawn), start(model, seed), **climb, max_iter=6, tol=NEVER)
        for corpus in CORPORA.values()
    ]
    for other in results[1:]:
        assert_allclose(other.objective, results[0].objective)
        assert_same(other.params, results[0].params, atol=1e-9)


@every_model
def test_the_m_step_is_a_maximum_of_its_objective(model):
    """Brute force: no parameters nearby are better under the same expectations."""
    drawn = draw_corpus(3)
    params = start(model, 3)
    stats = in_memory(drawn).reduce(partial(model.expect, params, SOFT))
    best = model.maximize(params, stats)

    def value(candidate):
        expected = stats.documents @ candidate.log_weight
        if isinstance(model, TwoViewMixture):
            expected += model.concentration * (stats.vectors * candidate.directions).sum()
        return expected + (stats.words * candidate.log_word).sum() + model.log_prior(candidate)

    top = value(best)
    rng = np.random.default_rng(0)
    for _ in range(50):
        weight = np.exp(best.log_weight + 0.01 * rng.normal(size=best.log_weight.shape))
        word = np.exp(best.log_word + 0.01 * rng.normal(size=best.log_word.shape))
        other = replace(
            best,
            log_weight=np.log(weight / weight.sum()),
            log_word=np.log(word / word.sum(axis=1, keepdims=True)),
        )
        if isinstance(model, TwoViewMixture):
            turned = best.directions + 0.01 * rng.normal(size=best.directions.shape)
            turned /= np.linalg.norm(turned, axis=1, keepdims=True)
            other = replace(other, directions=turned)
        assert value(other) <= top + 1e-9


def test_the_objective_of_two_views_by_brute_force():
    X, V = np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.6, 0.8]])
    model = TwoViewMixture(np.arange(2), alpha=0.5, concentration=3.0, n_dims=2)
    prior, theta = np.array([0.3, 0.7]), np.array([[0.6, 0.4], [0.2, 0.8]])
    mu = np.array([[0.8, 0.6], [0.0, 1.0]])
    params = TwoViewParams(np.log(prior), np.asfortranarray(np.log(theta)), mu)
    likelihood = prior[0] * 0.6**2 * 0.4 * np.exp(3.0 * 0.8)
    first = prior[0] * 0.6 * 0.4 * np.exp(3.0 * (0.6 * 0.8 + 0.8 * 0.6))
    likelihood *= first + prior[1] * 0.2 * 0.8 * np.exp(3.0 * 0.8)
    block = Block(csr_array(X), np.array([0, -1]), np.ones(2), V)
    stats = model.expect(params, SOFT, block)
    assert_allclose(stats.objective, np.log(likelihood))
    assert_allclose(model.log_prior(params), 0.5 * np.log(theta).sum())


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


@pytest.mark.parametrize("beta", [1.0, 0.5, 0.02])
def test_the_tempered_objective_is_a_tempered_likelihood_by_brute_force(beta):
    """Eq. (3.14) of Nigam et al.: a document adds (1 / beta) log sum_k p(x, k)^beta, where k
    runs over the components of its class if it is labeled and over all if it is not.
    """
    X = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]])
    y, weight = np.array([0, 1, -1]), np.array([1.0, 2.0, 1.0])
    model = MultinomialMixture(np.array([0, 0, 1]), alpha=0.5, unlabeled_weight=0.4)
    share, theta = np.array([0.3, 0.1, 0.6]), np.array([[0.6, 0.4], [0.9, 0.1], [0.2, 0.8]])
    params = start(model, 0)
    params = type(params)(np.log(share), np.asfortranarray(np.log(theta)))
    first = (0.3 * 0.6**2 * 0.4) ** beta + (0.1 * 0.9**2 * 0.1) ** beta
    second = (0.6 * 0.8**3) ** beta
    third = (0.3 * 0.6 * 0.4) ** beta + (0.1 * 0.9 * 0.1) ** beta + (0.6 * 0.2 * 0.8) ** beta
    likelihood = (np.log(first) + 2 * np.log(second) + 0.4 * np.log(third)) / beta
    stats = model.expect(params, Tempered(beta), Block(csr_array(X), y, weight))
    assert_allclose(stats.objective, likelihood)
    # The prior keeps its temperature; an only component has no share to be uncertain of.
    prior = 0.5 * np.log(theta).sum() + 0.5 * np.log([0.75, 0.25]).sum()
    assert_allclose(model.log_prior(params), prior)


@every_corpus
@every_climb
@every_model
def test_filling_arrays_again_changes_no_bit(model, climb, corpus):
    own = corpus(draw_corpus(7, weighted=True))
    params = start(model, 7)
    result = run_em(model, own, params, **climb, max_iter=4, tol=NEVER)
    posteriors = [*climb.get("warm_up", ()), *[climb.get("posterior", SOFT)] * 5]
    assert len(result.objective) == len(posteriors)
    for objective, posterior in zip(result.objective, posteriors, strict=True):
        stats = own.reduce(partial(model.expect, params, posterior))
        assert objective == stats.objective + model.log_prior(params)
        last, params = params, model.maximize(params, stats)
    ours = arrays_of(result.params, result.stats)
    for array, again in zip(ours, arrays_of(last, stats), strict=True):
        assert_array_equal(array, again)


@every_corpus
@every_climb
@every_model
def test_a_run_changes_neither_its_start_nor_an_earlier_result(model, climb, corpus):
    own = corpus(draw_corpus(8, weighted=True))
    params = start(model, 8)
    run = partial(run_em, model, own, **climb, max_iter=3, tol=NEVER)
    first = run(params)
    arrays = arrays_of(first.params, first.stats)
    before = [array.copy() for array in arrays]
    run(first.params)
    run(start(model, 9))
    for array, copy in zip(arrays, before, strict=True):
        assert_array_equal(array, copy)
    assert_array_equal(params.log_word, start(model, 8).log_word)
    assert_array_equal(params.log_weight, start(model, 8).log_weight)
    assert_array_equal(run(params).params.log_word, before[1])


@dataclass(frozen=True, eq=False)
class Remembering(MultinomialMixture):
    """Keeps every array it fills, so that none is at the place of one given back."""

    filled: list[np.ndarray] = field(default_factory=list)

    def expect(self, params, posterior, block, out=None):
        stats = super().expect(params, posterior, block, out)
        self.filled.append(stats.words)
        return stats

    def maximize(self, params, stats, out=None):
        params = super().maximize(params, stats, out)
        self.filled.append(params.log_word)
        return params

    @property
    def n_arrays(self):
        return len({array.ctypes.data for array in self.filled})


# Parameters, and in each thread a sum and what is next added to it.
@pytest.mark.parametrize(
    ("kind", "most"), {"memory": 1 + 1, "stream": 1 + 2, "threads": 1 + 3 * 2}.items()
)
def test_sixty_temperatures_fill_the_arrays_of_the_first(kind, most):
    model = Remembering(MODELS["several components"].component_class)
    warm_up = cooling(0.05, 1.05)[:60]
    run_em(model, CORPORA[kind](draw_corpus(0)), start(model, 0), warm_up=warm_up, max_iter=2)
    assert len(model.filled) > 120
    assert model.n_arrays <= most


def test_annealing_holds_two_arrays_at_a_time():
    """Beside the caller's own: parameters and statistics."""
    n_words, model = 20_000, MultinomialMixture(np.arange(6) % 3)
    rng = np.random.default_rng(0)
    X = csr_array(rng.poisson(0.002, size=(30, n_words)).astype(float))
    corpus = in_memory(Drawn(X, np.array([0, 1, 2, *[-1] * 27]), np.ones(30)))
    params = model.flat_params(n_words, np.dtype(float))
    params.log_word[:] = rng.normal(size=params.log_word.shape) / 100
    tracemalloc.start()
    try:
        run_em(model, corpus, params, warm_up=cooling(0.05, 1.05)[:60], max_iter=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 1.5 < peak / params.log_word.nbytes < 2.5

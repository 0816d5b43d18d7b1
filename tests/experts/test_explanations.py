"""Explanations against their formulas, written out slowly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import N_DIMS, N_WORDS, draw_corpus, random_directions, random_params
from leaven.experts import (
    EXPERT_KINDS,
    Explanation,
    LinearExpert,
    MixtureExpert,
    TwoViewExpert,
    WordPull,
    class_log_words,
    component_words,
    highest,
    register_expert,
    strongest,
    top_words,
)
from leaven.models import MixtureParams, MultinomialMixture, TwoViewMixture, TwoViewParams

MODELS = {
    "one component": MultinomialMixture(np.arange(3)),
    "one component, another order": MultinomialMixture(np.array([2, 0, 1])),
    "several components": MultinomialMixture(np.array([0, 2, 1, 0, 2, 2])),
    "two classes": MultinomialMixture(np.array([1, 0, 1])),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
few = settings(max_examples=15, deadline=None, derandomize=True)
seeds = given(seed=st.integers(0, 2**16))


def start(model, seed, dtype=np.float64):
    return random_params(seed, len(model.component_class), dtype)


def pulls_of(model, params, x):
    return MixtureExpert("", model, params).pulls(x, None)


def slow_class_words(model, params):
    """P(class) and p(word | class), by the rules of probability."""
    weight, word = np.exp(params.log_weight), np.exp(params.log_word.astype(float))
    prior = np.zeros(model.n_classes)
    joint = np.zeros((model.n_classes, N_WORDS))
    for k, code in enumerate(model.component_class):
        prior[code] += weight[k]
        joint[code] += weight[k] * word[k]
    return prior, joint / prior[:, None]


@every_model
@few
@seeds
def test_words_of_a_class_are_mixed_over_its_components(model, seed):
    params = start(model, seed)
    found = np.exp(class_log_words(model, params))
    assert_allclose(found, slow_class_words(model, params)[1])
    assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@every_model
@few
@seeds
def test_top_words_have_the_largest_weighted_log_likelihood_ratios(model, dtype, seed):
    params = start(model, seed, dtype)
    prior, words = slow_class_words(model, params)
    found = top_words(model, params, 7)
    assert len(found) == model.n_classes
    for code, own in enumerate(found):
        rest = [other for other in range(model.n_classes) if other != code]
        elsewhere = prior[rest] @ words[rest] / prior[rest].sum()
        score = words[code] * np.log(words[code] / elsewhere)
        assert len(set(own.tolist())) == 7
        assert_allclose(score[own], np.sort(score)[::-1][:7], rtol=1e-6)


def test_top_words_prefer_words_both_frequent_and_telling():
    word = np.array([[0.5, 0.3, 0.01, 0.19], [0.5, 0.1, 0.001, 0.399]])
    params = MixtureParams(np.log([0.5, 0.5]), np.asfortranarray(np.log(word)))
    first, second = top_words(MultinomialMixture(np.arange(2)), params, 4)
    # Word 0 is frequent but tells nothing, word 2 tells much but is rare.
    assert first.tolist() == [1, 2, 0, 3]
    assert second[0] == 3


def test_more_words_than_there_are_gives_all_of_them():
    model = MODELS["one component"]
    for own in top_words(model, start(model, 0), 1000):
        assert sorted(own.tolist()) == list(range(N_WORDS))


@few
@seeds
def test_words_of_a_component_are_those_of_a_class_of_its_own(seed):
    params = start(MODELS["several components"], seed)
    alone = MultinomialMixture(np.arange(6))
    assert_array_equal(component_words(params, 9), top_words(alone, params, 9))


@few
@seeds
def test_top_words_of_a_linear_expert_have_the_largest_weights_against_the_mean(seed):
    weights = np.random.default_rng(seed).normal(size=(N_WORDS, 3))
    expert = LinearExpert("", weights, np.zeros((0, 3)), np.zeros(3))
    scores = np.array([weights[:, code] - weights.mean(axis=1) for code in range(3)])
    assert_allclose(expert.word_scores(), scores)
    for own, score in zip(highest(expert.word_scores(), 7), scores, strict=True):
        assert len(set(own.tolist())) == 7
        assert_allclose(score[own], np.sort(score)[::-1][:7])


def test_top_words_of_any_expert_are_those_of_its_scores():
    model, params = MODELS["several components"], start(MODELS["several components"], 1)
    expert = MixtureExpert("", model, params)
    assert_array_equal(highest(expert.word_scores(), 7), top_words(model, params, 7))
    assert_array_equal(seen_twice(model, params, 1).word_scores(), expert.word_scores())


def slow_pulls(model, params, x, extra):
    """What each word added to the classes' scores, its components averaged by their shares."""
    counts = x.toarray()[0]
    expected = np.zeros((x.nnz, model.n_classes))
    for code in range(model.n_classes):
        own = np.flatnonzero(model.component_class == code)
        score = params.log_weight[own] + params.log_word[own] @ counts + extra[:, own].sum(axis=0)
        likelihood = np.exp(score)
        for row, word in enumerate(x.indices):
            added = [counts[word] * params.log_word[k, word] + extra[row, k] for k in own]
            expected[row, code] = np.dot(likelihood, added) / likelihood.sum()
    return expected


def seen_twice(model, params, seed):
    """An expert with the same words that looks at vectors too."""
    both = TwoViewMixture(model.component_class, concentration=5.0, n_dims=N_DIMS)
    directions = random_directions(seed, len(model.component_class))
    return TwoViewExpert("", both, TwoViewParams(params.log_weight, params.log_word, directions))


@pytest.mark.parametrize("is_seen_twice", [False, True], ids=["words", "words and another view"])
@every_model
@few
@seeds
def test_pulls_equal_their_formula(model, is_seen_twice, seed):
    params = start(model, seed)
    x = csr_array(draw_corpus(seed).X[[seed % 40]])
    expert, word_vectors = MixtureExpert("", model, params), None
    extra = np.zeros((x.nnz, len(model.component_class)))
    if is_seen_twice:
        expert = seen_twice(model, params, seed)
        word_vectors = np.random.default_rng(seed).normal(size=(x.nnz, N_DIMS))
        extra = 5.0 * word_vectors @ expert.params.directions.T
    found = expert.pulls(x, word_vectors)
    assert_allclose(found, slow_pulls(model, params, x, extra), atol=1e-9)


@every_model
def test_without_vectors_of_words_an_expert_of_two_views_explains_by_words_alone(model):
    params, x = start(model, 3), csr_array(draw_corpus(3).X[[5]])
    assert_array_equal(seen_twice(model, params, 3).pulls(x, None), pulls_of(model, params, x))


@every_model
def test_pulls_are_of_the_counts_that_the_expert_scales(model):
    params, x = start(model, 4), csr_array(draw_corpus(4).X[[5]])
    scaled = MixtureExpert("", model, params, scale=0.25).pulls(x, None)
    assert_allclose(scaled, pulls_of(model, params, csr_array(0.25 * x)))


@every_model
@few
@seeds
def test_the_strongest_words_move_classes_apart_the_most(model, seed):
    x = csr_array(draw_corpus(seed).X[[seed % 40]])
    pulls = pulls_of(model, start(model, seed), x)
    order, centred = strongest(pulls)
    assert sorted(order.tolist()) == list(range(x.nnz))
    assert_allclose(centred, pulls - pulls.mean(axis=1, keepdims=True), atol=1e-12)
    assert_allclose(centred.sum(axis=1), 0.0, atol=1e-9)
    spread = (pulls.max(axis=1, initial=-np.inf) - pulls.min(axis=1, initial=np.inf))[order]
    assert (np.diff(spread) <= 1e-12).all()


@pytest.mark.parametrize("name", ["one component", "one component, another order"])
@few
@seeds
def test_pulls_and_prior_add_up_to_the_log_odds(name, seed):
    model = MODELS[name]
    params = start(model, seed)
    x = csr_array(draw_corpus(seed).X[[seed % 40]])
    exact = model.class_log_joint(params, x)[0]
    prior = np.empty(3)
    prior[model.component_class] = params.log_weight
    pulls = pulls_of(model, params, x)
    assert_allclose(prior + pulls.sum(axis=0), exact, atol=1e-9)
    total = prior + strongest(pulls)[1].sum(axis=0)
    assert_allclose(total - total[0], exact - exact[0], atol=1e-9)


def test_an_empty_document_has_no_pulls():
    for model in MODELS.values():
        pulls = pulls_of(model, start(model, 0), csr_array((1, N_WORDS)))
        order, centred = strongest(pulls)
        assert len(order) == 0
        assert pulls.shape == centred.shape == (0, model.n_classes)


def test_two_kinds_of_expert_cannot_have_the_same_name():
    class Impostor(LinearExpert):
        """Calls itself linear, as another does."""

    with pytest.raises(ValueError, match="another kind of expert called 'linear'; rename one"):
        register_expert(Impostor)
    assert EXPERT_KINDS["linear"] is LinearExpert
    assert register_expert(LinearExpert) is LinearExpert


def test_long_documents_do_not_overflow():
    model = MODELS["several components"]
    x = csr_array(np.full((1, N_WORDS), 1e6))
    pulls = pulls_of(model, start(model, 0), x)
    assert np.isfinite(pulls).all()


def test_equal_words_stay_in_order():
    params = MixtureParams(np.log([0.5, 0.5]), np.log(np.full((2, 4), 0.25), order="F"))
    model = MultinomialMixture(np.arange(2))
    pulls = pulls_of(model, params, csr_array(np.ones((1, 4))))
    assert_array_equal(strongest(pulls)[0], [0, 1, 2, 3])
    assert_array_equal(top_words(model, params, 2), [[0, 1], [0, 1]])


def test_an_explanation_reads_as_text():
    pulls = [WordPull("dough", 2.0, {"a": 1.5, "b": -1.5}), WordPull("the", 1.0, {"a": 0, "b": 0})]
    shown = str(Explanation("a", {"b": 0.125, "a": 0.875}, pulls, 3)).splitlines()
    assert shown[0] == "a  (87.5 %)"
    assert shown[1].split() == ["dough", "→", "a", "a", "+1.50", "b", "-1.50"]
    assert len(shown) == 3

"""Which component is which class: the best order, by brute force and by hand."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, vstack
from scipy.stats import entropy

from drawing import CORPORA, N_WORDS, Drawn, draw_corpus, in_memory, random_params
from leaven.learning._correspondence import by_hand, by_labels, by_reference, reordered
from leaven.models import MixtureParams, MultinomialMixture

MODELS = {
    "one component": MultinomialMixture(np.arange(4)),
    "several components": MultinomialMixture(np.array([0, 0, 1, 2, 2])),
    "classes mixed up": MultinomialMixture(np.array([1, 0, 2, 0, 1])),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())


def apart(n_components):
    """Components that share no frequent word."""
    word = np.full((n_components, N_WORDS), 0.01)
    for k in range(n_components):
        word[k, k::n_components] = 1.0
    log_word = np.log(word / word.sum(axis=1, keepdims=True))
    return MixtureParams(np.full(n_components, -np.log(n_components)), np.asfortranarray(log_word))


def documents_of(model, params, seed=0, n_documents=60):
    """Documents of every component, most of them labeled with its class."""
    rng = np.random.default_rng(seed)
    component = np.arange(n_documents) % len(params.log_weight)
    X = [rng.multinomial(20, np.exp(params.log_word[k])) for k in component]
    y = np.where(rng.random(n_documents) < 0.7, model.component_class[component], -1)
    return Drawn(csr_array(np.array(X, dtype=float)), y, np.ones(n_documents))


@every_corpus
@every_model
@pytest.mark.parametrize("seed", range(3))
def test_labels_bring_components_back_to_their_classes(model, corpus, seed):
    params = apart(len(model.component_class))
    moved = np.random.default_rng(seed).permutation(len(params.log_weight))
    drawn = documents_of(model, params, seed)
    order = by_labels(model, reordered(params, moved), corpus(drawn))
    assert sorted(order) == list(range(len(moved)))
    assert_array_equal(model.component_class[moved[order]], model.component_class)


@every_model
@pytest.mark.parametrize("seed", range(5))
def test_labels_find_the_best_of_all_orders(model, seed):
    drawn = draw_corpus(seed, n_classes=model.n_classes, labeled=0.8)
    params = random_params(seed, len(model.component_class))
    taken_by = model.log_joint(params, drawn.X).argmax(axis=1)

    def n_right(order):
        place = np.argsort(order)[taken_by]
        return (model.component_class[place] == drawn.y).sum()

    order = by_labels(model, params, in_memory(drawn))
    counts = [n_right(np.array(other)) for other in permutations(range(len(order)))]
    assert n_right(order) == max(counts)
    assert max(counts) > min(counts)


def test_documents_without_a_label_or_a_weight_have_no_say():
    model, params = MODELS["one component"], apart(4)
    wandered = reordered(params, np.array([1, 2, 3, 0]))
    drawn = documents_of(model, params)
    order = by_labels(model, wandered, in_memory(drawn))
    # Twice as many documents that would leave every component where it is.
    taken_by = model.log_joint(wandered, drawn.X).argmax(axis=1)
    misled = Drawn(
        csr_array(vstack([drawn.X] * 3)),
        np.concatenate([drawn.y, np.tile(taken_by, 2)]),
        np.repeat([1.0, 0.0], [60, 120]),
    )
    assert_array_equal(by_labels(model, wandered, in_memory(misled)), order)
    counted = replace(misled, weight=np.ones(180))
    assert_array_equal(by_labels(model, wandered, in_memory(counted)), np.arange(4))
    labeled = drawn.y >= 0
    only = Drawn(csr_array(drawn.X[labeled]), drawn.y[labeled], drawn.weight[labeled])
    assert_array_equal(by_labels(model, wandered, in_memory(only)), order)


def test_a_heavy_document_outvotes_light_ones():
    model = MultinomialMixture(np.arange(2))
    params = apart(2)
    X = csr_array(np.eye(N_WORDS)[[0, 0, 1]] * 9.0)  # two of component 0, one of component 1
    y = np.array([0, 1, 1])
    for weight, expected in ([3.0, 1.0, 0.1], [0, 1]), ([1.0, 3.0, 0.1], [1, 0]):
        corpus = in_memory(Drawn(X, y, np.array(weight)))
        assert by_labels(model, params, corpus).tolist() == expected


def test_without_labels_any_order_takes_every_place_once():
    model, params = MODELS["several components"], random_params(0, 5)
    drawn = draw_corpus(0)
    unlabeled = in_memory(replace(drawn, y=np.full(len(drawn.y), -1)))
    assert sorted(by_labels(model, params, unlabeled)) == list(range(5))


@pytest.mark.parametrize("seed", range(5))
def test_a_reference_brings_components_back_to_their_places(seed):
    params = random_params(seed, 7)
    moved = np.random.default_rng(seed).permutation(7)
    near = MixtureParams(params.log_weight, params.log_word + 0.01)
    order = by_reference(reordered(near, moved), params)
    assert_array_equal(moved[order], np.arange(7))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(10))
def test_a_reference_finds_the_least_divergence_of_all_orders(seed, dtype):
    params, reference = random_params(seed, 5, dtype), random_params(seed + 100, 5, dtype)
    word, target = np.exp(params.log_word), np.exp(reference.log_word)

    def divergence(order):
        return sum(entropy(target[place], word[k]) for place, k in enumerate(order))

    order = by_reference(params, reference)
    assert sorted(order) == list(range(5))
    totals = [divergence(other) for other in permutations(range(5))]
    assert divergence(order) <= min(totals) + 1e-6
    assert max(totals) > min(totals) + 0.1


def test_reordered_parameters_lie_word_by_word_and_leave_the_old_alone():
    params = random_params(0, 3)
    before = params.log_word.copy()
    order = np.array([2, 0, 1])
    moved = reordered(params, order)
    assert_array_equal(moved.log_word, before[order])
    assert_array_equal(moved.log_weight, params.log_weight[order])
    assert moved.log_word.flags.f_contiguous
    moved.log_word[:] = 0.0
    assert_array_equal(params.log_word, before)


def test_a_hand_moves_the_components_it_names():
    model = MODELS["several components"]
    moved = by_hand(model, ["ham", "spam", "work"], {0: "work", np.int64(4): "spam"})
    assert moved.component_class.tolist() == [2, 0, 1, 2, 1]
    assert model.component_class.tolist() == [0, 0, 1, 2, 2]


def test_a_hand_can_exchange_classes():
    moved = by_hand(MultinomialMixture(np.arange(2), alpha=0.25), np.array([7, 9]), {0: 9, 1: 7})
    assert moved.component_class.tolist() == [1, 0]
    assert moved.alpha == 0.25


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({0: "eggs"}, "'eggs' is not a class of this model; choose from 'ham', 'spam', 'work'"),
        ({5: "ham"}, "components are numbered from 0 to 4, got 5"),
        ({-1: "ham"}, "components are numbered from 0 to 4, got -1"),
        ({"0": "ham"}, "components are numbered from 0 to 4, got '0'"),
        ({True: "ham"}, "components are numbered from 0 to 4, got True"),
        ({2: "ham"}, "every class needs a component, and 'spam' is left without; give it one"),
        ({2: "ham", 0: "work", 1: "work"}, "'spam' is left without"),
    ],
    ids=str,
)
def test_a_hand_that_slips_is_told_why(mapping, message):
    with pytest.raises(ValueError, match=message):
        by_hand(MODELS["several components"], ["ham", "spam", "work"], mapping)

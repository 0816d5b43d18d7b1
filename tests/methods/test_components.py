"""Several components per class and annealing, as NaiveBayesEM offers them."""

import pickle
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from drawing import CORPORA, Drawn, draw_corpus
from leaven import NaiveBayesEM, TextClassifier, load
from leaven.documents import Labels
from leaven.learners._components import AUTO, Choice, listed_candidates, sizes_of

# A document is of two of four groups of words. Every class has every group equally often, and
# only which two go together tells the classes apart.
GROUPS = [[(0, 1), (2, 3)], [(0, 2), (1, 3)]]
N_NEW = 100


@cache
def crossed(seed=0, *, n_documents=300, n_labeled=40, share=0.5):
    """Documents of two classes of two topics each, few of them labeled: X, true classes, y."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n_documents) >= share).astype(int)
    truth[:4] = [0, 1, 0, 1]
    X = np.zeros((n_documents, 20))
    for i, code in enumerate(truth):
        words = np.full((4, 5), 0.02)
        words[list(GROUPS[code][rng.integers(2)])] = 1.0
        X[i] = rng.multinomial(24, words.ravel() / words.sum())
    y = np.where(np.arange(n_documents) < n_labeled, truth, -1)
    return X, truth, y


def accuracy(estimator, seed=0):
    X, truth, y = crossed(seed)
    return estimator.fit(X[:-N_NEW], y[:-N_NEW]).score(X[-N_NEW:], truth[-N_NEW:])


def log_sum(values, axis=None):
    return np.logaddexp.reduce(values, axis=axis)


# How many components: what a user may write.


@pytest.mark.parametrize(
    ("components", "classes", "expected"),
    [
        (1, [0, 1, 2], [1, 1, 1]),
        (np.int64(4), ["a", "b"], [4, 4]),
        ({}, ["a", "b"], [1, 1]),
        ({"b": 3}, ["a", "b", "c"], [1, 3, 1]),
        ({2: 5, 7: 2}, np.array([2, 5, 7]), [5, 1, 2]),
        ({np.int64(7): np.int64(2)}, [2, 7], [1, 2]),
        ({"7": 2}, np.array([2, 7]), [1, 2]),  # as on a command line
        ({"True": 2}, np.array([False, True]), [1, 2]),
        ({7: 2}, ["2", "7"], [1, 2]),
    ],
    ids=str,
)
def test_every_class_has_the_components_it_was_given(components, classes, expected):
    sizes = sizes_of(components, Labels(np.asarray(classes)))
    assert sizes == expected
    assert all(type(size) is int for size in sizes)


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (0, r"n_components must be in \[1, inf\), got 0"),
        (-2, r"n_components must be in \[1, inf\), got -2"),
        (2.0, r"n_components must be a whole number in \[1, inf\), got 2\.0"),
        (None, r"n_components must be a whole number in \[1, inf\), got None"),
        (True, r"n_components must be a whole number in \[1, inf\), got True"),
        ({"ham": 0}, r"components\['ham'\] must be in \[1, inf\), got 0"),
        ({"ham": "2"}, r"components\['ham'\] must be a whole number in \[1, inf\), got '2'"),
        ({"eggs": 2}, "names 'eggs', which is not a class; choose from 'ham', 'spam'"),
        ({0: 2}, "n_components names 0, which is not a class; choose from 'ham', 'spam'"),
    ],
    ids=str,
)
def test_numbers_of_components_that_cannot_be_are_refused(components, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sizes_of(components, Labels(np.array(["ham", "spam"], dtype=object)))


@pytest.mark.parametrize("given", [1, 5, np.int64(2), {"ham": 2}, None])
def test_a_number_or_a_mapping_leaves_nothing_to_choose(given):
    assert listed_candidates(given) is None


def test_a_list_holds_the_candidates():
    assert listed_candidates("auto") == [1, 2, 3, 5, 10, 20] == list(AUTO)
    assert listed_candidates([1, {"ham": 3}]) == [1, {"ham": 3}]
    assert listed_candidates((2, 4)) == [2, 4]
    assert listed_candidates(np.array([2, 4])) == [2, 4]


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ("many", "a mapping from classes to numbers, a list of such, or 'auto', got 'many'"),
        ([], "n_components must list at least one candidate, got an empty list"),
        (np.array([]), "n_components must list at least one candidate"),
    ],
    ids=str,
)
def test_lists_without_a_candidate_are_refused(components, message):
    with pytest.raises(ValueError, match=message):
        listed_candidates(components)


# Several components tell apart what one cannot.


@pytest.mark.parametrize("seed", range(4))
def test_a_class_of_two_topics_needs_two_components(seed):
    assert accuracy(NaiveBayesEM(), seed) < 0.75
    assert accuracy(NaiveBayesEM(n_components=2), seed) > 0.95
    assert accuracy(NaiveBayesEM(n_components={0: 2, 1: 2}), seed) > 0.95
    assert accuracy(NaiveBayesEM(n_components=2, beta_start=0.1, beta_factor=1.3), seed) > 0.95


def test_without_unlabeled_documents_components_are_still_told_apart():
    X, truth, y = crossed()
    ours = NaiveBayesEM(n_components=2, unlabeled_weight=0.0).fit(X, y)
    assert ours.n_iter_ > 0
    assert ours.score(X[-N_NEW:], truth[-N_NEW:]) > 0.9
    dropped = NaiveBayesEM(n_components=2).fit(X[y >= 0], y[y >= 0])
    assert_allclose(ours.component_log_prob_, dropped.component_log_prob_, atol=1e-9)


@pytest.mark.parametrize("n_folds", [None, 4, "loo"])
def test_the_number_that_classifies_best_is_chosen(n_folds):
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components=[1, 2], n_splits=n_folds).fit(X, y)
    assert ours.component_class_.tolist() == [0, 0, 1, 1]
    one, two = ours.choices_
    assert (one.components, two.components) == (1, 2)
    assert one.n_scored == two.n_scored == 40
    assert two.accuracy > one.accuracy + 0.2
    given = NaiveBayesEM(n_components=2).fit(X, y)
    assert_array_equal(ours.component_log_prob_, given.component_log_prob_)
    assert given.choices_ == []


def test_auto_tries_numbers_up_to_twenty():
    X, _, y = crossed(1)
    done = []
    ours = NaiveBayesEM(n_components="auto", n_splits=3).fit_corpus(
        CORPORA["memory"](Drawn(csr_array(X), y, np.ones(len(y)))),
        classes=[0, 1],
        on_progress=lambda phase, *counts: done.append(counts) if phase == "choosing" else None,
    )
    assert [choice.components for choice in ours.choices_] == list(AUTO)
    assert done == [(number, 18) for number in range(1, 19)]
    best = max(choice.accuracy for choice in ours.choices_)
    most = max(choice.components for choice in ours.choices_ if choice.accuracy == best)
    assert np.bincount(ours.component_class_).tolist() == [most, most]
    assert best > 0.9 > ours.choices_[0].accuracy


def test_of_equals_the_most_components_are_chosen():
    X = np.repeat(np.eye(2), 6, axis=0) * 9.0
    y = np.repeat([0, 1], 6)
    ours = NaiveBayesEM(n_components=[1, {1: 3}, {0: 2}], n_init=1).fit(X, y)
    assert [choice.accuracy for choice in ours.choices_] == [1.0, 1.0, 1.0]
    assert ours.choices_[1] == Choice({1: 3}, 1.0, 12)
    assert ours.component_class_.tolist() == [0, 1, 1, 1]


def test_classes_of_one_labeled_document_each_leave_nothing_to_choose_by():
    X, _, y = crossed(n_labeled=4)
    X, y = X[[0, 1, 5, 6]], y[[0, 1, 5, 6]]
    with pytest.raises(ValueError, match="needs a class with two labeled documents"):
        NaiveBayesEM(n_components=[1, 2]).fit(X, y)
    NaiveBayesEM(n_components=2).fit(X, y)


@pytest.mark.parametrize("components", [2, {0: 3}, [1, 2]], ids=str)
@pytest.mark.parametrize("start", [1.0, 0.3])
def test_a_corpus_can_be_fitted_wherever_it_is(components, start):
    drawn = draw_corpus(4, n_documents=80)
    ours = NaiveBayesEM(n_components=components, beta_start=start, beta_factor=1.2, max_iter=300)
    here = clone(ours).fit(drawn.X, drawn.y)
    for corpus in CORPORA.values():
        there = clone(ours).fit_corpus(corpus(drawn), classes=[0, 1, 2])
        assert there.choices_ == here.choices_
        assert_allclose(there.component_log_prob_, here.component_log_prob_, atol=1e-6)


# What a fit leaves behind.


@pytest.mark.parametrize("options", [{}, {"beta_start": 0.2, "beta_factor": 1.5}], ids=str)
def test_attributes_describe_classes_and_components(options):
    X, _, y = crossed(share=0.7)
    ours = NaiveBayesEM(n_components={0: 2, 1: 3}, **options).fit(X, y)
    assert ours.component_class_.tolist() == [0, 0, 1, 1, 1]
    assert ours.component_log_prob_.shape == (5, 20)
    assert_allclose(log_sum(ours.component_log_prob_, axis=1), 0.0, atol=1e-9)
    assert ours.feature_log_prob_.shape == (2, 20)
    assert_allclose(log_sum(ours.feature_log_prob_, axis=1), 0.0, atol=1e-9)
    assert_allclose(np.exp(ours.class_log_prior_).sum(), 1.0)
    assert ours.class_log_prior_[0] > ours.class_log_prior_[1]
    assert len(ours.start_objectives_) == 3
    assert max(ours.start_objectives_) == ours.objective_[-1]
    assert len(ours.objective_) == len(ours.betas_) == ours.n_iter_ + 1
    assert ours.converged_
    assert ours.choices_ == []


def test_the_class_prior_counts_documents_not_components():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    ours = NaiveBayesEM(n_components={1: 4}).fit(X, [0, 0, 0, 1])
    assert_allclose(np.exp(ours.class_log_prior_), [0.75, 0.25])
    assert_allclose(ours.predict_proba(np.zeros((1, 2))), [[0.75, 0.25]])


def test_words_of_a_class_are_those_of_its_components_by_their_weights():
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components={0: 2}).fit(X, y)
    own = np.exp(ours.component_log_prob_[:2])
    mixed = np.exp(ours.feature_log_prob_[0])
    # Where the two differ most, what they are mixed by.
    word = np.abs(own[0] - own[1]).argmax()
    share = (mixed[word] - own[1, word]) / (own[0, word] - own[1, word])
    assert 0.2 < share < 0.8
    assert_allclose(mixed, share * own[0] + (1 - share) * own[1])
    assert_allclose(ours.feature_log_prob_[1], ours.component_log_prob_[2])


def test_probabilities_add_up_over_classes():
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components=3, n_init=1, max_iter=300).fit(X, y)
    probability = ours.predict_proba(X)
    assert probability.shape == (300, 2)
    assert_allclose(probability.sum(axis=1), 1.0)
    assert_allclose(np.exp(ours.predict_log_proba(X)), probability, atol=1e-12)
    assert_array_equal(ours.classes_[probability.argmax(axis=1)], ours.predict(X))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("components", [1, 2, {1: 4}], ids=str)
def test_shares_of_unlabeled_documents_are_those_of_the_classes(components, seed):
    X, _, y = crossed(seed, share=0.75)
    ours = NaiveBayesEM(n_components=components, tol=1e-9, max_iter=1000).fit(X, y)
    assert ours.unlabeled_shares_.shape == (2,)
    assert_allclose(ours.unlabeled_shares_, ours.predict_proba(X[y < 0]).mean(axis=0), atol=1e-4)


@pytest.mark.parametrize("components", [1, 2, {1: 4}], ids=str)
def test_without_unlabeled_documents_there_are_no_shares(components):
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components=components).fit(X[y >= 0], y[y >= 0])
    assert np.isnan(ours.unlabeled_shares_).all()
    assert ours.messages_ == []


def test_a_document_of_weight_two_counts_as_two_documents():
    X, _, y = crossed()
    weight = np.where(np.arange(len(y)) % 3, 1, 2)
    rows = np.repeat(np.arange(len(y)), weight)
    ours = NaiveBayesEM(n_components=2, n_init=1)  # several starts could be equally good
    heavy = clone(ours).fit(X, y, sample_weight=weight)
    many = clone(ours).fit(X[rows], y[rows])
    assert_allclose(heavy.objective_, many.objective_)
    assert_allclose(heavy.component_log_prob_, many.component_log_prob_)


# Chance.


def test_a_random_state_decides_the_result():
    X, _, y = crossed()
    first, again, other = (
        NaiveBayesEM(n_components=4, n_init=1, max_iter=500, random_state=seed).fit(X, y)
        for seed in (1, 1, 2)
    )
    assert_array_equal(first.component_log_prob_, again.component_log_prob_)
    assert np.abs(first.component_log_prob_ - other.component_log_prob_).max() > 1e-3


def test_without_a_random_state_every_fit_is_another():
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components=2, n_init=1, max_iter=0, random_state=None)
    first = ours.fit(X, y).component_log_prob_.copy()
    assert (ours.fit(X, y).component_log_prob_ != first).any()


def test_cloning_and_pickling_keep_the_options_and_the_fit():
    X, _, y = crossed()
    options = {"n_components": {0: 2}, "n_init": 2, "beta_start": 0.5, "correspondence": "labels"}
    ours = NaiveBayesEM(**options, beta_factor=1.5).fit(X, y)
    copy = clone(ours)
    assert copy.get_params() == ours.get_params()
    assert options.items() <= copy.get_params().items()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert_array_equal(copy.fit(X, y).component_log_prob_, ours.component_log_prob_)
    again = pickle.loads(pickle.dumps(ours))
    assert_array_equal(again.predict_proba(X), ours.predict_proba(X))
    assert ours.n_components == {0: 2}


# Annealing.


def test_annealing_climbs_from_the_first_temperature_to_one():
    X, _, y = crossed()
    ours = NaiveBayesEM(beta_start=0.02).fit(X, y)
    assert ours.betas_[0] == 0.02
    assert_allclose(ours.betas_[1:394] / ours.betas_[:393], 1.01)
    assert_array_equal(ours.betas_[394:], 1.0)
    assert ours.betas_[-1] == 1.0
    assert ours.n_iter_ == len(ours.objective_) - 1 == len(ours.betas_) - 1
    assert ours.converged_
    repeated = NaiveBayesEM(beta_start=0.2, beta_factor=2.0, beta_iter=4).fit(X, y)
    assert_allclose(repeated.betas_[:13], [*np.repeat([0.2, 0.4, 0.8], 4), 1.0])


def test_the_limit_on_iterations_is_for_after_annealing():
    X, _, y = crossed()
    with pytest.warns(ConvergenceWarning, match="EM stopped after 2 iterations"):
        ours = NaiveBayesEM(beta_start=0.5, beta_factor=1.5, max_iter=2, tol=0.0).fit(X, y)
    assert ours.n_iter_ == 2 + 2
    assert NaiveBayesEM(beta_start=0.5, beta_factor=1.5, max_iter=0).fit(X, y).n_iter_ == 2


def test_annealing_does_not_touch_supervised_naive_bayes():
    X, _, y = crossed()
    plain = NaiveBayesEM(unlabeled_weight=0.0).fit(X, y)
    annealed = NaiveBayesEM(unlabeled_weight=0.0, beta_start=0.02).fit(X, y)
    assert annealed.n_iter_ == 0
    assert_array_equal(annealed.feature_log_prob_, plain.feature_log_prob_)


def wanderers():
    """Five classes with one short labeled document each: while they cool, two change places."""
    rng = np.random.default_rng(0)
    words = rng.dirichlet(np.full(30, 1.0), size=5)
    truth = np.concatenate([np.arange(5), rng.integers(5, size=295)])
    length = np.where(np.arange(300) < 5, 3, 30)
    X = [rng.multinomial(n, words[code]) for n, code in zip(length, truth, strict=True)]
    return np.array(X, dtype=float), truth, np.where(np.arange(300) < 5, truth, -1)


@pytest.mark.parametrize("correspondence", ["labels", "em"])
def test_classes_that_changed_places_are_brought_back(correspondence):
    X, truth, y = wanderers()
    options = {"beta_start": 0.02, "beta_factor": 1.1, "max_iter": 300}
    wandered = NaiveBayesEM(**options).fit(X, y)
    assert wandered.score(X, truth) < 0.7
    back = NaiveBayesEM(**options, correspondence=correspondence).fit(X, y)
    assert back.score(X, truth) > 0.95
    # Or by hand, from the words of the components.
    assert wandered.assign_components({0: 4, 4: 0}).score(X, truth) > 0.95


# By hand.


def test_a_component_given_to_another_class_takes_its_documents_along():
    X, _, y = crossed()
    ours = NaiveBayesEM(n_components=2).fit(X, y)
    before, prior = ours.predict_proba(X), np.exp(ours.class_log_prior_)
    words = ours.component_log_prob_.copy()
    assert ours.assign_components({1: 1}) is ours
    assert ours.component_class_.tolist() == [0, 1, 1, 1]
    after = ours.predict_proba(X)
    assert_allclose(after.sum(axis=1), 1.0)
    assert (after[:, 1] >= before[:, 1] - 1e-12).all()
    moved = np.flatnonzero(after.argmax(axis=1) != before.argmax(axis=1))
    assert 0.15 * len(X) < len(moved) < 0.4 * len(X)
    assert np.exp(ours.class_log_prior_)[1] > prior[1] + 0.1
    assert_allclose(np.exp(ours.class_log_prior_).sum(), 1.0)
    assert_array_equal(ours.component_log_prob_, words)
    assert_allclose(ours.feature_log_prob_[0], words[0])
    assert_allclose(log_sum(ours.feature_log_prob_, axis=1), 0.0, atol=1e-9)


@pytest.mark.parametrize("components", [1, 2])
def test_exchanging_classes_exchanges_all_that_is_said_of_them(components):
    X, _, y = crossed(share=0.7)
    names = np.array(["ham", "spam"])
    named = [None if code < 0 else names[code] for code in y]
    ours = NaiveBayesEM(n_components=components).fit(X, named)
    probability, words = ours.predict_proba(X), ours.feature_log_prob_.copy()
    prior, predicted = ours.class_log_prior_.copy(), ours.predict(X)
    other = {k: names[1 - code] for k, code in enumerate(ours.component_class_)}
    ours.assign_components(other)
    assert_allclose(ours.predict_proba(X), probability[:, ::-1])
    assert_array_equal(ours.predict(X) == "ham", predicted == "spam")
    assert_allclose(ours.class_log_prior_, prior[::-1])
    assert_allclose(ours.feature_log_prob_, words[::-1])


def test_a_component_given_wrongly_leaves_everything_as_it_was():
    X, _, y = crossed()
    with pytest.raises(NotFittedError):
        NaiveBayesEM().assign_components({0: 1})
    ours = NaiveBayesEM(n_components=2).fit(X, y)
    before = ours.predict_proba(X)
    for mapping, message in [
        ({0: 7}, "7 is not a class of this model; choose from 0, 1"),
        ({4: 1}, "components are numbered from 0 to 3, got 4"),
        ({0: 1, 1: 1}, "every class needs a component, and 0 is left without"),
    ]:
        with pytest.raises(ValueError, match=message):
            ours.assign_components(mapping)
    assert_array_equal(ours.component_class_, [0, 0, 1, 1])
    assert_array_equal(ours.predict_proba(X), before)


# Options.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, r"n_components must be in \[1, inf\), got 0"),
        ({"n_components": "several"}, "n_components must be a number, .* got 'several'"),
        ({"n_components": []}, "n_components must list at least one candidate"),
        ({"n_components": [1, 0]}, r"n_components must be in \[1, inf\), got 0"),
        ({"n_components": {5: 2}}, "n_components names 5, which is not a class; choose from 0, 1"),
        ({"n_init": 0}, r"n_init must be in \[1, inf\), got 0"),
        ({"n_init": 1.5}, r"n_init must be a whole number in \[1, inf\), got 1\.5"),
        ({"n_components": [1, 2], "n_splits": 1}, r"n_splits must be in \[2, inf\), got 1"),
        (
            {"n_components": [1, 2], "n_splits": "five"},
            "n_splits must be 'loo', a whole number .* got 'five'",
        ),
        ({"beta_start": 0}, r"beta_start must be in \(0, 1\], got 0"),
        ({"beta_start": 2.0}, r"beta_start must be in \(0, 1\], got 2\.0"),
        ({"beta_factor": 1.0}, r"beta_factor must be in \(1, inf\), got 1\.0"),
        ({"beta_iter": 0}, r"beta_iter must be in \[1, inf\), got 0"),
        (
            {"correspondence": "labelled"},
            "correspondence must be one of 'as-is', 'labels', 'em', got 'labelled'",
        ),
    ],
    ids=str,
)
def test_options_outside_their_range_are_refused(options, message):
    X, _, y = crossed()
    ours = NaiveBayesEM(**options)
    with pytest.raises((ValueError, TypeError), match=message):
        ours.fit(X, y)
    assert not hasattr(ours, "classes_")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_components": 2},
        {"n_components": 2, "n_init": 5, "beta_start": 0.3, "beta_factor": 1.5, "beta_iter": 2},
        {"n_components": np.array([1, 2])},
    ],
    ids=str,
)
def test_no_step_is_beyond_the_most_that_progress_counts_to(options):
    X, _, y = crossed()
    ours = NaiveBayesEM(**options, max_iter=4, tol=0.0)
    corpus = CORPORA["memory"](Drawn(csr_array(X), y, np.ones(len(y))))
    told = []
    ours.fit_corpus(corpus, classes=[0, 1], on_progress=lambda *now: told.append(now), warn=False)
    steps = [step for phase, step, _ in told if phase == "EM"]
    assert steps == sorted(steps)
    assert len(steps) > 4
    assert steps[-1] <= ours.learner().most_steps
    assert {total for phase, _, total in told if phase == "EM"} == {ours.learner().most_steps}


@pytest.mark.parametrize(
    "components", [{np.str_("a"): 2}, range(1, 3), np.array([1, 2]), (1, {"a": 2}), np.int64(2)]
)
def test_a_model_is_saved_and_fitted_again_whatever_components_were_written_as(
    components, tmp_path
):
    texts = ["dough yeast", "star moon", "bread dough", "moon orbit", "yeast", "orbit star"] * 4
    labels = ["a", "b", "a", "b", None, None] * 4
    options = {"n_components": components, "n_init": 1}
    clf = TextClassifier("mixture", options=options, random_state=7).fit(texts, labels)
    clf.save(tmp_path / "m.leaven")
    again = load(tmp_path / "m.leaven")
    assert again.random_state == 7
    again.fit(texts, labels)
    assert_allclose(again.predict_proba(texts), clf.predict_proba(texts), atol=1e-6)


def test_bool_classes_keep_their_components_through_a_file(tmp_path):
    texts = ["dough yeast", "star moon", "bread dough", "moon orbit"] * 4
    labels = [True, False, True, False] * 4
    clf = TextClassifier("mixture", options={"n_components": {True: 3}}).fit(texts, labels)
    clf.save(tmp_path / "m.leaven")
    again = load(tmp_path / "m.leaven").fit(texts, labels)
    assert again.report_.components == clf.report_.components == {"False": 1, "True": 3}


def test_assigning_is_told_in_the_report():
    texts = ["dough yeast", "star moon", "bread dough", "moon orbit"] * 4
    labels = ["a", "b", None, None] * 4
    clf = TextClassifier("mixture", options={"n_components": {"b": 2}}).fit(texts, labels)
    clf.assign_components({2: "a"})
    assert clf.report_.components == {"a": 2, "b": 1}
    assert clf.report_.warnings == ["components assigned by hand: 2"]
    with pytest.raises(TypeError, match="by a dict of number to class"):
        clf.assign_components([(0, "a")])

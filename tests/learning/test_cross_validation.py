"""Cross-validation: labeled documents are held out once each, unlabeled ones never."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, N_WORDS, Drawn, draw_corpus, in_memory
from leaven._base.folds import labeled_folds, n_folds_for
from leaven.corpora import TrainingSet, labeled_documents
from leaven.documents._labels import Labels
from leaven.learning import Climb, fit_mixture
from leaven.learning._cross_validation import Folds, cross_validate
from leaven.models import MultinomialMixture

ONE = MultinomialMixture(np.arange(3))
SEVERAL = MultinomialMixture(np.array([0, 0, 1, 1, 2]))

every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
codes_of = st.lists(st.integers(-1, 4), min_size=1, max_size=60).map(np.array)
many = settings(max_examples=100, deadline=None, derandomize=True)


def shuffled(drawn, seed=0):
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    return Drawn(csr_array(drawn.X[order]), drawn.y[order], drawn.weight[order])


def totals(block):
    """Weight of the documents of each class and of the unlabeled, and of all their words."""
    weight = np.bincount(block.y + 1, block.weight, minlength=4)
    return np.concatenate([weight, block.weight @ block.X])


def folds_of(corpus, n_folds=None, n_classes=3, **more):
    return Folds(TrainingSet.of(corpus, Labels(np.arange(n_classes))), n_folds, **more)


def fit_of(model, climb=None):
    climb = climb or Climb()

    def fit(rest):
        params = fit_mixture(model, rest, climb).result.params
        return lambda documents: model.class_log_joint(params, documents.X)

    return fit


@many
@given(codes=codes_of, n_folds=st.none() | st.integers(2, 12), seed=st.integers(0, 9))
def test_every_labeled_document_that_can_be_spared_is_held_out_once(codes, n_folds, seed):
    n_of_class = [np.sum(codes == code) for code in codes]
    spared = np.flatnonzero((codes >= 0) & (np.array(n_of_class) > 1))
    assume(len(spared))
    folds = labeled_folds(codes, n_folds, seed)
    assert_array_equal(np.sort(np.concatenate(folds)), spared)
    assert len(folds) == (len(spared) if n_folds is None else min(n_folds, len(spared)))
    assert all(len(fold) for fold in folds)


@many
@given(codes=codes_of, n_folds=st.none() | st.integers(2, 12), seed=st.integers(0, 9))
def test_classes_are_spread_over_the_folds(codes, n_folds, seed):
    assume(max(np.sum(codes == code) for code in range(5)) > 1)
    folds = labeled_folds(codes, n_folds, seed)
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for code in set(codes.tolist()) - {-1}:
        held = [int(np.sum(codes[fold] == code)) for fold in folds]
        assert max(held) - min(held) <= 1
        # Something of every class is left to learn from.
        assert max(held) < np.sum(codes == code)


def test_a_seed_decides_the_folds():
    codes = np.repeat([0, 1, -1], 10)
    first, again, other = (labeled_folds(codes, 4, seed) for seed in (1, 1, 2))
    for fold, same in zip(first, again, strict=True):
        assert_array_equal(fold, same)
    assert any((fold != different).any() for fold, different in zip(first, other, strict=True))


@pytest.mark.parametrize("codes", [[0, 1, 2], [0, -1, 1, -1], [-1, -1], []])
def test_classes_of_one_labeled_document_each_cannot_be_validated(codes):
    with pytest.raises(ValueError, match=r"needs a class with two labeled documents.*label a few"):
        labeled_folds(np.array(codes, dtype=np.int64), 2)


@pytest.mark.parametrize(
    ("cv", "n_labeled", "expected"),
    [(None, 20, None), (None, 21, 10), ("loo", 500, None), (5, 8, 5), (np.int64(3), 8, 3)],
)
def test_the_number_of_folds_follows_the_option_and_the_labels(cv, n_labeled, expected):
    assert n_folds_for(cv, n_labeled) == expected


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, r"n_folds must be in \[2, inf\), got 1"),
        (-3, r"n_folds must be in \[2, inf\), got -3"),
        (2.0, r"n_folds must be a whole number in \[2, inf\), got 2\.0"),
        (True, r"n_folds must be a whole number in \[2, inf\), got True"),
        ("all", "n_folds must be 'loo', a whole number of folds or None, got 'all'"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(cv, message):
    with pytest.raises((ValueError, TypeError), match=message):
        n_folds_for(cv, 50)


@every_corpus
@pytest.mark.parametrize("cv", [2, 5, "loo", None])
def test_the_rest_is_everything_but_the_fold(corpus, cv):
    drawn = draw_corpus(0, weighted=True)
    folds = folds_of(corpus(drawn), cv)
    whole = in_memory(drawn).reduce(totals)
    for fold in folds.folds:
        out = totals(folds.documents(fold))
        assert out[0] == 0  # none unlabeled
        assert out[1:4].sum() > 0
        assert_allclose(folds.rest(fold).corpus.reduce(totals) + out, whole, atol=1e-9)


@every_corpus
def test_the_rest_knows_what_its_classes_weigh(corpus):
    drawn = draw_corpus(0, weighted=True)
    folds = folds_of(corpus(drawn), 4)
    assert_allclose(folds.training.label_weights, in_memory(drawn).reduce(totals)[1:4])
    for fold in folds.folds:
        rest = folds.rest(fold)
        assert_allclose(rest.label_weights, rest.corpus.reduce(totals)[1:4])
        assert rest.labels is folds.training.labels


@every_corpus
def test_documents_keep_their_numbers_in_folds(corpus):
    drawn = draw_corpus(0, weighted=True)
    folds = folds_of(corpus(drawn), 4)
    for fold in folds.folds:
        out = folds.documents(fold)
        rest = folds.rest(fold).corpus.reduce(lambda block: [block.rows(block.weight > 0)])
        inside = np.concatenate([block.numbers for block in rest])
        assert_array_equal(np.sort(np.concatenate([out.numbers, inside])), np.arange(40))
        for block in (out, *rest):
            assert_array_equal(block.X.toarray(), drawn.X.toarray()[block.numbers])


def test_other_documents_can_be_dealt_out_and_others_train_in_every_fold():
    drawn, more = draw_corpus(0), draw_corpus(1)
    labeled = labeled_documents(in_memory(drawn)).rows(slice(0, 6))
    unlabeled = in_memory(replace(more, y=np.full(40, -1)))
    folds = folds_of(in_memory(drawn), 3, labeled=labeled, unlabeled=unlabeled)
    whole = totals(labeled) + unlabeled.reduce(totals)
    for fold in folds.folds:
        out = totals(folds.documents(fold))
        assert_allclose(folds.rest(fold).corpus.reduce(totals) + out, whole, atol=1e-9)


@every_corpus
def test_documents_of_no_weight_are_not_scored(corpus):
    drawn = draw_corpus(0)
    ignored = np.flatnonzero(drawn.y == 0)[1:]
    weight = drawn.weight.copy()
    weight[ignored] = 0.0
    folds = folds_of(corpus(replace(drawn, weight=weight)), "loo")
    assert len(folds.labeled.y) == np.sum(drawn.y >= 0) - len(ignored)
    # What is left of class 0 is one document, and that of class 2 is one in any case.
    assert {int(folds.labeled.y[place]) for fold in folds.folds for place in fold} == {1}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cv", [3, "loo"])
def test_neither_place_nor_order_of_documents_changes_what_is_right(cv, seed):
    drawn = draw_corpus(seed, labeled=0.6)
    fits = [fit_of(ONE), fit_of(SEVERAL), fit_of(ONE, Climb(max_iter=0))]
    expected = cross_validate(folds_of(in_memory(drawn), cv), fits)
    for corpus in CORPORA.values():
        found = cross_validate(folds_of(corpus(shuffled(drawn, seed)), cv), fits)
        assert_array_equal(found, expected)


def test_a_fit_sees_all_but_the_documents_it_is_scored_on():
    drawn = draw_corpus(1, weighted=True)
    folds = folds_of(in_memory(drawn), 3)
    whole, seen, asked = in_memory(drawn).reduce(totals), [], []

    def fit(rest):
        seen.append(rest.reduce(totals))

        def predict(part):
            asked.append(part.X)
            return np.zeros((len(part.y), 3))

        return predict

    cross_validate(folds, [fit])
    assert len(seen) == len(asked) == 3
    for rest, X, fold in zip(seen, asked, folds.folds, strict=True):
        documents = folds.documents(fold)
        assert_array_equal(X.toarray(), documents.X.toarray())
        assert_allclose(whole - rest, totals(documents), atol=1e-9)


def test_labels_that_words_do_not_tell_are_right_by_chance_alone():
    """Labels without any relation to words: a fit that had seen them would remember."""
    rng = np.random.default_rng(0)
    X = csr_array(np.eye(200, N_WORDS * 10)[:, rng.permutation(N_WORDS * 10)])
    drawn = Drawn(X, rng.integers(2, size=200), np.ones(200))
    model = MultinomialMixture(np.arange(2))

    def fit(rest):
        params = fit_mixture(model, rest, Climb()).result.params
        return lambda documents: model.class_log_joint(params, documents.X)

    (right,) = cross_validate(folds_of(in_memory(drawn), 10, n_classes=2), [fit])
    assert len(right) == 200
    assert right.mean() < 0.65


def test_answers_of_different_fits_belong_to_the_same_documents():
    folds = folds_of(in_memory(draw_corpus(1)), 3)
    y = np.concatenate([folds.documents(fold).y for fold in folds.folds])
    always = [
        lambda rest, own=own: lambda part: np.tile(np.eye(3)[own], (len(part.y), 1))
        for own in range(3)
    ]
    right = cross_validate(folds, always)
    for code in range(3):
        assert_array_equal(right[code], y == code)


def test_on_fit_counts_the_fits():
    folds = folds_of(in_memory(draw_corpus(1)), 3)
    seen = []
    fit = fit_of(ONE, Climb(max_iter=0))
    cross_validate(folds, [fit, fit], on_fit=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 6) for done in range(1, 7)]

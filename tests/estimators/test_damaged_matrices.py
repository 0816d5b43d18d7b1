"""A sparse matrix whose indices lead out of it is an error of one line, never a crash."""

import functools
import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse

import leaven
from leaven._base.matrices import check_matrix
from leaven.corpora import Block, CachedCorpus, InMemoryCorpus, StreamedCorpus, gathered
from leaven.estimators._tuned import TunedClassifier

Y = np.array([0, 1, 0, -1, -1, 1])
COUNTS = np.random.default_rng(0).poisson(1.0, (6, 8)).astype(np.float64)
KINDS = [
    getattr(scipy.sparse, f"{form}_{kind}")
    for form in ("csr", "csc", "bsr", "coo", "lil")
    for kind in ("array", "matrix")
]
ESTIMATORS = [
    own
    for name in leaven.__all__
    if inspect.isclass(own := getattr(leaven, name))
    and hasattr(own, "predict")
    and not own().__sklearn_tags__().input_tags.string
]
FAR = 2**30  # far enough to be somebody else's memory


def _set(name, place, value):
    def damage(X):
        array = getattr(X, name).copy()
        array[place] = value
        setattr(X, name, array)

    return damage


def _compressed(damage):
    return ("csr", "csc", "bsr"), damage


def _move(axis, value):
    def damage(X):
        X.coords[axis][-1] = value

    return ("coo",), damage


def _lil(rows):
    def damage(X):
        X.rows[2] = rows

    return ("lil",), damage


DAMAGES = {
    "index too large": _compressed(_set("indices", -1, FAR)),
    "index one too large": _compressed(_set("indices", 0, 8)),
    "index negative": _compressed(_set("indices", 0, -5)),
    "indptr falls": _compressed(_set("indptr", 1, FAR)),
    "indptr negative": _compressed(_set("indptr", 1, -FAR)),
    "indptr begins late": _compressed(_set("indptr", 0, 1)),
    "indptr ends beyond": _compressed(_set("indptr", -1, FAR)),
    "indptr short": _compressed(lambda X: setattr(X, "indptr", X.indptr[:-1])),
    "indptr of fractions": _compressed(lambda X: setattr(X, "indptr", X.indptr + 0.5)),
    "indices short": _compressed(lambda X: setattr(X, "indices", X.indices[:-1])),
    "indices of fractions": _compressed(lambda X: setattr(X, "indices", X.indices + 0.5)),
    "values short": _compressed(lambda X: setattr(X, "data", X.data[:-1])),
    "row too large": _move(0, FAR),
    "column too large": _move(1, FAR),
    "row negative": _move(0, -FAR),
    "column negative": _move(1, -1),
    "list too long": _lil([0, 1, 2, 3, 4, 5, 6, 7]),
    "list leads out": _lil([FAR] * int((COUNTS[2] > 0).sum())),
}


def _damaged():
    for name, (forms, damage) in DAMAGES.items():
        for kind in KINDS:
            X = kind(COUNTS)
            if X.format in forms:
                damage(X)
                yield pytest.param(X, id=f"{kind.__name__}, {name}")


DAMAGED = list(_damaged())


@functools.cache
def fitted(estimator):
    return estimator().fit(COUNTS, Y)


def refused(call, *given):
    with pytest.raises(ValueError, match="the matrix is damaged, build X again") as caught:
        call(*given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("X", DAMAGED)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_estimator_follows_indices_out_of_a_matrix(estimator, X):
    refused(estimator().fit, X, Y)
    for name in ("predict", "predict_proba", "predict_log_proba"):
        refused(getattr(fitted(estimator), name), X)
    refused(fitted(estimator).score, X, Y)


@pytest.mark.parametrize("X", DAMAGED)
def test_the_fisher_kernel_does_not_follow_them_either(X):
    refused(leaven.FisherKernel().fit, X, Y)
    refused(leaven.FisherKernel(n_clusters=2).fit, X)
    fisher = fitted(leaven.FisherKernel)
    for use in (fisher.transform, fisher.kernel, functools.partial(fisher.kernel, COUNTS)):
        refused(use, X)


def test_every_estimator_of_counts_is_tried():
    names = {own.__name__ for own in ESTIMATORS}
    assert names == {
        "CondensedNeighbors",
        "FrequencyEstimateNB",
        "MaxEntClassifier",
        "MultiConditionalClassifier",
        "MultiLabelMixture",
        "NaiveBayesEM",
        "ParameterCouplingClassifier",
        "TransductiveSVM",
        "TwoViewEM",
    }


@pytest.mark.parametrize("X", [own for own in DAMAGED if own.values[0].format == "csr"])
def test_no_corpus_follows_indices_out_of_a_matrix(X):
    block = Block(X, Y, np.ones(6))
    refused(InMemoryCorpus, X, Y)
    refused(CachedCorpus, [block])
    refused(list, gathered([block]))
    refused(StreamedCorpus([block]).reduce, lambda block: block.X.nnz)


@pytest.mark.parametrize("kind", KINDS)
def test_sound_matrices_pass(kind):
    for counts in (COUNTS, np.zeros((3, 4)), np.zeros((0, 4))):
        check_matrix(kind(counts))
    check_matrix(COUNTS)
    check_matrix([[1, 2]])


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_sparse_arrays_of_one_dimension_are_checked(kind):
    X = kind(COUNTS[0])
    check_matrix(X)
    (X.indices if X.format == "csr" else X.coords[0])[-1] = FAR
    refused(check_matrix, X)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_order_and_repetition_of_indices_do_not_matter(estimator):
    tidy = scipy.sparse.csr_array(COUNTS)
    row, column = np.nonzero(COUNTS)
    value = COUNTS[row, column]
    turned = np.lexsort((-column, row))
    row, column = np.repeat(row[turned], 2), np.repeat(column[turned], 2)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=6))])
    halves = np.repeat(value[turned], 2) / 2
    untidy = scipy.sparse.csr_array((halves, column, starts), shape=tidy.shape)
    assert not untidy.has_sorted_indices
    assert not pickle.loads(pickle.dumps(untidy)).has_canonical_format
    ours, theirs = estimator().fit(untidy, Y), estimator().fit(tidy, Y)
    # Optimizers end within their tolerance of a solution.
    atol = 1e-4 if issubclass(estimator, TunedClassifier) else 1e-6
    np.testing.assert_allclose(ours.predict_proba(untidy), theirs.predict_proba(tidy), atol=atol)


WEIGHTS = {
    "short": ([1.0, 1.0], r"one number per document, got an array of shape \(2,\) for 6"),
    "long": ([1.0] * 7, r"one number per document, got an array of shape \(7,\) for 6"),
    "table": (np.ones((6, 1)), r"got an array of shape \(6, 1\) for 6"),
    "one number": (2.0, r"got an array of shape \(\) for 6"),
    "negative": ([1.0, 1, 1, -1, 1, 1], r"finite and not negative, got -1\.0 for document 3"),
    "NaN": ([1.0, 1, 1, 1, 1, np.nan], "finite and not negative, got nan for document 5"),
    "infinite": ([np.inf] * 6, "finite and not negative, got inf for document 0"),
    "zero": ([0.0] * 6, "positive for some document, got 0 for all"),
    "words": (["a"] * 6, "be numbers, one per document"),
}


@pytest.mark.parametrize(("weight", "message"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights_that_are_none_are_refused_by_score(weight, message):
    texts = ["dough", "star", "dough", "", "", "star"]
    text = leaven.TextClassifier("nb", calibrate=False).fit(texts, Y.tolist())
    for call, X in ((fitted(leaven.NaiveBayesEM).score, COUNTS), (text.score, texts)):
        with pytest.raises(ValueError, match=f"^sample_weight must .*{message}") as caught:
            call(X, Y, sample_weight=weight)
        assert "\n" not in str(caught.value)


def test_score_needs_weight_on_a_labeled_document():
    texts = ["dough", "star", "dough", "", "", "star"]
    text = leaven.TextClassifier("nb", calibrate=False).fit(texts, Y.tolist())
    with pytest.raises(ValueError, match="positive for some labeled document, got 0"):
        text.score(texts, Y, sample_weight=[0, 0, 0, 1, 1, 0])

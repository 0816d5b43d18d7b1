"""The Fisher kernel as a transformer, and SVMs on it: agreement with scikit-learn, clear errors."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from drawing import CORPORA, N_DIMS, draw_corpus
from drawing import in_memory as drawn_in_memory
from leaven import FisherKernel, NaiveBayesEM, TransductiveSVM, TwoViewEM
from leaven.corpora import Block, TrainingSet, in_memory
from leaven.documents._labels import Labels
from leaven.experts import _fisher as of_expert
from leaven.learners import FisherLearner, Run, _fisher

every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())


def topics(seed=0, n_labeled=4, n_unlabeled=120, n_classes=3, dtype=np.float64):
    """Documents of clear topics, few of them labeled, and their classes."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(60, 0.1), size=n_classes)
    truth = np.tile(np.arange(n_classes), n_labeled + n_unlabeled // n_classes)
    X = csr_array(np.array([rng.multinomial(12, words[code]) for code in truth], dtype))
    y = truth.copy()
    y[n_labeled * n_classes :] = -1
    return X, y, truth


def trained(learner, X, y, vectors, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    corpus = in_memory(Block(X, y, weight, vectors), 1)
    training = replace(TrainingSet.of(corpus, Labels(np.arange(3))), n_dims=vectors.shape[1])
    return learner.fit(training, Run(n_threads=1))


def two_views(seed=0):
    """Documents, labels, and vectors as a two-view mixture sees them, and that mixture."""
    X, y, _ = topics(seed)
    mixture = TwoViewEM(n_dims=5, n_jobs=1).fit(X, y)
    return *mixture._seen(X), y, mixture


def test_features_have_unit_length_and_stay_sparse():
    X, y, _ = topics()
    features = FisherKernel().fit_transform(X, y)
    assert features.shape == (len(y), 61 * 3)
    assert_allclose((features**2).sum(axis=1), 1.0)
    assert features.nnz < 0.2 * features.shape[0] * features.shape[1]


def test_the_kernel_is_the_product_of_features_and_a_kernel_of_scikit_learn():
    X, y, truth = topics()
    fisher = FisherKernel().fit(X, y)
    features = fisher.transform(X)
    assert_allclose(fisher.kernel(X), (features @ features.T).toarray(), atol=1e-12)
    assert_allclose(fisher.kernel(X[:5], X[5:]), (features[:5] @ features[5:].T).toarray())
    labeled = y >= 0
    by_kernel = SVC(kernel=fisher.kernel).fit(X[labeled], y[labeled]).predict(X)
    by_features = SVC(kernel="linear").fit(features[labeled], y[labeled]).predict(features)
    assert_array_equal(by_kernel, by_features)
    assert (by_kernel == truth).mean() > 0.9


def test_it_is_a_step_of_a_pipeline():
    X, y, truth = topics()
    labeled = y >= 0
    pipeline = make_pipeline(FisherKernel(NaiveBayesEM(unlabeled_weight=0.0)), LinearSVC())
    assert pipeline.fit(X[labeled], y[labeled]).score(X, truth) > 0.7


def test_a_given_mixture_is_cloned_and_a_fitted_one_is_used_as_it_is():
    X, y, _ = topics()
    given = NaiveBayesEM(alpha=0.1)
    fisher = FisherKernel(given).fit(X, y)
    assert not hasattr(given, "classes_")
    given.fit(X, y)
    frozen = FisherKernel(FrozenEstimator(given))
    used = clone(frozen).fit(X[:3])
    assert used.mixture_ is given
    assert_array_equal(used.transform(X).toarray(), fisher.transform(X).toarray())
    with pytest.raises(NotFittedError):
        FisherKernel(FrozenEstimator(NaiveBayesEM())).fit(X)
    with pytest.raises(ValueError, match="features"):
        frozen.fit(X[:, :9])
    with pytest.raises(ValueError, match="already has its components, got n_clusters=2"):
        FisherKernel(FrozenEstimator(given), n_clusters=2).fit(X)


def test_a_mixture_with_vectors_of_the_user_is_refused():
    X, y, _ = topics()
    mixture = TwoViewEM(n_dims=5).fit(
        X, y, vectors=np.random.default_rng(0).normal(size=(len(y), 3))
    )
    with pytest.raises(ValueError, match="fitted with vectors of your own, which FisherKernel can"):
        FisherKernel(FrozenEstimator(mixture)).fit(X)


def test_a_word_that_a_row_repeats_counts_once_with_its_sum():
    X, y, _ = topics()
    fisher = FisherKernel().fit(X, y)
    repeated = csr_array(([1.0, 2.0, 4.0], [3, 5, 3], [0, 3]), shape=(1, 60))
    summed = repeated.copy()
    summed.sum_duplicates()
    assert_allclose(fisher.transform(repeated).toarray(), fisher.transform(summed).toarray())
    assert_allclose(fisher.kernel(repeated), [[1.0]])
    assert repeated.nnz == 3  # as it was


def test_names_of_words_are_those_of_the_last_fit():
    X, y = pd.DataFrame({"dough": [2.0, 0.0], "moon": [0.0, 1.0]}), ["a", "b"]
    fisher = FisherKernel().fit(X, y)
    assert fisher.get_feature_names_out()[0] == "dough, component 0"
    fisher.fit(X.to_numpy(), y).transform(X.to_numpy())
    assert fisher.get_feature_names_out()[0] == "x0, component 0"


def test_options_that_change_after_a_fit_wait_for_the_next():
    X, y, _ = topics()
    fisher = FisherKernel().fit(X, y)
    before = fisher.transform(X).toarray()
    fisher.set_params(feature_beta=0.1)
    assert_array_equal(fisher.transform(X).toarray(), before)


def test_features_of_vectors_have_names():
    X, y, _ = topics()
    fisher = FisherKernel(TwoViewEM(n_dims=2)).fit(X, y)
    names = fisher.get_feature_names_out()
    assert len(names) == fisher.n_features_out_ == 61 * 3 + 2 * 3
    assert names[-6:].tolist()[:3] == [
        "dimension 0, component 0",
        "dimension 1, component 0",
        "dimension 0, component 1",
    ]


def test_several_components_of_a_class_have_features_of_their_own():
    X, y, _ = topics()
    fisher = FisherKernel(NaiveBayesEM(n_components=2, n_init=1)).fit(X, y)
    assert fisher.n_features_out_ == 61 * 6


def test_unlabeled_documents_change_the_features_only_with_a_weight():
    X, y, _ = topics()
    labeled = y >= 0
    without = FisherKernel(NaiveBayesEM(unlabeled_weight=0.0))
    alone = without.fit(X[labeled], y[labeled]).transform(X).toarray()
    assert_allclose(without.fit(X, y).transform(X).toarray(), alone)
    assert np.abs(FisherKernel().fit(X, y).transform(X).toarray() - alone).max() > 0.01


def test_clusters_ignore_labels_and_find_topics():
    X, y, truth = topics(n_unlabeled=300)
    clusters = FisherKernel(n_clusters=3)
    found = clusters.fit(X).transform(X).toarray()
    assert_array_equal(clusters.fit(X, y).transform(X).toarray(), found)
    assert_array_equal(clusters.mixture_.component_class_, [0, 0, 0])
    shares = found[:, -3:]
    assert shares.max(axis=1).min() > 0
    together = [np.bincount(shares.argmax(axis=1)[truth == code]).max() for code in range(3)]
    assert sum(together) > 0.9 * len(truth)
    others = FisherKernel(NaiveBayesEM(random_state=1), n_clusters=3).fit(X).transform(X)
    assert np.abs(others.toarray() - found).max() > 0.1


def test_a_two_view_mixture_is_a_mixture_too():
    X, y, truth = topics()
    fisher = FisherKernel(TwoViewEM(n_dims=5)).fit(X, y)
    features = fisher.transform(X)
    assert_allclose(fisher.kernel(X), (features @ features.T).toarray(), atol=1e-12)
    labeled = y >= 0
    machine = LinearSVC().fit(features[labeled], y[labeled])
    assert (machine.predict(features) == truth).mean() > 0.9


def test_lower_temperatures_give_fewer_components_a_share():
    X, y, _ = topics()
    sizes = [FisherKernel(feature_beta=beta).fit_transform(X, y).nnz for beta in (0.01, 0.3, 1.0)]
    assert sizes[0] == 3 * (X.nnz + X.shape[0]) >= sizes[1] >= sizes[2]


def test_names_of_features():
    X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), ["a", "b"]
    fisher = FisherKernel().fit(X, y)
    assert fisher.get_feature_names_out(["dough", "moon"]).tolist() == [
        "dough, component 0",
        "dough, component 1",
        "moon, component 0",
        "moon, component 1",
        "component 0",
        "component 1",
    ]
    assert fisher.get_feature_names_out()[0] == "x0, component 0"
    with pytest.raises(ValueError, match="input_features"):
        fisher.get_feature_names_out(["dough"])


@pytest.mark.parametrize(
    ("kernel", "error", "message"),
    [
        (FisherKernel(TransductiveSVM()), TypeError, "whose model is a mixture, such as NaiveBay"),
        (FisherKernel("em"), TypeError, "whose model is a mixture.*got str"),
        (FisherKernel(TwoViewEM(), n_clusters=2), TypeError, "a NaiveBayesEM or None, got TwoVie"),
        (FisherKernel(n_clusters=0), ValueError, "n_clusters must be"),
        (FisherKernel(feature_beta=0.0), ValueError, "feature_beta must be"),
        (FisherKernel(feature_beta=1.5), ValueError, "feature_beta must be"),
        (FisherKernel(vector_share=1.0), ValueError, "vector_share must be"),
        (FisherKernel(least_share=-0.1), ValueError, "least_share must be"),
    ],
)
def test_what_cannot_be_meant_is_refused(kernel, error, message):
    X, y, _ = topics()
    with pytest.raises(error, match=message):
        kernel.fit(X, y)


def test_without_labels_it_asks_for_labels_or_clusters():
    X, _, _ = topics()
    with pytest.raises(ValueError, match=r"requires y to be passed.*or n_clusters to use none"):
        FisherKernel().fit(X)


@pytest.mark.parametrize("most", [5000, 0])
def test_the_learner_is_the_transformer_and_svms(most, monkeypatch):
    """Of the kernel, or of the features where labeled documents are many."""
    monkeypatch.setattr(_fisher, "MOST_BY_KERNEL", most)
    X, vectors, y, mixture = two_views()
    labeled = y >= 0
    options = {"feature_beta": 0.5, "vector_share": 0.3, "least_share": 0.01}
    fisher = FisherKernel(FrozenEstimator(mixture), **options).fit(X)
    features = fisher.transform(topics()[0])
    linear = LinearSVC(C=2.0, dual=False, tol=1e-2) if most == 0 else SVC(kernel="linear", C=2.0)
    machines = OneVsRestClassifier(linear).fit(features[labeled], y[labeled])
    learner = FisherLearner(alpha=0.05, max_iter=10, n_dims=5, C=2.0, **options)
    expert = trained(learner, X, y, vectors).expert
    assert_allclose(expert.scores(X, vectors), machines.decision_function(features), atol=5e-3)


def test_a_weight_of_two_is_two_documents():
    X, vectors, y, _ = two_views()
    rows = np.concatenate([np.arange(len(y)), np.flatnonzero(y >= 0)])
    weight = np.where(y >= 0, 2.0, 1.0)
    learner = FisherLearner(n_dims=5, C=0.3)
    twice = trained(learner, csr_array(X[rows]), y[rows], vectors[rows]).expert
    weighted = trained(learner, X, y, vectors, weight).expert
    assert_allclose(weighted.scores(X, vectors), twice.scores(X, vectors), atol=5e-3)


def parts_of(vector, n_words, seed):
    """Parts of words that add up to a vector."""
    noise = np.random.default_rng(seed).normal(size=(n_words, len(vector)))
    return noise - noise.mean(axis=0) + vector / n_words


@pytest.mark.parametrize("vector_share", [0.0, 0.2])
@pytest.mark.parametrize("row", [0, 40, 100])
def test_pulls_of_words_and_of_components_add_up_to_the_scores(row, vector_share):
    X, vectors, y, _ = two_views()
    learner = FisherLearner(n_dims=5, vector_share=vector_share)
    expert = trained(learner, X, y, vectors).expert
    x, vector = csr_array(X[[row]]), vectors[row]
    features = expert.fisher.features(x, vector[None]).toarray()[0]
    added = features[:, None] * expert._padded[expert._places]
    first = expert.fisher.n_word_features - 3  # of the features of components
    rest = added[first : first + 3].sum(axis=0) + expert.bias
    parts = parts_of(vector, x.nnz, row)
    (scores,) = expert.scores(x, vector[None])
    for explained in (expert, expert.for_document(vector)):
        pulls = explained.pulls(x, parts)
        assert pulls.shape == (x.nnz, 3)
        assert_allclose(pulls.sum(axis=0) + rest, scores, atol=1e-6)
    # Shares are those of the document's vector, also where words have no part in it.
    without = expert.for_document(vector).pulls(x, np.zeros_like(parts))
    assert_allclose(without.sum(axis=0), added[:first].sum(axis=0), atol=1e-6)
    if vector_share:  # else one component has all features of these documents, with any vector
        assert np.abs(expert.pulls(x, np.zeros_like(parts)) - without).max() > 1e-4


def test_documents_are_scored_in_parts_of_bounded_memory(monkeypatch):
    X, vectors, y, _ = two_views()
    expert = trained(FisherLearner(n_dims=5), X, y, vectors).expert
    whole = expert.scores(X, vectors)
    monkeypatch.setattr(of_expert, "MOST_STORED", 100)
    assert_allclose(expert.scores(X, vectors), whole, atol=1e-12)


def test_an_empty_document_has_scores_and_no_pulls():
    X, vectors, y, _ = two_views()
    expert = trained(FisherLearner(n_dims=5), X, y, vectors).expert
    nothing = csr_array((1, 60))
    assert np.isfinite(expert.scores(nothing, np.zeros((1, 5)))).all()
    assert expert.pulls(nothing, np.zeros((0, 5))).shape == (0, 3)


@every_corpus
def test_every_corpus_gives_the_same_machines(corpus):
    drawn = draw_corpus(0, weighted=True)
    learner, run = FisherLearner(n_dims=N_DIMS), Run(n_threads=1)

    def scores(seen):
        training = replace(TrainingSet.of(seen, Labels(np.arange(3))), n_dims=N_DIMS)
        return learner.fit(training, run).expert.scores(drawn.X, drawn.vectors)

    assert_allclose(scores(corpus(drawn)), scores(drawn_in_memory(drawn)), atol=1e-5)

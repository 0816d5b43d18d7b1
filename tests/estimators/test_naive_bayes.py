"""NaiveBayesEM: scikit-learn's answers where it has one, and more with unlabeled documents."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from drawing import cut_up, draw_corpus
from leaven import NaiveBayesEM, TextVectorizer
from leaven.corpora import InMemoryCorpus, StreamedCorpus
from leaven.exceptions import CollapseWarning

KINDS = {
    "dense": lambda X: X.toarray(),
    "csr": csr_matrix,
    "csc": csc_matrix,
    "coo": coo_array,
    "list": lambda X: X.toarray().tolist(),
}
TOLERANCES = {np.float64: 1e-10, np.float32: 2e-5}


def all_labeled(seed=0, *, dtype=np.float64):
    drawn = draw_corpus(seed, n_documents=60, labeled=1.0, dtype=dtype, weighted=True)
    y = np.where(drawn.y < 0, 2, drawn.y)
    return drawn.X, y, drawn.weight


def documents_of_two_topics(seed=0, *, n_documents=300, n_words=60, length=30):
    """Documents from the model, few of them labeled: X, the true classes, and y."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n_documents)
    truth[:6] = [0, 1] * 3
    words = rng.dirichlet(np.full(n_words, 0.5), size=2)
    X = np.array([rng.multinomial(length, words[code]) for code in truth], dtype=float)
    y = np.full(n_documents, -1)
    y[:6] = truth[:6]
    return X, truth, y


@pytest.mark.parametrize("alpha", [1.0, 0.01])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TOLERANCES, ids=lambda dtype: dtype.__name__)
def test_without_unlabeled_documents_it_is_sklearn_naive_bayes(dtype, kind, alpha):
    X, y, weight = all_labeled(dtype=dtype)
    given = KINDS[kind](X)
    theirs = MultinomialNB(alpha=alpha).fit(X, y, sample_weight=weight)
    ours = NaiveBayesEM(alpha=alpha).fit(given, y, sample_weight=weight)
    rtol = TOLERANCES[dtype]
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=rtol)
    assert_allclose(ours.class_log_prior_, theirs.class_log_prior_, rtol=rtol)
    assert_allclose(ours.predict_proba(given), theirs.predict_proba(X), atol=30 * rtol)
    assert_array_equal(ours.predict(given), theirs.predict(X))
    assert ours.feature_log_prob_.dtype == (np.float64 if kind == "list" else dtype)


def test_the_class_prior_counts_in_probabilities():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    y = np.array([0, 0, 0, 1])
    no_word = np.zeros((1, 2))
    assert_allclose(NaiveBayesEM().fit(X, y).predict_proba(no_word), [[0.75, 0.25]])
    smoothed = NaiveBayesEM(class_alpha=2.0).fit(X, y)
    assert_allclose(smoothed.predict_proba(no_word), [[5 / 8, 3 / 8]])


def test_whole_and_fractional_counts_are_the_same_numbers():
    X, _, y = documents_of_two_topics()
    whole = NaiveBayesEM().fit(X.astype(np.int32), y)
    assert_allclose(whole.feature_log_prob_, NaiveBayesEM().fit(X, y).feature_log_prob_)


@pytest.mark.parametrize("missing", [None, ""])
def test_text_labels_are_the_same_as_codes(missing):
    X, _, y = documents_of_two_topics()
    names = np.array(["ham", "spam"], dtype=object)
    named = [missing if code < 0 else names[code] for code in y]
    by_code, by_name = NaiveBayesEM().fit(X, y), NaiveBayesEM().fit(X, named)
    assert by_name.classes_.tolist() == ["ham", "spam"]
    assert_array_equal(by_name.feature_log_prob_, by_code.feature_log_prob_)
    assert_array_equal(by_name.predict(X), names[by_code.predict(X)])
    as_array = NaiveBayesEM().fit(X, np.array(named, dtype=object))
    assert_array_equal(as_array.feature_log_prob_, by_code.feature_log_prob_)


def test_an_unlabeled_weight_of_zero_is_the_same_as_dropping_unlabeled_documents():
    X, _, y = documents_of_two_topics()
    dropped = NaiveBayesEM().fit(X[y >= 0], y[y >= 0])
    ignored = NaiveBayesEM(unlabeled_weight=0.0).fit(X, y)
    assert_allclose(ignored.feature_log_prob_, dropped.feature_log_prob_)
    assert_allclose(ignored.class_log_prior_, dropped.class_log_prior_)
    assert ignored.n_iter_ == 0
    assert np.isnan(ignored.unlabeled_shares_).all()


def test_a_lower_unlabeled_weight_stays_closer_to_the_labeled_documents():
    X, _, y = documents_of_two_topics()
    # The prior keeps its share of the words, so labels alone have that share too.
    labels_alone = NaiveBayesEM(alpha=X[y >= 0].sum() / X.sum(), unlabeled_weight=0.0).fit(X, y)
    fits = [NaiveBayesEM(unlabeled_weight=w).fit(X, y) for w in (1e-6, 0.01, 0.2, 1.0)]
    distance = [np.abs(f.feature_log_prob_ - labels_alone.feature_log_prob_).sum() for f in fits]
    assert distance[0] < 0.1
    assert (np.diff(distance) > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_unlabeled_documents_help_when_the_model_is_right(seed):
    X, truth, y = documents_of_two_topics(seed, n_documents=600, n_words=150, length=10)
    new, new_truth = X[300:], truth[300:]
    supervised = NaiveBayesEM(unlabeled_weight=0.0).fit(X[:300], y[:300])
    with_em = NaiveBayesEM().fit(X[:300], y[:300])
    before, after = supervised.score(new, new_truth), with_em.score(new, new_truth)
    assert after >= before + 0.03
    assert after >= 0.9


def test_attributes_say_what_happened():
    X, _, y = documents_of_two_topics()
    ours = NaiveBayesEM().fit(X, y)
    assert ours.classes_.tolist() == [0, 1]
    assert ours.n_features_in_ == X.shape[1]
    assert ours.feature_log_prob_.shape == (2, X.shape[1])
    assert_allclose(np.exp(ours.feature_log_prob_).sum(axis=1), 1.0)
    assert_allclose(np.exp(ours.class_log_prior_).sum(), 1.0)
    assert ours.converged_
    assert len(ours.objective_) == ours.n_iter_ + 1
    assert np.diff(ours.objective_).min() >= -1e-10 * abs(ours.objective_[-1])
    assert_allclose(ours.unlabeled_shares_.sum(), 1.0)
    unlabeled = ours.predict_proba(X[y < 0]).mean(axis=0)
    assert_allclose(ours.unlabeled_shares_, unlabeled, atol=1e-6)


def test_log_probabilities_stay_precise_where_probabilities_round_to_zero():
    X, _, y = documents_of_two_topics()
    ours = NaiveBayesEM().fit(X, y)
    assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X), atol=1e-12)
    long = 1000 * X[:4]
    assert (ours.predict_proba(long).min(axis=1) == 0).all()
    assert np.isfinite(ours.predict_log_proba(long)).all()
    assert (ours.predict_log_proba(long).min(axis=1) < -1000).all()


def test_long_documents_in_float32_are_scored_as_in_float64():
    rng = np.random.default_rng(0)
    X, _, y = documents_of_two_topics(n_words=5000, length=200)
    narrow = NaiveBayesEM(unlabeled_weight=0.0).fit(X.astype(np.float32), y)
    long = rng.poisson(300, size=(3, 5000)).astype(np.float32)
    exact = long.astype(float) @ narrow.feature_log_prob_.T.astype(float) + narrow.class_log_prior_
    found = narrow.predict_log_proba(long)
    assert_allclose(found[:, 0] - found[:, 1], exact[:, 0] - exact[:, 1], rtol=1e-9)


@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_max_iter_is_the_most_m_steps(max_iter):
    X, _, y = documents_of_two_topics(length=6)
    ours = NaiveBayesEM(max_iter=max_iter, tol=0.0)
    if max_iter:
        with pytest.warns(ConvergenceWarning):
            ours.fit(X, y)
    else:
        ours.fit(X, y)
        supervised = NaiveBayesEM(unlabeled_weight=0.0).fit(X, y)
        assert_array_equal(ours.feature_log_prob_, supervised.feature_log_prob_)
    assert ours.n_iter_ == max_iter
    assert not ours.converged_


def test_a_warning_tells_which_numbers_to_change_when_em_did_not_converge():
    X, _, y = documents_of_two_topics()
    with pytest.warns(ConvergenceWarning) as caught:
        ours = NaiveBayesEM(max_iter=2, tol=1e-9).fit(X, y)
    message = str(caught[0].message)
    assert re.fullmatch(r"EM stopped .*\b2\b.* 1e-09; increase max_iter or tol", message)
    assert caught[0].filename == __file__
    assert ours.messages_ == [str(caught[0].message)]


def documents_too_short(seed=1):
    """Four words per document against 2,000 different ones.

    With many pseudo-counts the class that gets ahead looks likelier for any word, and takes
    everything.
    """
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(2000, 0.5), size=2)
    X = np.array([rng.multinomial(4, words[i % 2]) for i in range(600)], dtype=float)
    return X, np.array([0, 1, 0, -1, 0, *[-1] * 595])


def test_a_collapse_gives_a_warning_that_says_what_to_change():
    X, y = documents_too_short()
    with pytest.warns(
        CollapseWarning, match=r"class 0 was assigned \d+ % of the unlabeled"
    ) as caught:
        ours = NaiveBayesEM(alpha=2.0).fit(X, y)
    assert ours.unlabeled_shares_.max() > 0.9
    for remedy in ("length", "alpha", "unlabeled weight", "without unlabeled documents"):
        assert remedy in str(caught[0].message)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", CollapseWarning)
        NaiveBayesEM(alpha=2.0, unlabeled_weight=0.0).fit(X, y)
        NaiveBayesEM(alpha=0.1).fit(X, y)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.5])
def test_a_collapse_at_a_low_unlabeled_weight_does_not_pass_silently(weight):
    X, y = documents_too_short()
    ours = NaiveBayesEM(alpha=2.0, unlabeled_weight=weight)
    with pytest.warns(CollapseWarning, match="EM has probably collapsed"):
        ours.fit(X, y)
    assert ours.unlabeled_shares_.max() > 0.9
    assert any("collapsed" in message for message in ours.messages_)


REFUSED_PARAMETERS = [
    ({"alpha": 0}, r"alpha must be in \(0, inf\), got 0"),
    ({"alpha": -1.0}, r"alpha must be in \(0, inf\), got -1\.0"),
    ({"alpha": float("nan")}, r"alpha must be in \(0, inf\), got nan"),
    ({"alpha": float("inf")}, r"alpha must be in \(0, inf\), got inf"),
    ({"alpha": 1e-320}, "alpha must be representable in the precision of the counts, float64"),
    ({"alpha": "1"}, r"alpha must be a number in \(0, inf\), got '1'"),
    ({"class_alpha": -0.5}, r"class_alpha must be in \[0, inf\), got -0\.5"),
    ({"unlabeled_weight": 1.5}, r"unlabeled_weight must be in \[0, 1\], got 1\.5"),
    ({"unlabeled_weight": -1}, r"unlabeled_weight must be in \[0, 1\], got -1"),
    ({"max_iter": -1}, r"max_iter must be in \[0, inf\), got -1"),
    ({"max_iter": 2.5}, r"max_iter must be a whole number in \[0, inf\), got 2\.5"),
    ({"max_iter": None}, r"max_iter must be a whole number in \[0, inf\), got None"),
    ({"tol": -1e-3}, r"tol must be in \[0, inf\), got -0\.001"),
    ({"tol": float("nan")}, r"tol must be in \[0, inf\), got nan"),
    ({"n_jobs": 0}, "n_jobs must be at least 1, or -1 or None for all, got 0"),
    ({"n_jobs": "2"}, "n_jobs must be a whole number, or None for all, got '2'"),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED_PARAMETERS, ids=str)
def test_parameters_outside_their_range_are_refused(parameters, message):
    X, _, y = documents_of_two_topics()
    with pytest.raises((ValueError, TypeError), match=message):
        NaiveBayesEM(**parameters).fit(X, y)


def test_a_pseudo_count_that_vanishes_in_float32_is_refused():
    X, _, y = documents_of_two_topics()
    NaiveBayesEM(alpha=1e-60, unlabeled_weight=0.0).fit(X, y)
    with pytest.raises(ValueError, match="precision of the counts, float32, got 1e-60"):
        NaiveBayesEM(alpha=1e-60).fit(X.astype(np.float32), y)


REFUSED_LABELS = [
    ([-1, -1, -1], "no document is labeled: every label is missing"),
    ([None, "", None], "no document is labeled: every label is missing"),
    ([7, -1, 7], "at least 2 classes, and all labeled documents are of one class, 7; label"),
    (["a", None, "a"], "of one class, 'a'; label documents of another class too"),
    ([0, 1], r"one entry per document, got 3, 2 and 3"),
    (["0", "1", "-1"], 'the label "-1" as text occurs 1 times'),
    ([[1, 0], [0, 1], [1, 1]], "NaiveBayesEM learns one label per document, but y holds sets"),
    (np.array([[1, 0], [0, 1], [1, 1]]), "NaiveBayesEM learns one label per document"),
    ([["a"], ["a", "b"], []], "NaiveBayesEM learns one label per document"),
    (None, "requires y to be passed, but the target y is None"),
    ([0.5, 1.7, 2.2], "[Uu]nknown label type"),
    ([0.0, 1.0, float("nan")], "y contains NaN"),
]


@pytest.mark.parametrize(("y", "message"), REFUSED_LABELS, ids=str)
def test_labels_nothing_can_be_learned_from_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesEM().fit(np.eye(3), y)


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "Input X contains NaN"),
        (float("inf"), "Input X contains infinity"),
        (-2.0, r"must not be negative, found -2\.0 at document 5, word 3"),
    ],
)
def test_counts_that_are_none_are_refused(value, message, kind):
    X, _, y = documents_of_two_topics()
    X = X[:20]
    fitted = NaiveBayesEM().fit(X, y[:20])
    X = csr_array(X).tolil()
    X[5, 3] = value
    X = KINDS[kind](csr_array(X))
    with pytest.raises(ValueError, match=message):
        NaiveBayesEM().fit(X, y[:20])
    with pytest.raises(ValueError, match=message):
        fitted.predict(X)


def test_negative_counts_of_hashed_words_come_with_the_remedy():
    X = TextVectorizer(hash_features=8).fit_transform(["one two three four five six", "seven"])
    assert X.data.min() < 0
    with pytest.raises(ValueError, match="alternate_sign=False"):
        NaiveBayesEM().fit(X, [0, 1])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0.0, 0.0, 1.0, 1.0], "positive weight, class 0 has none"),
        ([-1.0, 1.0, 1.0, 1.0], "[Nn]egative values in data"),
        ([np.nan, 1.0, 1.0, 1.0], "sample_weight contains NaN"),
        ([1.0, 1.0], "sample_weight"),
    ],
)
def test_weights_nothing_can_be_learned_with_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesEM().fit(np.eye(4), [0, 0, 1, -1], sample_weight=weight)


def test_predicting_needs_a_fit_and_as_many_words():
    X, _, y = documents_of_two_topics()
    with pytest.raises(NotFittedError):
        NaiveBayesEM().predict(X)
    with pytest.raises(ValueError, match="60 features"):
        NaiveBayesEM().fit(X, y).predict(X[:, :5])


def test_fitting_twice_and_cloning_give_the_same_parameters():
    X, _, y = documents_of_two_topics()
    ours = NaiveBayesEM(alpha=0.3, n_jobs=2).fit(X, y)
    first = ours.feature_log_prob_.copy()
    assert_array_equal(clone(ours).fit(X, y).feature_log_prob_, first)
    assert_array_equal(ours.fit(X, y).feature_log_prob_, first)


def test_the_data_given_is_left_as_it_was():
    X, _, y = documents_of_two_topics()
    X, y = csr_array(X), y.copy()
    before = X.toarray(), y.copy()
    NaiveBayesEM().fit(X, y).predict(X)
    assert_array_equal(X.toarray(), before[0])
    assert_array_equal(y, before[1])


def test_a_corpus_can_be_fitted_wherever_it_is():
    drawn = draw_corpus(1)
    here = NaiveBayesEM().fit(drawn.X, drawn.y)
    told = []
    there = NaiveBayesEM().fit_corpus(
        StreamedCorpus(cut_up(drawn)),
        classes=[0, 1, 2],
        on_progress=lambda *now: told.append(now),
    )
    assert_allclose(there.feature_log_prob_, here.feature_log_prob_, atol=1e-9)
    assert_allclose(there.objective_, here.objective_, rtol=1e-12)
    assert told == [("EM", step, 100) for step in range(there.n_iter_ + 1)]
    assert there.n_features_in_ == drawn.X.shape[1]


def test_a_grid_search_finds_the_better_alpha():
    X, y, _ = all_labeled()
    search = GridSearchCV(NaiveBayesEM(), {"alpha": [1e4, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_ == {"alpha": 0.5}
    assert search.best_score_ > 0.5


def test_a_pipeline_takes_texts_to_classes():
    texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    pipeline = make_pipeline(TextVectorizer(length=50), NaiveBayesEM())
    pipeline.fit(texts, ["baking", "space", None, None])
    assert pipeline.predict(["bread", "an orbit"]).tolist() == ["baking", "space"]


def test_nan_among_text_labels_is_unlabeled():
    model = NaiveBayesEM().fit(np.eye(4), ["a", "b", float("nan"), None])
    assert model.classes_.tolist() == ["a", "b"]


def test_a_failed_fit_changes_nothing():
    model = NaiveBayesEM()
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(np.eye(2), [5, 5])
    with pytest.raises(NotFittedError):
        model.predict(np.eye(2))
    model.fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(np.eye(2), [5, 5])
    assert model.predict(np.eye(2)).tolist() == [0, 1]


@pytest.mark.parametrize("index", [50_000_000, -5])
def test_a_word_number_outside_the_matrix_is_refused(index):
    X = csr_array(np.eye(4))
    X.indices[-1] = index
    with pytest.raises(ValueError, match=r"X\.indices must be from 0 to 3"):
        InMemoryCorpus(X, np.array([0, 1, -1, -1]))


def test_a_corpus_of_other_classes_is_refused():
    corpus = InMemoryCorpus(csr_array(np.eye(4)), np.array([0, 1, 2, -1]))
    with pytest.raises(ValueError, match="class codes must be below the number of classes, 2"):
        NaiveBayesEM().fit_corpus(corpus, classes=["a", "b"])
    with pytest.raises(ValueError, match="positive weight, class 'd' has none"):
        NaiveBayesEM().fit_corpus(corpus, classes=["a", "b", "c", "d"])


def test_the_answer_true_ends_em_with_the_parameters_reached():
    drawn = draw_corpus(1)
    steps = []

    def stop_at_three(_phase, step, _total):
        steps.append(step)
        return step == 3

    corpus = InMemoryCorpus(drawn.X, drawn.y)
    ours = NaiveBayesEM(tol=0.0).fit_corpus(  # a ConvergenceWarning would be an error here
        corpus, classes=[0, 1, 2], on_progress=stop_at_three
    )
    assert steps == [0, 1, 2, 3]
    assert ours.n_iter_ == 3
    assert not ours.converged_
    with pytest.warns(ConvergenceWarning):
        three = NaiveBayesEM(tol=0.0, max_iter=3).fit(drawn.X, drawn.y)
    assert_array_equal(ours.feature_log_prob_, three.feature_log_prob_)


def test_a_listener_that_answers_anything_but_true_is_let_talk():
    drawn = draw_corpus(1)
    corpus = InMemoryCorpus(drawn.X, drawn.y)
    answers = iter([1, "stop", [1], False, *[None] * 1000])
    ours = NaiveBayesEM().fit_corpus(
        corpus, classes=[0, 1, 2], on_progress=lambda *_: next(answers)
    )
    assert_array_equal(
        ours.feature_log_prob_, NaiveBayesEM().fit(drawn.X, drawn.y).feature_log_prob_
    )

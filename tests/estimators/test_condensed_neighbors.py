"""Nearest neighbors on counts: ties, copies, empty documents, few documents, explanations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, vstack

from drawing import CORPORA
from leaven import CondensedNeighbors
from leaven._base.measures import softmax
from leaven.corpora import Block, InMemoryCorpus
from leaven.experts._neighbors import NO_VOTE
from leaven.neighbors import ALGORITHMS, VOTES
from leaven.neighbors._votes import BLOCK

KNN = {"unlabeled_weight": 0.0, "votes": "plain"}


def topics(n=120, n_words=30, seed=0, n_labeled=12):
    """Three topics with overlapping words; labels of the first documents."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    rates = np.full((3, n_words), 0.2)
    for topic in range(3):
        rates[topic, topic * 8 : topic * 8 + 12] = 1.0
    X = csr_array(rng.poisson(rates[truth]).astype(np.float64))
    return X, np.where(np.arange(n) < n_labeled, truth, -1), truth


def test_unlabeled_documents_help():
    X, y, _ = topics(900, n_labeled=6)
    test, _, wanted = topics(300, seed=1)
    alone = CondensedNeighbors(**KNN, n_neighbors=5).fit(X, y).score(test, wanted)
    assert CondensedNeighbors().fit(X, y).score(test, wanted) > alone + 0.05


def test_of_documents_equally_far_the_one_kept_first_is_the_neighbor():
    X = np.array([[1.0, 1, 0], [1, 0, 1], [1, 1, 0]])
    found = set()
    for seed in range(20):  # the order is drawn, and copies of different classes stay apart
        clf = CondensedNeighbors(**KNN, n_neighbors=2, random_state=seed).fit(X, [0, 1, 2])
        rows = clf.kneighbors([[1.0, 0, 0]], return_distance=False)[0]
        assert_array_equal(rows, clf.kept_[:2])
        found.add(tuple(rows))
    assert len(found) > 1


def test_of_classes_with_equal_votes_the_first_wins():
    clf = CondensedNeighbors(**KNN, n_neighbors=2).fit(np.eye(2), ["b", "a"])
    assert clf.predict([[1.0, 1.0]])[0] == "a"
    assert_allclose(clf.predict_proba([[1.0, 1.0]]), [[0.5, 0.5]])


def test_a_labeled_copy_votes_alone_however_many_others_are_near():
    X = np.array([[4.0, 1], [4, 1.1], [4, 0.9], [4, 1.05]])
    clf = CondensedNeighbors(**KNN, n_neighbors=4).fit(X, [0, 1, 1, 1])
    assert clf.predict([[8.0, 2.0]])[0] == 0  # the first at another length
    assert clf.predict_proba([[8.0, 2.0]])[0, 0] > 0.999
    assert clf.predict([[8.0, 2.05]])[0] == 1


def test_copies_of_two_classes_split_the_vote():
    X = np.array([[1.0, 2], [1, 2], [1, 2], [3, 0]])
    clf = CondensedNeighbors(**KNN, n_neighbors=5).fit(X, [0, 0, 1, 1])
    assert_allclose(clf.predict_proba([[2.0, 4]]), [[2 / 3, 1 / 3]], rtol=1e-5)


@pytest.mark.parametrize("k", [1, 5])
def test_copies_of_two_classes_split_the_vote_however_many_they_are(k):
    X = np.array([[1.0, 2]] * 20 + [[3, 0]])
    clf = CondensedNeighbors(**KNN, n_neighbors=k).fit(X, [0] * 8 + [1] * 12 + [0])
    assert_allclose(clf.predict_proba([[2, 4]])[0], [0.4, 0.6], rtol=1e-5)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_accepted_copies_at_other_lengths_leave_neighbors_that_vote(k):
    copies = np.outer(np.arange(1.0, 10), [1, 1, 0, 0])
    X = np.vstack([[[2, 1, 0, 0], [0, 0, 0, 2], [0, 0, 3, 1]], copies])
    clf = CondensedNeighbors(n_neighbors=k).fit(X, [0, 1, 1] + [-1] * 9)
    assert (~clf.is_labeled_).sum() == k
    assert clf.predict([[1, 1, 0, 0]])[0] == 0  # of the nearest document, not the largest class


def test_an_accepted_document_does_not_vote_on_a_copy_of_itself():
    X = np.array([[2.0, 0, 1], [0, 2, 1], [2, 0.5, 1]])
    clf = CondensedNeighbors(unlabeled_weight=1.0).fit(X, [0, 1, -1])
    assert_array_equal(clf.is_labeled_, [True, True, False])
    with_copy = clf.predict_proba(X[2:])[0]
    alone = CondensedNeighbors(unlabeled_weight=0.0).fit(X[:2], [0, 1]).predict_proba(X[2:])[0]
    assert 0.5 < with_copy[0] < 0.95  # not as sure as it is of a labeled copy
    assert with_copy.argmax() == alone.argmax()


def test_copies_of_an_unlabeled_document_count_once():
    X, y, _ = topics()
    often = CondensedNeighbors().fit(
        csr_array(np.vstack([X.toarray(), np.tile(X.toarray()[-1], (50, 1))])),
        np.concatenate([y, np.full(50, -1)]),
    )
    assert_allclose(often.predict_proba(X), CondensedNeighbors().fit(X, y).predict_proba(X))


def test_documents_without_neighbors_get_the_class_shares():
    X = np.array([[1.0, 0, 0], [1, 0, 0.5], [0, 1, 0], [0, 0, 0]])
    clf = CondensedNeighbors(**KNN).fit(X, [0, 0, 1, 1])
    shares = np.array([3.0, 3.0]) / 6  # of labeled documents, one more each
    proba = clf.predict_proba(np.array([[0.0, 0, 0], [0, 0, 0]]))
    assert_allclose(proba, [shares, shares])
    assert_array_equal(clf.kneighbors([[0.0, 0, 0]])[1], [[-1] * 3])  # the empty one is not kept
    skewed = CondensedNeighbors(**KNN).fit(X, [0, 0, 1, 0])
    assert skewed.predict([[0.0, 0, 0]])[0] == 0
    assert_array_equal(np.sort(clf.kept_), [0, 1, 2])


def test_more_neighbors_than_documents_are_all_of_them():
    X, y, _ = topics()
    few = CondensedNeighbors(**KNN, n_neighbors=12).fit(X, y)
    many = CondensedNeighbors(**KNN, n_neighbors=1000).fit(X, y)
    assert_array_equal(few.predict_proba(X), many.predict_proba(X))
    distances, rows = many.kneighbors(X)
    assert rows.shape == (120, 12)
    assert_array_equal(np.isfinite(distances), rows >= 0)


def test_a_class_whose_documents_have_no_words_gets_no_votes():
    X = np.array([[1.0, 0], [0, 1], [0, 0], [0, 0], [1, 1]])
    clf = CondensedNeighbors().fit(X, [0, 1, 2, 2, -1])
    assert_array_equal(clf.classes_, [0, 1, 2])
    proba = clf.predict_proba(X[:2])
    assert np.isfinite(proba).all()
    assert (proba[:, 2] < 0.01).all()
    assert clf.predict([[0.0, 0]])[0] == 2  # the largest class, of a document without neighbors


def test_where_no_labeled_document_has_words_the_class_shares_are_predicted():
    X = np.array([[0.0, 0], [0, 0], [0, 0], [1, 2]])
    clf = CondensedNeighbors().fit(X, [0, 1, 1, -1])
    assert len(clf.kept_) == 0
    assert_allclose(clf.predict_proba(X[3:]), [[2 / 5, 3 / 5]])


def test_a_class_without_accepted_documents_keeps_its_labeled_ones():
    X = np.array([[1.0, 0, 0], [0, 1, 0], [2, 0, 0.1], [3, 0, 0.2]])
    clf = CondensedNeighbors().fit(X, [0, 1, -1, -1])
    assert_array_equal(clf.kept_classes_, [0, 1, 0, 0] if clf.kept_[0] == 0 else [1, 0, 0, 0])
    assert clf.predict([[0.0, 3, 0]])[0] == 1


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.99])
def test_a_higher_threshold_accepts_fewer_documents(threshold):
    X, y, _ = topics()
    options = {"n_neighbors": 5, "unlabeled_weight": 1.0}
    found = CondensedNeighbors(**options, threshold=threshold).fit(X, y)
    every = CondensedNeighbors(**options).fit(X, y)
    assert len(found.kept_) <= len(every.kept_)
    assert found.is_labeled_.sum() == 12


def test_condensing_keeps_fewer_documents_and_every_class():
    X, y, truth = topics(600)
    whole = CondensedNeighbors().fit(X, y)
    condensed = CondensedNeighbors(condense=True).fit(X, y)
    assert len(condensed.kept_) < len(whole.kept_) / 2
    assert set(condensed.kept_) <= set(whole.kept_)
    assert set(condensed.kept_classes_) == {0, 1, 2}
    assert condensed.score(X, truth) > 0.6


def test_the_seed_draws_the_order():
    X, y, _ = topics()
    options = {"condense": True, "n_neighbors": 3}
    first, again, other = (
        CondensedNeighbors(**options, random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    assert_array_equal(first.kept_, again.kept_)
    assert first.kept_.tolist() != other.kept_.tolist()


@pytest.mark.parametrize("votes", VOTES)
@pytest.mark.parametrize("condense", [False, True])
def test_algorithms_and_threads_give_the_same_classifier(votes, condense):
    X, y, _ = topics(300)
    options = {"votes": votes, "condense": condense, "n_neighbors": 7, "threshold": 0.3}
    reference = CondensedNeighbors(**options, n_jobs=1).fit(X, y)
    for algorithm in ALGORITHMS:
        found = CondensedNeighbors(**options, algorithm=algorithm, n_jobs=3).fit(X, y)
        assert_array_equal(found.kept_, reference.kept_)
        assert_array_equal(found.kept_classes_, reference.kept_classes_)
        assert_allclose(found.predict_proba(X), reference.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_gives_the_same_answer(name):
    X, y, _ = topics()
    block = Block(X, y, np.ones(len(y)))
    corpus = CORPORA[name](block)
    reference = CondensedNeighbors().fit(X, y)
    found = CondensedNeighbors().fit_corpus(corpus, classes=[0, 1, 2])
    assert_array_equal(found.kept_, reference.kept_)
    assert_allclose(found.predict_proba(X), reference.predict_proba(X), rtol=1e-12)


def test_of_many_documents_a_sample_is_kept_and_the_report_says_so():
    X, y, _ = topics(900, n_labeled=90)
    clf = CondensedNeighbors(max_documents=50).fit(X, y)
    facts = clf._learned.facts
    # Twenty labeled documents of a class are kept, however few are wanted.
    assert facts["n_labeled_voting"] == clf.is_labeled_.sum() <= 60 < 90 == facts["n_labeled_found"]
    assert facts["n_considered"] == 50
    assert (~clf.is_labeled_).sum() == facts["n_accepted"] <= 50
    assert facts["n_unlabeled_found"] == 810
    assert len(clf.kept_) == facts["n_kept"]
    assert clf._learned.lines == (
        "60 labeled and all 50 unlabeled documents vote, the 40 nearest at a time",
        "60 of 90 labeled documents were considered (max_documents)",
        "50 of 810 unlabeled documents were considered (max_documents)",
        "110 documents are kept (0.1 MB)",
    )


def test_copies_are_not_reported_as_left_out():
    X, y, _ = topics()
    once = CondensedNeighbors(max_documents=150).fit(X, y)
    twice = CondensedNeighbors(max_documents=150).fit(
        csr_array(vstack([X, X[y < 0]])), np.concatenate([y, y[y < 0]])
    )
    assert twice._learned.facts["n_unlabeled_found"] == 216
    assert twice._learned.lines == once._learned.lines


def test_the_report_tells_voters_from_those_kept_after_condensing():
    X, y, _ = topics()
    condensed = CondensedNeighbors(condense=True, threshold=0.5).fit(X, y)._learned
    facts = condensed.facts
    assert facts["n_kept"] < facts["n_labeled_voting"] + facts["n_accepted"] < 120
    assert condensed.lines[0].startswith(f"12 labeled and {facts['n_accepted']} of 108 unlabeled")
    assert "documents are kept after condensing" in condensed.lines[1]
    assert sum(facts["accepted"].values()) == facts["n_accepted"]
    alone = CondensedNeighbors(**KNN, n_neighbors=3).fit(X, y)._learned
    assert alone.lines[0] == "12 labeled documents vote, the 3 nearest at a time"
    assert alone.class_lines == {}


def test_words_share_the_rise_of_a_class_by_its_votes():
    X, y, _ = topics()
    clf = CondensedNeighbors().fit(X, y)
    expert = clf._learned.expert
    x = csr_array(X[[5]])
    pulls = expert.pulls(x, None)
    assert pulls.shape == (x.nnz, 3)
    assert_allclose(pulls.sum(axis=0), (expert.scores(x, None) - np.log(NO_VOTE / 3))[0])
    assert (pulls >= 0).all()


def test_words_of_classes_are_those_of_their_topics():
    X, y, _ = topics(900)
    expert = CondensedNeighbors().fit(X, y)._learned.expert
    scores = expert.word_scores()
    assert scores.shape == (3, 30)
    for topic, own in enumerate((range(8), range(12, 16), range(20, 28))):
        assert scores[topic, list(own)].mean() > scores[topic].mean() + 0.01


def test_probabilities_are_the_shares_of_votes():
    X, y, _ = topics()
    clf = CondensedNeighbors(**KNN, n_neighbors=3).fit(X, y)
    votes = clf._learned.expert.votes(X)
    share = (votes + NO_VOTE / 3) / (votes.sum(axis=1, keepdims=True) + NO_VOTE)
    assert_allclose(clf.predict_proba(X), share)
    assert_allclose(softmax(np.log(share)), share)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("n_neighbors", 0, "n_neighbors must be"),
        ("n_neighbors", 2.5, "n_neighbors must be"),
        ("threshold", 1.0, "threshold must be"),
        ("threshold", -0.1, "threshold must be"),
        ("unlabeled_weight", 1.5, "unlabeled_weight must be"),
        ("condense", "yes", "condense must be"),
        ("votes", "fair", "votes must be"),
        ("algorithm", "kd_tree", "algorithm must be"),
        ("max_documents", 0, "max_documents must be"),
    ],
)
def test_bad_options_are_refused_in_one_line(option, value, message):
    X, y, _ = topics()
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        CondensedNeighbors(**{option: value}).fit(X, y)
    assert "\n" not in str(caught.value)


def test_negative_counts_of_signed_hashes_are_taken():
    X, y, truth = topics(300)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], X.shape[1])
    signed = csr_array(X.toarray() * signs)
    # All of them vote: of documents equally far, the order by content decides.
    first, second = (CondensedNeighbors(**KNN, n_neighbors=12).fit(each, y) for each in (X, signed))
    assert_allclose(second.predict_proba(signed), first.predict_proba(X), rtol=1e-12)
    assert CondensedNeighbors().fit(signed, y).score(signed, truth) > 0.8


def test_a_requested_stop_keeps_what_was_accepted():
    X, y, _ = topics(1500)
    corpus = InMemoryCorpus(X, y)
    seen = []
    clf = CondensedNeighbors().fit_corpus(
        corpus, classes=[0, 1, 2], on_progress=lambda *step: seen.append(step) or True
    )
    assert seen[0][0] == "neighbors"
    assert 12 < len(clf.kept_) <= 12 + BLOCK

"""Votes, and the sets that algorithms 1 and 2 grow, against plain loops over the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from test_search import GRID, drawn

from leaven.neighbors import ALGORITHMS, VOTES, KeptDocuments, Voting, unit_rows
from leaven.neighbors import _votes as votes_module

N_CLASSES = 3


def documents(seed, n, *, labeled=True, weights=False):
    rng = np.random.default_rng([seed, 7])
    codes = rng.integers(N_CLASSES, size=n) if labeled else np.full(n, -1)
    weight = rng.choice([0.5, 1.0, 2.0], n) if weights else np.ones(n)
    return KeptDocuments(unit_rows(drawn(seed, n)), codes, weight, np.arange(n))


def slow_nearest(x, kept, k):
    """The k + 1 nearest: (distance, place, code, weight, labeled)."""
    near = []
    for place, (other, code, weight, is_labeled) in enumerate(kept):
        similarity = float(np.dot(x, other))
        if similarity > GRID:
            distance = max(np.rint((2 - 2 * similarity) / GRID) * GRID, 0)
            near.append((distance, place, code, weight, is_labeled))
    return sorted(near)[: k + 1]


def slow_votes(x, kept, k, quotas):
    """Votes by class for one dense document, among ``kept``: (document, code, weight, labeled)."""
    votes = np.zeros(N_CLASSES)
    near = slow_nearest(x, kept, k)
    alone = [each for each in near if each[0] == 0 and each[4]]
    left = np.inf if alone else float(k)
    voters = alone or [each for each in near if each[0] > 0][:k]
    for distance, _, code, weight, _ in voters:
        weight = min(weight, left)
        left -= weight
        size = sum(min(each[2], 1.0) for each in kept if each[1] == code)
        votes[code] += weight / max(distance, GRID) * (quotas[code] / size if len(quotas) else 1.0)
    return votes


def slow_growth(kept, candidates, k, quotas, threshold):
    """Algorithms 1 (documents with a class) and 2 (documents without), one at a time."""
    rows = candidates.X.toarray().astype(np.float64)
    grown = as_list(kept)
    for x, code, weight, is_labeled in zip(
        rows, candidates.codes, candidates.weights, candidates.is_labeled, strict=True
    ):
        votes = slow_votes(x, grown, k, quotas)
        copies = [each for each in slow_nearest(x, grown, k) if each[0] == 0 and not each[4]]
        best = int(np.argmax(votes >= votes.max() * (1 - 1e-9)))  # the first of equals
        if code >= 0:
            if votes.any() and best == code:
                continue
        elif len(copies) < k and votes[best] > threshold * votes.sum() * (1 + 1e-9):
            code = best
        else:
            continue
        grown.append((x, code, weight, is_labeled))
    return grown


def as_list(kept):
    rows = kept.X.toarray().astype(np.float64)
    return list(zip(rows, kept.codes, kept.weights, kept.is_labeled, strict=True))


def assert_grown(found, wanted):
    assert_array_equal(found.codes, [each[1] for each in wanted])
    assert_allclose(found.weights, [each[2] for each in wanted])
    assert_array_equal(found.is_labeled, [each[3] for each in wanted])
    rows = np.array([each[0] for each in wanted]).reshape(found.X.shape)
    assert_array_equal(found.X.toarray(), rows)


@pytest.mark.parametrize("block", [4, 128])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("votes", VOTES)
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**16),
    n_kept=st.integers(0, 8),
    k=st.integers(1, 6),
    threshold=st.sampled_from([0.0, 0.4, 0.9]),
    labeled=st.booleans(),
    weights=st.booleans(),
)
def test_growth_is_that_of_the_algorithms(
    votes, algorithm, block, seed, n_kept, k, threshold, labeled, weights
):
    first = documents(seed, n_kept, weights=weights)
    first = KeptDocuments(
        *(first.X, first.codes, first.weights, first.numbers), algorithm=algorithm
    )
    asked = documents(seed + 1, 30, labeled=labeled, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(votes_module, "BLOCK", block)
        voting = Voting.of(votes, first, k, N_CLASSES)
        found = voting.grown(first, asked, threshold)
    assert_grown(found, slow_growth(first, asked, k, voting.quotas, threshold))


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**16),
    k=st.integers(1, 30),
    votes=st.sampled_from(list(VOTES)),
    weights=st.booleans(),
)
def test_votes_are_those_of_the_definition(seed, k, votes, weights):
    kept = documents(seed, 20, weights=weights)
    kept.is_labeled[::3] = False
    voting = Voting.of(votes, kept, k, N_CLASSES)
    queries = drawn(seed + 1, 15, has_empty=True)
    nearest = voting.nearest(kept, queries)
    found = voting.of_classes(kept, nearest, voting.of_neighbors(kept, nearest))
    quotas, sizes = voting.quotas, kept.class_sizes(N_CLASSES)
    scale = (sizes / quotas)[sizes > 0].mean() if len(quotas) else 1.0
    for x, by_class in zip(unit_rows(queries).toarray(), found, strict=True):
        wanted = scale * slow_votes(x, as_list(kept), k, quotas)
        assert_allclose(by_class, wanted, rtol=1e-9)


def test_plain_votes_are_those_of_scikit_learn():
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(1)
    X = unit_rows(csr_array(rng.gamma(0.5, size=(80, 12))))
    kept = KeptDocuments(X, rng.integers(N_CLASSES, size=80), np.ones(80), np.arange(80))
    queries = unit_rows(csr_array(rng.gamma(0.5, size=(40, 12))))
    voting = Voting(7, N_CLASSES)
    nearest = voting.nearest(kept, queries)
    votes = voting.of_classes(kept, nearest, voting.of_neighbors(kept, nearest))
    theirs = KNeighborsClassifier(7, weights=lambda d: 1 / d**2, algorithm="brute")
    proba = theirs.fit(X, kept.codes).predict_proba(queries)
    assert_allclose(votes / votes.sum(axis=1, keepdims=True), proba, rtol=1e-4)


def test_condensing_keeps_the_first_document_of_every_class():
    kept = documents(3, 60)
    voting = Voting.of("balanced", kept, 3, N_CLASSES)
    condensed = voting.grown(kept.rows(slice(0)), kept)
    has_words = np.diff(kept.X.indptr) > 0
    assert set(condensed.codes) == set(kept.codes[has_words])
    assert len(condensed.codes) < len(kept.codes)
    assert set(condensed.numbers) <= set(kept.numbers)


def test_growth_stops_when_asked():
    done = []
    asked = documents(1, 600, labeled=False)
    first = documents(0, 9)

    def stop(count, total):
        done.append((count, total))
        return True

    grown = Voting(3, N_CLASSES).grown(first, asked, on_block=stop)
    assert done == [(votes_module.BLOCK, 600)]
    assert grown.numbers.max() < votes_module.BLOCK

"""Near-copies are found as a comparison of all pairs finds them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from leaven.corpora import Block, near_copies


def block(rows, classes):
    X = csr_array(np.asarray(rows, dtype=np.float32))
    return Block(X, np.asarray(classes), np.ones(len(classes)))


def draw(rng, n_documents=80, n_words=400, size=60):
    rows = np.zeros((n_documents, n_words))
    for row in rows:
        row[rng.choice(n_words, size, replace=False)] = rng.integers(1, 5, size)
    return rows


def by_all_pairs(found):
    present = found.X.toarray() > 0
    shared = present.astype(int) @ present.T.astype(int)
    sizes = present.sum(axis=1)
    overlap = shared / (sizes[:, None] + sizes - shared)
    same = (found.y[:, None] == found.y) & ~np.eye(len(found.y), dtype=bool)
    return ((overlap >= 0.8) & same).any(axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_near_copies_are_those_of_a_comparison_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    rows = draw(rng)
    classes = rng.integers(0, 2, len(rows))
    for i in range(20):  # copies with up to eight words left out
        rows[60 + i] = rows[i]
        rows[60 + i, rng.choice(np.flatnonzero(rows[i]), i % 9, replace=False)] = 0
    found = block(rows, classes)
    expected = by_all_pairs(found)
    assert expected.sum() > 5
    assert_array_equal(near_copies(found), expected)


def test_a_chain_of_near_copies_is_found_as_a_whole():
    rng = np.random.default_rng(0)
    rows = np.repeat(draw(rng, 1), 30, axis=0)
    for i, row in enumerate(rows):
        row[rng.choice(np.flatnonzero(row), i % 4, replace=False)] = 0
    assert near_copies(block(rows, np.zeros(30, int))).all()


def test_short_documents_and_unrelated_ones_are_no_near_copies():
    short = np.eye(24)[:6] + np.ones((6, 24)) * (np.arange(24) > 6)
    assert not near_copies(block(short, np.zeros(6, int))).any()
    assert not near_copies(block(draw(np.random.default_rng(1)), np.zeros(80, int))).any()
    assert not near_copies(block(np.zeros((0, 5)), np.zeros(0, int))).any()

"""Labels that held-out predictions dispute."""

import numpy as np
import pytest

from leaven.held_out import disputed_labels

PROBABILITY = np.array(
    [
        [0.90, 0.05, 0.05],  # as labeled
        [0.02, 0.90, 0.08],  # 45 times
        [0.30, 0.60, 0.10],  # twice
        [0.001, 0.199, 0.80],  # 800 times
        [0.10, 0.50, 0.40],  # five times
        [0.0, 1.0, 0.0],  # infinitely
    ]
)
CODES = np.zeros(6, np.int64)


def test_the_most_doubtful_label_is_first():
    found = disputed_labels(PROBABILITY, CODES)
    assert found.rows.tolist() == [5, 3, 1, 4]
    assert found.suggested.tolist() == [1, 2, 1, 1]
    assert found.probability.tolist() == [1.0, 0.8, 0.9, 0.5]
    assert found.label_probability.tolist() == [0.0, 0.001, 0.02, 0.1]


@pytest.mark.parametrize(("odds", "rows"), [(1.5, [5, 3, 1, 4, 2]), (100, [5, 3])])
def test_odds_limit_the_disputes(odds, rows):
    assert disputed_labels(PROBABILITY, CODES, odds).rows.tolist() == rows


def test_without_documents_nothing_is_disputed():
    assert len(disputed_labels(np.zeros((0, 3)), np.zeros(0, np.int64))) == 0
    right = np.eye(3)
    assert len(disputed_labels(right, np.arange(3))) == 0

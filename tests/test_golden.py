"""Probabilities of every method, as they were when each was last changed on purpose.

A change of these numbers is a change for users. ``python tests/test_golden.py`` writes them anew;
say in the changelog why.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from leaven import TextClassifier

GOLDEN = Path(__file__).parent / "golden" / "probabilities.json"
TOPICS = 4
# Chosen so that every method runs all its steps: components are chosen, temperatures fall.
OPTIONS = {
    "mixture": {"n_components": [1, 2], "n_init": 2},
    "annealed": {"beta_start": 0.1, "beta_factor": 1.3},
    "tsvm": {"C_unlabeled": 1.0},
    "mcl": {"alpha": 1e4, "variance": 0.1},
    "pcp": {"alpha": 0.3},
}


def documents(n=160, seed=5):
    """Texts of four topics, of which the first two make one class; words follow Zipf's law."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, 121)
    topics = np.array([rng.permutation(frequency) + 0.3 * frequency for _ in range(TOPICS)])
    topics /= topics.sum(axis=1, keepdims=True)
    topic = np.arange(n) % TOPICS
    lengths = rng.integers(5, 40, n)
    texts = [
        " ".join(f"w{word:03}" for word in rng.choice(120, size, p=topics[own]))
        for own, size in zip(topic, lengths, strict=True)
    ]
    classes = np.array(["red", "red", "green", "blue"], dtype=object)[topic]
    return texts, [name if i < 32 else None for i, name in enumerate(classes.tolist())]


def probabilities(method, calibrate):
    texts, labels = documents()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = TextClassifier(method, options=OPTIONS.get(method), calibrate=calibrate)
        return clf.fit(texts, labels).predict_proba(texts[-24:])


def cases():
    from leaven.methods import METHODS

    return [(name, calibrate) for name in METHODS for calibrate in (True, False)]


@pytest.mark.parametrize(("method", "calibrate"), cases())
def test_probabilities_are_what_they_were(method, calibrate):
    expected = json.loads(GOLDEN.read_text())[f"{method}, calibrate={calibrate}"]
    np.testing.assert_allclose(probabilities(method, calibrate), expected, rtol=0, atol=2e-4)


def main(names):
    found = {
        f"{name}, calibrate={calibrate}": np.round(probabilities(name, calibrate), 6).tolist()
        for name in names
        for calibrate in (True, False)
    }
    before = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    GOLDEN.write_text(json.dumps({**before, **found}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or [name for name, is_calibrated in cases() if is_calibrated])

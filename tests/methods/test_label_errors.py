"""Wrong labels are found by models that did not see them."""

import random

import numpy as np
import pytest

from leaven.datasets import load_docstrings
from leaven.methods._label_errors import find_label_errors


def flipped_docstrings(n_labeled, n_flipped, n_unlabeled=0, seed=0):
    texts, labels, _ = load_docstrings()
    rng = random.Random(seed)
    order = rng.sample(range(len(texts)), n_labeled + n_unlabeled)
    classes = sorted(set(labels))
    given = [labels[i] if place < n_labeled else None for place, i in enumerate(order)]
    flipped = rng.sample(range(n_labeled), n_flipped)
    truth = {place: given[place] for place in flipped}
    for place in flipped:
        given[place] = rng.choice([name for name in classes if name != given[place]])
    return [texts[i] for i in order], given, truth


def test_most_disputed_labels_are_wrong_ones():
    texts, labels, truth = flipped_docstrings(300, 24)
    phases = []
    found = find_label_errors(
        texts, labels, method="nb", on_progress=lambda *told: phases.append(told)
    )
    assert (found.method, found.n_labeled, found.n_splits) == ("nb", 300, 5)
    assert phases == [("holding out", done, 5) for done in range(6)]
    first = found.disputed[:20]
    hits = [each for each in first if each.number in truth]
    assert len(hits) >= 12  # by chance 1.6
    assert np.mean([each.suggested == truth[each.number] for each in hits]) > 0.6
    assert all(each.label == labels[each.number] != each.suggested for each in found.disputed)
    assert all(each.probability >= 5 * each.label_probability for each in found.disputed)
    odds = [each.probability / max(each.label_probability, 1e-12) for each in found.disputed]
    assert odds == sorted(odds, reverse=True)


def test_vectors_are_held_out_with_their_texts():
    rng = np.random.default_rng(0)
    labels = ["a", "b"] * 20
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]] * 20) + 0.1 * rng.normal(size=(40, 2))
    texts = [f"{'left' if name == 'a' else 'right'} {word}" for name, word in zip(
        labels, rng.choice(["one", "two", "six"], 40), strict=True)]  # fmt: skip
    labels[4] = "b"
    found = find_label_errors(texts, labels, method="two-view", vectors=vectors)
    assert [each.number for each in found.disputed] == [4]


def test_the_only_document_of_a_class_is_not_checked():
    texts = ["dough bread", "bread oven", "dough oven", "stars moon", "moon orbit", "goal"]
    labels = ["baking", "baking", "baking", "space", "space", "sport"]
    found = find_label_errors(texts, labels, method="nb")
    assert (found.n_labeled, found.n_held_out) == (6, 5)


def test_a_document_without_a_known_word_disputes_nothing():
    texts = ["dough bread oven"] * 200 + ["stars moon orbit"] * 3 + [""]
    labels = ["baking"] * 200 + ["space"] * 4
    found = find_label_errors(texts, labels, method="sfe")
    assert found.disputed == []  # though baking is much more frequent
    assert (found.n_held_out, found.n_wordless) == (204, 1)


def test_labels_that_cannot_be_held_out_are_refused():
    with pytest.raises(ValueError, match="needs a class with two labeled documents"):
        find_label_errors(["dough", "stars", "moon"], ["baking", "space", None])
    with pytest.raises(ValueError, match=r"n_splits must be in \[2, inf\)"):
        find_label_errors(["dough", "bread", "moon"], ["baking", "baking", "space"], n_splits=1)

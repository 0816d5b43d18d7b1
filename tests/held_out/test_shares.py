"""Shares of the classes in a corpus of which as many documents of each class are labeled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from leaven import TextClassifier
from leaven._base.measures import softmax
from leaven.documents._arrow import as_text_array
from leaven.held_out import class_bias
from leaven.held_out._shares import are_balanced

WORDS = {"ham": "hello dinner later home love", "spam": "prize cash winner claim free"}


def draw_scores(shares, n_documents=4000, noise=1.0, seed=0):
    """Log likelihood ratios of documents of classes with these shares, and their classes."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(len(shares), n_documents, p=shares)
    means = 2.0 * np.eye(len(shares))
    places = means[codes] + noise * rng.standard_normal((n_documents, len(shares)))
    distance = ((places[:, None, :] - means[None]) ** 2).sum(axis=2)
    return -distance / (2 * noise**2), codes


@pytest.mark.parametrize("shares", [[0.9, 0.1], [0.5, 0.5], [0.7, 0.2, 0.1]])
def test_shares_are_recovered_from_the_scores_of_unlabeled_documents(shares):
    scores, codes = draw_scores(shares)
    balanced = np.arange(10 * len(shares)) % len(shares)
    bias = class_bias(scores, np.ones(len(scores)), balanced, accuracy=1.0)
    assert_allclose(softmax(bias[None])[0], shares, atol=0.05)
    right = (scores.argmax(axis=1) == codes).mean()
    assert ((scores + bias).argmax(axis=1) == codes).mean() >= right - 0.005


def test_labels_that_look_like_a_random_sample_know_the_shares():
    scores, codes = draw_scores([0.8, 0.2])
    assert not class_bias(scores, np.ones(len(scores)), codes[:50], accuracy=1.0).any()


@pytest.mark.parametrize(
    ("counts", "balanced"),
    [
        ([1, 1, 1], True),
        ([5, 5], True),
        ([50, 50, 50, 20], True),  # a class with no more documents
        ([12, 11, 10, 12], True),
        ([8, 2], False),
        ([30, 12, 9, 3], False),
        ([100, 40], False),
    ],
)
def test_balanced_labels_are_recognized(counts, balanced):
    codes = np.repeat(np.arange(len(counts)), counts)
    assert are_balanced(codes, len(counts)) == balanced


def test_a_model_that_is_often_wrong_is_corrected_less():
    scores, _ = draw_scores([0.9, 0.1])
    full, half = (
        class_bias(scores, np.ones(len(scores)), np.array([0, 1]), accuracy)
        for accuracy in (1.0, 0.5)
    )
    assert_allclose(half, full / 2)


def test_without_unlabeled_documents_nothing_is_corrected():
    assert_allclose(class_bias(np.zeros((0, 3)), np.zeros(0), np.array([0, 1, 2]), 0.8), 0.0)
    assert_allclose(class_bias(np.ones((4, 3)), np.zeros(4), np.array([0, 1, 2]), 0.8), 0.0)


@pytest.mark.parametrize("n_documents", [1, 5, 19])
def test_a_few_unlabeled_documents_say_nothing_about_shares(n_documents):
    scores = np.tile([5.0, -5.0], (n_documents, 1))
    assert not class_bias(scores, np.ones(n_documents), np.arange(100) % 2, accuracy=0.9).any()


@given(seed=st.integers(0, 1000))
def test_names_order_and_copies_of_documents_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    scores, codes = rng.standard_normal((30, 3)), np.array([0, 1, 1, 2, 2])
    weight = rng.integers(1, 4, 30).astype(float)
    bias = class_bias(scores, weight, codes, 0.7)
    turn, order = rng.permutation(3), rng.permutation(30)
    turned = class_bias(scores[order][:, turn], weight[order], np.argsort(turn)[codes], 0.7)
    assert_allclose(turned, bias[turn], atol=1e-12)
    copies = np.repeat(scores, weight.astype(int), axis=0)
    assert_allclose(class_bias(copies, np.ones(len(copies)), codes, 0.7), bias, atol=1e-12)


def test_auto_finds_that_one_class_is_rare_though_labels_are_balanced():
    rng = np.random.default_rng(0)
    truth = ["spam" if rng.random() < 0.1 else "ham" for _ in range(600)]
    every = " ".join(WORDS.values()).split()

    def text(name):
        own = WORDS[name].split()
        return " ".join(rng.choice(own if rng.random() < 0.65 else every) for _ in range(3))

    texts = [text(name) for name in truth]
    chosen = [i for name in WORDS for i in np.flatnonzero(np.array(truth) == name)[:5]]
    labels = [name if i in chosen else None for i, name in enumerate(truth)]
    fitted = TextClassifier().fit(texts, labels).fitted
    assert fitted.decision.bias[0] > fitted.decision.bias[1]
    scores = fitted.scores(fitted.seen(as_text_array(texts)))
    plain, corrected = (
        softmax(each)[:, 1].mean() for each in (scores, scores + fitted.decision.bias)
    )
    assert 0.1 < corrected < plain

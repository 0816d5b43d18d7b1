"""What a learner is given: documents, what their codes mean, how many and how long they are."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, N_DIMS, Drawn, draw_corpus
from leaven.corpora import TrainingSet, measure
from leaven.documents import Labels

LABELS = Labels(np.array(["a", "b", "c"], dtype=object))
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())


@every_corpus
def test_labeled_documents_are_counted_by_their_weight(corpus):
    drawn = draw_corpus(0, weighted=True)
    training = TrainingSet.of(corpus(drawn), LABELS)
    expected = [drawn.weight[drawn.y == code].sum() for code in range(3)]
    assert_allclose(training.label_weights, expected)
    assert (training.n_classes, training.n_dims) == (3, 0)


def test_a_class_without_documents_weighs_nothing_and_a_code_without_a_class_is_refused():
    drawn = draw_corpus(0)
    corpus = CORPORA["memory"](drawn)
    four = Labels(np.arange(4))
    assert_array_equal(TrainingSet.of(corpus, four).label_weights[3:], [0.0])
    with pytest.raises(ValueError, match="below the number of classes, 2, got 2; name all classes"):
        TrainingSet.of(corpus, Labels(np.arange(2)))


@every_corpus
def test_documents_and_words_are_measured(corpus):
    drawn = draw_corpus(0, weighted=True)
    size = measure(corpus(drawn))
    assert (size.n_documents, size.n_values) == (40, drawn.X.nnz)
    assert_allclose(size.total, drawn.X.sum())
    assert_array_equal(size.documents, (drawn.X.toarray() > 0).sum(axis=0))
    assert size.words_per_document == drawn.X.nnz / 40
    assert_allclose(size.mean_length, drawn.X.sum() / 40)
    assert TrainingSet.of(corpus(drawn), LABELS).size.n_values == size.n_values


def test_copies_and_documents_without_words_are_not_among_the_labeled():
    X = csr_array(
        np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    )
    drawn = Drawn(X, np.array([0, 0, 1, 1, -1, 1]), np.ones(6))
    labeled = TrainingSet.of(CORPORA["memory"](drawn), Labels(np.arange(2))).labeled
    rows = sorted(zip(labeled.y.tolist(), labeled.X.toarray().tolist(), strict=True))
    assert rows == [(0, [1.0, 0.0]), (1, [0.0, 2.0]), (1, [1.0, 0.0])]


@every_corpus
def test_vectors_are_given_to_every_document(corpus):
    drawn = draw_corpus(0)
    plain = TrainingSet.of(corpus(replace(drawn, vectors=None)), LABELS)
    seen = plain.with_vectors(
        lambda block: replace(block, vectors=drawn.vectors[block.numbers]), N_DIMS
    )
    assert (plain.n_dims, seen.n_dims) == (0, N_DIMS)
    assert_array_equal(seen.label_weights, plain.label_weights)
    assert plain.labeled.vectors is None
    assert_array_equal(seen.labeled.vectors, drawn.vectors[seen.labeled.numbers])

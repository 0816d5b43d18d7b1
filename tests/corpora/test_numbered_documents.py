"""Documents found by their numbers, and the same documents counted in two ways."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from leaven.corpora import (
    Block,
    CachedCorpus,
    InMemoryCorpus,
    StreamedCorpus,
    TrainingSet,
    numbered_documents,
)
from leaven.documents._labels import Labels


def blocks(n_documents=50, n_words=6, seed=0):
    rng = np.random.default_rng(seed)
    X = csr_array(rng.poisson(1.0, (n_documents, n_words)).astype(np.float64))
    y = np.where(np.arange(n_documents) % 3 == 0, np.arange(n_documents) % 2, -1)
    whole = Block(X, y, np.ones(n_documents))
    return [whole.rows(np.arange(first, min(first + 7, n_documents))) for first in range(0, 50, 7)]


CORPORA = {
    "memory": lambda parts: InMemoryCorpus(
        csr_array(np.vstack([part.X.toarray() for part in parts])),
        np.concatenate([part.y for part in parts]),
        n_threads=2,
    ),
    "stream": StreamedCorpus,
    "cache": CachedCorpus,
}


@pytest.mark.parametrize("place", CORPORA)
def test_documents_come_in_the_order_of_the_numbers_asked_for(place):
    parts = blocks()
    corpus = CORPORA[place](parts)
    every = np.vstack([part.X.toarray() for part in parts])
    for wanted in (np.array([40, 3, 17, 0, 49]), np.arange(50)[::-1], np.zeros(0, np.int64)):
        found = numbered_documents(corpus, wanted)
        assert_array_equal(found.numbers, wanted)
        assert_array_equal(found.X.toarray(), every[wanted])


@pytest.mark.parametrize("place", CORPORA)
def test_a_training_set_like_another_has_the_same_labeled_documents(place):
    labels = Labels(np.array(["a", "b"], dtype=object))
    words = TrainingSet.of(CORPORA[place](blocks(seed=1)), labels)
    subwords = TrainingSet.of(CORPORA[place](blocks(n_words=9, seed=2)), labels)
    like = TrainingSet(subwords.corpus, labels, subwords.label_weights, like=words)
    assert_array_equal(like.labeled.numbers, words.labeled.numbers)
    assert_array_equal(like.labeled.y, words.labeled.y)
    assert like.labeled.X.shape[1] == 9

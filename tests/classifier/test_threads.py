"""Predictions do not depend on how documents are divided among threads."""

import random

import pytest
from numpy.testing import assert_allclose

from leaven import TextClassifier
from leaven.classifier._channel import FEWEST_PER_THREAD

WORDS = {"baking": "dough yeast bread oven flour crust", "space": "stars orbit moon comet rocket"}


def _texts(n, seed):
    chosen = random.Random(seed)
    kinds = [WORDS[[*WORDS][i % 2]].split() for i in range(n)]
    return [" ".join(chosen.choices(words, k=chosen.randint(0, 9))) for words in kinds]


@pytest.mark.filterwarnings("ignore::leaven.exceptions.UnseenWordsWarning")
@pytest.mark.parametrize("method", ["auto", "em", "knn", "svm"])
def test_several_threads_give_the_same_probabilities(method):
    labels = [[*WORDS][i % 2] if i < 20 else None for i in range(60)]
    clf = TextClassifier(method, n_jobs=1).fit(_texts(60, 0), labels)
    texts = _texts(3 * FEWEST_PER_THREAD + 1, 1)
    expected = clf.predict_proba(texts)
    for n_jobs in (2, 3, 8):
        found = clf.set_params(n_jobs=n_jobs).predict_proba(texts)
        assert_allclose(found, expected, rtol=0, atol=1e-12)  # BLAS rounds by the number of rows

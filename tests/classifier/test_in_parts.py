"""Documents are classified in parts, whose sizes depend on the number of classes."""

import numpy as np
import pyarrow as pa
import pytest

from leaven._base import parts
from leaven.classifier._in_parts import classified_parts, decide_in_parts
from leaven.documents._labels import Labels
from leaven.experts import OneLabel


class Fake:
    """Classes in turn; remembers how many documents it was given at once."""

    def __init__(self, n_classes):
        self.labels = Labels(np.arange(n_classes))
        self.decision = OneLabel(self.labels)
        self.decide, self.confidence = self.decision.decided, self.decision.confidence
        self.sizes = []

    def classify(self, texts, vectors=None, n_threads=None, on_progress=None):
        self.sizes.append(len(texts))
        codes = np.array([int(text) for text in texts.to_pylist()], np.int64)
        probability = np.full((len(texts), len(self.labels)), 0.1)
        probability[np.arange(len(texts)), codes % len(self.labels)] = 0.6
        on_progress(len(texts), len(texts))
        return probability, codes % 2 == 0


def texts_of(n):
    return pa.array([str(i) for i in range(n)], pa.large_string())


@pytest.mark.parametrize(("n_classes", "largest"), [(3, 100), (50, 8), (1000, 1)])
def test_parts_are_smaller_where_classes_are_many(monkeypatch, n_classes, largest):
    monkeypatch.setattr(parts, "VALUES_AT_ONCE", 400)
    fake, told = Fake(n_classes), []
    found = decide_in_parts(fake, texts_of(100), on_progress=lambda *done: told.append(done))
    assert found.labels.codes.tolist() == [code % n_classes for code in range(100)]
    assert found.is_wordless.tolist() == [code % 2 == 0 for code in range(100)]
    assert set(found.confidence.tolist()) == {0.6}
    assert found.probability is None
    assert max(fake.sizes) == largest
    assert told[-1] == (100, 100)
    assert [done for done, _ in told] == np.cumsum(fake.sizes).tolist()


def test_of_no_document_there_is_one_empty_part():
    ((probability, is_wordless),) = classified_parts(Fake(4), texts_of(0))
    assert probability.shape == (0, 4)
    assert len(is_wordless) == 0


def test_a_part_never_exceeds_the_values_allowed_unless_one_row_does():
    for n_columns in (1, 3, 1000, 10_000, parts.VALUES_AT_ONCE + 1):
        sizes = [part.stop - part.start for part in parts.parts_of(20_000, n_columns, 500)]
        assert sum(sizes) == 20_000
        assert max(sizes) <= 500
        assert max(sizes) * n_columns <= parts.VALUES_AT_ONCE or max(sizes) == 1

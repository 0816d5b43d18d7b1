"""Labels of documents in parts, so that the probabilities of all classes are never in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from leaven._base.parts import parts_of
from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray, FloatArray
from leaven.documents._labels import EncodedLabels, Labels

__all__ = ["Decided", "classified_parts", "decide_in_parts"]

DOCUMENTS_AT_ONCE = 50_000  # fewer where classes are many


class Classifier(Protocol):
    """What gives documents probabilities of classes, and labels by these."""

    @property
    def labels(self) -> Labels: ...

    def classify(
        self,
        texts: Any,
        *,
        vectors: Any = None,
        n_threads: int | None = None,
        on_progress: OnDone | None = None,
    ) -> tuple[FloatArray, BoolArray]: ...

    def decide(self, probability: FloatArray) -> EncodedLabels: ...

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Decided:
    """The labels of documents, how probable each is, and which are not based on any word."""

    labels: EncodedLabels
    confidence: FloatArray
    is_wordless: BoolArray
    probability: FloatArray | None  # of the classes; only where documents can have several


def classified_parts(
    classifier: Classifier,
    texts: pa.LargeStringArray,
    vectors: Any = None,
    n_threads: int | None = None,
    on_progress: OnDone | None = None,
) -> Iterator[tuple[FloatArray, BoolArray]]:
    """Class probabilities, and which documents have no known word, part after part.

    At least one part. Where documents can have several labels, there is only one: codes of sets
    are numbered in each part by itself.
    """
    n_documents, n_classes = len(texts), len(classifier.labels)
    parts = [*parts_of(n_documents, n_classes, DOCUMENTS_AT_ONCE)]
    if classifier.labels.has_sets or not parts:
        parts = [slice(0, n_documents)]
    for part in parts:

        def tell(done: int, _total: int, first: int = part.start) -> object:
            return None if on_progress is None else on_progress(first + done, n_documents)

        yield classifier.classify(
            texts.slice(part.start, part.stop - part.start),
            vectors=None if vectors is None else vectors[part],
            n_threads=n_threads,
            on_progress=tell,
        )


def decide_in_parts(
    classifier: Classifier,
    texts: pa.LargeStringArray,
    vectors: Any = None,
    n_threads: int | None = None,
    on_progress: OnDone | None = None,
) -> Decided:
    """The labels of documents."""
    labels, confidences, wordless = [], [], []
    for probability, is_wordless in classified_parts(
        classifier, texts, vectors, n_threads, on_progress
    ):
        labels.append(classifier.decide(probability))
        confidences.append(classifier.confidence(probability, labels[-1]))
        wordless.append(is_wordless)
    codes = np.concatenate([each.codes for each in labels])
    return Decided(
        EncodedLabels(codes, labels[0].labels),
        np.concatenate(confidences),
        np.concatenate(wordless),
        probability if classifier.labels.has_sets else None,
    )

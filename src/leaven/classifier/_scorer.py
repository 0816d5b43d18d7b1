"""Labels of documents against their predictions, batch by batch."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from leaven._base.progress import OnDone
from leaven.classifier._evaluation import JudgedClasses, Sums
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._in_parts import decide_in_parts
from leaven.classifier._scored import Scored
from leaven.classifier._set_evaluation import JudgedSets, SetSums
from leaven.documents._pieces import Documents
from leaven.text._embeddings import VectorSource, vectors_of

__all__ = ["AnySums", "Judged", "Scorer"]

# All batches of one model give the same kind.
AnySums: TypeAlias = Sums | SetSums
Judged: TypeAlias = JudgedClasses | JudgedSets


@dataclass(frozen=True, eq=False)
class Scorer:
    """Counts how the labels of documents and their predictions agree.

    Labeled documents that the model learned from are left out, unless they are to be included.
    """

    fitted: FittedClassifier
    vectors: VectorSource = None  # where vectors that are not learned come from
    n_threads: int | None = None
    includes_training: bool = False

    def __call__(self, documents: Documents, on_progress: OnDone | None = None) -> AnySums:
        return self.judged(documents, on_progress).sums()

    def judged(self, documents: Documents, on_progress: OnDone | None = None) -> Judged:
        """Labels and predictions of the labeled documents."""
        scored = self._scored(documents, on_progress)
        return JudgedSets(scored) if scored.known.has_sets else JudgedClasses(scored)

    def _scored(self, documents: Documents, on_progress: OnDone | None) -> Scored:
        column = documents.labels
        assert column is not None
        is_scored = column.is_valid().to_numpy(zero_copy_only=False)
        n_unlabeled = int((~is_scored).sum())
        is_known = np.zeros(len(is_scored), bool)
        is_known[is_scored] = self.fitted.learned_from(documents.texts.filter(pa.array(is_scored)))
        if not self.includes_training:
            is_scored = is_scored & ~is_known
        given = vectors_of(documents, self.vectors, is_scored)
        texts = documents.texts.filter(pa.array(is_scored))
        decided = decide_in_parts(self.fitted, texts, given, self.n_threads, on_progress)
        return Scored(
            documents.source,
            self.fitted.labels,
            is_scored,
            column.filter(pa.array(is_scored)),
            decided.probability,
            decided.labels,
            decided.confidence,
            decided.is_wordless,
            n_unlabeled,
            int(is_known.sum()),
            self.includes_training,
        )

"""The misclassified documents of an evaluation, with all their columns."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray
from leaven.classifier._evaluation import Scorer, Sums
from leaven.classifier._predictions import free_names, notes, rounded, with_columns
from leaven.documents._pieces import Documents

__all__ = ["MistakeFinder"]


@dataclass(frozen=True, eq=False)
class MistakeFinder:
    """Scores documents that were read with all their columns, and keeps the misclassified."""

    scorer: Scorer
    names: tuple[str, ...]  # of the columns to add
    by_confidence: bool = False  # the most confident mistake first; otherwise in their order

    @classmethod
    def beside(
        cls, scorer: Scorer, existing: Collection[str], by_confidence: bool = False
    ) -> "MistakeFinder":
        """A finder whose columns have other names than the existing ones."""
        names = free_names(["predicted", "probability", "note"], existing)
        return cls(scorer, names, by_confidence)

    def __call__(
        self, documents: Documents, on_progress: OnDone | None = None
    ) -> tuple[pa.Table, Sums]:
        """The misclassified documents with their predictions, and the counts of all."""
        assert documents.columns is not None
        judged = self.scorer.judged(documents, on_progress)
        is_wrong: BoolArray = judged.predicted != judged.truth
        wrong = np.flatnonzero(is_wrong)
        if self.by_confidence:
            wrong = wrong[np.argsort(-judged.confidence[wrong], kind="stable")]
        table = documents.columns.take(pa.array(np.flatnonzero(judged.is_scored)[wrong]))
        values = [
            pa.array(self.scorer.fitted.classes.tolist()).take(pa.array(judged.predicted[wrong])),
            rounded(judged.confidence[wrong]),
            notes(judged.is_wordless[wrong]),
        ]
        return with_columns(table, self.names, values, documents.source), judged.sums()

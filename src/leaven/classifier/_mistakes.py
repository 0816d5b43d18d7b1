"""The misclassified documents of an evaluation, with all their columns."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leaven._base.progress import OnDone
from leaven.classifier._predictions import free_names, notes, rounded, with_columns
from leaven.classifier._scorer import AnySums, Scorer
from leaven.documents._pieces import Documents

__all__ = ["MistakeFinder"]


@dataclass(frozen=True, eq=False)
class MistakeFinder:
    """Scores documents that were read with all their columns, and keeps the misclassified."""

    scorer: Scorer
    names: tuple[str, ...]  # of the columns to add
    by_confidence: bool = False  # the most confident mistake first; otherwise in their order
    joined_by: str | None = None  # what is between several labels; None: they are lists

    @classmethod
    def beside(
        cls,
        scorer: Scorer,
        existing: Collection[str],
        by_confidence: bool = False,
        joined_by: str | None = None,
    ) -> "MistakeFinder":
        """A finder whose columns have other names than the existing ones."""
        names = free_names(["predicted", "probability", "note"], existing)
        return cls(scorer, names, by_confidence, joined_by)

    def __call__(
        self, documents: Documents, on_progress: OnDone | None = None
    ) -> tuple[pa.Table, AnySums]:
        """The misclassified documents with their predictions, and the counts of all."""
        assert documents.columns is not None
        judged = self.scorer.judged(documents, on_progress)
        scored = judged.scored
        wrong = np.flatnonzero(~judged.is_right)
        if self.by_confidence:
            wrong = wrong[np.argsort(-scored.confidence[wrong], kind="stable")]
        table = documents.columns.take(pa.array(np.flatnonzero(scored.is_scored)[wrong]))
        written = scored.decided.labels.written(self.joined_by)
        values = [
            written.take(pa.array(scored.decided.codes[wrong])),
            rounded(scored.confidence[wrong]),
            notes(scored.is_wordless[wrong]),
        ]
        return with_columns(table, self.names, values, documents.source), judged.sums()

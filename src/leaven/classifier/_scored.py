"""What is counted of scored documents, however many labels they have."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leaven._base.measures import calibration_gaps
from leaven._base.typing import BoolArray, FloatArray
from leaven.classifier._coverage import ByConfidence
from leaven.documents._labels import EncodedLabels, Labels

__all__ = ["Scored", "Totals"]


@dataclass(frozen=True, eq=False)
class Scored:
    """The labeled documents of a batch that are scored, and their predictions."""

    source: str  # where they come from, for messages
    known: Labels  # of the model
    is_scored: BoolArray  # of all documents of the batch; what follows is of the scored ones
    column: pa.Array  # labels as text
    probability: FloatArray | None  # (n_scored, n_classes), where there are several labels
    decided: EncodedLabels
    confidence: FloatArray
    is_wordless: BoolArray
    n_unlabeled: int
    n_from_training: int  # labeled documents that the model learned from
    includes_training: bool  # whether these are scored, or left out


@dataclass(frozen=True, eq=False)
class Totals:
    """Counts of batches that do not depend on what labels are; they add up."""

    n_labeled: int  # documents that are scored
    n_unlabeled: int
    n_wordless: int
    n_from_training: int  # labeled documents that the model learned from
    includes_training: bool  # whether these are among the counts, or left out
    confidence: float  # sum over the documents
    gaps: FloatArray  # of calibration, in each bin
    by_confidence: ByConfidence

    @classmethod
    def of(cls, scored: Scored, is_right: BoolArray) -> "Totals":
        """The counts of a batch."""
        return cls(
            len(is_right),
            scored.n_unlabeled,
            int(scored.is_wordless.sum()),
            scored.n_from_training,
            scored.includes_training,
            float(scored.confidence.sum()),
            calibration_gaps(scored.confidence, is_right),
            ByConfidence.of(scored.confidence, is_right),
        )

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(
            self.n_labeled + other.n_labeled,
            self.n_unlabeled + other.n_unlabeled,
            self.n_wordless + other.n_wordless,
            self.n_from_training + other.n_from_training,
            self.includes_training,
            self.confidence + other.confidence,
            self.gaps + other.gaps,
            self.by_confidence + other.by_confidence,
        )

    @property
    def n_documents(self) -> int:
        """All documents: those scored, unlabeled ones, and those left out."""
        n_left_out = 0 if self.includes_training else self.n_from_training
        return self.n_labeled + self.n_unlabeled + n_left_out

    @property
    def mean_confidence(self) -> float:
        return self.confidence / self.n_labeled

    @property
    def calibration_error(self) -> float:
        return float(np.abs(self.gaps).sum() / self.n_labeled)

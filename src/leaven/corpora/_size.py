"""Size of a corpus: documents, words and counts, measured in one pass."""

from dataclasses import dataclass

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora._base import Block, Corpus

__all__ = ["CorpusSize", "measure"]


@dataclass(frozen=True, eq=False)
class CorpusSize:
    """Numbers of documents, different words in them, and occurrences."""

    n_documents: int
    n_values: int  # different words of each document, summed over documents
    total: float  # of all counts
    documents: FloatArray  # (n_words,) number of documents that contain each word

    @property
    def words_per_document(self) -> float:
        """Mean number of different words per document."""
        return self.n_values / max(self.n_documents, 1)

    @property
    def mean_length(self) -> float:
        return self.total / max(self.n_documents, 1)


def measure(corpus: Corpus) -> CorpusSize:
    """Measure a corpus of counts."""
    n_words = corpus.n_words

    def look(block: Block) -> FloatArray:
        X = block.X
        whole = [X.shape[0], X.nnz, float(X.data.sum(dtype=np.float64))]
        return np.concatenate([np.bincount(X.indices, minlength=n_words), whole])

    totals = corpus.reduce(look)
    return CorpusSize(int(totals[-3]), int(totals[-2]), float(totals[-1]), totals[:-3])

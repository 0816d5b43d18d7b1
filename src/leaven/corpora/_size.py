"""How large a corpus is, and how its documents are, found in one pass."""

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
    documents: FloatArray  # (n_words,) that hold each word

    @property
    def words_per_document(self) -> float:
        """Different words in the mean document."""
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

    found = corpus.reduce(look)
    return CorpusSize(int(found[-3]), int(found[-2]), float(found[-1]), found[:-3])

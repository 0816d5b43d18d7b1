"""Blocks counted again from text files on every pass."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from leaven._base.typing import IntArray
from leaven.corpora._base import Block
from leaven.documents._label_sets import shown_label
from leaven.documents._labels import UNLABELED, Labels
from leaven.documents._pieces import Documents
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter
from leaven.text._embeddings import VectorSource, vectors_of

__all__ = ["CountedFiles"]


class CountedFiles:
    """Blocks of counts of document batches, such as those of ``text.DocumentFiles``.

    Parameters
    ----------
    documents : iterable of Documents
        Must restart on every pass.
    counter : TextCounter
        Fitted; its vocabulary does not change.
    labels : Labels
        The labels that class codes represent.
    vectors : str, Embedding or None, default=None
        Column of user-supplied vectors, or the embedding of texts that vectors come from.
    n_threads : int or None, default=None
        Threads to count in; None is one per processor.
    first : int, default=0
        Number of the first document.
    """

    def __init__(
        self,
        documents: Iterable[Documents],
        counter: TextCounter,
        labels: Labels,
        *,
        vectors: VectorSource = None,
        n_threads: int | None = None,
        first: int = 0,
    ) -> None:
        self.documents = documents
        self.counter = counter
        self.labels = labels
        self.vectors = vectors
        self.n_threads = n_threads
        self.first = first

    def __iter__(self) -> Iterator[Block]:
        n_dims = None
        first = self.first
        for batch in self.documents:
            if not len(batch.texts):
                continue
            X = self.counter.count(batch.texts, n_threads=self.n_threads)
            y = np.full(X.shape[0], UNLABELED, dtype=np.int64)
            if batch.labels is not None:
                y[:] = self._codes(batch.labels)
            vectors = vectors_of(batch, self.vectors)
            if vectors is not None:
                n_dims = n_dims or vectors.shape[1]
                if vectors.shape[1] != n_dims:
                    raise DataError(
                        f"vectors in column {self.vectors!r} of {batch.source} have "
                        f"{vectors.shape[1]} numbers, but earlier ones have {n_dims}; embed all "
                        "documents in the same way"
                    )
            numbers = first + np.arange(X.shape[0])
            first += X.shape[0]
            yield Block(X, y, np.ones(X.shape[0]), vectors, numbers)

    def _codes(self, column: pa.LargeStringArray) -> IntArray:
        unknown = self.labels.unknown(column)
        if unknown:
            raise DataError(
                f"the label {shown_label(unknown[0])!r} is not among the classes "
                f"{', '.join(self.labels.names)}: a file changed while it was streamed, or the "
                "classes were not collected from all files"
            )
        return self.labels.encode(column)

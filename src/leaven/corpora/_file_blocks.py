"""Blocks counted afresh from text files on every pass."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.typing import IntArray
from leaven.corpora._base import Block
from leaven.documents._labels import UNLABELED
from leaven.documents._pieces import Documents
from leaven.documents._vectors import vector_array
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter

__all__ = ["CountedFiles"]


class CountedFiles:
    """Blocks of counts of document batches, such as those of ``text.DocumentFiles``.

    Parameters
    ----------
    documents : iterable of Documents
        Must restart on every pass.
    counter : TextCounter
        Fitted; its vocabulary does not change.
    classes : sequence
        Class names in the order of their codes.
    vectors : str or None, default=None
        Column of vectors of the user's own.
    n_threads : int or None, default=None
        Threads to count in; None is one per processor.
    """

    def __init__(
        self,
        documents: Iterable[Documents],
        counter: TextCounter,
        classes: Sequence[Any],
        *,
        vectors: str | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.documents = documents
        self.counter = counter
        self.names = pa.array([str(name) for name in classes], pa.large_string())
        self.vectors = vectors
        self.n_threads = n_threads

    def __iter__(self) -> Iterator[Block]:
        n_dims = None
        for batch in self.documents:
            if not len(batch.texts):
                continue
            X = self.counter.count(batch.texts, n_threads=self.n_threads)
            y = np.full(X.shape[0], UNLABELED, dtype=np.int64)
            if batch.labels is not None:
                y[:] = self._codes(batch.labels)
            vectors = None
            if self.vectors is not None and batch.columns is not None:
                vectors = vector_array(batch.columns, self.vectors, batch.source)
                n_dims = n_dims or vectors.shape[1]
                if vectors.shape[1] != n_dims:
                    raise DataError(
                        f"vectors in column {self.vectors!r} of {batch.source} have "
                        f"{vectors.shape[1]} numbers, those before {n_dims}; embed all documents "
                        "in the same way"
                    )
            yield Block(X, y, np.ones(X.shape[0]), vectors)

    def _codes(self, labels: pa.LargeStringArray) -> IntArray:
        found = pc.index_in(labels, value_set=self.names)
        unknown = pc.and_(pc.is_null(found), pc.is_valid(labels))
        if pc.any(unknown).as_py():
            name = labels.filter(unknown)[0].as_py()
            raise DataError(
                f"the label {name!r} is not among the classes {', '.join(self.names.to_pylist())}: "
                "a file changed while it was streamed, or the classes were not collected from all "
                "files"
            )
        codes: IntArray = pc.fill_null(found, UNLABELED).to_numpy(zero_copy_only=False)
        return codes

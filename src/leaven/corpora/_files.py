"""Blocks counted afresh from text files on every pass."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from leaven._labels import UNLABELED
from leaven.corpora._base import Block
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter
from leaven.text._readers import Documents

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
    """

    def __init__(
        self, documents: Iterable[Documents], counter: TextCounter, classes: Sequence[Any]
    ) -> None:
        self.documents = documents
        self.counter = counter
        self.code = {str(name): code for code, name in enumerate(classes)}

    def __iter__(self) -> Iterator[Block]:
        for batch in self.documents:
            X = self.counter.count(batch.texts)
            y = np.full(X.shape[0], UNLABELED, dtype=np.int64)
            if batch.labels is not None:
                y[:] = [self._code_of(label) for label in batch.labels.to_pylist()]
            yield Block(X, y, np.ones(X.shape[0]))

    def _code_of(self, label: str | None) -> int:
        if label is None:
            return UNLABELED
        try:
            return self.code[label]
        except KeyError:
            raise DataError(
                f"the label {label!r} is not among the classes {', '.join(self.code)}: a file "
                "changed while it was streamed, or the classes were not collected from all files"
            ) from None

"""Beginnings of texts, which a model file holds if the user wants them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.tensors import StoredArrays, check_shapes
from leaven._base.typing import IntArray
from leaven._base.validation import check_whole
from leaven.documents._pieces import Documents
from leaven.exceptions import DataError

__all__ = ["Excerpts", "check_length", "excerpts_of_rows", "excerpts_of_texts", "in_places"]

LONGEST = 10_000  # characters


def check_length(name: str, n_characters: object) -> None:
    """Refuse what is no length of an excerpt; 0 is none."""
    check_whole(name, n_characters, f"[0, {LONGEST}]")


@dataclass(frozen=True, eq=False)
class Excerpts:
    """The first characters of some texts."""

    n_characters: int
    texts: pa.LargeStringArray

    @classmethod
    def of(cls, n_characters: int, texts: Sequence[str]) -> Self:
        """Excerpts that were made already."""
        return cls(n_characters, pa.array(texts, pa.large_string()))

    def __getitem__(self, place: int) -> str:
        found: str = self.texts[place].as_py()
        return found

    def __len__(self) -> int:
        return len(self.texts)

    def to_tensors(self) -> dict[str, Any]:
        """Arrays from which ``from_tensors`` makes the same excerpts."""
        content = "".join(self.texts.to_pylist()).encode()
        sizes = pc.binary_length(self.texts).to_numpy(zero_copy_only=False)
        return {
            "bytes": np.frombuffer(content, np.uint8),
            "starts": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        }

    @classmethod
    def from_tensors(cls, arrays: StoredArrays, n_characters: Any, n_texts: int) -> Self:
        """The excerpts that were stored, every part checked, or a ValueError."""
        check_length("the length of its excerpts", n_characters)
        content = arrays.get("bytes", 1, frozenset({"uint8"}))
        starts = arrays.get("starts", 1, frozenset({"int64"}))
        check_shapes(len(starts) == n_texts + 1)
        # Compared, not subtracted: differences of 64-bit numbers can wrap around.
        is_sorted = bool((starts[1:] >= starts[:-1]).all())
        if not (is_sorted and starts[0] == 0 and starts[-1] == len(content)):
            raise ValueError("its excerpts are malformed")
        buffers = [None, pa.py_buffer(starts.tobytes()), pa.py_buffer(content.tobytes())]
        texts = pa.Array.from_buffers(pa.large_string(), n_texts, buffers)
        texts.validate(full=True)  # raises pa.ArrowInvalid, a ValueError, unless UTF-8
        if n_texts and pc.max(pc.utf8_length(texts)).as_py() > n_characters:
            raise ValueError("its excerpts are longer than they should be")
        return cls(n_characters, texts)


def excerpts_of_texts(texts: pa.LargeStringArray, rows: IntArray, n_characters: int) -> list[str]:
    """The first characters of some texts, with one space where there is any white space."""
    return [_excerpt(texts[row].as_py(), n_characters) for row in rows.tolist()]


def excerpts_of_rows(
    batches: Iterable[Documents], numbers: IntArray, n_characters: int, first: int = 0
) -> list[str]:
    """Excerpts of the documents of these numbers; the batches' first is number ``first``.

    Batches after the last of the documents are not read.
    """
    order = np.argsort(numbers, kind="stable")
    wanted = numbers[order]
    found: list[str] = []
    batch_first = first
    for batch in batches if len(wanted) else ():
        batch_end = batch_first + len(batch.texts)
        end = np.searchsorted(wanted, batch_end)
        rows = wanted[len(found) : end] - batch_first
        found += excerpts_of_texts(batch.texts, rows, n_characters)
        batch_first = batch_end
        if len(found) == len(wanted):
            break
    if len(found) < len(wanted):
        raise DataError(
            f"document {wanted[-1] + 1:,} is no longer there: a file changed during the training; "
            "train again once nothing writes to it"
        )
    return in_places(found, order)


def in_places(found: Sequence[str], places: IntArray) -> list[str]:
    """The texts in the order of their places."""
    texts = np.empty(len(found), object)
    texts[places] = found
    return list(texts)


def _excerpt(text: str, n_characters: int) -> str:
    # As many words as characters are enough, however long the text is.
    words = text.split(maxsplit=n_characters)[:n_characters]
    return " ".join(words)[:n_characters]

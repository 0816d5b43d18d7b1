"""Labeled texts as hashes: to recognise them later, and to find copies among them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaven.documents._label_sets import shown_label
from leaven.text._counting import text_buffers
from leaven.text._text_hash_kernels import hash_texts

__all__ = ["MOST_REMEMBERED", "START", "Copies", "LabeledTexts", "text_hashes"]

# Texts of which a hash is kept: 8 bytes each in a model file, about 80 while documents are read.
# Of more texts those with the smallest hashes are kept, a sample in which copies stay together.
MOST_REMEMBERED = 1_000_000
AT_ONCE = 20_000  # texts copied at a time
START = 30  # characters by which a message shows a text


def text_hashes(texts: pa.LargeStringArray) -> NDArray[np.uint64]:
    """A 64-bit hash of each text without the white space around it."""
    return np.concatenate([np.zeros(0, np.uint64), *map(_hashes, _trimmed(texts))])


def _trimmed(texts: pa.LargeStringArray) -> Iterator[pa.LargeStringArray]:
    for first in range(0, len(texts), AT_ONCE):
        yield pc.utf8_trim_whitespace(texts.slice(first, AT_ONCE))


def _hashes(texts: pa.LargeStringArray) -> NDArray[np.uint64]:
    hashes = np.empty(len(texts), dtype=np.uint64)
    hash_texts(*text_buffers(texts), hashes)
    return hashes


@dataclass(frozen=True)
class Copies:
    """Labeled texts that occur several times, and an example of one with different labels."""

    n_copies: int  # documents with the text and the label of an earlier one
    n_conflicting: int  # texts with different labels
    start: str = ""  # of the first such text
    labels: tuple[str, ...] = ()  # that it has


@dataclass(frozen=True, eq=False)
class LabeledTexts:
    """Hashes, labels and first words of labeled texts; those of parts of a corpus add up."""

    table: pa.Table  # columns hash, label, start; without blank texts
    n_blank: int = 0  # labeled texts that are empty
    n_texts: int = 0  # labeled texts that are not, kept or left out

    @classmethod
    def of(cls, texts: pa.LargeStringArray, labels: Any) -> Self:
        """From all labeled texts, and a column of their labels."""
        hashes, starts = [np.zeros(0, np.uint64)], []
        for trimmed in _trimmed(texts):
            hashes.append(_hashes(trimmed))
            starts.append(pc.utf8_slice_codeunits(trimmed, 0, START + 1))
        columns = [np.concatenate(hashes), labels, pa.chunked_array(starts, pa.large_string())]
        table = pa.table(columns, ["hash", "label", "start"])
        table = table.filter(pc.not_equal(table["start"], ""))
        return cls(table, len(texts) - len(table), len(table))._cut()

    @classmethod
    def none(cls) -> Self:
        """No labeled texts."""
        nothing = pa.array([], pa.large_string())
        return cls.of(nothing, nothing)

    def __add__(self, other: Self) -> Self:
        together = type(self)(
            pa.concat_tables([self.table, other.table]),
            self.n_blank + other.n_blank,
            self.n_texts + other.n_texts,
        )
        # Twice as many may wait, so that they are seldom sorted.
        return together._cut() if len(together.table) > 2 * MOST_REMEMBERED else together

    def _cut(self) -> Self:
        if len(self.table) <= MOST_REMEMBERED:
            return self
        hashes = self.table["hash"].to_numpy()
        limit = np.partition(hashes, MOST_REMEMBERED - 1)[MOST_REMEMBERED - 1]
        kept = self.table.filter(pa.array(hashes <= limit))
        return type(self)(kept, self.n_blank, self.n_texts)

    @cached_property
    def kept(self) -> pa.Table:
        """The texts that are kept, however many parts they came in."""
        return self._cut().table

    @cached_property
    def copies(self) -> "Copies":
        """Texts that occur several times."""
        hashes = self.kept["hash"].to_numpy()
        labels = self.kept["label"].combine_chunks().dictionary_encode()
        # Readable names; where documents have sets of labels, one label is a set of one.
        shown = pa.array(map(shown_label, labels.dictionary.to_pylist()), pa.large_string())
        labels = shown.take(labels.indices).dictionary_encode()
        codes = labels.indices.to_numpy()
        order = np.lexsort((codes, hashes))
        is_same_text = hashes[order][1:] == hashes[order][:-1]
        is_same_label = codes[order][1:] == codes[order][:-1]
        doubtful = np.unique(hashes[order][1:][is_same_text & ~is_same_label])
        n_copies = int((is_same_text & is_same_label).sum())
        if not len(doubtful):
            return Copies(n_copies, 0)
        first = int(np.isin(hashes, doubtful).argmax())  # in the order of the documents
        names = labels.filter(pa.array(hashes == hashes[first])).unique()
        start = self.kept["start"][first].as_py()
        return Copies(n_copies, len(doubtful), start, tuple(names.to_pylist()))

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """Different hashes, sorted."""
        found: NDArray[np.uint64] = np.unique(self.kept["hash"].to_numpy())
        return found

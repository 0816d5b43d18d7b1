"""The documents of a labeling session: rows of the data file, found by number or by their words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaven._base.progress import Listener, Progress
from leaven._base.typing import FloatArray, IntArray
from leaven.documents import DocumentFiles
from leaven.documents._label_encoding import encode_column
from leaven.documents._reading import Reading
from leaven.text._embeddings import vector_source, vectors_of
from leaven.text._html import text_of_html
from leaven.text._labeled_texts import text_hashes

__all__ = ["LabelingDocuments"]

MOST_FIELDS, LONGEST_FIELD = 12, 200  # other columns shown with a text, and their characters
EXCERPT = 300  # characters
BEFORE_MATCH = 80  # characters of an excerpt before what was searched for


@dataclass(frozen=True, eq=False)
class LabelingDocuments:
    """Texts with all columns of their file, and the labels that the file had."""

    name: str  # of the data, for people
    texts: pa.LargeStringArray
    columns: pa.Table
    text_columns: tuple[str, ...]
    label_column: str | None
    labels: pa.LargeStringArray | None  # of the file
    reading: Reading
    given: FloatArray | None = None  # the user's vectors
    html: bool = False  # texts are shown without their markup

    @classmethod
    def read(
        cls,
        paths: Sequence[str],
        reading: Reading,
        on_progress: Listener | None = None,
        *,
        html: bool = False,
    ) -> "LabelingDocuments":
        """Read files, which need no column of labels."""
        files: DocumentFiles = reading.files(paths, keep_columns=True)
        files.report_to(Progress(on_progress).phase("reading"))
        found = files.read()
        assert found.columns is not None
        given = vectors_of(found, vector_source(reading, html))
        text = files.text_column
        return cls(
            found.source,
            found.texts,
            found.columns,
            (text,) if isinstance(text, str) else text,
            files.label_column,
            found.labels,
            reading,
            given,
            html,
        )

    @property
    def used_reading(self) -> Reading:
        """How the file was read, with the columns that were found, for a model to remember."""
        text = self.text_columns if len(self.text_columns) > 1 else self.text_columns[0]
        return replace(self.reading, text=text, label=self.label_column)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A hash of each text, by which it is recognized when the file changed."""
        return text_hashes(self.texts)

    def hash_of(self, number: int) -> int:
        return int(self.hashes[number])

    def text(self, number: int) -> str:
        """A text as it is shown."""
        text = self.raw_text(number)
        return text_of_html(text) if self.html else text

    def raw_text(self, number: int) -> str:
        return str(self.texts[number].as_py())

    def fields(self, number: int) -> dict[str, str]:
        """Other columns of a document, as they are shown beside its text."""
        own = {*self.text_columns, self.label_column, self.reading.vectors}
        names = [name for name in self.columns.column_names if name not in own][:MOST_FIELDS]
        values = {name: self.columns[name][number].as_py() for name in names}
        return {name: str(v)[:LONGEST_FIELD] for name, v in values.items() if v not in (None, "")}

    def search(self, words: str) -> IntArray:
        """Numbers of the documents that contain a text, without regard to case."""
        found = pc.match_substring(self.texts, words, ignore_case=True)
        return np.flatnonzero(found.to_numpy(zero_copy_only=False))

    def excerpt(self, number: int, words: str = "") -> str:
        """The beginning of a text, or what is around the first occurrence of some words."""
        text = self.text(number)
        place = text.casefold().find(words.casefold()) if words else -1
        start = place - BEFORE_MATCH
        if start <= 0:
            return text[:EXCERPT]
        start = text.find(" ", start, place) + 1 or start  # not in the middle of a word
        return f"… {text[start : start + EXCERPT]}"

    def file_labels(self) -> dict[int, tuple[str, ...]]:
        """Labels that the file has, by document: one name, or several where it holds lists."""
        if self.labels is None or self.labels.null_count == len(self.labels):
            return {}
        encoded = encode_column(self.labels)
        meanings: list[Any] = list(encoded.labels.meanings)
        rows = np.flatnonzero(encoded.codes >= 0)
        named = (meanings[code] for code in encoded.codes[rows].tolist())
        return {
            int(row): tuple(map(str, each)) if isinstance(each, tuple) else (str(each),)
            for row, each in zip(rows, named, strict=True)
        }

    @property
    def has_label_sets(self) -> bool:
        """Whether the file has documents with several labels."""
        if self.labels is None or self.labels.null_count == len(self.labels):
            return False
        return bool(encode_column(self.labels).labels.has_sets)

"""Documents before they are counted: in memory, or in files larger than memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from leaven._ahead import ahead
from leaven._labels import Labels, encode_labels
from leaven._typing import IntArray
from leaven.corpora._base import Block, Corpus
from leaven.corpora._cache import CachedCorpus, gathered
from leaven.corpora._files import CountedFiles
from leaven.corpora._memory import in_memory
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._options import TextOptions
from leaven.text._pieces import Documents
from leaven.text._readers import DocumentFiles, bad_files_notes, no_labels_message
from leaven.text._survey import Survey, added_up, counter_from, survey, tokens_of

__all__ = ["Counted", "Counting", "FilesOnDisk", "TextsInMemory", "Uncounted", "described"]

OnProgress = Callable[[str, int, int], None]  # phase, done, total


@dataclass(frozen=True)
class Counting:
    """How documents are to be counted."""

    options: Callable[[int], TextOptions]  # by the number of documents
    n_threads: int | None = None
    on_progress: OnProgress | None = None

    def progress(self, phase: str) -> Callable[[int, int], None] | None:
        if self.on_progress is None:
            return None
        report = self.on_progress
        return lambda done, total: report(phase, done, total)


@dataclass(frozen=True, eq=False)
class Counted:
    """A corpus, and what its numbers stand for."""

    corpus: Corpus
    counter: TextCounter
    classes: Any  # (n_classes,) ndarray: object (str), integer or bool
    class_counts: IntArray  # (n_classes,) labeled documents
    n_documents: int
    dtype: Any = np.float32  # of counts
    notes: list[str] = field(default_factory=list)  # what people should know of the reading


class Uncounted(Protocol):
    """Documents, wherever they are, that can be counted there."""

    def counted(self, how: Counting) -> Counted: ...


@dataclass(frozen=True, eq=False)
class TextsInMemory:
    """Texts, their labels, and vectors of the user's own where there are any."""

    texts: pa.LargeStringArray
    labels: Labels
    vectors: Any = None

    def counted(self, how: Counting) -> Counted:
        counter, X = fit_counter(
            self.texts,
            how.options(len(self.texts)),
            codes=self.labels.codes,
            by_frequency=True,
            n_threads=how.n_threads,
            on_progress=how.progress("counting"),
        )
        block = Block(X, self.labels.codes, np.ones(len(self.texts)), self.vectors)
        return Counted(
            in_memory(block, how.n_threads),
            counter,
            self.labels.classes,
            self.labels.counts,
            len(self.texts),
            X.dtype,
        )


@dataclass(frozen=True, eq=False)
class FilesOnDisk:
    """Documents in files, of which a few megabytes are in memory at a time.

    They are read twice: for the words, the labels and how many documents hold each word, then
    to be counted. The counts are kept on disk.
    """

    files: DocumentFiles
    cache: str | None = None  # folder for the counts
    vectors: str | None = None  # column of vectors of the user's own

    def counted(self, how: Counting) -> Counted:
        tokens = tokens_of(how.options(1))  # refused, if at all, before anything is read

        def look(batches: Iterator[Documents]) -> Survey:
            return added_up(survey(batch, tokens, how.n_threads) for batch in ahead(batches))

        self._report(how.progress("reading"))
        found = added_up(self.files.per_file(look))
        counter, classes, counts, notes = described(found, self.files, how.options)
        self._report(how.progress("counting"))
        own = CountedFiles(
            _Ahead(self.files), counter, classes, vectors=self.vectors, n_threads=how.n_threads
        )
        corpus = CachedCorpus(gathered(own), self.cache, how.n_threads)
        n_now = int(corpus.reduce(lambda block: np.int64(len(block.y))))
        if n_now != found.n_documents:
            raise DataError(
                f"the files held {found.n_documents} documents at first and {n_now} when they were "
                "counted: a file changed meanwhile; train again once nothing writes to it"
            )
        return Counted(corpus, counter, classes, counts, found.n_documents, notes=notes)

    def _report(self, progress: Callable[[int, int], None] | None) -> None:
        done = 0

        def add(n_bytes: int) -> None:
            nonlocal done
            done += n_bytes
            if progress is not None:
                # What was read of a file before it was left out is no part of the total.
                progress(min(done, self.files.total_bytes), self.files.total_bytes)

        self.files.on_bytes = add


@dataclass(frozen=True)
class _Ahead:
    """An iterable whose next item is made while one is worked on, on every pass."""

    items: Iterable[Documents]

    def __iter__(self) -> Iterator[Documents]:
        return ahead(self.items)


def described(
    found: Survey, files: DocumentFiles, options: Callable[[int], TextOptions]
) -> tuple[TextCounter, Any, IntArray, list[str]]:
    """Counter, classes, labeled documents of each class and notes, after a first look at files."""
    if not found.labels:
        raise DataError(no_labels_message(files.source, files.label_column))
    # Every name once, for its checks; they are sorted as everywhere.
    classes = encode_labels(list(found.labels)).classes
    counts = np.array([found.labels[name] for name in classes.tolist()], dtype=np.int64)
    notes = bad_files_notes(files)
    if found.n_forgotten:
        notes.append(
            f"{found.n_forgotten:,} words were too rare to be remembered while reading, so that "
            "some rare words may be missing; hash_features needs no list of words"
        )
    return counter_from(found, options(found.n_documents)), classes, counts, notes

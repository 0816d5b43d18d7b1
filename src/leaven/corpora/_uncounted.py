"""Documents before they are counted: in memory, or in files larger than memory."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from leaven._base.prefetch import ahead
from leaven._base.typing import IntArray
from leaven.corpora._base import Block, Corpus
from leaven.corpora._cache import CachedCorpus, gathered, values_per_block
from leaven.corpora._file_blocks import CountedFiles
from leaven.corpora._memory import in_memory
from leaven.documents._labels import Labels, encode_labels, refuse_minus_one
from leaven.documents._pieces import Documents
from leaven.documents._readers import DocumentFiles, bad_files_notes, no_labels_message
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._options import TextOptions
from leaven.text._survey import Survey, added_up, counter_from, survey, tokens_of

__all__ = [
    "Counted",
    "Counting",
    "FilesOnDisk",
    "TextsInMemory",
    "Uncounted",
    "check_unchanged",
    "described",
]

OnProgress = Callable[[str, int, int], None]  # phase, done, total


@dataclass(frozen=True)
class Counting:
    """How documents are to be counted."""

    options: Callable[[int], TextOptions]  # by the number of documents
    n_threads: int | None = None
    on_progress: OnProgress | None = None
    # Of classes, labeled documents of each, and all documents: refuses, or returns notes.
    check_labels: Callable[[Any, IntArray, int], list[str]] = lambda *_: []

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
        labels = self.labels
        notes = how.check_labels(labels.classes, labels.counts, len(self.texts))
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
            notes,
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
            with closing(ahead(batches)) as own:
                return added_up(survey(batch, tokens, how.n_threads) for batch in own)

        self.files.report_to(how.progress("reading"))
        found = added_up(self.files.per_file(look))
        counter, classes, counts, notes = described(found, self.files, how)
        self.files.report_to(how.progress("counting"))
        own = CountedFiles(
            _Ahead(self.files), counter, classes, vectors=self.vectors, n_threads=how.n_threads
        )
        blocks = gathered(own, values_per_block(how.n_threads))
        corpus = CachedCorpus(blocks, self.cache, how.n_threads)
        check_unchanged(found, corpus)
        return Counted(corpus, counter, classes, counts, found.n_documents, notes=notes)


@dataclass(frozen=True)
class _Ahead:
    """An iterable whose next item is made while one is worked on, on every pass."""

    items: Iterable[Documents]

    def __iter__(self) -> Iterator[Documents]:
        return ahead(self.items)


def check_unchanged(found: Survey, corpus: Corpus) -> None:
    """Refuse a corpus that is not what the first look at the files found."""
    n_now = int(corpus.reduce(lambda block: np.int64(len(block.y))))
    if n_now != found.n_documents:
        raise DataError(
            f"the files held {found.n_documents} documents at first and {n_now} when they were "
            "counted: a file changed meanwhile; train again once nothing writes to it"
        )


def described(
    found: Survey, files: DocumentFiles, how: Counting
) -> tuple[TextCounter, Any, IntArray, list[str]]:
    """Counter, classes, labeled documents of each class and notes, after a first look at files."""
    if not found.labels:
        raise DataError(no_labels_message(files))
    refuse_minus_one(sum(n for name, n in found.labels.items() if name.strip() == "-1"))
    # Every name once, for its checks; they are sorted as everywhere.
    classes = encode_labels(list(found.labels)).classes
    counts = np.array([found.labels[name] for name in classes.tolist()], dtype=np.int64)
    notes = bad_files_notes(files) + how.check_labels(classes, counts, found.n_documents)
    if found.n_forgotten:
        notes.append(
            f"{found.n_forgotten:,} words were too rare to be remembered while reading, so that "
            "some rare words may be missing, and others counted too low; hash_features needs no "
            "list of words"
        )
    return counter_from(found, how.options(found.n_documents)), classes, counts, notes

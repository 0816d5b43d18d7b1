"""Documents before they are counted: in memory, or in files larger than memory."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa

from leaven._base.prefetch import ahead
from leaven._base.progress import SILENT, Progress
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven.corpora._base import Block, Corpus
from leaven.corpora._cache import CachedCorpus, gathered, values_per_block
from leaven.corpora._file_blocks import CountedFiles
from leaven.corpora._memory import in_memory
from leaven.corpora._training_set import TrainingSet
from leaven.documents._audits import audited_rows
from leaven.documents._excerpts import excerpts_of_rows, excerpts_of_texts
from leaven.documents._label_checks import check_label_weights
from leaven.documents._label_encoding import encode_column, labels_counted
from leaven.documents._labels import EncodedLabels, Labels
from leaven.documents._pieces import Documents
from leaven.documents._readers import DocumentFiles, bad_files_notes, no_labels_message
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._embeddings import VectorSource, vectors_of
from leaven.text._labeled_texts import LabeledTexts
from leaven.text._looks import TextLooks
from leaven.text._options import TextOptions
from leaven.text._survey import Survey, added_up, counter_from, survey, tokens_of

__all__ = [
    "Counted",
    "Counting",
    "FilesInMemory",
    "FilesOnDisk",
    "TextsInMemory",
    "Uncounted",
    "check_unchanged",
    "described",
]


@dataclass(frozen=True)
class Counting:
    """How to count documents."""

    options: Callable[[int], TextOptions]  # given the number of documents
    n_threads: int | None = None
    progress: Progress = SILENT
    # Takes labels, labeled documents per code, and all documents; raises, or returns notes.
    check_labels: Callable[[Labels, IntArray, int], list[str]] = lambda *_: []
    with_vectors: bool = True  # the user's, if there are any
    again: bool = False  # whether they will be counted in another way, and should be kept for that


@dataclass(frozen=True, eq=False)
class Counted:
    """Documents to learn from, and the counter that defines their columns."""

    training: TrainingSet
    counter: TextCounter
    n_documents: int
    notes: list[str] = field(default_factory=list)  # on reading and labels, for the user
    labels_digest: str = ""  # of the documents' labels; "" where it is too costly
    labeled: LabeledTexts = field(default_factory=LabeledTexts.none)
    n_wordless: int = 0  # labeled documents without a word that is counted
    counts: IntArray | None = None  # labeled documents of each code; None: their weights
    looks: TextLooks = field(default_factory=TextLooks)

    @classmethod
    def surveyed(
        cls,
        training: TrainingSet,
        counter: TextCounter,
        found: Survey,
        notes: list[str],
        n_wordless: int,
    ) -> "Counted":
        """Documents of files, after a survey of them; a digest of labels would take a pass."""
        n_documents, labeled = found.n_documents, found.labeled
        return cls(
            training, counter, n_documents, notes, "", labeled, n_wordless, looks=found.looks
        )

    @property
    def label_counts(self) -> IntArray:
        """Labeled documents of each code."""
        return self.training.label_weights.astype(np.int64) if self.counts is None else self.counts

    def allowing_empty(self, allowed: bool | None) -> "Counted":
        """The same documents, where those without a class can or cannot be predicted."""
        labels = self.training.labels.allowing_empty(allowed)
        return replace(self, training=replace(self.training, labels=labels))


class Uncounted(Protocol):
    """Documents that can be counted where they are stored."""

    place: ClassVar[str]  # "memory", "stream" or "dask"

    def counted(self, how: Counting) -> Counted: ...

    def excerpts(
        self, numbers: IntArray, n_characters: int, progress: Progress = SILENT
    ) -> list[str]:
        """The first characters of the documents of these numbers, after they were counted."""
        ...


@dataclass(frozen=True, eq=False)
class TextsInMemory:
    """Texts, their labels, and optionally user-supplied vectors."""

    place: ClassVar[str] = "memory"

    texts: pa.LargeStringArray
    encoded: EncodedLabels
    vectors: FloatArray | None = None
    weights: FloatArray | None = None  # of the documents, 1 if not given
    # What was counted before, by analyzer, and what the texts look like.
    known: Mapping[str, tuple[TextCounter, Counts]] = field(default_factory=dict)
    looks: TextLooks | None = None
    audited: BoolArray | None = None  # whose label was given to a document drawn at random

    def counted(self, how: Counting) -> Counted:
        codes, labels, counts = self.encoded.codes, self.encoded.labels, self.encoded.counts
        notes = how.check_labels(labels, counts, len(self.texts))
        options = how.options(len(self.texts))
        known = self.known.get(options.analyzer)
        looks = self.looks or TextLooks.of(self.texts, options.html)
        counter, X = known or fit_counter(
            self.texts,
            options,
            codes=codes,
            by_frequency=True,
            n_threads=how.n_threads,
            on_progress=how.progress.phase("counting"),
        )
        weights = np.ones(len(self.texts)) if self.weights is None else self.weights
        is_labeled = codes >= 0
        label_weights = np.zeros(labels.n_codes)
        np.add.at(label_weights, codes[is_labeled], weights[is_labeled])
        check_label_weights(label_weights, labels)
        block = Block(X, codes, weights, self.vectors if how.with_vectors else None)
        audited = None if self.audited is None else np.flatnonzero(self.audited & is_labeled)
        corpus = in_memory(block, how.n_threads)
        training = TrainingSet(corpus, labels, label_weights, audited=audited)
        digest = _digest(self.encoded)
        n_wordless = int(_sizes(block)[1])
        return Counted(
            training,
            counter,
            len(self.texts),
            notes,
            digest,
            self._labeled(),
            n_wordless,
            counts,
            looks,
        )

    def excerpts(
        self, numbers: IntArray, n_characters: int, progress: Progress = SILENT
    ) -> list[str]:
        return excerpts_of_texts(self.texts, numbers, n_characters)

    def _labeled(self) -> LabeledTexts:
        is_labeled = self.encoded.codes >= 0
        names = pa.array(self.encoded.labels.keys, pa.large_string())
        texts = self.texts if is_labeled.all() else self.texts.filter(pa.array(is_labeled))
        return LabeledTexts.of(texts, names.take(pa.array(self.encoded.codes[is_labeled])))


@dataclass(frozen=True, eq=False)
class FilesInMemory:
    """Documents in files, all read into memory."""

    place: ClassVar[str] = "memory"

    files: DocumentFiles
    vectors: VectorSource = None  # where vectors that are not learned come from
    audited: str | None = None  # column that says which labels are audits
    _kept: list[TextsInMemory] = field(default_factory=list, init=False)  # for the next counting

    def counted(self, how: Counting) -> Counted:
        self.files.report_to(how.progress.phase("reading"))
        texts = self._kept[0] if self._kept else self._read()
        self._kept[:] = [texts] if how.again else []
        counted = texts.counted(how)
        return replace(counted, notes=bad_files_notes(self.files) + counted.notes)

    def _read(self) -> TextsInMemory:
        documents = self.files.read()
        if documents.labels is None or documents.labels.null_count == len(documents.labels):
            raise DataError(no_labels_message(self.files))
        vectors = vectors_of(documents, self.vectors)
        audited = None
        if self.audited is not None:
            audited = audited_rows(
                documents.columns, documents.labels, self.audited, documents.source
            )
        labels = encode_column(documents.labels)
        return TextsInMemory(documents.texts, labels, vectors, audited=audited)

    def excerpts(
        self, numbers: IntArray, n_characters: int, progress: Progress = SILENT
    ) -> list[str]:
        return _excerpts(self.files, numbers, n_characters, progress)


@dataclass(frozen=True, eq=False)
class FilesOnDisk:
    """Documents in files, read with a few megabytes in memory at a time.

    They are read twice: for the words, the document frequencies and the labels, then for the
    counts, which are kept on disk.
    """

    place: ClassVar[str] = "stream"

    files: DocumentFiles
    cache: str | None = None  # folder for the counts
    vectors: VectorSource = None  # where vectors that are not learned come from
    audited: str | None = None  # column that says which labels are audits

    def counted(self, how: Counting) -> Counted:
        options = how.options(1)
        tokens, html = tokens_of(options), options.html  # raises before anything is read

        def look(batches: Iterator[Documents]) -> Survey:
            with closing(ahead(batches)) as waiting:
                return added_up(
                    survey(batch, tokens, how.n_threads, self.audited, html) for batch in waiting
                )

        self.files.report_to(how.progress.phase("reading"))
        found = added_up(self.files.per_file(look))
        counter, labels, counts, notes = described(found, self.files, how)
        self.files.report_to(how.progress.phase("counting"))
        vectors = self.vectors if how.with_vectors else None
        blocks = CountedFiles(
            _Ahead(self.files), counter, labels, vectors=vectors, n_threads=how.n_threads
        )
        corpus = CachedCorpus(
            gathered(blocks, values_per_block(how.n_threads)), self.cache, how.n_threads
        )
        n_wordless = check_unchanged(found, corpus)
        audited = None if self.audited is None else found.audited
        training = TrainingSet(corpus, labels, counts, audited=audited)
        return Counted.surveyed(training, counter, found, notes, n_wordless)

    def excerpts(
        self, numbers: IntArray, n_characters: int, progress: Progress = SILENT
    ) -> list[str]:
        return _excerpts(self.files, numbers, n_characters, progress)


def _excerpts(
    files: DocumentFiles, numbers: IntArray, n_characters: int, progress: Progress
) -> list[str]:
    """Excerpts from files, which are read once more, a few megabytes at a time."""
    files.report_to(progress.phase("reading"))
    return excerpts_of_rows(files, numbers, n_characters)


@dataclass(frozen=True)
class _Ahead:
    """An iterable that prefetches its next item, on every pass."""

    items: Iterable[Documents]

    def __iter__(self) -> Iterator[Documents]:
        return ahead(self.items)


def _digest(encoded: EncodedLabels) -> str:
    """What is the same where documents have the same labels, of the same classes."""
    digest = hashlib.sha256(encoded.codes.astype(np.int64).tobytes())
    # Codes of classes are in their order; those of sets depend on which sets occur.
    digest.update("".join(encoded.labels.keys).encode() if encoded.labels.has_sets else b"")
    return digest.hexdigest()


def _sizes(block: Block) -> IntArray:
    """Number of documents, and of those that are labeled and without words."""
    is_wordless = (block.y >= 0) & (np.diff(block.X.indptr) == 0)
    return np.array([len(block.y), is_wordless.sum()], dtype=np.int64)


def check_unchanged(found: Survey, corpus: Corpus) -> int:
    """Refuse a corpus whose size differs from that of the survey.

    Returns the number of labeled documents without a word that is counted.
    """
    n_now, n_wordless = corpus.reduce(_sizes).tolist()
    if n_now != found.n_documents:
        raise DataError(
            f"the files contained {found.n_documents:,} documents at first and {n_now:,} when "
            "they were counted: a file changed meanwhile; train again once nothing writes to it"
        )
    return int(n_wordless)


def described(
    found: Survey, files: DocumentFiles, how: Counting
) -> tuple[TextCounter, Labels, FloatArray, list[str]]:
    """Counter, labels, labeled documents of each class and notes, from a survey of files."""
    if not found.labels:
        raise DataError(no_labels_message(files))
    encoded = labels_counted(found.labels)
    labels, counts = encoded.labels, np.zeros(encoded.labels.n_codes, dtype=np.int64)
    np.add.at(counts, encoded.codes, list(found.labels.values()))
    notes = bad_files_notes(files) + how.check_labels(labels, counts, found.n_documents)
    if found.n_forgotten:
        notes.append(
            f"{found.n_forgotten:,} rare words were dropped while reading to limit memory, so that "
            "some rare words may be missing, and others counted too low; hash_features needs no "
            "list of words"
        )
    counter = counter_from(found, how.options(found.n_documents))
    return counter, labels, counts.astype(np.float64), notes

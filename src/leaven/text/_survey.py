"""Survey of texts before they are counted: words, document frequencies, labels.

Surveys add up, so texts can be surveyed in parts and on any machine. The order of the parts only
matters for the numbers of documents.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pyarrow.compute as pc

from leaven._base.typing import IntArray
from leaven.documents._audits import audited_rows
from leaven.documents._label_sets import names_in
from leaven.documents._readers import Documents
from leaven.exceptions import DataError
from leaven.text import _row_kernels
from leaven.text._counter import (
    TextCounter,
    inverse_frequency,
    kept_words,
    with_stop_words_found,
)
from leaven.text._counting import RawCounts, Tokens, count_words
from leaven.text._html import texts_of_html
from leaven.text._labeled_texts import LabeledTexts
from leaven.text._looks import TextLooks
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary, top_ranked

__all__ = ["Survey", "added_up", "counter_from", "survey", "tokens_of"]

# Distinct words in memory, about 60 bytes each. Above this the rarest so far are dropped.
MOST_WORDS = 4_000_000
MOST_CLASSES = 10_000  # more look like a column of identifiers
MOST_SETS = 100_000  # different ones, where documents have several labels


@dataclass(frozen=True, eq=False)
class Survey:
    """Words and labels of some documents."""

    n_documents: int
    labels: Counter[str]  # documents of each class
    vocabulary: Vocabulary
    documents: IntArray  # (n_words,) number of documents that contain each word
    totals: IntArray  # (n_words,) occurrences of each word
    n_forgotten: int = 0  # rare words dropped, counted each time they are
    n_bytes: int = field(default=0, compare=False)  # of text
    labeled: LabeledTexts = field(default_factory=LabeledTexts.none)
    # Numbers of the documents, from the first one here, whose label is an audit.
    audited: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    looks: TextLooks = field(default_factory=TextLooks)

    def __add__(self, other: Self) -> Self:
        if len(self.documents) > len(self.vocabulary):  # hashed: buckets are identified by number
            vocabulary, number = self.vocabulary, np.arange(len(self.documents), dtype=np.int32)
            n_words = len(number)
        else:
            vocabulary, number = self.vocabulary.merged(other.vocabulary)
            n_words = len(vocabulary)
        documents, totals = np.zeros((2, n_words), dtype=np.int64)
        for total, counts, other_counts in (
            (documents, self.documents, other.documents),
            (totals, self.totals, other.totals),
        ):
            total[: len(counts)] = counts
            total[number] += other_counts  # the other's words are distinct
        together = replace(
            self,
            n_documents=self.n_documents + other.n_documents,
            labels=_checked(self.labels + other.labels),
            vocabulary=vocabulary,
            documents=documents,
            totals=totals,
            n_forgotten=self.n_forgotten + other.n_forgotten,
            n_bytes=self.n_bytes + other.n_bytes,
            labeled=self.labeled + other.labeled,
            audited=np.concatenate([self.audited, self.n_documents + other.audited]),
            looks=self.looks + other.looks,
        )
        return together if len(vocabulary) <= MOST_WORDS else together._without_rarest()

    def _without_rarest(self) -> Self:
        n_words = len(self.documents)
        middle = int(np.partition(self.documents, n_words // 2)[n_words // 2])
        rare = min(middle, int(self.documents.max()) - 1)  # so that some are kept
        kept = np.flatnonzero(self.documents > rare)
        return replace(
            self,
            vocabulary=self.vocabulary.select(kept),
            documents=self.documents[kept],
            totals=self.totals[kept],
            n_forgotten=self.n_forgotten + n_words - len(kept),
        )


def tokens_of(options: TextOptions) -> Tokens:
    """What a survey counts; refused where the choice of words depends on labels."""
    if options.uses_labels:
        raise ValueError(
            "choosing words by their classes (vocabulary size auto, or ranked by mutual "
            "information) needs all documents in memory; rank by frequency, or train on a sample "
            "without --stream and --dask"
        )
    return options.as_tokens


def survey(
    batch: Documents,
    tokens: Tokens,
    n_threads: int | None = None,
    audited: str | None = None,
    html: bool = False,
) -> Survey:
    """Survey documents; with hashing no word is stored, only document frequencies of buckets.

    ``audited`` is the column that says which labels are audits; ``html`` as in TextOptions.
    """
    labels: Counter[str] = Counter()
    labeled = LabeledTexts.none()
    if batch.labels is not None:
        labeled = LabeledTexts.of(
            batch.texts.filter(batch.labels.is_valid()), batch.labels.drop_null()
        )
        for entry in pc.value_counts(batch.labels.drop_null()).to_pylist():
            labels[entry["values"]] = entry["counts"]
    fixed = Vocabulary.empty() if tokens.hash_features else None
    texts = texts_of_html(batch.texts) if html else batch.texts
    raw = count_words(texts, tokens, fixed, n_threads=n_threads)
    parts = [_survey_of(part, tokens.hash_features) for part in raw]
    is_audited = np.zeros(0, bool)
    if audited is not None:
        is_audited = audited_rows(batch.columns, batch.labels, audited, batch.source)
    return replace(
        added_up(parts),
        n_documents=len(batch.texts),
        labels=_checked(labels),
        n_bytes=batch.texts.nbytes,
        labeled=labeled,
        audited=np.flatnonzero(is_audited),
        looks=TextLooks.of(batch.texts, html),
    )


def _checked(labels: Counter[str]) -> Counter[str]:
    if len(labels) <= MOST_CLASSES:  # several labels of a document rarely occur in it alone
        return labels
    classes = {name: None for label in labels for name in names_in(label)}
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"the label column holds more than {MOST_CLASSES:,} different labels, such as "
            f"{next(iter(classes))!r}: it looks like a column of identifiers; choose another "
            "with --label"
        )
    if len(labels) > MOST_SETS:
        raise DataError(
            f"the documents must have at most {MOST_SETS:,} different sets of labels, but have "
            "more; leave out rare labels"
        )
    return labels


def _survey_of(raw: RawCounts, n_buckets: int) -> Survey:
    n_words = n_buckets or len(raw.vocabulary)
    documents = _row_kernels.document_frequencies(raw.cells, n_words)
    totals = _row_kernels.word_totals(raw.cells, n_words)
    return Survey(0, Counter(), raw.vocabulary, documents, totals)


def added_up(surveys: Iterable[Survey]) -> Survey:
    """The sum of surveys; small ones are added first, so that a large one is seldom copied."""
    waiting: list[Survey] = []
    for part in surveys:
        waiting.append(part)
        while len(waiting) > 1 and 2 * _size(waiting[-1]) >= _size(waiting[-2]):
            last = waiting.pop()
            waiting[-1] = waiting[-1] + last
    if not waiting:
        raise DataError("the files hold no document; check the paths")
    while len(waiting) > 1:
        last = waiting.pop()
        waiting[-1] = waiting[-1] + last
    return waiting[0]


def _size(part: Survey) -> int:
    return len(part.documents)


def counter_from(found: Survey, options: TextOptions) -> TextCounter:
    """The counter that ``leaven.text._counter.fit_counter`` learns from the same texts.

    Words are numbered by frequency.
    """
    tokens = tokens_of(options)
    vocabulary, documents = Vocabulary.empty(), found.documents
    if not options.hash_features:
        n_documents, limit = found.n_documents, options.max_features
        order, _ = kept_words(found.vocabulary, documents, options, n_documents, True)
        options = with_stop_words_found(options, found.vocabulary, documents, n_documents)
        tokens = options.as_tokens
        if limit is not None:
            best = top_ranked(found.totals[order], int(limit))
            order = order[best]
        documents = documents[order]
        vocabulary = found.vocabulary.select(order)
    idf = inverse_frequency(documents, options, found.n_documents)
    return TextCounter(options.spelled_out, tokens, vocabulary, idf)

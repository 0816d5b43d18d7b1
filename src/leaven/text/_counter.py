"""Fitted counter from documents to weighted counts, independent of scikit-learn.

[`leaven.TextVectorizer`][] is the scikit-learn wrapper of this module; models loaded from a
file use it directly, so that classifying a document does not import scikit-learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from leaven._base.progress import OnDone
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.text import _row_kernels
from leaven.text._counting import (
    RawCounts,
    Tokens,
    count_words,
)
from leaven.text._html import texts_of_html
from leaven.text._options import TextOptions
from leaven.text._stop_words import frequent_words
from leaven.text._vocabulary import (
    EmptyVocabularyError,
    Vocabulary,
    document_frequency_limits,
    mutual_information,
    top_ranked,
)
from leaven.text._vocabulary_size import SizeChoice, best_size, try_sizes

# Keeps the weight of a word that occurs in every document above zero. scikit-learn adds 1, which
# costs EM five points on 20 Newsgroups with one label per class.
IDF_FLOOR = 0.1
ROWS_PER_TASK = 1000  # weighing fewer takes less time than waking a thread

__all__ = [
    "TextCounter",
    "fit_counter",
    "inverse_frequency",
    "kept_words",
    "with_stop_words_found",
]


@dataclass(frozen=True, eq=False)
class TextCounter:
    """Turns texts into rows of counts over a fixed vocabulary."""

    options: TextOptions
    tokens: Tokens
    vocabulary: Vocabulary
    idf: FloatArray  # (n_words,), or empty without idf
    size_choices: tuple[SizeChoice, ...] = ()  # if max_features was chosen from the data

    @property
    def n_words(self) -> int:
        return self.options.hash_features or len(self.vocabulary)

    @cached_property
    def columns(self) -> dict[str, int]:
        """Column of each word."""
        return {word: i for i, word in enumerate(self.vocabulary.words.to_pylist())}

    @cached_property
    def _numbers(self) -> IntArray:
        """Number of each word: its own."""
        return np.arange(self.n_words, dtype=np.int32)

    def count(
        self,
        texts: pa.LargeStringArray,
        *,
        dtype: Any = np.float32,
        n_threads: int | None = None,
        on_progress: OnDone | None = None,
    ) -> Counts:
        if self.options.html:
            texts = texts_of_html(texts)
        raw = count_words(
            texts,
            self.tokens,
            self.vocabulary,
            n_threads=n_threads,
            on_progress=on_progress,
            may_repeat=True,
        )
        X = _as_matrix(raw, [self._numbers] * len(raw), self.n_words, dtype)
        return self.weigh(X, n_threads)

    def weigh(self, X: Counts, n_threads: int | None = None) -> Counts:
        """Weigh counts in place, according to the options."""
        if self.options.binary:
            X.data[:] = np.sign(X.data)
        if self.options.is_weighted:
            n_tasks = -(-X.shape[0] // ROWS_PER_TASK)
            n_parts = max(1, min(count_threads(n_threads), n_tasks))
            rows = [X.shape[0] * part // n_parts for part in range(n_parts + 1)]
            run_in_threads(
                lambda part: _row_kernels.weigh_rows(
                    X.indptr,
                    X.data,
                    X.indices,
                    rows[part],
                    rows[part + 1],
                    self.options.log_tf,
                    self.idf,
                    self.options.length or 0.0,
                ),
                n_parts,
            )
        return X


def fit_counter(
    texts: pa.LargeStringArray,
    options: TextOptions,
    *,
    codes: IntArray | None = None,
    vocabulary: Vocabulary | None = None,
    by_frequency: bool = False,
    dtype: Any = np.float32,
    n_threads: int | None = None,
    on_progress: OnDone | None = None,
) -> tuple[TextCounter, Counts]:
    """Learn a vocabulary (and idf) from texts; also returns their counts.

    ``codes`` are class codes, negative where unlabeled, for ranking by mutual information
    and for ``max_features="auto"``.
    A given ``vocabulary`` is used unchanged. Words are numbered alphabetically, or
    ``by_frequency``: then the words of most documents are adjacent in a model's parameters,
    which makes EM about 1.3 times as fast.
    """
    tokens = options.as_tokens
    if options.html:
        texts = texts_of_html(texts)
    fixed = Vocabulary.empty() if options.hash_features else vocabulary
    raw = count_words(texts, tokens, fixed, n_threads=n_threads, on_progress=on_progress)
    if fixed is not None:
        n_words = options.hash_features or len(fixed)
        vocabulary = fixed
        numbers: list[IntArray] = [np.arange(n_words, dtype=np.int32)] * len(raw)
        documents = _document_frequencies(raw, numbers, n_words) if options.idf else None
    else:
        vocabulary, numbers, documents, options = _collect_vocabulary(
            raw, options, len(texts), by_frequency
        )
        tokens, n_words = options.as_tokens, len(vocabulary)
    X = _as_matrix(raw, numbers, n_words, dtype)
    size_choices: list[SizeChoice] = []
    if options.max_features == "auto":
        if fixed is not None:
            raise ValueError(
                "max_features='auto' chooses from the words of the texts, but a vocabulary is "
                "given; set one of them to None"
            )
        idf = inverse_frequency(documents, options, len(texts))
        size_choices = _try_sizes(X, options, codes, idf)
        options = replace(options, max_features=best_size(size_choices))
    limit = options.max_features
    if isinstance(limit, Integral) and limit < n_words and fixed is None:
        keep = _highest_ranked(X, options, codes)
        X = csr_array(X[:, keep])
        kept = np.flatnonzero(keep)
        vocabulary = vocabulary.select(kept)
        documents = None if documents is None else documents[kept]
    idf = inverse_frequency(documents, options, len(texts))
    counter = TextCounter(options.spelled_out, tokens, vocabulary, idf, tuple(size_choices))
    return counter, counter.weigh(X, n_threads)


def _document_frequencies(
    raw: list[RawCounts], numbers: Sequence[IntArray], n_words: int
) -> IntArray:
    documents = np.zeros(n_words, dtype=np.int64)
    for part, number in zip(raw, numbers, strict=True):
        # Within a part words are distinct, so plain fancy indexing adds each once.
        documents[number] += _row_kernels.document_frequencies(part.cells, len(number))
    return documents


def _collect_vocabulary(
    raw: list[RawCounts], options: TextOptions, n_documents: int, by_frequency: bool
) -> tuple[Vocabulary, list[IntArray], IntArray | None, TextOptions]:
    """One ordered vocabulary for all parts, and each part's words' numbers in it (-1: dropped).

    Also returns how many documents hold each word, and the options with the stop words found.
    """
    merged = raw[0].vocabulary
    numbers: list[IntArray] = [np.arange(len(merged), dtype=np.int32)]
    for part in raw[1:]:
        merged, number = merged.merged(part.vocabulary)
        numbers.append(number)
    low, high = document_frequency_limits(options.min_df, options.max_df, n_documents)
    documents = None
    if options.idf or options.finds_stop_words or by_frequency or low > 1 or high < n_documents:
        documents = _document_frequencies(raw, numbers, len(merged))
    found = options
    if documents is not None:
        found = with_stop_words_found(options, merged, documents, n_documents)
    order, documents = kept_words(merged, documents, options, n_documents, by_frequency)
    rank = np.full(len(merged), -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return merged.select(order), [rank[number] for number in numbers], documents, found


def with_stop_words_found(
    options: TextOptions, vocabulary: Vocabulary, documents: IntArray, n_documents: int
) -> TextOptions:
    """The options with frequent words listed, where these are to be left out."""
    if not options.finds_stop_words or not len(vocabulary):
        return options
    found = vocabulary.select(frequent_words(vocabulary, documents, n_documents))
    return replace(options, stop_words=tuple(found.words.to_pylist()))


def kept_words(
    vocabulary: Vocabulary,
    documents: IntArray | None,
    options: TextOptions,
    n_documents: int,
    by_frequency: bool,
) -> tuple[IntArray, IntArray | None]:
    """Which words to keep, in the order of their new numbers, and how many documents hold each.

    ``documents``, the document frequencies, may be None where nothing depends on them.
    """
    if not len(vocabulary):
        wanted = "a word (two or more letters or digits) that is not a stop word"
        if options.analyzer != "word":
            wanted = f"{options.ngram_range[0]} or more characters to count"
        raise EmptyVocabularyError(
            f"empty vocabulary: none of the {n_documents} documents holds {wanted}"
        )
    order = vocabulary.sorted_order()
    if documents is not None:
        low, high = document_frequency_limits(options.min_df, options.max_df, n_documents)
        is_dropped = np.zeros(len(vocabulary), bool)
        if options.finds_stop_words:
            is_dropped[frequent_words(vocabulary, documents, n_documents)] = True
        documents = documents[order]
        is_kept = (documents >= low) & (documents <= high) & ~is_dropped[order]
        order, documents = order[is_kept], documents[is_kept]
        if by_frequency:
            falling = np.argsort(-documents, kind="stable")
            order, documents = order[falling], documents[falling]
        if not len(order) and is_dropped.any():
            raise EmptyVocabularyError(
                "stop_words='frequent' leaves no word, because each is in many documents; list "
                "the stop words, or leave none out"
            )
        if not len(order):
            raise EmptyVocabularyError(_nothing_shared(options, low, high, n_documents))
    return order, documents


def _nothing_shared(options: TextOptions, low: float, high: float, n_documents: int) -> str:
    """The message where no word is in as many documents as the options want."""
    limits = f"lower min_df={options.min_df!r} or raise max_df={options.max_df!r}"
    message = f"no word occurs in between {low:g} and {high:g} documents"
    if options.analyzer != "word" or high < n_documents:
        return f"{message}; {limits}"
    return (
        f"{message}: the documents share no words, as texts of identifiers or numbers, or of "
        "clauses without spaces, do not; check the text column, count parts of words with "
        f"--subwords (subwords=True), or {limits}"
    )


def inverse_frequency(
    documents: IntArray | None, options: TextOptions, n_documents: int
) -> FloatArray:
    """Each word's inverse document frequency; empty if idf is off."""
    if documents is None or not options.idf:
        return np.zeros(0)
    return np.log((1 + n_documents) / (1 + documents)) + IDF_FLOOR


def _highest_ranked(X: Counts, options: TextOptions, codes: IntArray | None) -> Any:
    limit = int(options.max_features or 0)
    if options.rank_by == "frequency":
        return top_ranked(np.asarray(X.sum(axis=0)).ravel(), limit)
    labeled = _labeled_rows(codes, "rank_by='mutual_information'")
    assert codes is not None
    return top_ranked(_rank_by_classes(csr_array(X[labeled]), codes[labeled]), limit)


def _labeled_rows(codes: IntArray | None, who: str) -> IntArray:
    if codes is None or not (codes >= 0).any():
        raise ValueError(f"{who} needs labels: pass y to fit, with at least one labeled document")
    return np.flatnonzero(codes >= 0)


def _rank_by_classes(X: Counts, codes: IntArray) -> FloatArray:
    return mutual_information(X, codes, int(codes.max()) + 1)


def _try_sizes(
    X: Counts,
    options: TextOptions,
    codes: IntArray | None,
    idf: FloatArray,
) -> list[SizeChoice]:
    labeled = _labeled_rows(codes, "max_features='auto'")
    assert codes is not None
    frequency = np.asarray(X.sum(axis=0)).ravel().astype(np.float64)

    def rank(part: Counts, part_codes: IntArray) -> FloatArray:
        if options.rank_by == "frequency":
            return frequency
        return _rank_by_classes(part, part_codes)

    def weigh(columns: IntArray, part: Counts) -> Counts:
        weight = idf[columns] if len(idf) else idf
        counter = TextCounter(options, options.as_tokens, Vocabulary.empty(), weight)
        return counter.weigh(part, n_threads=1)

    return try_sizes(csr_array(X[labeled]), codes[labeled], rank, weigh)


def _as_matrix(
    raw: list[RawCounts], numbers: Sequence[IntArray], n_words: int, dtype: Any
) -> Counts:
    """Stack the parts into one matrix with sorted rows."""
    sizes = [len(part.cells) for part in raw]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    indices = np.empty(starts[-1], dtype=np.int32)
    values = np.empty(starts[-1], dtype=dtype)

    def write(part: int) -> IntArray:
        lengths: IntArray = _row_kernels.write_rows(
            raw[part].indptr,
            raw[part].cells,
            numbers[part],
            n_words,
            starts[part],
            indices,
            values,
        )
        return lengths

    lengths = run_in_threads(write, len(raw))
    # Where words were dropped a part is shorter than its share: close the gaps.
    end = 0
    for part, written in enumerate(lengths):
        n_written = int(written.sum())
        if end != starts[part]:
            indices[end : end + n_written] = indices[starts[part] : starts[part] + n_written]
            values[end : end + n_written] = values[starts[part] : starts[part] + n_written]
        end += n_written
    indptr = np.zeros(sum(map(len, lengths)) + 1, dtype=np.int64)
    np.cumsum(lengths[0] if len(lengths) == 1 else np.concatenate(lengths), out=indptr[1:])
    # scipy requires both index arrays of one type; 32 bits suffice below 2**31 values.
    if end < 2**31:
        indptr = indptr.astype(np.int32)
    else:
        indices = indices.astype(np.int64)
    shape = (len(indptr) - 1, n_words)
    return csr_array((values[:end], indices[:end], indptr), shape=shape)

"""Counting the words of documents in threads, from Arrow's buffers."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaven._base.progress import OnDone
from leaven._base.threads import count_threads, run_in_threads
from leaven.text._count_kernels import Texts, WordRules, WordTable
from leaven.text._count_kernels import count_words as count_words_of
from leaven.text._ngram_kernels import count_ngrams, number_ngrams
from leaven.text._token_kernels import survey
from leaven.text._unicode import ALL, ASCII, FEWEST_CHARACTERS, fold_table, lower_table
from leaven.text._vocabulary import Vocabulary

__all__ = ["RawCounts", "Tokens", "count_words"]

REPEATING = 2  # known words per byte of text, from which on it is faster to let words repeat


@dataclass(frozen=True)
class Tokens:
    """What is a word: characters, case, stop words, n-grams, numbers, hashing."""

    tokens: str = "words"
    analyzer: str = "word"
    lowercase: bool = True
    stop_words: tuple[str, ...] = ()
    ngram_range: tuple[int, int] = (1, 1)
    map_numbers: bool = False
    hash_features: int = 0
    alternate_sign: bool = True
    stop: Vocabulary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop", Vocabulary.of(self.stop_words))


@dataclass(frozen=True, eq=False)
class RawCounts:
    """Counts of one run of documents, words numbered by first occurrence in it."""

    indptr: NDArray[np.int64]  # (n_documents + 1,)
    cells: NDArray[np.int64]  # (n_values,) (word << 32) + count
    vocabulary: Vocabulary


def count_words(
    texts: pa.LargeStringArray,
    tokens: Tokens,
    vocabulary: Vocabulary | None,
    *,
    n_threads: int | None = None,
    on_progress: OnDone | None = None,
    may_repeat: bool = False,
) -> list[RawCounts]:
    """Count each document's words, one result per thread, in document order.

    With a ``vocabulary``, words outside it are skipped; without, words are collected. If they
    ``may_repeat``, a word can have several cells of a short text.
    """
    texts, is_ascii = _surveyed(texts, tokens.lowercase)
    # A table of all characters takes longer to make than a thousand texts to count.
    n_points = ASCII if is_ascii.all() else ALL
    if tokens.tokens == "spaces":
        is_ascii[:] = False  # the quick way knows no punctuation inside words
    data, offsets = text_buffers(texts)
    bounds = _balanced_bounds(offsets, count_threads(n_threads))
    known = Vocabulary.empty() if vocabulary is None else vocabulary.writable()
    n_known = tokens.hash_features or len(known)
    may_repeat = may_repeat and REPEATING * int(offsets[-1] - offsets[0]) < n_known
    by_character = all_scripts = None  # see the kernel
    if tokens.analyzer == "word":
        fold = fold_table(tokens.tokens, tokens.lowercase, n_points)
        all_scripts = True if tokens.tokens == "scripts" else None
    else:
        fold = lower_table(tokens.lowercase, n_points)
        by_character = tokens.analyzer == "char"
    # Character n-grams inside words are cut from each distinct word once, after counting words.
    in_words = tokens.analyzer == "char_wb"
    progress = np.zeros((2 if in_words else 1, len(bounds) - 1), dtype=np.int64)

    documents = Texts(data, offsets, is_ascii)
    rules = WordRules(
        fold,
        FEWEST_CHARACTERS[tokens.tokens],
        tokens.map_numbers,
        *((1, 1) if in_words else tokens.ngram_range),
        0 if in_words else tokens.hash_features,
        tokens.alternate_sign,
    )
    stop = WordTable(tokens.stop.arena, tokens.stop.starts, tokens.stop.table)
    features = WordTable(known.arena, known.starts, known.table)
    empty = Vocabulary.empty()
    words = WordTable(empty.arena, empty.starts, empty.table) if in_words else features

    def count(part: int) -> RawCounts:
        indptr, cells, *found = count_words_of(
            documents,
            bounds[part],
            bounds[part + 1],
            rules,
            stop,
            words,
            vocabulary is not None and not in_words,
            may_repeat and not in_words,
            by_character,
            all_scripts,
            progress[0],
            part,
        )
        if in_words:
            first, ngrams, *found = number_ngrams(
                WordTable(*found),
                *tokens.ngram_range,
                tokens.hash_features,
                tokens.alternate_sign,
                features,
                vocabulary is not None,
            )
            indptr, cells = count_ngrams(
                indptr,
                cells,
                first,
                ngrams,
                tokens.hash_features or len(found[1]) - 1,
                may_repeat,
                offsets[bounds[part] : bounds[part + 1] + 1],
                progress[1],
                part,
            )
        return RawCounts(indptr, cells, Vocabulary(*found))

    def report() -> None:
        assert on_progress is not None
        on_progress(int(progress.sum()) // len(progress), int(offsets[-1] - offsets[0]))

    return run_in_threads(count, len(bounds) - 1, report if on_progress else None)


def text_buffers(texts: pa.LargeStringArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """UTF-8 bytes and document offsets of an Arrow array, without copying."""
    n = len(texts)
    _, starts, data = texts.buffers()
    content = np.frombuffer(b"" if data is None else data, dtype=np.uint8)
    if n == 0 or starts is None:
        starts = bytes(8)
    offsets = np.frombuffer(starts, dtype=np.int64)[texts.offset : texts.offset + n + 1]
    # Kernels always get arrays of one kind, whatever the buffers, and are compiled once.
    content.flags.writeable = offsets.flags.writeable = False
    return content, offsets


def _balanced_bounds(offsets: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """Bounds of at most ``n_parts`` runs of documents with about the same number of bytes."""
    n_documents = len(offsets) - 1
    total = offsets[-1] - offsets[0]
    if n_parts == 1 or total < 1 << 16:
        return np.array([0, n_documents], dtype=np.int64)
    targets = offsets[0] + total * np.arange(1, n_parts) // n_parts
    inner = np.searchsorted(offsets, targets)
    return np.unique(np.concatenate([[0], inner, [n_documents]])).astype(np.int64)


def _surveyed(
    texts: pa.LargeStringArray, lowercase: bool
) -> tuple[pa.LargeStringArray, NDArray[np.bool_]]:
    """Texts, lower-cased by Python where a table cannot, and whether each is all ASCII."""
    data, offsets = text_buffers(texts)
    is_ascii, is_special = np.empty((2, len(texts)), dtype=bool)
    if survey(data, offsets, is_ascii, is_special) and lowercase:
        special = pa.array(is_special)
        lowered = [text.lower() for text in texts.filter(special).to_pylist()]
        texts = pc.replace_with_mask(texts, special, pa.array(lowered, type=pa.large_string()))
    return texts, is_ascii

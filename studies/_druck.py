"""Corpora and draws of Druck, Pal, Zhu and McCallum (KDD 2007), section 5.1.

Features are counts of words. Stop words, HTML, headers and features that occur once in a corpus
are left out, nothing else. A word is a run of two or more letters, in lower case.

- movie: 2,000 reviews, positive and negative (Pang and Lee, 2004).
- webkb: pages of students, courses, faculty and projects; tags, comments, scripts and styles are
  removed, and character references undone.
- sector: 8,817 pages in 12 sectors, as stems without stop words. The paper's pages are those of 38
  narrower classes, unstemmed, which were not available.
- sraa: 16,000 messages, 4,000 of each class, as counts of anonymous words. The paper's are about
  73,000 messages of unequal classes, which were not available.
- ner: CoNLL 2003, every token is an example. Its class is O, or the begin or continuation of LOC,
  MISC, ORG or PER. Features are binary: the words within three tokens of it, in the same
  sentence, in lower case and with digits replaced by one 0, and PROPERTIES of their spelling,
  each with its offset. A stop word has properties only. Once is counted among the tokens of
  eng.train.

The paper's blogs were not available either. The stop words are scikit-learn's 318; with the 523
of Mallet, the toolkit that the paper used, movie has exactly the paper's number of features.

How a corpus is divided is not in the paper, but for the labeled examples, equally many per class,
and at most 5,000 others without a label. Here a third of the documents, drawn anew each time, is
the test set. For ner it is a fixed sample of 10,000 tokens of eng.testa, news of the same month as
eng.train (eng.testb is of later ones), so that no test token stands beside a training token.
"""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array, hstack, safely_cast_index_arrays, vstack
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from leaven.datasets import load_corpus

SIZES = {  # labeled documents per class
    "movie": (10, 25),
    "webkb": (10, 25),
    "sector": (5, 10),
    "ner": (10, 25),
    "sraa": (10, 25),
}
PAPER_FEATURES = {"movie": 24841, "webkb": 22824, "sector": 22835, "ner": 60502, "sraa": 77494}
TEST_SHARE = 1 / 3
MOST_UNLABELED = 5000
N_TEST_TOKENS = 10_000
OFFSETS = range(-3, 4)
WEBKB_CLASSES = ("course", "faculty", "project", "student")
MARKUP = re.compile(r"(?is)<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^>]*>")
PROPERTIES = {  # of a token, as regular expressions
    "initial capital": r"^\p{Lu}",
    "capitalized": r"^\p{Lu}\p{Ll}+$",
    "all capitals": r"^\p{Lu}+$",
    "mixed capitals": r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}",
    "one capital": r"^\p{Lu}$",
    "one letter": r"^\p{L}$",
    "initial": r"^\p{Lu}\.$",
    "acronym": r"^\p{Lu}[\p{Lu}.]*\.[\p{Lu}.]*$",
    "has digit": r"\d",
    "all digits": r"^\d+$",
    "number": r"^[-+]?\d[\d.,]*[.,]\d+$",
    "has dash": r"[\p{L}\d]-|-[\p{L}\d]",
    "ends in dot": r"[^.]\.$",
    "dots": r"^\.\.+$",
    "punctuation": r"^[,.;:?!()]$",
    "quote": "^[\"'`]+$",
}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as counts, their classes, and the test documents if these are always the same."""

    X: csr_array  # (n_documents, n_features)
    labels: np.ndarray  # (n_documents,) str
    test: np.ndarray | None = None  # positions
    pool: np.ndarray | None = None  # positions of the others


class Drawn(NamedTuple):
    """Training documents, of which few have a label, and test documents."""

    X_train: csr_array
    y_train: np.ndarray  # codes of classes; -1 is unlabeled
    X_test: csr_array
    y_test: np.ndarray


def draw(dataset: str, per_class: int, seed: int) -> Drawn:
    """Labeled, unlabeled and test documents; those of fewer labels are among those of more.

    A class of which fewer than twice as many documents remain gives half of them.
    """
    corpus = load(dataset)
    classes, codes = np.unique(corpus.labels, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(codes))
    if corpus.test is None or corpus.pool is None:
        n_test = round(TEST_SHARE * len(codes))
        test, pool = order[:n_test], order[n_test:]
    else:
        test, pool = corpus.test, order[np.isin(order, corpus.pool)]
    chosen = []
    for code in range(len(classes)):
        of_class = pool[codes[pool] == code]
        size = min(per_class, max(len(of_class) // 2, 1))
        chosen.append(of_class[:size])
    labeled = np.concatenate(chosen)
    unlabeled = pool[~np.isin(pool, labeled)][:MOST_UNLABELED]
    y_train = np.concatenate([codes[labeled], np.full(len(unlabeled), -1)])
    X_train = corpus.X[np.concatenate([labeled, unlabeled])]
    return Drawn(X_train, y_train, corpus.X[test], codes[test])


@cache
def load(dataset: str) -> Corpus:
    """A corpus by the name that the paper gives it."""
    return CORPORA[dataset]()


def movie() -> Corpus:
    table = load_corpus("movie_reviews")
    return _of_words(table["text"].to_pylist(), table["label"].to_pylist())


def webkb() -> Corpus:
    table = load_corpus("webkb")
    table = table.filter(pc.is_in(table["label"], pa.array(WEBKB_CLASSES, pa.large_string())))
    texts = [html.unescape(MARKUP.sub(" ", page)) for page in table["text"].to_pylist()]
    return _of_words(texts, table["label"].to_pylist())


def sector() -> Corpus:
    return _of_given_words("sector12_stemmed")


def sraa() -> Corpus:
    return _of_given_words("sraa16k_bow")


def _of_words(texts: Sequence[str], labels: Sequence[str]) -> Corpus:
    vectorizer = CountVectorizer(token_pattern="[a-z]{2,}", stop_words="english", dtype=np.float64)
    return _without_single(vectorizer.fit_transform(texts), labels)


def _of_given_words(name: str) -> Corpus:
    """A corpus that was stored as words, without stop words."""
    table = load_corpus(name)
    vectorizer = CountVectorizer(token_pattern=r"\S+", lowercase=False, dtype=np.float64)
    X = vectorizer.fit_transform(table["text"].to_pylist())
    return _without_single(X, table["label"].to_pylist())


def _without_single(X: Any, labels: Sequence[str]) -> Corpus:
    counts = csr_array(X)
    counts.sort_indices()
    return Corpus(counts[:, np.flatnonzero(counts.sum(axis=0) > 1)], np.array(labels))


def ner() -> Corpus:
    table = load_corpus("conll2003_en", columns=["split", "sentences"])
    table = table.filter(pc.is_in(table["split"], pa.array(["train", "testa"], pa.large_string())))
    documents = table["sentences"].combine_chunks()
    sentences = documents.flatten()
    tokens = sentences.field("tokens")
    n_tokens = pc.list_value_length(tokens).to_numpy()
    is_training = np.repeat(
        table["split"].to_numpy() == "train", pc.list_value_length(documents).to_numpy()
    )
    is_training = np.repeat(is_training, n_tokens)
    sentence = np.repeat(np.arange(len(tokens)), n_tokens)
    X = windows(tokens.flatten(), sentence)
    X = X[:, np.flatnonzero(X[np.flatnonzero(is_training)].sum(axis=0) > 1)]
    X.indices, X.indptr = safely_cast_index_arrays(X, np.int32)
    test = np.flatnonzero(~is_training)
    return Corpus(
        X,
        begins_and_continuations(sentences.field("ner").flatten().to_pylist(), sentence),
        np.random.default_rng(0).choice(test, N_TEST_TOKENS, replace=False),
        np.flatnonzero(is_training),
    )


def begins_and_continuations(tags: Sequence[str], sentence: np.ndarray) -> np.ndarray:
    """Tags of which the first of every name is a B, from those of CoNLL.

    There the first is a B only where a name follows another one of the same kind.
    """
    found = np.array(tags)
    kind = np.array([tag[2:] for tag in tags])
    follows = (kind[1:] == kind[:-1]) & (sentence[1:] == sentence[:-1])
    begins = np.char.startswith(found, "I-") & ~np.concatenate([[False], follows])
    found[begins] = np.char.add("B-", kind[begins])
    return found


def windows(tokens: pa.Array, sentence: np.ndarray) -> csr_array:
    """Words and properties of the tokens around each token, (n_tokens, n_features)."""
    encoded = tokens.dictionary_encode()
    code = encoded.indices.to_numpy()
    spelled = of_spellings(encoded.dictionary)
    nothing = spelled.shape[0]  # number of the row beyond the ends of a sentence
    spelled = vstack([spelled, csr_array((1, spelled.shape[1]))], format="csr")
    parts = []
    for offset in OFFSETS:
        place = np.clip(np.arange(len(code)) + offset, 0, len(code) - 1)
        is_inside = sentence[place] == sentence
        is_inside &= place - offset == np.arange(len(code))
        parts.append(spelled[np.where(is_inside, code[place], nothing)])
    return csr_array(hstack(parts, format="csr"))


def of_spellings(spellings: pa.Array) -> csr_array:
    """The word, unless it is a stop word, and the properties of each spelling."""
    words = pc.replace_substring_regex(pc.utf8_lower(spellings), r"\d+", "0")
    is_word = ~pc.is_in(words, pa.array(ENGLISH_STOP_WORDS)).to_numpy(zero_copy_only=False)
    encoded = words.dictionary_encode()
    rows = np.flatnonzero(is_word)
    columns = encoded.indices.to_numpy()[rows]
    shape = len(words), len(encoded.dictionary)
    properties = [
        pc.match_substring_regex(spellings, pattern).to_numpy(zero_copy_only=False)
        for pattern in PROPERTIES.values()
    ]
    return csr_array(
        hstack(
            [
                csr_array((np.ones(len(rows)), (rows, columns)), shape),
                csr_array(np.column_stack(properties).astype(np.float64)),
            ],
            format="csr",
        )
    )


CORPORA: dict[str, Callable[[], Corpus]] = {
    "movie": movie,
    "webkb": webkb,
    "sector": sector,
    "ner": ner,
    "sraa": sraa,
}

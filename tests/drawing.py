"""Corpora drawn from the model, with the ugly cases in, for tests of every part."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven.corpora import CachedCorpus, InMemoryCorpus, StreamedCorpus
from leaven.corpora._rare_words import RareWords
from leaven.models import MixtureParams

N_WORDS = 30
N_DIMS = 4


@dataclass(frozen=True)
class Drawn:
    X: Any  # csr_array
    y: np.ndarray
    weight: np.ndarray
    vectors: np.ndarray | None = None

    def rows(self, rows: Any) -> "Drawn":
        vectors = None if self.vectors is None else self.vectors[rows]
        return Drawn(csr_array(self.X[rows]), self.y[rows], self.weight[rows], vectors)


def draw_corpus(
    seed: int,
    *,
    n_documents: int = 40,
    n_classes: int = 3,
    labeled: float = 0.4,
    dtype: Any = np.float64,
    weighted: bool = False,
) -> Drawn:
    """Documents from a mixture of multinomials, with vectors of unit length: one document is
    empty and has the zero vector, one word never occurs, and the last class has a single
    labeled document.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_documents)
    truth[:n_classes] = np.arange(n_classes)
    words = rng.dirichlet(np.full(N_WORDS - 1, 0.3), size=n_classes)
    X = np.zeros((n_documents, N_WORDS))
    for i, code in enumerate(truth):
        X[i, :-1] = rng.multinomial(rng.integers(1, 40), words[code])
    X[n_classes] = 0
    y = np.where(rng.random(n_documents) < labeled, truth, -1)
    y[y == n_classes - 1] = -1
    y[:n_classes] = np.arange(n_classes)
    weight = rng.uniform(0.5, 2.0, n_documents) if weighted else np.ones(n_documents)
    vectors = rng.normal(size=(n_classes, N_DIMS))[truth] + rng.normal(size=(n_documents, N_DIMS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[n_classes] = 0
    return Drawn(csr_array(X.astype(dtype)), y, weight, vectors.astype(dtype))


def random_params(seed: int, n_components: int, dtype: Any = np.float64) -> MixtureParams:
    rng = np.random.default_rng(seed)
    log_weight = np.log(rng.dirichlet(np.full(n_components, 5.0)))
    log_word = np.log(rng.dirichlet(np.ones(N_WORDS), size=n_components))
    return MixtureParams(log_weight, np.asfortranarray(log_word.astype(dtype)))


def random_directions(seed: int, n_components: int, dtype: Any = np.float64) -> np.ndarray:
    directions = np.random.default_rng([seed, 1]).normal(size=(n_components, N_DIMS))
    return (directions / np.linalg.norm(directions, axis=1, keepdims=True)).astype(dtype)


def in_memory(
    drawn: Drawn, n_threads: int = 1, numbers: np.ndarray | None = None
) -> InMemoryCorpus:
    return InMemoryCorpus(
        drawn.X,
        drawn.y,
        drawn.weight,
        vectors=drawn.vectors,
        numbers=numbers,
        n_threads=n_threads,
    )


def cut_up(drawn: Drawn, size: int = 7) -> list[Any]:
    """The corpus in blocks of a few documents, which keep their numbers in it."""
    numbers = np.arange(drawn.X.shape[0])
    blocks = []
    for start in range(0, len(numbers), size):
        part = slice(start, start + size)
        blocks += in_memory(drawn.rows(part), numbers=numbers[part]).blocks
    return blocks


def streamed(drawn: Drawn) -> StreamedCorpus:
    return StreamedCorpus(cut_up(drawn))


def threaded(drawn: Drawn) -> InMemoryCorpus:
    """Several blocks in several threads, whatever the corpus' size."""
    corpus = in_memory(drawn, n_threads=3)
    corpus.blocks = cut_up(drawn)
    return corpus


def cached(drawn: Drawn) -> CachedCorpus:
    return CachedCorpus(cut_up(drawn, 15), n_threads=2)


def rare_words_apart(drawn: Drawn) -> InMemoryCorpus:
    """Most words count as rare, and a block has several parts."""
    corpus = in_memory(drawn)
    (block,) = corpus.blocks
    rare = RareWords(block.X, n_near=9, most=1.0, documents_per_part=16)
    corpus.blocks = [replace(block, rare=rare)]
    return corpus


def rare_words_first(drawn: Drawn) -> InMemoryCorpus:
    """The same, where the values of frequent words are copied."""
    corpus = in_memory(drawn)
    (block,) = corpus.blocks
    X = backwards(block.X)
    rare = RareWords(X, n_near=9, most=1.0, documents_per_part=16)
    corpus.blocks = [replace(block, X=X, rare=rare)]
    return corpus


def backwards(X: Any) -> Any:
    """The same documents, each stored from its last word to its first."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.lexsort((-X.indices, row))
    return csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


CORPORA = {
    "memory": in_memory,
    "rare words apart": rare_words_apart,
    "rare words first": rare_words_first,
    "threads": threaded,
    "stream": streamed,
    "cache": cached,
}

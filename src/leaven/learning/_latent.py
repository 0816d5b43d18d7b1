"""Document vectors learned from all the text, by latent semantic analysis.

The space is spanned by the leading directions of the corpus's unit-length rows. It is found by
subspace iteration: every pass is one sum over documents, so the space can be learned wherever a
corpus is stored.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from leaven._base.progress import OnDone
from leaven._base.row_kernels import new_slots, row_lanes
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import FloatArray
from leaven.corpora import Block, Corpus
from leaven.learning import _latent_kernels
from leaven.learning._views import GivenVectors, LatentSpace, View, unit_rows
from leaven.text._counter import IDF_FLOOR

__all__ = ["fit_latent", "learn_view"]

PASSES = 5  # two cost 1.5 points of accuracy against an exact decomposition, four 0.3
SPARE = 10  # extra directions, which make the last of the wanted ones more accurate
CHUNK = 8192  # rows of a matrix that are multiplied at a time
NOISE = 1e-6  # of the largest eigenvalue; smaller ones are rounding errors in float32


def fit_latent(
    corpus: Corpus,
    n_dims: int = 100,
    seed: Any = 0,
    on_pass: OnDone | None = None,
    n_threads: int | None = 1,
) -> LatentSpace:
    """Learn the leading directions of a corpus's unit-length documents.

    ``on_pass(done, total)`` is called after every pass over the documents. ``n_threads`` multiply
    matrices; passes over the documents have those of the corpus.
    """
    n_words, dtype = corpus.n_words, corpus.dtype
    n_dims = min(n_dims, n_words)
    width = min(n_dims + SPARE, n_words)
    emphasis = _emphasis(corpus).astype(dtype)
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((n_words, width), dtype=np.float32).astype(dtype)
    for number in range(PASSES):
        previous = _orthonormal(basis, n_threads)
        del basis  # large with many words, and no longer needed
        basis = _times_gram(corpus, previous, emphasis)
        if on_pass is not None:
            on_pass(number + 1, PASSES)
    # Rayleigh-Ritz: the leading directions within the subspace found.
    values, turn = np.linalg.eigh(_products(previous, basis, n_threads))
    leading = turn[:, np.argsort(-values, kind="stable")[:n_dims]].astype(dtype)
    # With the emphasis in the basis, new documents need not be multiplied by it.
    directions = _turned(previous, leading, n_threads)
    directions *= emphasis[:, None]
    space = LatentSpace(directions, np.zeros(n_dims, dtype))

    def total(block: Block) -> FloatArray:
        projection = block.weight @ space.vectors(block.X, n_threads=1)
        return np.append(projection, block.weight.sum())

    sums = corpus.reduce(total)
    return LatentSpace(space.basis, (sums[:-1] / max(sums[-1], 1e-30)).astype(dtype))


def learn_view(
    corpus: Corpus,
    n_dims: int,
    seed: Any,
    on_pass: OnDone | None = None,
    n_threads: int | None = 1,
) -> View:
    """Learn vectors from the text, beside the user's own where blocks carry them."""
    sums = corpus.reduce(lambda block: [_given_sum(block)], _added)[0]
    latent = fit_latent(corpus, n_dims, seed, on_pass, n_threads)
    if sums is None:
        return latent
    return GivenVectors((sums[:-1] / max(sums[-1], 1e-30)).astype(np.float32), latent)


def _given_sum(block: Block) -> FloatArray | None:
    """Weighted sum of the unit vectors that the user gave, and the weights' sum."""
    if block.vectors is None:
        return None
    return np.append(block.weight @ unit_rows(block.vectors), block.weight.sum())


def _added(total: list[FloatArray | None], part: list[FloatArray | None]) -> Any:
    sums, other = total[0], part[0]
    if (sums is None) != (other is None) or (
        sums is not None and other is not None and len(sums) != len(other)
    ):
        found = [0 if each is None else len(each) - 1 for each in (sums, other)]
        raise ValueError(
            f"vectors must have the same length for all documents, found {found[0]} and {found[1]} "
            "numbers; embed all documents in the same way"
        )
    return [None if sums is None or other is None else sums + other]


def _orthonormal(basis: FloatArray, n_threads: int | None = 1) -> FloatArray:
    """Columns that span the same space; with many rows ten times as fast as QR.

    Directions that are only rounding errors become zero.
    """
    values, turn = np.linalg.eigh(_products(basis, basis, n_threads))
    real = values > values[-1] * NOISE
    scale = np.where(real, 1 / np.sqrt(np.where(real, values, 1.0)), 0.0)
    return _turned(basis, (turn * scale).astype(basis.dtype), n_threads)


def _products(left: FloatArray, right: FloatArray, n_threads: int | None) -> FloatArray:
    """Inner products of columns, float64; the sum does not depend on the number of threads."""
    parts = _for_each_chunk(len(left), n_threads, lambda rows: left[rows].T @ right[rows])
    total: FloatArray = np.sum(parts, axis=0, dtype=np.float64)
    return total


def _turned(basis: FloatArray, turn: FloatArray, n_threads: int | None) -> FloatArray:
    """The matrix product of many rows with a small matrix."""
    out = np.empty((len(basis), turn.shape[1]), basis.dtype)
    _for_each_chunk(len(basis), n_threads, lambda rows: np.matmul(basis[rows], turn, out=out[rows]))
    return out


def _for_each_chunk(
    n_rows: int, n_threads: int | None, task: Callable[[slice], FloatArray]
) -> list[FloatArray]:
    """Results of a task on chunks of rows: threads of our own, as BLAS has one in training."""
    chunks = [slice(first, first + CHUNK) for first in range(0, n_rows, CHUNK)]
    n_threads = min(count_threads(n_threads), len(chunks))

    def share(thread: int) -> list[FloatArray]:
        return [task(chunk) for chunk in chunks[thread::n_threads]]

    results: list[FloatArray] = [np.empty(0)] * len(chunks)
    for thread, found in enumerate(run_in_threads(share, n_threads)):
        results[thread::n_threads] = found
    return results


def _emphasis(corpus: Corpus) -> FloatArray:
    """Square root of each word's inverse document frequency, on top of any in its weight.

    The leading directions should separate topics, not styles: with common words downweighted
    the vectors agree better with classes, while the counts themselves are better unchanged.
    """
    n_words = corpus.n_words

    def count(block: Block) -> FloatArray:
        weight = np.repeat(block.weight, np.diff(block.X.indptr)) * (block.X.data > 0)
        containing = np.bincount(block.X.indices, weight, n_words)
        return np.append(containing, block.weight.sum())

    found = corpus.reduce(count)
    frequency = np.log((1 + found[-1]) / (1 + found[:-1]))
    emphasis: FloatArray = np.sqrt(np.maximum(frequency, 0.0) + IDF_FLOOR)
    return emphasis


def _times_gram(corpus: Corpus, basis: FloatArray, emphasis: FloatArray) -> FloatArray:
    """Sum over documents of weight * x x^T basis, x of unit length, its words emphasized."""
    shaped = emphasis[:, None] * basis

    def part(block: Block) -> FloatArray:
        out = np.zeros_like(shaped)
        X, data = block.X, block.X.data.astype(shaped.dtype, copy=False)
        lanes, slots = row_lanes(shaped.shape[1]), new_slots(shaped.shape[1])
        place = np.empty(shaped.shape[1], shaped.dtype)
        _latent_kernels.add_gram(
            X.indptr, X.indices, data, block.weight, shaped, emphasis, lanes, slots, place, out
        )
        return out

    def add(total: FloatArray, one: FloatArray) -> FloatArray:
        return np.add(total, one, out=total)

    total = corpus.reduce(part, add)
    total *= emphasis[:, None]
    return total

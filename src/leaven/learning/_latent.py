"""Vectors of documents: learned from all the text, or brought by the user.

The space learned is spanned by the leading directions of the corpus's unit-length rows, as
in latent semantic analysis. It is found by subspace iteration: every pass is one sum over
documents, so the space can be learned wherever a corpus lives.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray
from leaven.corpora import Block, Corpus
from leaven.learning import _latent_kernels
from leaven.text._counter import IDF_FLOOR

__all__ = [
    "GivenVectors",
    "LatentSpace",
    "View",
    "check_given",
    "fit_latent",
    "learn_view",
    "unit_rows",
    "vectors_of",
]

PASSES = 5  # two cost 1.5 points of accuracy against an exact decomposition, four 0.3
SPARE = 10  # directions beyond those wanted, which make the last of those sharper
ROWS_PER_TASK = 500
NOISE = 1e-6  # of the largest square: what float32 cannot tell from nothing


@dataclass(frozen=True, eq=False)
class LatentSpace:
    """Projects counts of any documents to unit vectors, by what the training corpus taught."""

    basis: FloatArray  # (n_words, n_dims) a word's place, its emphasis in it
    center: FloatArray  # (n_dims,) mean of the training documents' unit projections

    @property
    def n_dims(self) -> int:
        return len(self.center)

    def vectors(self, X: Counts, n_threads: int | None = None) -> FloatArray:
        """Unit vectors of documents; zero where a document has no known word."""
        return _centered(self._projected(X, n_threads), self.center)

    def word_vectors(self, x: Counts) -> FloatArray:
        """What each word of one document contributed to its vector, (n_present, n_dims)."""
        own = np.asarray(x.data, np.float64)[:, None] * self.basis[x.indices]
        place = own.sum(axis=0)
        inner = max(float(np.linalg.norm(place)), 1e-30)
        outer = max(float(np.linalg.norm(place / inner - self.center)), 1e-30)
        return np.asarray(own / (inner * outer), np.float64)

    def _projected(self, X: Counts, n_threads: int | None = None) -> FloatArray:
        dtype = self.basis.dtype
        out = np.empty((X.shape[0], self.basis.shape[1]), dtype)
        data = X.data.astype(dtype, copy=False)
        n_parts = max(1, min(count_threads(n_threads), -(-X.shape[0] // ROWS_PER_TASK)))
        rows = np.linspace(0, X.shape[0], n_parts + 1).astype(np.int64)
        run_in_threads(
            lambda part: _latent_kernels.project_rows(
                X.indptr, X.indices, data, rows[part], rows[part + 1], self.basis, out
            ),
            n_parts,
        )
        return unit_rows(out)


@dataclass(frozen=True, eq=False)
class GivenVectors:
    """Vectors that the user brings, beside those that the text taught.

    The user's are moved to the training documents' middle and scaled to unit length. Both
    together tell more than either: a language model knows what words mean, the corpus what
    it is about.
    """

    center: FloatArray  # (n_given,) mean of the training documents' given unit vectors
    latent: LatentSpace

    @property
    def n_given(self) -> int:
        return len(self.center)

    @property
    def n_dims(self) -> int:
        return self.latent.n_dims + self.n_given

    def vectors(self, X: Counts, given: Any, n_threads: int | None = None) -> FloatArray:
        """Unit vectors of documents."""
        own = unit_rows(check_given(given, X.shape[0], self.n_given))
        learned = self.latent.vectors(X, n_threads)
        return unit_rows(np.hstack([learned, _centered(own, self.center)]))

    def word_vectors(self, x: Counts) -> FloatArray:
        """What each word of one document contributed to its vector: to the learned half only."""
        own = self.latent.word_vectors(x) / np.sqrt(2.0)
        return np.hstack([own, np.zeros((len(own), self.n_given))])


View: TypeAlias = LatentSpace | GivenVectors


def fit_latent(
    corpus: Corpus,
    n_words: int,
    n_dims: int = 100,
    seed: Any = 0,
    on_pass: Callable[[int, int], None] | None = None,
    dtype: Any = np.float32,
) -> LatentSpace:
    """Learn the leading directions of a corpus's unit-length documents.

    ``on_pass(done, total)`` is called after every pass over the documents. ``dtype`` is that
    of the counts, and what is computed in.
    """
    n_dims = min(n_dims, n_words)
    width = min(n_dims + SPARE, n_words)
    emphasis = _emphasis(corpus, n_words).astype(dtype)
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((n_words, width), dtype=np.float32).astype(dtype)
    for number in range(PASSES):
        previous = _orthonormal(basis)
        del basis  # with many words it is large, and not needed any more
        basis = _times_gram(corpus, previous, emphasis)
        if on_pass is not None:
            on_pass(number + 1, PASSES)
    # Rayleigh and Ritz: of the space found, the directions that most documents lie along.
    values, turn = np.linalg.eigh((previous.T @ basis).astype(np.float64))
    leading = turn[:, np.argsort(-values, kind="stable")[:n_dims]].astype(dtype)
    # With the emphasis on the basis, new documents need not carry it.
    space = LatentSpace(emphasis[:, None] * (previous @ leading), np.zeros(n_dims, dtype))

    def total(block: Block) -> FloatArray:
        own = block.weight @ space._projected(block.X, 1)
        return np.append(own, block.weight.sum())

    sums = corpus.reduce(total)
    return LatentSpace(space.basis, (sums[:-1] / max(sums[-1], 1e-30)).astype(dtype))


def learn_view(
    corpus: Corpus,
    n_words: int,
    n_dims: int,
    seed: Any,
    on_pass: Callable[[int, int], None] | None = None,
    dtype: Any = np.float32,
) -> View:
    """Where vectors will come from: the text, and the user's own where blocks carry them."""
    sums = corpus.reduce(lambda block: [_given_sum(block)], _added)[0]
    latent = fit_latent(corpus, n_words, n_dims, seed, on_pass, dtype)
    if sums is None:
        return latent
    return GivenVectors((sums[:-1] / max(sums[-1], 1e-30)).astype(np.float32), latent)


def _given_sum(block: Block) -> FloatArray | None:
    """Weighted sum of the unit vectors that the user gave, and the weights' sum."""
    if block.vectors is None:
        return None
    return np.append(block.weight @ unit_rows(block.vectors), block.weight.sum())


def _added(total: list[FloatArray | None], part: list[FloatArray | None]) -> Any:
    own, other = total[0], part[0]
    if (own is None) != (other is None) or (
        own is not None and other is not None and len(own) != len(other)
    ):
        found = [0 if one is None else len(one) - 1 for one in (own, other)]
        raise ValueError(
            f"vectors must be equally long for all documents, found {found[0]} and {found[1]} "
            "numbers; embed all documents in the same way"
        )
    return [None if own is None or other is None else own + other]


def vectors_of(view: View, X: Counts, given: Any, n_threads: int | None) -> FloatArray:
    """The documents' vectors, learned or given."""
    if isinstance(view, GivenVectors):
        if given is None:
            raise ValueError(
                "this classifier was fitted with vectors of your own and needs them for every "
                "document: pass vectors"
            )
        return view.vectors(X, given, n_threads)
    if given is not None:
        raise ValueError(
            "vectors are given, and this classifier learned its own from the text; leave them "
            "out, or fit with vectors too"
        )
    return view.vectors(X, n_threads)


def check_given(given: Any, n_documents: int, n_dims: int | None = None) -> FloatArray:
    """The user's vectors as an array of float32, or an error that says what is wrong."""
    try:
        with np.errstate(over="ignore"):  # infinite, which is refused below
            vectors: FloatArray = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(
            "vectors must be numbers, equally many for every document, and they are not; "
            "give an array of shape (n_documents, n_dims)"
        ) from None
    wanted = f"({n_documents}, {n_dims or 'n_dims'})"
    if vectors.ndim != 2 or len(vectors) != n_documents or not vectors.shape[1]:
        raise ValueError(
            f"vectors must have shape {wanted}, one row per document, got {vectors.shape}"
        )
    if n_dims is not None and vectors.shape[1] != n_dims:
        raise ValueError(
            f"vectors must have shape {wanted} as in training, got {vectors.shape}; use the same "
            "embedding"
        )
    if not np.isfinite(vectors).all():
        raise ValueError("vectors must be finite, and some are NaN or infinite; repair those rows")
    return vectors


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Rows of length one; zero rows stay."""
    norm = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))[:, None]
    return (vectors / np.where(norm > 0, norm, 1.0)).astype(vectors.dtype)


def _centered(vectors: FloatArray, center: FloatArray) -> FloatArray:
    known = np.any(vectors, axis=1, keepdims=True)
    return unit_rows(np.where(known, vectors - center, 0).astype(vectors.dtype))


def _orthonormal(basis: FloatArray) -> FloatArray:
    """Columns that span the same space; ten times as fast as a QR decomposition of so many rows.

    Directions that rounding made up become zero.
    """
    values, turn = np.linalg.eigh((basis.T @ basis).astype(np.float64))
    real = values > values[-1] * NOISE
    scale = np.where(real, 1 / np.sqrt(np.where(real, values, 1.0)), 0.0)
    return basis @ (turn * scale).astype(basis.dtype)


def _emphasis(corpus: Corpus, n_words: int) -> FloatArray:
    """Root of each word's inverse document frequency, on top of what its weight has of it.

    The leading directions should tell topics apart, not styles: with common words held back
    the vectors agree better with classes, while the words themselves are better left alone.
    """

    def count(block: Block) -> FloatArray:
        weight = np.repeat(block.weight, np.diff(block.X.indptr)) * (block.X.data > 0)
        own = np.bincount(block.X.indices, weight, n_words)
        return np.append(own, block.weight.sum())

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
        _latent_kernels.add_gram(X.indptr, X.indices, data, block.weight, shaped, emphasis, out)
        return out

    def add(total: FloatArray, one: FloatArray) -> FloatArray:
        return np.add(total, one, out=total)

    total = corpus.reduce(part, add)
    total *= emphasis[:, None]
    return total

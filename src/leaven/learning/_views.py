"""Vectors of documents: projections of their words, beside optional ones of the user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from leaven._base.row_kernels import new_slots, row_lanes
from leaven._base.tensors import StoredArrays, check_sensible, check_shapes
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora import Block
from leaven.learning import _latent_kernels

__all__ = [
    "GivenVectors",
    "LatentSpace",
    "View",
    "check_given",
    "unit_rows",
    "view_from",
    "view_to",
]

ROWS_PER_TASK = 500  # documents; projecting fewer takes less time than waking a thread
PART = "view"  # of a model file
# Of the numbers of a document's words and their weights; (n_dims,).
VectorOfText = Callable[[IntArray, FloatArray], FloatArray]


class View(Protocol):
    """Where documents' vectors come from."""

    kind: ClassVar[str]  # what model files call it

    @property
    def n_dims(self) -> int:
        """Length of the vectors."""
        ...

    @property
    def n_given(self) -> int:
        """Length of the vectors that the user must provide; 0 if none."""
        return 0

    def vectors(self, X: Counts, given: Any = None, n_threads: int | None = None) -> FloatArray:
        """Unit vectors of documents; ``given`` are the user's vectors, if any."""
        ...

    def word_vectors(self, x: Counts, given: Any = None) -> FloatArray:
        """Contribution of each word of one document to its vector, (n_present, n_dims).

        ``given`` is the user's vector of the document, if the view uses any.
        """
        ...

    def to_tensors(self) -> dict[str, Any]:
        """Arrays, all that ``from_tensors`` needs."""
        ...

    @classmethod
    def from_tensors(cls, arrays: StoredArrays, n_words: int) -> Self:
        """The view that was stored, every part checked, or a ValueError."""
        ...

    def one_text(self) -> "VectorOfText | None":
        """What gives ``vectors`` for one document without a matrix, if there is such a way."""
        return None

    def seen(self, block: Block) -> Block:
        """Documents with their vectors; vectors that the block has already are the user's."""
        return replace(block, vectors=self.vectors(block.X, block.vectors, 1))


@dataclass(frozen=True, eq=False)
class LatentSpace(View):
    """Projects counts of documents to unit vectors in the space of the training corpus."""

    kind: ClassVar[str] = "latent"

    basis: FloatArray  # (n_words, n_dims) coordinates of words, emphasis included
    center: FloatArray  # (n_dims,) mean of the training documents' unit projections

    @property
    def n_dims(self) -> int:
        return len(self.center)

    def vectors(self, X: Counts, given: Any = None, n_threads: int | None = None) -> FloatArray:
        """Unit vectors of documents; zero where a document has no known word."""
        if given is not None:
            raise ValueError(
                "vectors are given, and this classifier learned its own from the text; leave "
                "them out, or fit with vectors too"
            )
        dtype = self.basis.dtype
        out = np.empty((X.shape[0], self.n_dims), dtype)
        data = X.data.astype(dtype, copy=False)
        n_parts = max(1, min(count_threads(n_threads), -(-X.shape[0] // ROWS_PER_TASK)))
        rows = [X.shape[0] * part // n_parts for part in range(n_parts + 1)]
        basis, center = self._compiled_parts()
        lanes = row_lanes(self.n_dims)

        def project(part: int) -> None:
            first, last = rows[part], rows[part + 1]
            _latent_kernels.unit_vectors(
                X.indptr, X.indices, data, first, last, basis, center, lanes,
                new_slots(self.n_dims), out,
            )  # fmt: skip

        run_in_threads(project, n_parts)
        return out

    def _compiled_parts(self) -> tuple[FloatArray, FloatArray]:
        """Basis and center as kernels take them."""
        return np.ascontiguousarray(self.basis), np.ascontiguousarray(self.center)

    def one_text(self) -> VectorOfText:
        basis, center = self._compiled_parts()
        lanes = row_lanes(self.n_dims)

        def vector(indices: IntArray, values: FloatArray) -> FloatArray:
            out, slots = np.empty(len(center), basis.dtype), new_slots(len(center))
            data = values.astype(basis.dtype, copy=False)
            first, last = np.int64(0), np.int64(len(indices))
            _latent_kernels.unit_vector(
                indices, data, first, last, basis, center, lanes, slots, out
            )
            return out

        return vector

    def word_vectors(self, x: Counts, given: Any = None) -> FloatArray:
        """Contribution of each word of one document to its vector, (n_present, n_dims)."""
        parts = np.asarray(x.data, np.float64)[:, None] * self.basis[x.indices]
        place = parts.sum(axis=0)
        inner = max(float(np.linalg.norm(place)), 1e-30)
        outer = max(float(np.linalg.norm(place / inner - self.center)), 1e-30)
        return np.asarray(parts / (inner * outer), np.float64)

    def to_tensors(self) -> dict[str, Any]:
        return {"basis": self.basis, "center": self.center}

    @classmethod
    def from_tensors(cls, arrays: StoredArrays, n_words: int) -> Self:
        center, basis = _checked_center(arrays, "center"), arrays.get("basis", 2)
        check_shapes(basis.shape == (n_words, len(center)), basis.dtype == center.dtype)
        check_sensible(basis)
        return cls(np.array(basis), center)


@dataclass(frozen=True, eq=False)
class GivenVectors(View):
    """Vectors that the user provides, beside those learned from the text.

    The user's are centered on the training documents' mean and scaled to unit length. Both
    together are better than either: a language model knows what words mean, the corpus what
    it is about.
    """

    kind: ClassVar[str] = "given"

    center: FloatArray  # (n_given,) mean of the training documents' given unit vectors
    latent: LatentSpace

    @property
    def n_given(self) -> int:
        return len(self.center)

    @property
    def n_dims(self) -> int:
        return self.latent.n_dims + self.n_given

    def vectors(self, X: Counts, given: Any = None, n_threads: int | None = None) -> FloatArray:
        """Unit vectors of documents."""
        if given is None:
            raise ValueError(
                "this classifier was fitted with vectors of your own and needs them for every "
                "document: pass vectors"
            )
        learned = self.latent.vectors(X, None, n_threads)
        return unit_rows(np.hstack([learned, self._theirs(given, X.shape[0])]))

    def _theirs(self, given: Any, n_documents: int) -> FloatArray:
        return _centered(unit_rows(check_given(given, n_documents, self.n_given)), self.center)

    def word_vectors(self, x: Counts, given: Any = None) -> FloatArray:
        """Contribution of each word of one document to its vector: to the learned half only.

        Where there is no other half, because the user's vector is zero or None, the words
        determine the vector alone.
        """
        learned = self.latent.word_vectors(x)
        if given is not None and np.any(self._theirs(given, 1)):
            learned = learned / np.sqrt(2.0)  # both halves have unit length
        return np.hstack([learned, np.zeros((len(learned), self.n_given))])

    def to_tensors(self) -> dict[str, Any]:
        return {**self.latent.to_tensors(), "given_center": self.center}

    @classmethod
    def from_tensors(cls, arrays: StoredArrays, n_words: int) -> Self:
        return cls(
            _checked_center(arrays, "given_center"), LatentSpace.from_tensors(arrays, n_words)
        )


VIEW_KINDS: dict[str, type[View]] = {view.kind: view for view in (LatentSpace, GivenVectors)}


def view_from(tensors: Mapping[str, Any], kind: Any, n_words: int) -> View | None:
    """The view of this kind, from the tensors of a model file, or a ValueError."""
    if kind is None:
        return None
    if not isinstance(kind, str) or kind not in VIEW_KINDS:
        raise ValueError(f"its view is {kind!r}")
    return VIEW_KINDS[kind].from_tensors(StoredArrays(tensors, PART), n_words)


def view_to(view: View | None) -> tuple[dict[str, Any], str | None]:
    """Arrays of a view, and its kind."""
    if view is None:
        return {}, None
    return {f"{PART}.{name}": array for name, array in view.to_tensors().items()}, view.kind


def _checked_center(arrays: StoredArrays, name: str) -> FloatArray:
    center: FloatArray = arrays.get(name, 1)
    if not len(center):
        raise ValueError("its view is malformed")
    check_sensible(center)
    return center


def check_given(given: Any, n_documents: int, n_dims: int | None = None) -> FloatArray:
    """The user's vectors as an array of float32, or an error that says what is wrong."""
    try:
        with np.errstate(over="ignore"):  # infinite, which is refused below
            vectors: FloatArray = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(
            "vectors must be numbers, the same number for every document, and they are not; "
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

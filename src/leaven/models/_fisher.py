"""Fisher scores of documents under a mixture, and their inner products."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, get_index_dtype, hstack

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import check_in
from leaven.models._fisher_kernels import add_products, write_features
from leaven.models._mixture import MixtureParams, MultinomialMixture
from leaven.posteriors import Tempered

__all__ = ["FeatureOptions", "FisherScores"]

# Shares of components below this, relative to the largest, are left out. A feature is a share times
# 1 / sqrt(probability of a word). These differ by factors of thousands at most, unless alpha is
# tiny, so that smaller shares would be lost in rounding in single precision.
NEGLIGIBLE = 1e-10
ROWS_AT_ONCE = 256  # rows of a kernel matrix to which products of vectors are added at once
SPARSE_COST = 10.0  # of a product in a sparse matrix product, relative to one in the inverted index


class FeatureOptions(NamedTuple):
    """How Fisher scores become features.

    Parameters
    ----------
    feature_beta : float in (0, 1]
        Inverse temperature of the components' shares in a document. Below one more components
        have a share, and the gradient is that of log sum_k p(x, k)^beta / beta.
    vector_share : float in [0, 1)
        Share of the features of vectors in the squared length of all, if documents have vectors.
    least_share : float in [0, 1)
        Components with a smaller share in a document, relative to the largest one, are left out
        of its features, which are then sparser.
    """

    feature_beta: float = 1.0
    vector_share: float = 0.0
    least_share: float = 0.0

    def check(self) -> None:
        """Raise an error for values out of range."""
        check_in("feature_beta", self.feature_beta, "(0, 1]")
        check_in("vector_share", self.vector_share, "[0, 1)")
        check_in("least_share", self.least_share, "[0, 1)")


@dataclass(frozen=True, eq=False)
class FisherScores:
    """Gradient of a document's log likelihood by the parameters of a mixture, at unit length.

    Parameters are 2 sqrt(p(word | component)) and 2 sqrt(p(component)), under which the Fisher
    information is near the identity (Takamura and Okumura, section 4.1):

        count(word) p(component | x) / sqrt(p(word | component))                     (10)
        p(component | x) / sqrt(p(component))                                        (11)

    In a mixture of words and vectors, the gradient by a component's direction is p(component | x)
    times the document's vector and the concentration. These features are scaled to unit length of
    their own before they are weighted.

    Parameters
    ----------
    model, params
        A mixture and its parameters.
    options : FeatureOptions
        How these become features.
    n_dims : int, default=0
        Length of the documents' vectors, if the mixture has any.
    """

    model: MultinomialMixture
    params: MixtureParams
    options: FeatureOptions = field(default_factory=FeatureOptions)
    n_dims: int = 0

    @property
    def n_components(self) -> int:
        return len(self.params.log_weight)

    @property
    def n_word_features(self) -> int:
        """One per word and component, then one per component."""
        n_words: int = self.params.log_word.shape[1]
        return (n_words + 1) * self.n_components

    @property
    def n_features(self) -> int:
        """Those of words, then one per component and dimension if vectors have a share."""
        return self.n_word_features + self.n_components * self.n_dims * self.sees_directions

    @property
    def sees_directions(self) -> bool:
        """Whether there are features of vectors."""
        return self.n_dims > 0 and self.options.vector_share > 0

    def shares(self, X: Counts, vectors: FloatArray | None = None) -> FloatArray:
        """p(component | x), (n_documents, n_components); those left out are exactly zero."""
        shares, _ = Tempered(self.options.feature_beta)(
            self.model.log_joint(self.params, X, vectors)
        )
        least = max(self.options.least_share, NEGLIGIBLE) * shares.max(axis=1, keepdims=True)
        shares[shares < least] = 0.0
        return shares.astype(self.params.log_word.dtype)

    def features(
        self, X: Counts, vectors: FloatArray | None = None, n_threads: int | None = 1
    ) -> Counts:
        """Documents as sparse rows of unit length, (n_documents, n_features).

        Rows of ``X`` must not repeat a word.

        The feature of word w and component k is in column w * n_components + k, those of the
        components' weights follow, then the dimensions of each component's direction. Memory
        is that of the counts, and of the vectors, times the mean number of components that
        a document has a share of.
        """
        shares = self.shares(X, vectors)
        of_words = self._of_words(X, shares, n_threads)
        if not self.sees_directions:
            return of_words
        assert vectors is not None
        parts = self._parts(vectors)
        of_words.data *= np.repeat(np.sqrt(1 - parts), np.diff(of_words.indptr))
        of_vectors = self._of_vectors(shares, vectors, np.sqrt(parts))
        return csr_array(hstack([of_words, of_vectors], format="csr"))

    def _of_words(self, X: Counts, shares: FloatArray, n_threads: int | None) -> Counts:
        """Features of words and of the components' weights, at unit length."""
        n_active = (shares > 0).sum(axis=1)
        n_stored = (np.diff(X.indptr).astype(np.int64) + 1) * n_active
        total = int(n_stored.sum())
        kind = self._index_type(total)
        starts = np.concatenate([[0], np.cumsum(n_stored)]).astype(kind)
        columns, values = np.empty(total, kind), np.empty(total, shares.dtype)
        bounds = _bounds(X.shape[0], n_threads)
        rows = (X.indptr, X.indices, X.data, shares, *self._inverse_roots)

        def write(part: int) -> None:
            write_features(*rows, bounds[part], bounds[part + 1], starts, columns, values)

        run_in_threads(write, len(bounds) - 1)
        return csr_array((values, columns, starts), shape=(X.shape[0], self.n_word_features))

    def _of_vectors(self, shares: FloatArray, vectors: FloatArray, length: FloatArray) -> Counts:
        """Features of vectors, at the length given for each document."""
        documents, components = np.nonzero(shares)
        norms = np.linalg.norm(shares, axis=1) * np.linalg.norm(vectors, axis=1)
        scaled = shares * (length / np.where(norms > 0, norms, 1.0))[:, None]
        values = scaled[documents, components, None] * vectors[documents]
        n_stored = np.bincount(documents, minlength=len(shares)) * self.n_dims
        kind = self._index_type(values.size)
        columns = (components * self.n_dims)[:, None] + np.arange(self.n_dims)
        starts = np.concatenate([[0], np.cumsum(n_stored)]).astype(kind)
        return csr_array(
            (values.astype(shares.dtype).ravel(), columns.astype(kind).ravel(), starts),
            shape=(len(shares), self.n_components * self.n_dims),
        )

    def _parts(self, vectors: FloatArray) -> FloatArray:
        """Share of vectors in the squared length of each document: none where a vector is zero."""
        has_vector = np.abs(vectors).max(axis=1, initial=0.0) > 0
        return np.where(has_vector, self.options.vector_share, 0.0)

    def kernel(
        self,
        X: Counts,
        Y: Counts,
        vectors: tuple[FloatArray | None, FloatArray | None] = (None, None),
        n_threads: int | None = 1,
    ) -> FloatArray:
        """Cosines of the features of documents, (n_documents of X, n_documents of Y).

        Where documents rarely have a component in common, features of words are multiplied.
        Otherwise none are computed: the documents of ``Y`` that share a word are found by an
        inverted index, and memory is that of the result, of the index, and of one share per
        document and component, those of ``Y`` once more in each thread. Rows must not repeat a
        word.
        """
        shares, other_shares = self.shares(X, vectors[0]), self.shares(Y, vectors[1])
        if _are_peaked(shares, other_shares):
            of_words = self._of_words(X, shares, n_threads).astype(np.float64)
            others = self._of_words(Y, other_shares, n_threads).astype(np.float64)
            products: FloatArray = (of_words @ others.T).toarray()
        else:
            products = self._products(X, Y, shares, other_shares, n_threads)
        if self.sees_directions:
            assert vectors[0] is not None
            assert vectors[1] is not None
            self._add_vectors(products, shares, other_shares, vectors[0], vectors[1])
        return products

    def _products(
        self,
        X: Counts,
        Y: Counts,
        shares: FloatArray,
        other_shares: FloatArray,
        n_threads: int | None,
    ) -> FloatArray:
        """Cosines of the features of words, by an inverted index of ``Y``."""
        index = csc_array(Y)
        products: FloatArray = np.empty((X.shape[0], Y.shape[0]))
        bounds = _bounds(X.shape[0], n_threads)
        rows = (X.indptr, X.indices, X.data, shares)
        postings = (index.indptr, index.indices, index.data, other_shares)
        roots = self._inverse_roots

        def add(part: int) -> None:
            span = (bounds[part], bounds[part + 1])
            add_products(*rows, *postings, *roots, *span, products)

        run_in_threads(add, len(bounds) - 1)
        products /= self._norms(X, shares)[:, None]
        products /= self._norms(Y, other_shares)
        return products

    def _add_vectors(
        self,
        products: FloatArray,
        shares: FloatArray,
        other_shares: FloatArray,
        vectors: FloatArray,
        others: FloatArray,
    ) -> None:
        """Weight the products of words, and add those of vectors, some rows at a time."""
        parts, other_parts = self._parts(vectors), self._parts(others)
        products *= np.sqrt(1 - parts)[:, None]
        products *= np.sqrt(1 - other_parts)
        q, other_q = _unit(shares), _unit(other_shares)
        v = _unit(vectors) * np.sqrt(parts)[:, None]
        other_v = _unit(others) * np.sqrt(other_parts)[:, None]
        for first in range(0, len(products), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            products[rows] += (q[rows] @ other_q.T) * (v[rows] @ other_v.T)

    def _index_type(self, n_stored: int) -> Any:
        """Of columns, which may be more than 32 bits can number."""
        return get_index_dtype(maxval=max(n_stored, self.n_features))

    @cached_property
    def _inverse_roots(self) -> tuple[FloatArray, FloatArray]:
        """1 / sqrt(p(word | component)), (n_words, n_components), and of the components."""
        dtype = self.params.log_word.dtype
        of_words = np.exp(-0.5 * np.ascontiguousarray(self.params.log_word.T))
        return of_words, np.exp(-0.5 * self.params.log_weight).astype(dtype)

    def _norms(self, X: Counts, shares: FloatArray) -> FloatArray:
        """Length of the features of words before they are scaled."""
        of_words, of_components = (root.astype(np.float64) ** 2 for root in self._inverse_roots)
        squared = csr_array((X.data.astype(np.float64) ** 2, X.indices, X.indptr), shape=X.shape)
        by_component = squared @ of_words + of_components
        total: FloatArray = np.sqrt((shares.astype(np.float64) ** 2 * by_component).sum(axis=1))
        return total


def _are_peaked(shares: FloatArray, others: FloatArray) -> bool:
    """Whether most pairs of documents have no component in common.

    A product of features then skips most pairs of equal words, each of which the inverted index
    visits once for every component of a document.
    """
    active, other_active = (shares > 0).mean(axis=0), (others > 0).mean(axis=0)
    return bool(SPARSE_COST * (active @ other_active) < active.sum())


def _unit(rows: FloatArray) -> FloatArray:
    """Rows scaled to unit length; zero where a row is."""
    wide = np.asarray(rows, np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    scaled: FloatArray = wide / np.where(norms > 0, norms, 1.0)
    return scaled


def _bounds(n_documents: int, n_threads: int | None) -> list[int]:
    """Where the documents of each thread begin, and the last ones end."""
    n_parts = max(min(count_threads(n_threads), n_documents), 1)
    return [n_documents * part // n_parts for part in range(n_parts + 1)]

"""EM over two views of every document, as a scikit-learn classifier."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, diags_array

from leaven._base.typing import Counts, FloatArray
from leaven._base.validation import check_in, check_whole
from leaven.corpora import Block, Corpus, in_memory
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.held_out._weights import log_softmax
from leaven.learning._climbs import Fit
from leaven.learning._latent import View, check_given, learn_view, vectors_of
from leaven.models import MultinomialMixture, TwoViewMixture
from leaven.posteriors import SOFT

__all__ = ["TwoViewEM"]


class TwoViewEM(NaiveBayesEM):
    """EM over words and vectors that must agree, for very few labels.

    A class has a distribution of words and a direction of vectors; a document is given to
    classes by both at once. The vectors are learned from all the text by default (a truncated
    singular value decomposition); the user's own, such as sentence embeddings, can join them.

    Parameters
    ----------
    length : float, default=10
        Every document's counts are scaled to this total. The fewer, the softer the words
        speak beside the vector; naive Bayes alone wants 150 to 400.
    concentration : float, default=30
        How narrowly a class's unit vectors lie around its direction: how loudly they speak.
    n_dims : int, default=100
        Dimensions of the learned vectors.
    alpha : float, default=0.05
        Pseudo-count added to every word count, of documents scaled to ``length``.
    class_alpha, unlabeled_weight, components, n_init, n_folds, beta_start, beta_factor, \
beta_iter, correspondence, tol, random_state, n_threads
        As in :class:`NaiveBayesEM`.
    max_iter : int, default=10
        M-steps to take. Stopping early is meant: later ones follow the text away from labels.

    Attributes
    ----------
    latent_ : LatentSpace or GivenVectors
        Where vectors come from.

    The others are those of :class:`NaiveBayesEM`; its probabilities are of the word view.

    See Also
    --------
    NaiveBayesEM : The word view alone.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> TwoViewEM().fit(X, np.array([0, 1, -1, -1])).predict(X)
    array([0, 1, 0, 1])
    """

    def __init__(
        self,
        *,
        length: float = 10.0,
        concentration: float = 30.0,
        n_dims: int = 100,
        alpha: float = 0.05,
        class_alpha: float = 0.0,
        unlabeled_weight: float = 1.0,
        components: Any = 1,
        n_init: int = 3,
        n_folds: int | str | None = None,
        beta_start: float = 1.0,
        beta_factor: float = 1.01,
        beta_iter: int = 1,
        correspondence: str = "as-is",
        max_iter: int = 10,
        tol: float = 1e-6,
        random_state: int | None = 0,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            class_alpha=class_alpha,
            unlabeled_weight=unlabeled_weight,
            components=components,
            n_init=n_init,
            n_folds=n_folds,
            beta_start=beta_start,
            beta_factor=beta_factor,
            beta_iter=beta_iter,
            correspondence=correspondence,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            n_threads=n_threads,
        )
        self.length = length
        self.concentration = concentration
        self.n_dims = n_dims

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, vectors: Any = None) -> Self:
        """Fit on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, best weighted: ``TextVectorizer(log_tf=True, idf=True)``.
        y : array of shape (n_documents,)
            Class labels; -1 among whole numbers, None or "" among strings, is unlabeled.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            Vectors of your own, to stand beside those learned from ``X``.
        """
        return self._fit(X, y, sample_weight, vectors)

    def check_options(self, dtype: Any) -> None:
        """Refuse options that make no sense, for counts of this precision."""
        check_in("length", self.length, "(0, inf)")
        check_in("concentration", self.concentration, "(0, 1000000]")
        check_whole("n_dims", self.n_dims, "[1, inf)")
        super().check_options(dtype)

    def _prepared(self, block: Block) -> Block:
        given = block.vectors
        block = replace(block, X=scaled(block.X, self.length), vectors=None)
        return self.with_vectors(block, given)

    def _seen(self, block: Block) -> Block:
        """Documents of constant length with vectors of unit length."""
        X = scaled(block.X, self.length)
        return replace(
            block, X=X, vectors=vectors_of(self.latent_, X, block.vectors, self.n_threads)
        )

    def with_vectors(self, block: Block, given: Any = None) -> Block:
        """Training documents with their vectors, after learning where vectors come from."""
        given = None if given is None else check_given(given, len(block.y))
        corpus = in_memory(replace(block, vectors=given), self.n_threads)
        self._learn_view(corpus, block.X.shape[1], block.X.dtype)
        return replace(block, vectors=vectors_of(self._view, block.X, given, self.n_threads))

    def viewed(
        self,
        corpus: Corpus,
        n_words: int,
        dtype: Any,
        on_pass: Callable[[int, int], None] | None = None,
    ) -> Corpus:
        """A training corpus with its documents' vectors; those it has are the user's.

        ``on_pass(done, total)`` is called after every pass over the documents.
        """
        self._learn_view(corpus, n_words, dtype, on_pass)
        return corpus.map(partial(_seen_through, self._view))

    def _learn_view(
        self,
        corpus: Corpus,
        n_words: int,
        dtype: Any,
        on_pass: Callable[[int, int], None] | None = None,
    ) -> None:
        self.check_options(dtype)
        seed = np.random.SeedSequence(self.random_state).entropy
        # Kept aside till the fit has succeeded.
        self._view = learn_view(corpus, n_words, self.n_dims, seed, on_pass, dtype)

    def _mixture(self, n_classes: int) -> TwoViewMixture:
        prior = (self.alpha, self.class_alpha, self.unlabeled_weight)
        own = (self.concentration, self._view.n_dims)
        return TwoViewMixture(np.arange(n_classes), *prior, self.n_threads, *own)

    def _keep(self, model: MultinomialMixture, fit: Fit) -> None:
        super()._keep(model, fit)
        self.latent_: View = self._view

    def _find_faults(self, fit: Fit, max_iter: int) -> list[tuple[type[Warning], str]]:
        return super()._find_faults(fit, 0)  # that the iterations ran out is no fault here

    def predict_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Class probabilities, (n_documents, n_classes)."""
        return SOFT(self._class_log_joint(X, vectors))[0]

    def predict_log_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Logarithms of the class probabilities; precise where those round to 0."""
        return log_softmax(self._class_log_joint(X, vectors))

    def predict(self, X: Any, *, vectors: Any = None) -> Any:
        """Most probable class of each document."""
        best = self._class_log_joint(X, vectors).argmax(axis=1)
        return self.classes_[best]


def _seen_through(view: View, block: Block) -> Block:
    return replace(block, vectors=vectors_of(view, block.X, block.vectors, 1))


def scaled(X: Counts, length: float) -> Counts:
    """Counts with every document's total as given; a document without words stays so."""
    total = np.asarray(X.sum(axis=1), np.float64).ravel()
    factor = length / np.where(total > 0, total, 1.0)
    return csr_array(diags_array(factor.astype(X.dtype)) @ X)

"""Naive Bayes with EM beside two-view EM, on the same documents: the expert of common words."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import FloatArray
from leaven.corpora import Corpus
from leaven.corpora._base import Block
from leaven.corpora._size import CorpusSize
from leaven.experts._experts import MixtureExpert
from leaven.learning._climbs import Climb, fit_mixture
from leaven.models import MixtureParams, MultinomialMixture

__all__ = ["WordEM"]

LENGTH = 150.0  # words that documents are scaled to: naive Bayes alone wants them loud
CLIMB = Climb(max_iter=20, tol=1e-5)


class WordEM:
    """Fits naive Bayes with EM to the frequent words of documents.

    Rare words cost it more than they tell, so it gets those only that occur in ``fewest``
    documents; the others say nothing.
    """

    def __init__(
        self, size: CorpusSize, n_classes: int, fewest: int, dtype: Any, n_threads: int | None
    ) -> None:
        self.kept = np.flatnonzero(size.documents >= min(fewest, size.documents.max(initial=1)))
        self.n_words = len(size.documents)
        self.dtype = np.dtype(dtype)
        self.scale = LENGTH / max(size.mean_length, 1e-9)
        self.model = MultinomialMixture(np.arange(n_classes), n_threads=n_threads)

    def seen(self, block: Block) -> Block:
        """Documents as this expert sees them."""
        X = csr_array(block.X[:, self.kept] * self.scale).astype(self.dtype)
        return replace(block, X=X, vectors=None)

    def fit(self, corpus: Corpus, seed: Any = 0) -> MixtureParams:
        """Parameters from documents that were :meth:`seen`."""
        fit = fit_mixture(self.model, corpus, len(self.kept), self.dtype, CLIMB, seed)
        return fit.result.params

    def scores(self, params: MixtureParams, block: Block) -> FloatArray:
        return self.model.class_log_joint(params, block.X)

    def expert(self, name: str, params: MixtureParams) -> MixtureExpert:
        """The fitted model as an expert that sees all words."""
        n_components = len(self.model.component_class)
        # A probability of one, under every class: such a word moves none.
        log_word = np.zeros((n_components, self.n_words), self.dtype, order="F")
        log_word[:, self.kept] = params.log_word
        whole = MixtureParams(params.log_weight, log_word)
        return MixtureExpert(name, replace(self.model, n_threads=1), whole, self.scale)

    def fitted(self, name: str, corpus: Corpus, seed: Any) -> MixtureExpert:
        """Fit to all documents of a corpus."""
        return self.expert(name, self.fit(corpus.map(self.seen), seed))

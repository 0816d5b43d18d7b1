"""Log-linear model of classes and words: the naive Markov random field of Druck et al. (2007).

Eq. (3) of the paper, with words as events: a document of n words has

    P(y, x) = exp(b_y + sum_w x_w (u_w + t_wy)) / Z_n,
    log Z_n = logsumexp_y (b_y + n logsumexp_w (u_w + t_wy)),

so the partition function depends on the document's length alone. The parameters are ``t`` and, in
the last row of the same table, ``b``. ``u`` are the log frequencies of words, which all classes
share: they cancel in P(y | x), and let the search for P(x) begin where words are as frequent as
they are, at ``t = 0``.
"""

from dataclasses import dataclass

import numpy as np

from leaven._base.measures import log_softmax
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora._base import Block, Corpus
from leaven.models._base import Slope
from leaven.models._expected_counts import Components, expect_counts

__all__ = ["MarginalSlope", "NaiveMRF", "Partition", "log_unigram"]

PSEUDO_COUNT = 1.0  # occurrences added to every word in its frequency in all documents


@dataclass(frozen=True, eq=False)
class MarginalSlope(Slope):
    """A sum of log P(x), whose gradient lacks what the partition functions expect of words."""

    lengths: FloatArray  # (n_classes,) expected number of words


@dataclass(frozen=True, eq=False)
class Partition:
    """The partition functions: that of length n is the sum over classes of exp(b + n log_total)."""

    log_total: FloatArray  # (n_classes,) logsumexp over words of u + t
    word: FloatArray  # (n_words, n_classes) P(word | class)


@dataclass(frozen=True, eq=False)
class NaiveMRF:
    """Log likelihoods of the naive Markov random field, with their gradients.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    log_unigram : ndarray of shape (n_words,)
        Log frequencies of words, shared by the classes.
    """

    n_classes: int
    log_unigram: FloatArray

    def partition(self, table: FloatArray) -> "Partition":
        """What the partition functions of all lengths have in common."""
        log_word = table[:-1] + self.log_unigram[:, None]
        top = log_word.max(axis=0)
        word = np.exp(log_word - top)
        total = word.sum(axis=0)
        word /= total
        return Partition(np.log(total) + top, word)

    def conditional(self, table: FloatArray, block: Block) -> Slope:
        """Sum of log P(y | x) over the labeled documents of a block."""
        weight = np.where(block.y >= 0, block.weight, 0.0)
        any_class = self._log_sums(table, block, np.full(len(block.y), -1), weight)
        own_class = self._log_sums(table, block, block.y, weight)
        return Slope(
            own_class.value - any_class.value,
            own_class.table - any_class.table,
            any_class.n_documents,
        )

    def marginal(self, table: FloatArray, log_total: FloatArray, block: Block) -> MarginalSlope:
        """Sum of log P(x) over all documents of a block; ``finished`` completes its gradient.

        ``log_total`` is that of the parameters' partition. Documents are sequences of words, so
        there is no multinomial coefficient.
        """
        X, weight = block.X, block.weight
        found = self._log_sums(table, block, np.full(len(block.y), -1), weight)
        n_words = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        frequent = float(weight @ (X @ self.log_unigram))
        # log Z_n and P(y | n) of each document's length.
        log_joint = table[-1] + n_words[:, None] * log_total
        log_share = log_softmax(log_joint)
        log_partition = (log_joint - log_share)[:, 0]
        share = weight[:, None] * np.exp(log_share)
        found.table[-1] -= share.sum(axis=0)
        return MarginalSlope(
            found.value + frequent - float(weight @ log_partition),
            found.table,
            found.n_documents,
            n_words @ share,
        )

    def finished(self, partition: "Partition", slope: MarginalSlope) -> Slope:
        """The same sum with its whole gradient, computed in the arrays of ``slope``."""
        slope.table[:-1] -= partition.word * slope.lengths
        return Slope(slope.value, slope.table, slope.n_documents)

    def _log_sums(self, table: FloatArray, block: Block, y: IntArray, weight: FloatArray) -> Slope:
        """Sum of logsumexp_y (b_y + x t_y), over the document's own class where y is given.

        This is an E-step: the gradient of a log sum is a table of expected counts.
        """
        X = block.X
        counts = np.empty((X.shape[1] + 1, self.n_classes))
        components = Components(np.arange(self.n_classes), table[-1], table[:-1])
        value = expect_counts(X, y, weight, components, counts[-1], counts[:-1])
        return Slope(value, counts, float(weight.sum()))


def log_unigram(corpus: Corpus) -> FloatArray:
    """Log frequencies of words in all documents, as if each word occurred once more."""
    totals = corpus.reduce(_word_totals) + PSEUDO_COUNT
    frequencies: FloatArray = np.log(totals) - np.log(totals.sum())
    return frequencies


def _word_totals(block: Block) -> FloatArray:
    return np.asarray(block.weight @ block.X, np.float64)

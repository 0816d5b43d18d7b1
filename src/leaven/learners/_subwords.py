"""Learners of subwords, character n-grams inside words: the second view of short texts.

They are those of words with other names and prior weights. Subwords say something about words that
occur once, which most words of short texts do: forms, compounds, misspellings.
"""

from dataclasses import dataclass
from typing import ClassVar

from leaven.corpora import CorpusSize
from leaven.learners._frequent_words import FrequentWordsLearner
from leaven.learners._linear import LinearVectorsLearner
from leaven.learners._two_view import TwoViewLearner

__all__ = ["FrequentSubwordsLearner", "LinearSubwordsLearner", "TwoViewSubwordsLearner"]

# Prior weight of EM over subwords relative to that of EM over words: subwords overlap, so that the
# same evidence is counted several times.
SHARE = 0.5


@dataclass(frozen=True)
class LinearSubwordsLearner(LinearVectorsLearner):
    """Logistic regression on the labeled documents' subwords, and vectors learned from these."""

    title: ClassVar[str] = "linear model of subwords and vectors"


@dataclass(frozen=True)
class TwoViewSubwordsLearner(TwoViewLearner):
    """EM over subwords, and vectors learned from these."""

    title: ClassVar[str] = "two-view EM of subwords"

    def prior_weight(self, size: CorpusSize) -> float:
        return SHARE * super().prior_weight(size)


@dataclass(frozen=True)
class FrequentSubwordsLearner(FrequentWordsLearner):
    """Naive Bayes with EM on frequent subwords."""

    title: ClassVar[str] = "naive Bayes with EM of subwords"

    def prior_weight(self, size: CorpusSize) -> float:
        return SHARE * super().prior_weight(size)

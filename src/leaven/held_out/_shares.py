"""Shares of the classes in a corpus, where labels were given to as many documents of each class.

People often label the same number of documents of every class, while one class in the corpus is
ten times as frequent as another: then scores prefer rare classes. The shares are estimated from
the unlabeled documents by EM over the shares alone: probabilities of classes are averaged, and
corrected for the difference between these averages and the shares of the labels
([Saerens, Latinne and Decaestecker, 2002][saerens2002]).
"""

import numpy as np

from leaven._base.measures import log_softmax
from leaven._base.typing import FloatArray, IntArray

__all__ = ["are_balanced", "class_bias"]

FEWEST = 20  # unlabeled documents; with fewer, nothing is corrected
EVEN = 0.5  # of the spread of a random sample's numbers of labels, below which these are balanced
STEPS = 5  # with more, classes that the model hardly knows vanish
FLOOR = 0.01  # least estimated share of a class, in those of equal classes
# Standard error of the logarithm of a share, beside that of few documents: where the shares of
# classes hardly differ, most of the difference is error. Chosen on training documents of twenty
# corpora.
ERROR = 0.3


def class_bias(
    scores: FloatArray, weight: FloatArray, codes: IntArray, accuracy: float
) -> FloatArray:
    """What to add to the scores of the classes, (n_classes,), for their shares in the corpus.

    ``scores`` are those of unlabeled documents of these weights, ``codes`` the classes of the
    labeled ones. The worse a model is, the less its shares mean: the logarithms of the ratios are
    multiplied by its expected ``accuracy``, and by the share of their variance that is no error.
    Nothing is corrected where labels look like a random sample, which knows the shares already, or
    where unlabeled documents are very few.
    """
    n_classes = scores.shape[1]
    if weight.sum() < FEWEST or not are_balanced(codes, n_classes):
        return np.zeros(n_classes)
    labeled = np.bincount(codes, minlength=n_classes) / len(codes)
    bias = np.zeros(n_classes)
    for _ in range(STEPS):
        found = np.average(np.exp(log_softmax(scores + bias)), axis=0, weights=weight)
        found += FLOOR / n_classes
        bias = np.log(found / found.sum() / labeled)
    share = found / found.sum()
    of_few = float(((1 - share) / (weight.sum() * share)).mean())  # variance of their logarithms
    variance = float(bias.var())
    return accuracy * variance / (variance + ERROR**2 + of_few) * bias


def are_balanced(codes: IntArray, n_classes: int) -> bool:
    """Whether labels look as if about the same number had been given to every class.

    Either numbers of labels differ less than those of a random sample of equal classes would, or
    more than half of the classes have exactly the largest number: the others may be too small.
    """
    counts = np.bincount(codes, minlength=n_classes)
    spread = float(((counts - counts.mean()) ** 2).sum() / counts.mean())
    is_largest = counts == counts.max()
    return bool(spread <= EVEN * (n_classes - 1) or 2 * is_largest.sum() > n_classes)

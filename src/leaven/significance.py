"""Significance tests for paired results: is one classifier better than another?

[Nigam, McCallum and Mitchell (2006)][nigam2006] use the paired t-test for several draws of the
labeled documents, and McNemar's test on the test documents for a single draw
([Dietterich, 1998][dietterich1998]).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray

__all__ = [
    "Z_90",
    "Z_95",
    "McNemar",
    "PairedT",
    "holm",
    "mcnemar",
    "paired_t",
    "wilson_interval",
]

# Standard errors on either side of an interval that holds 90 and 95 % of a normal distribution.
Z_90, Z_95 = 1.6448536269514722, 1.959963984540054

ROUNDING = 1e-12  # differences this small between scores are rounding errors


@dataclass(frozen=True)
class PairedT:
    """Mean difference of paired scores, and the probability of one as large by chance.

    Attributes
    ----------
    difference : float
        Mean of a - b.
    p_value : float
        Two-sided.
    n : int
        Number of pairs.
    """

    difference: float
    p_value: float
    n: int


@dataclass(frozen=True)
class McNemar:
    """Difference of two accuracies on the same documents, and its probability by chance.

    Attributes
    ----------
    difference : float
        Accuracy of a minus accuracy of b.
    p_value : float
        Two-sided, exact.
    n : int
        Number of documents.
    only_a, only_b : int
        Documents that only a, or only b, classifies correctly.
    """

    difference: float
    p_value: float
    n: int
    only_a: int
    only_b: int


def paired_t(a: Any, b: Any) -> PairedT:
    """Compare two methods' scores on the same draws by a two-sided paired t-test.

    If all differences are equal, there is no variance to test with: the p-value is then 1 if
    they are zero and 0 if not.

    Parameters
    ----------
    a, b : array-like of shape (n_draws,)
        Scores, such as accuracies, of the two methods; entry i of both is from draw i.

    Returns
    -------
    PairedT
        The mean difference and its p-value.

    Raises
    ------
    ValueError
        If there are fewer than two pairs, or a score is not finite.

    References
    ----------
    [Nigam, McCallum and Mitchell (2006)][nigam2006], section 3.3.

    Examples
    --------
    >>> result = paired_t([0.66, 0.68, 0.65], [0.52, 0.51, 0.53])
    >>> f"{result.difference:+.3f}, p = {result.p_value:.3f}"
    '+0.143, p = 0.010'
    """
    a, b = _scores("a", a), _scores("b", b)
    _check_lengths({"a": len(a), "b": len(b)})
    if len(a) < 2:
        raise ValueError(f"a paired t-test needs at least two pairs, got {len(a)}; add draws")
    differences = a - b
    mean = float(differences.mean())
    rounding = ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    if np.ptp(differences) <= rounding:
        return PairedT(mean, 1.0 if abs(mean) <= rounding else 0.0, len(a))
    from scipy.stats import ttest_rel  # takes half a second, needed only here

    return PairedT(mean, float(ttest_rel(a, b).pvalue), len(a))


def mcnemar(truth: Any, a: Any, b: Any) -> McNemar:
    """Compare two classifiers' answers to the same documents by McNemar's exact test.

    Only documents that one classifier has right and the other wrong distinguish them; if the
    classifiers were equally good, each of these would be a fair coin toss.

    Parameters
    ----------
    truth : array-like of shape (n_documents,)
        True classes.
    a, b : array-like of shape (n_documents,)
        The classes that the two classifiers predict.

    Returns
    -------
    McNemar
        The difference, its p-value, and the numbers of documents behind it.

    References
    ----------
    [Dietterich (1998)][dietterich1998].

    Examples
    --------
    >>> truth = list("xxxxxxyy")
    >>> result = mcnemar(truth, a=list("xxxxxxyx"), b=list("yyyyyxyy"))
    >>> result.only_a, result.only_b, result.p_value
    (5, 1, 0.21875)
    """
    truth, a, b = np.asarray(truth), np.asarray(a), np.asarray(b)
    for name, array in (("truth", truth), ("a", a), ("b", b)):
        _check_flat(name, array)
    _check_lengths({"truth": len(truth), "a": len(a), "b": len(b)})
    if not len(truth):
        raise ValueError("McNemar's test needs at least one document, got none")
    is_right_a, is_right_b = a == truth, b == truth
    only_a = int((is_right_a & ~is_right_b).sum())
    only_b = int((is_right_b & ~is_right_a).sum())
    p_value = 1.0
    if only_a != only_b:
        from scipy.stats import binomtest

        p_value = float(binomtest(only_a, only_a + only_b).pvalue)
    return McNemar((only_a - only_b) / len(truth), p_value, len(truth), only_a, only_b)


def holm(p_values: Any) -> FloatArray:
    """P-values of several tests, adjusted by Holm's step-down procedure.

    Where all adjusted p-values below 0.05 are called significant, the probability that any of
    them is so by chance is at most 0.05.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        P-values of the single tests.

    Returns
    -------
    ndarray of shape (n_tests,)
        In the order given.

    References
    ----------
    [Holm (1979)][holm1979].

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _scores("p_values", p_values)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _scores(name: str, values: Any) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    _check_flat(name, array)
    if not np.isfinite(array).all():
        where = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite numbers, got {array[where]} at {where}")
    return array


def _check_flat(name: str, array: Any) -> None:
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")


def _check_lengths(lengths: dict[str, int]) -> None:
    if len(set(lengths.values())) > 1:
        names, sizes = " and ".join(lengths), " and ".join(map(str, lengths.values()))
        raise ValueError(f"{names} must be paired, got lengths {sizes}")


def wilson_interval(n_right: int, n: int, z: float = Z_95) -> tuple[float, float]:
    """Confidence interval of a proportion; valid also near 0 and 1 and for few documents.

    Parameters
    ----------
    n_right : int
        Documents that are correct.
    n : int
        All documents, at least one.
    z : float, default=Z_95
        Standard errors to either side: ``Z_90`` or ``Z_95``.

    Returns
    -------
    (float, float)
        The lower and the upper end.

    References
    ----------
    [Wilson (1927)][wilson1927].

    Examples
    --------
    >>> low, high = wilson_interval(9, 10)
    >>> f"{low:.2f} to {high:.2f}"
    '0.60 to 0.98'
    """
    share, z2 = n_right / n, z**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * (share * (1 - share) / n + z2 / (4 * n * n)) ** 0.5
    # Despite rounding the interval must contain the proportion itself.
    return min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)

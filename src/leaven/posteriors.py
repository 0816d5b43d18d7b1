"""Posteriors: how an E-step turns log p(x, k) into responsibilities.

A posterior maximizes, over distributions q on the components of one document,

    sum_k q_k log p(x, k) + H(q) / beta                                          (1)

and returns the maximizer together with the maximum. beta = 1 is EM, 0 < beta < 1 is
deterministic annealing ([Nigam, McCallum and Mitchell, 2006][nigam2006], section 3.5), beta =
infinity is classification EM. Whatever the beta, an EM iteration cannot lower the sum of the maxima
plus the log prior. Kernels use only beta; the calls below are for all other code.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from leaven._base.typing import FloatArray
from leaven._base.validation import check_in, check_whole

__all__ = ["SOFT", "Hard", "Posterior", "Tempered", "cooling"]


class Posterior(Protocol):
    """Solver of (1) for each document: a protocol that [`leaven.posteriors.Tempered`][] follows."""

    @property
    def beta(self) -> float:
        """Inverse temperature."""
        ...

    def __call__(self, log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Maximizer, (n_documents, n_components), and maximum, (n_documents,), of (1)."""
        ...


@dataclass(frozen=True)
class Tempered:
    """Maximizer of (1) at a finite inverse temperature.

    Parameters
    ----------
    beta : float in (0, 1]
        Inverse temperature. 1 is the posterior of EM; with smaller values it is closer to uniform.

    References
    ----------
    [Nigam, McCallum and Mitchell (2006)][nigam2006], section 3.5.1;
    [Ueda and Nakano (1998)][ueda1998].

    Examples
    --------
    >>> import numpy as np
    >>> log_joint = np.log([[0.09, 0.01]])
    >>> Tempered(1.0)(log_joint)[0].round(2)
    array([[0.9, 0.1]])
    >>> Tempered(0.5)(log_joint)[0].round(2)
    array([[0.75, 0.25]])
    """

    beta: float

    def __post_init__(self) -> None:
        check_in("beta", self.beta, "(0, 1]")

    def __call__(self, log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        scaled = self.beta * log_joint
        top = scaled.max(axis=1, keepdims=True)
        mass = np.exp(scaled - top)
        total = mass.sum(axis=1, keepdims=True)
        return mass / total, (top + np.log(total))[:, 0] / self.beta


@dataclass(frozen=True)
class Hard:
    """Maximizer of (1) at temperature zero: all mass on the best component, the first of ties.

    Examples
    --------
    >>> import numpy as np
    >>> Hard()(np.log([[0.09, 0.01]]))[0]
    array([[1., 0.]])
    """

    beta: ClassVar[float] = math.inf

    def __call__(self, log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        best = log_joint.argmax(axis=1)
        q = np.zeros_like(log_joint)
        q[np.arange(len(q)), best] = 1.0
        return q, log_joint.max(axis=1)


SOFT = Tempered(1.0)


def cooling(start: float = 0.02, factor: float = 1.01, repeats: int = 1) -> list[Tempered]:
    """Posteriors of deterministic annealing, beta rising from ``start`` by ``factor`` to one.

    beta = 1 itself, which is plain EM, is not among them. The defaults are those of
    [Nigam, McCallum and Mitchell (2006)][nigam2006], section 3.5.2.

    Parameters
    ----------
    start : float in (0, 1], default=0.02
        The first inverse temperature.
    factor : float above 1, default=1.01
        Ratio of an inverse temperature to the one before.
    repeats : int, default=1
        How often each occurs.

    Returns
    -------
    list of Tempered
        One posterior for each M-step.

    Examples
    --------
    >>> [posterior.beta for posterior in cooling(0.25, factor=2)]
    [0.25, 0.5]
    """
    check_in("start", start, "(0, 1]")
    check_in("factor", factor, "(1, inf)")
    check_whole("repeats", repeats, "[1, inf)")
    n_betas = math.ceil(-math.log(start) / math.log(factor) - 1e-9)
    betas = [start * factor**step for step in range(n_betas)]
    return [Tempered(beta) for beta in betas for _ in range(repeats)]

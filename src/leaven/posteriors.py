"""Posteriors: how an E-step turns log p(x, k) into responsibilities.

A posterior maximizes, over distributions q on the components of one document,

    sum_k q_k log p(x, k) + H(q) / beta                                          (1)

and returns the maximizer together with the maximum. beta = 1 is EM, 0 < beta < 1 is
deterministic annealing (Nigam, McCallum and Mitchell, section 3.5), beta = infinity is
classification EM. Whatever the beta, an EM iteration cannot lower the sum of the maxima
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
    """Solver of (1) for each document."""

    @property
    def beta(self) -> float: ...

    def __call__(self, log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Maximizer, (n_documents, n_components), and maximum, (n_documents,), of (1)."""
        ...


@dataclass(frozen=True)
class Tempered:
    """Maximizer of (1) at a finite inverse temperature."""

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
    """Maximizer of (1) at temperature zero: all mass on the best component, the first of ties."""

    beta: ClassVar[float] = math.inf

    def __call__(self, log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        best = log_joint.argmax(axis=1)
        q = np.zeros_like(log_joint)
        q[np.arange(len(q)), best] = 1.0
        return q, log_joint.max(axis=1)


SOFT = Tempered(1.0)


def cooling(start: float = 0.02, factor: float = 1.01, repeats: int = 1) -> list[Tempered]:
    """Posteriors of deterministic annealing, beta rising from ``start`` by ``factor`` to one.

    Each occurs ``repeats`` times; beta = 1 itself, which is plain EM, does not. The defaults
    are those of Nigam et al., section 3.5.2.
    """
    check_in("start", start, "(0, 1]")
    check_in("factor", factor, "(1, inf)")
    check_whole("repeats", repeats, "[1, inf)")
    n_betas = math.ceil(-math.log(start) / math.log(factor) - 1e-9)
    betas = [start * factor**step for step in range(n_betas)]
    return [Tempered(beta) for beta in betas for _ in range(repeats)]

"""Contract of a model in the EM loop."""

from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora._base import Addable, Block
from leaven.posteriors import Posterior

__all__ = ["Model", "Slope", "Statistics", "SummedFields"]


class Statistics(Addable, Protocol):
    """Expected sufficient statistics, with the documents' part of the objective."""

    @property
    def objective(self) -> float: ...


@dataclass(frozen=True, eq=False)
class SummedFields:
    """Statistics whose fields, numbers and arrays, all add up."""

    def __add__(self, other: Self) -> Self:
        return replace(self, **{name: a + b for name, a, b in self._pairs(other)})

    def __iadd__(self, other: Self) -> Self:
        """The sum, computed in the arrays of ``self``."""
        return replace(
            self,
            **{
                name: np.add(a, b, out=a) if isinstance(a, np.ndarray) else a + b
                for name, a, b in self._pairs(other)
            },
        )

    def _pairs(self, other: Self) -> list[tuple[str, Any, Any]]:
        names = [each.name for each in fields(self)]
        return [(name, getattr(self, name), getattr(other, name)) for name in names]


@dataclass(frozen=True, eq=False)
class Slope(SummedFields):
    """A sum over documents and its gradient, for models that are fitted by gradients."""

    value: float
    table: FloatArray  # (n_words + 1, n_columns), as the parameters: biases are in the last row
    n_documents: float  # by weight


P = TypeVar("P")
S = TypeVar("S", bound=Statistics)


class Model(Protocol[P, S]):
    """p(x, k | params), its prior and its M-step."""

    def expect(self, params: P, posterior: Posterior, block: Block, out: S | None = None) -> S:
        """E-step on a block, fused with the counting; may overwrite the arrays of ``out``."""
        ...

    def maximize(self, params: P, stats: S, out: P | None = None) -> P:
        """M-step: the parameters that maximize expected log likelihood plus log prior.

        May overwrite the arrays of ``out``, which may be ``params``.
        """
        ...

    def log_prior(self, params: P) -> float:
        """Log density of the parameters, up to a constant."""
        ...

"""Contract of a model in the EM loop."""

from typing import Protocol, TypeVar

from leaven.corpora._base import Addable, Block
from leaven.posteriors import Posterior

__all__ = ["Model", "Statistics"]


class Statistics(Addable, Protocol):
    """Expected sufficient statistics, with the documents' part of the objective."""

    @property
    def objective(self) -> float: ...


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

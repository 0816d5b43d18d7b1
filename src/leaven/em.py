"""The EM loop: the only one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from leaven.corpora._base import Corpus
from leaven.models._base import Model, Statistics
from leaven.posteriors import SOFT, Posterior

__all__ = ["EMResult", "run_em"]

P = TypeVar("P")
S = TypeVar("S", bound=Statistics)


@dataclass(frozen=True, eq=False)
class EMResult(Generic[P, S]):
    """Parameters, and how they were reached."""

    params: P
    stats: S  # of ``params``: the expectations that the next M-step would use
    objective: list[float]  # before the first M-step and after each
    converged: bool

    @property
    def n_iter(self) -> int:
        return len(self.objective) - 1


def run_em(
    model: Model[P, S],
    corpus: Corpus,
    params: P,
    *,
    posterior: Posterior = SOFT,
    max_iter: int = 100,
    tol: float = 1e-6,
    on_step: Callable[[int, float], None] | None = None,
) -> EMResult[P, S]:
    """Climb the penalized log likelihood, eq. (3.8) of Nigam et al., from ``params``.

    Stops after ``max_iter`` M-steps, or once an M-step gains no more than ``tol``
    times the objective. The last objective in the history is that of the parameters
    returned. ``on_step(step, objective)`` is called after every E-step.
    """
    objective: list[float] = []
    for step in range(max_iter + 1):
        stats = corpus.reduce(partial(model.expect, params, posterior))
        objective.append(stats.objective + model.log_prior(params))
        if on_step is not None:
            on_step(step, objective[-1])
        if step and objective[-1] - objective[-2] <= tol * abs(objective[-2]):
            return EMResult(params, stats, objective, converged=True)
        if step < max_iter:
            params = model.maximize(params, stats)
    return EMResult(params, stats, objective, converged=False)

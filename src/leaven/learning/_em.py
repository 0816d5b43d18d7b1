"""The EM loop, shared by all models."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from leaven._base.progress import OnStep
from leaven.corpora._base import Block, Corpus
from leaven.models._base import Model, Statistics
from leaven.posteriors import SOFT, Posterior, cooling

__all__ = ["EMResult", "anneal", "run_em"]

P = TypeVar("P")
S = TypeVar("S", bound=Statistics)


@dataclass(frozen=True, eq=False)
class EMResult(Generic[P, S]):
    """Parameters, and how they were reached."""

    params: P
    stats: S  # of ``params``: the expectations that the next M-step would use
    objective: list[float]  # before the first M-step and after each
    betas: list[float]  # inverse temperature of each objective
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
    warm_up: Sequence[Posterior] = (),
    max_iter: int = 100,
    tol: float = 1e-6,
    on_step: OnStep | None = None,
    overwrite: bool = False,
) -> EMResult[P, S]:
    """Climb the penalized log likelihood, eq. (3.8) of Nigam et al., from ``params``.

    One M-step is made with each posterior of ``warm_up`` before the main climb, which
    stops after ``max_iter`` M-steps, or once an M-step gains no more than ``tol`` times the
    objective. The last objective in the history is that of the parameters returned.
    ``on_step(step, objective)`` is called after every E-step; if it returns True, the climb
    ends with the parameters reached.

    The arrays of one iteration are reused by the next, so that a long run allocates no more
    than a short one; ``params`` themselves are not modified, unless ``overwrite`` allows it.
    """
    expectation = _EStep(model)
    objective: list[float] = []
    betas: list[float] = []
    for step in range(len(warm_up) + max_iter + 1):
        current = warm_up[step] if step < len(warm_up) else posterior
        stats = corpus.reduce(partial(expectation, params, current), expectation.add)
        objective.append(stats.objective + model.log_prior(params))
        betas.append(current.beta)
        is_stopped = on_step is not None and on_step(step, objective[-1]) is True
        climbed = step > len(warm_up)  # so that the last two objectives are comparable
        if climbed and objective[-1] - objective[-2] <= tol * abs(objective[-2]):
            return EMResult(params, stats, objective, betas, converged=True)
        if is_stopped:
            if step < len(warm_up):  # the last objective is always that of plain EM
                stats = corpus.reduce(partial(expectation, params, posterior), expectation.add)
                objective.append(stats.objective + model.log_prior(params))
                betas.append(posterior.beta)
            break
        if step < len(warm_up) + max_iter:
            params = model.maximize(params, stats, out=params if step or overwrite else None)
            expectation.release(stats)
    return EMResult(params, stats, objective, betas, converged=False)


def anneal(
    model: Model[P, S],
    corpus: Corpus,
    params: P,
    *,
    start: float = 0.02,
    factor: float = 1.01,
    repeats: int = 1,
    max_iter: int = 100,
    tol: float = 1e-6,
    on_step: OnStep | None = None,
) -> EMResult[P, S]:
    """Deterministic annealing (Nigam et al., section 3.5): EM while beta rises, then plain EM.

    Beta rises from ``start`` by ``factor``, after ``repeats`` M-steps each time, until it is one.
    """
    warm_up = cooling(start, factor, repeats)
    return run_em(
        model, corpus, params, warm_up=warm_up, max_iter=max_iter, tol=tol, on_step=on_step
    )


class _EStep(Generic[P, S]):
    """A model's E-step that reuses statistics no longer needed before allocating new ones.

    Called from several threads at once: appending to a list and popping from it are atomic.
    """

    def __init__(self, model: Model[P, S]) -> None:
        self.model = model
        self.spare: list[S] = []
        self.n_allocated = 0  # here: the driver of a cluster receives statistics, and computes none

    def __call__(self, params: P, posterior: Posterior, block: Block) -> S:
        try:
            out = self.spare.pop()
        except IndexError:
            out = None
            self.n_allocated += 1
        return self.model.expect(params, posterior, block, out)

    def add(self, total: S, part: S) -> S:
        total += part  # in place, where the statistics support it
        self.release(part)
        return total

    def release(self, stats: S) -> None:
        if len(self.spare) < self.n_allocated:
            self.spare.append(stats)

    def __getstate__(self) -> dict[str, object]:
        return {
            "model": self.model,
            "spare": [],
            "n_allocated": 0,
        }  # spare arrays are not worth sending

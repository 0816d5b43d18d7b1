"""Maximization of sums over documents by their gradients: L-BFGS, which scipy provides."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leaven._base.progress import OnStep
from leaven._base.typing import FloatArray

__all__ = ["TABLES_OF_CLIMB", "GradientResult", "Height", "climb_gradient"]

MEMORY = 5  # earlier steps that L-BFGS remembers, of two arrays of parameters each
# Arrays like the parameters that a climb has in memory: these, and where it is and has been.
TABLES_OF_CLIMB = 2 * MEMORY + 6


@dataclass(frozen=True, eq=False)
class Height:
    """An objective at some parameters: parts that are to be added up, and the total gradient."""

    parts: FloatArray  # (n_parts,) such as two likelihoods, times their weights
    scales: FloatArray  # (n_parts,) a change in a part of less than tol times this is none
    prior: float
    gradient: FloatArray

    @property
    def total(self) -> float:
        return float(self.parts.sum()) + self.prior


@dataclass(frozen=True, eq=False)
class GradientResult:
    """Parameters, and how they were reached."""

    params: FloatArray
    height: Height  # of ``params``
    objective: list[float]  # at the start and after each iteration
    converged: bool

    @property
    def n_iter(self) -> int:
        return len(self.objective) - 1


def climb_gradient(
    evaluate: Callable[[FloatArray], Height],
    start: FloatArray,
    *,
    max_iter: int = 200,
    tol: float = 1e-4,
    on_step: OnStep | None = None,
) -> GradientResult:
    """Maximize by L-BFGS from ``start``.

    It has converged once no part of the objective, considered alone, changes any more in two
    iterations (section 2.1 of Druck et al.): a large part could hide that a small one still moves.
    ``on_step(step, objective)`` is called after every iteration; it ends the climb if it returns
    True.
    """
    from scipy.optimize import minimize  # takes long to import, and only training needs it

    watch = _Watch(evaluate, tol, on_step)
    is_stopped = watch.reach(start)
    if max_iter > 0 and not is_stopped:
        # scipy's own tests see the sum of all parts only.
        found = minimize(
            watch.loss,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=watch.after,
            options={"maxiter": max_iter, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0},
        )
        # It ends by itself where no step leads higher.
        watch.converged |= not watch.is_stopped and found.nit < max_iter
    return GradientResult(watch.params, watch.height, watch.objective, watch.converged)


class _Watch:
    """Follows the iterations of L-BFGS."""

    params: FloatArray  # reached by the last iteration
    height: Height

    def __init__(
        self, evaluate: Callable[[FloatArray], Height], tol: float, on_step: OnStep | None
    ) -> None:
        self.evaluate, self.tol, self.on_step = evaluate, tol, on_step
        self.objective: list[float] = []
        self.converged = self.was_small = self.is_stopped = False
        self.last: tuple[FloatArray, Height] | None = None  # where the objective was evaluated

    def loss(self, params: FloatArray) -> tuple[float, FloatArray]:
        height = self.at(params)
        return -height.total, -height.gradient

    def at(self, params: FloatArray) -> Height:
        """The objective at some parameters, evaluated once."""
        if self.last is None or not np.array_equal(self.last[0], params):
            self.last = params.copy(), self.evaluate(params)
        return self.last[1]

    def reach(self, params: FloatArray) -> bool:
        """Take the parameters of an iteration; whether to stop there."""
        height = self.at(params)
        if self.objective:
            change = np.abs(height.parts - self.height.parts)
            is_small = bool((change <= self.tol * height.scales).all())
            # Twice in a row: the first step is short, before the curvature is known.
            self.converged, self.was_small = is_small and self.was_small, is_small
        self.params, self.height = params.copy(), height
        self.objective.append(height.total)
        step = len(self.objective) - 1
        return self.on_step is not None and self.on_step(step, height.total) is True

    def after(self, xk: FloatArray) -> None:
        """Called by scipy after every iteration."""
        self.is_stopped = self.reach(xk)
        if self.is_stopped or self.converged:
            raise StopIteration

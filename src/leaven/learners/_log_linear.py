"""Maximum entropy, and its hybrids with a model of documents (Druck et al., 2007)."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.progress import OnStep
from leaven._base.typing import FloatArray
from leaven._base.validation import check_choice
from leaven.corpora import TrainingSet
from leaven.experts import LogLinearExpert
from leaven.learners._base import Run
from leaven.learners._tuning import AUTO, TunedLearner, candidates_of, check_auto
from leaven.learning import (
    Conditional,
    Coupled,
    GradientResult,
    Hybrid,
    Likelihoods,
    MultiConditional,
    climb_gradient,
)
from leaven.learning._gradient import TABLES_OF_CLIMB

__all__ = [
    "STARTS",
    "MaxEntLearner",
    "MultiConditionalLearner",
    "ParameterCouplingLearner",
]

STARTS = ("supervised", "zero")
VARIANCES = (0.1, 1.0, 10.0)  # candidates of supervised settings
USUAL_VARIANCE = 1.0  # of supervised settings where labels cannot be held out
HYBRID_VARIANCES = (0.01, 0.1)  # candidates of hybrids; the last where labels cannot be held out
MCL_ALPHAS = (1e4, 1e2)  # candidates of mcl besides infinity, which is supervised
USUAL_MCL_ALPHA = 1e4  # where labels cannot be held out
PCP_ALPHAS = (0.1, 0.3, 0.5)  # candidates of pcp besides 1, which is supervised
USUAL_PCP_ALPHA = 0.3  # where labels cannot be held out
FIRST_STEPS = 5  # of mcl's start: iterations of the likelihood of labels alone


@dataclass(frozen=True)
class LogLinearLearner(TunedLearner):
    """What the learners of log-linear models have in common."""

    search: ClassVar[str] = "L-BFGS"
    advice: ClassVar[str] = (
        "Try another start, a larger alpha, or training without unlabeled documents (method maxent)"
    )

    variance: float | str = AUTO

    def n_tables(self, n_threads: int) -> int:
        return 2 * TABLES_OF_CLIMB  # in float64

    def check(self, dtype: Any) -> None:
        super().check(dtype)
        check_auto("variance", self.variance, "(0, inf)")

    def settings(self) -> dict[str, float]:
        return {"variance": float(self.variance)}

    @abstractmethod
    def objective(self, likelihoods: Likelihoods) -> Hybrid:
        """What is maximized."""
        ...

    def start_table(self, likelihoods: Likelihoods, on_step: OnStep | None) -> FloatArray:
        """The table that the climb starts from; ``on_step`` may stop what leads to it."""
        return np.zeros(likelihoods.shape)

    def search_given(
        self, training: TrainingSet, run: Run
    ) -> tuple[LogLinearExpert, GradientResult]:
        likelihoods = Likelihoods.of(training.corpus, training.n_classes, run.n_threads)
        objective = self.objective(likelihoods)
        on_step = run.progress.steps("climbing", self.max_iter)
        table = self.earlier_table(training, run)
        if table is None:
            table = self.start_table(likelihoods, on_step)
        result = climb_gradient(
            objective.height,
            objective.start(table),
            max_iter=self.max_iter,
            tol=self.tol,
            on_step=on_step,
        )
        table = objective.table(result.params).copy()
        return LogLinearExpert(self.title, table), result


@dataclass(frozen=True)
class MaxEntLearner(LogLinearLearner):
    """Maximum entropy; the options are those of [`leaven.MaxEntClassifier`][]."""

    title: ClassVar[str] = "maximum entropy"

    @property
    def is_supervised(self) -> bool:
        return True

    def paths(self) -> list[list[Self]]:
        return [[replace(self, variance=own) for own in candidates_of(self.variance, VARIANCES)]]

    def usual_path(self, supervised: bool) -> list[Self]:
        return [replace(self, variance=USUAL_VARIANCE)]

    def objective(self, likelihoods: Likelihoods) -> Conditional:
        return Conditional(likelihoods, float(self.variance))


@dataclass(frozen=True)
class HybridLearner(LogLinearLearner):
    """A learner whose ``alpha`` lies between generative and discriminative."""

    discriminative: ClassVar[float]  # the alpha that makes it maximum entropy
    candidates: ClassVar[tuple[float, ...]]  # of alpha, from discriminative to generative
    usual_alpha: ClassVar[float]

    alpha: float | str = AUTO
    start: str = STARTS[0]

    def check(self, dtype: Any) -> None:
        super().check(dtype)
        check_auto("alpha", self.alpha, f"(0, {self.discriminative}]")
        check_choice("start", self.start, STARTS)

    @property
    def is_supervised(self) -> bool:
        return self.alpha == self.discriminative

    def settings(self) -> dict[str, float]:
        return {"alpha": float(self.alpha), **super().settings()}

    def paths(self) -> list[list[Self]]:
        paths: list[list[Self]] = []
        if self.alpha == AUTO or self.is_supervised:
            variances = candidates_of(self.variance, VARIANCES)
            paths.append(self._at([(self.discriminative, variance) for variance in variances]))
        if not self.is_supervised:
            alphas = candidates_of(self.alpha, self.candidates)
            paths += self.hybrid_paths(alphas, candidates_of(self.variance, HYBRID_VARIANCES))
        return paths

    @abstractmethod
    def hybrid_paths(
        self, alphas: tuple[float, ...], variances: tuple[float, ...]
    ) -> list[list[Self]]:
        """Paths through combinations of settings."""
        ...

    def usual_path(self, supervised: bool) -> list[Self]:
        if supervised or self.is_supervised:
            (variance,) = candidates_of(self.variance, (USUAL_VARIANCE,))
            return self._at([(self.discriminative, variance)])
        alphas = candidates_of(self.alpha, (self.usual_alpha,))
        return self.hybrid_paths(alphas, candidates_of(self.variance, HYBRID_VARIANCES))[-1]

    def _at(self, settings: list[tuple[float, float]]) -> list[Self]:
        return [replace(self, alpha=alpha, variance=variance) for alpha, variance in settings]

    def start_table(self, likelihoods: Likelihoods, on_step: OnStep | None) -> FloatArray:
        zero = super().start_table(likelihoods, on_step)
        if self.start == "zero" or self.is_supervised:
            return zero
        supervised = Conditional(likelihoods, float(self.variance))
        found = climb_gradient(
            supervised.height,
            supervised.start(zero),
            max_iter=self.first_steps,
            tol=self.tol,
            on_step=None if on_step is None else lambda _, objective: on_step(0, objective),
        )
        return supervised.table(found.params)

    @property
    def first_steps(self) -> int:
        """Most steps of the likelihood of labels alone, before the hybrid's."""
        return self.max_iter


@dataclass(frozen=True)
class MultiConditionalLearner(HybridLearner):
    """One table of parameters; the options of [`leaven.MultiConditionalClassifier`][]."""

    title: ClassVar[str] = "multi-conditional learning"
    discriminative: ClassVar[float] = np.inf
    candidates: ClassVar[tuple[float, ...]] = MCL_ALPHAS
    usual_alpha: ClassVar[float] = USUAL_MCL_ALPHA

    def hybrid_paths(
        self, alphas: tuple[float, ...], variances: tuple[float, ...]
    ) -> list[list[Self]]:
        """A strong prior first: from its maximum better ones are found."""
        return [self._at([(alpha, variance) for variance in variances]) for alpha in alphas]

    def objective(self, likelihoods: Likelihoods) -> Hybrid:
        if self.is_supervised:
            return Conditional(likelihoods, float(self.variance))
        return MultiConditional(likelihoods, float(self.variance), float(self.alpha))

    @property
    def first_steps(self) -> int:
        return FIRST_STEPS


@dataclass(frozen=True)
class ParameterCouplingLearner(HybridLearner):
    """Two coupled tables; the options of [`leaven.ParameterCouplingClassifier`][]."""

    title: ClassVar[str] = "parameter coupling prior"
    discriminative: ClassVar[float] = 1.0
    candidates: ClassVar[tuple[float, ...]] = PCP_ALPHAS
    usual_alpha: ClassVar[float] = USUAL_PCP_ALPHA

    variance: float | str = 1.0

    def hybrid_paths(
        self, alphas: tuple[float, ...], variances: tuple[float, ...]
    ) -> list[list[Self]]:
        """A tight coupling first, under which both sets of parameters move together."""
        return [self._at([(alpha, variance) for alpha in alphas]) for variance in variances]

    def objective(self, likelihoods: Likelihoods) -> Hybrid:
        if self.is_supervised:
            return Conditional(likelihoods, float(self.variance))
        alpha = float(self.alpha)
        deviation = (alpha / (1.0 - alpha)) ** 2  # section 5.1
        return Coupled(likelihoods, float(self.variance), deviation**2)

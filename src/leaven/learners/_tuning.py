"""Choice of settings by held-out labels, with unlabeled documents in training.

Settings are tried along paths, on which each fit starts from the one before. So several settings
cost little more than one. Supervised models are among the candidates, for corpora whose unlabeled
documents do not help.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from leaven._base.blas import one_blas_thread
from leaven._base.folds import enough_folds
from leaven._base.measures import log_softmax
from leaven._base.percent import percent
from leaven._base.progress import SILENT
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import check_in, check_whole
from leaven.corpora import Block, TrainingSet, in_memory, sample_unlabeled
from leaven.documents._label_checks import check_label_weights
from leaven.exceptions import CollapseWarning
from leaven.experts import Expert
from leaven.learners._base import Learned, Learner, Message, Run
from leaven.learners._collapse import collapse_message, predicted_shares
from leaven.learning._cross_validation import Folds
from leaven.learning._em_facts import class_lines

__all__ = ["AUTO", "Tried", "TunedLearned", "TunedLearner", "candidates_of", "check_auto"]

AUTO = "auto"
N_FOLDS = 5  # of the labeled documents, as many of which are held out as ENOUGH says
ENOUGH = 200  # held-out documents: no more folds than have so many
MOST_UNLABELED = 2000  # documents in a sample that stands for all while settings are compared
SURE = 1.0  # standard errors by which supervised settings must lead to be chosen
STEPS_ON_THE_WAY = 60  # most iterations of fits that are not returned
TOLERANCE_ON_THE_WAY = 1e-4  # least tolerance of fits that are not returned
WIDEST = 7.0  # bounds of the log factor on held-out scores, from -WIDEST to WIDEST
LEAST_SPREAD = 1e-12  # of held-out scores, which are divided by their spread
IGNORED = "unlabeled documents were ignored: with them, few classes took almost all of them"


def check_auto(name: str, value: float | str, interval: str) -> None:
    """Refuse ``value`` unless it is "auto" or a number in ``interval``."""
    if value == AUTO:
        return
    if isinstance(value, str):
        raise ValueError(f"{name} must be {AUTO!r} or a number in {interval}, got {value!r}")
    check_in(name, value, interval)


def candidates_of(value: float | str, candidates: Sequence[float]) -> tuple[float, ...]:
    """The candidates if ``value`` is "auto", else the value alone."""
    return tuple(candidates) if value == AUTO else (float(value),)


@dataclass(frozen=True)
class Tried:
    """How well settings classify held-out labeled documents."""

    settings: Mapping[str, float | None]  # None is infinity
    accuracy: float
    log_likelihood: float  # mean per document, of probabilities scaled to suit
    n_scored: int


T = TypeVar("T", bound="TunedLearner")


class Climbed(Protocol):
    """How an iterative search went."""

    @property
    def objective(self) -> list[float]:
        """At the start and after each iteration."""
        ...

    @property
    def converged(self) -> bool: ...

    @property
    def n_iter(self) -> int: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class TunedLearned(Learned):
    """What was learned with given or chosen settings."""

    learner: "TunedLearner"
    result: Climbed = field(repr=False)
    unlabeled_shares: FloatArray | None = None  # (n_classes,) predicted; None without any
    path: Sequence["TunedLearner"] = ()  # of fits that led to it; itself is the last

    def refit(self, training: TrainingSet, run: Run) -> Expert:
        """With the same settings, along the same path."""
        return _walked(self.path or [self.learner], training, replace(run, progress=SILENT)).expert


@dataclass(frozen=True)
class TunedLearner(Learner):
    """A learner some of whose settings held-out labels may choose."""

    search: ClassVar[str]  # the algorithm, in reports
    iterations: ClassVar[str] = "iterations"  # what it makes many of
    steps_on_the_way: ClassVar[int] = STEPS_ON_THE_WAY
    tol_on_the_way: ClassVar[float] = TOLERANCE_ON_THE_WAY
    advice: ClassVar[str]  # what to try after a collapse

    max_iter: int = 200
    tol: float = 1e-5

    def check(self, dtype: Any) -> None:
        check_whole("max_iter", self.max_iter, "[0, inf)")
        check_in("tol", self.tol, "[0, inf)")

    @abstractmethod
    def paths(self) -> list[list[Self]]:
        """Learners with all settings given, in the order in which fits start from each other."""
        ...

    @abstractmethod
    def usual_path(self, supervised: bool) -> list[Self]:
        """The path to settings that suit most corpora, for labels that cannot be held out.

        ``supervised`` ones are asked for only where ``paths`` has some.
        """
        ...

    @abstractmethod
    def settings(self) -> dict[str, float]:
        """The settings that can be chosen."""
        ...

    def plain_settings(self) -> dict[str, float | None]:
        """The settings as JSON can hold them: None is infinity."""
        return {
            name: value if np.isfinite(value) else None for name, value in self.settings().items()
        }

    @property
    @abstractmethod
    def is_supervised(self) -> bool:
        """Whether the settings make it ignore unlabeled documents."""
        ...

    def earlier_table(self, training: TrainingSet, run: Run) -> FloatArray | None:
        """Weights of words and biases of an earlier fit, if the run has one that fits."""
        table = None if run.start is None else run.start.linear_weights()
        shape = (training.corpus.n_words + 1, training.n_classes)
        return table if table is not None and table.shape == shape else None

    def shortened(self) -> Self:
        """With fewer iterations, for fits that are not returned."""
        steps, tol = min(self.max_iter, self.steps_on_the_way), max(self.tol, self.tol_on_the_way)
        return replace(self, max_iter=steps, tol=tol)

    @abstractmethod
    def search_given(self, training: TrainingSet, run: Run) -> tuple[Expert, Climbed]:
        """Search with all settings given, from ``run.start`` if it fits."""
        ...

    def fit_given(self, training: TrainingSet, run: Run) -> TunedLearned:
        """Fit with all settings given."""
        check_label_weights(training.label_weights, training.labels)
        expert, result = self.search_given(training, run)
        shares = predicted_shares(expert, training)
        how = "converged" if result.converged else "stopped"
        line = f"{self.search} {how} after {result.n_iter:,} {self.iterations}"
        facts = {
            **self.plain_settings(),
            "objective": [float(value) for value in result.objective],
            "converged": result.converged,
            "unlabeled_shares": {} if shares is None else training.labels.by_name(shares.tolist()),
        }
        return TunedLearned(
            learner=self,
            expert=expert,
            facts=facts,
            lines=(line,) if result.n_iter > 1 else (),
            class_lines=class_lines(facts),
            messages=self._messages(training, run, result, shares),
            result=result,
            unlabeled_shares=shares,
        )

    def _messages(
        self, training: TrainingSet, run: Run, result: Climbed, shares: FloatArray | None
    ) -> tuple[Message, ...]:
        found: list[Message] = []
        is_cut = result.n_iter >= self.max_iter > 0 and not result.converged
        if is_cut and not run.progress.is_stopped:
            message = (
                f"{self.search} stopped after {result.n_iter:,} {self.iterations} before reaching "
                f"the tolerance {self.tol}; increase max_iter or tol"
            )
            found.append((ConvergenceWarning, message))
        if not self.is_supervised:
            weights = training.label_weights
            collapse = collapse_message(training.labels, weights, shares, self.title, self.advice)
            if collapse is not None:
                found.append((CollapseWarning, collapse))
        return tuple(found)

    def fit(self, training: TrainingSet, run: Run) -> TunedLearned:
        self.check(training.corpus.dtype)
        # L-BFGS calls BLAS on long vectors, and threads of BLAS would compete with those that sum
        # over documents.
        with one_blas_thread():
            return self._fit(training, run)

    def _fit(self, training: TrainingSet, run: Run) -> TunedLearned:
        paths, is_supervised = self.paths(), False
        supervised = _supervised(paths)
        if supervised and training.corpus.reduce(_unlabeled_weight) == 0:
            paths, is_supervised = supervised, True
        if sum(map(len, paths)) == 1:
            return paths[0][0].fit_given(training, run)
        choice = _Choice.of(paths, training, run)
        path = self.usual_path(is_supervised) if choice is None else choice.path
        learned, lines = _walked(path, training, run), tuple[str, ...]()
        if learned.has_collapsed and supervised:
            path = self.usual_path(True) if choice is None else choice.supervised
            learned, lines = _walked(path, training, run), (IGNORED,)
        learned = _with_facts(learned, () if choice is None else choice.tried, run)
        return replace(learned, lines=(*learned.lines, *lines))


def _supervised(paths: list[list[T]]) -> list[list[T]]:
    """The parts of paths that ignore unlabeled documents."""
    found = [[learner for learner in path if learner.is_supervised] for path in paths]
    return [path for path in found if path]


def _unlabeled_weight(block: Block) -> float:
    return float(block.weight[block.y < 0].sum())


@dataclass(frozen=True, eq=False)
class _Choice(Generic[T]):
    """The path up to the chosen settings, and what was tried."""

    path: Sequence[T]
    supervised: Sequence[T]  # to the best settings that ignore unlabeled documents
    tried: tuple[Tried, ...]

    @classmethod
    def of(
        cls, paths: Sequence[Sequence[T]], training: TrainingSet, run: Run
    ) -> "_Choice[T] | None":
        """The settings that classify most held-out labels correctly; None if none can be held out.

        Supervised settings must lead by a standard error: unlabeled documents usually help, and a
        few held-out labels prove little.
        """
        labeled = training.labeled
        strata = training.labels.strata(labeled.y)
        if int(np.bincount(strata).max()) < 2 or run.progress.is_stopped:
            return None
        sample = sample_unlabeled(training.corpus, MOST_UNLABELED, np.random.default_rng(run.seed))
        unlabeled = in_memory(sample[0], run.n_threads)
        folds = Folds(training, N_FOLDS, run.seed, labeled, unlabeled)
        places = enough_folds(folds.folds, ENOUGH)
        on_fit = run.progress.phase("choosing")
        silent = replace(run, progress=SILENT, start=None)
        n_done, total = 0, len(places) * sum(map(len, paths))
        scores: list[list[FloatArray]] = [[] for path in paths for _ in path]
        for fold in places:
            rest, held = folds.rest(fold), folds.documents(fold)
            number = 0
            for path in paths:
                start = None
                for learner in path:
                    start = learner.shortened().fit_given(rest, replace(silent, start=start)).expert
                    scores[number].append(start.scores(held.X, held.vectors))
                    number += 1
                    n_done += 1
                    if on_fit is not None and on_fit(n_done, total):
                        return None
        truth = labeled.y[np.concatenate(places)]
        learners = [learner for path in paths for learner in path]
        held_out = [np.concatenate(found) for found in scores]
        right = [training.labels.decide(found) == truth for found in held_out]
        tried = tuple(
            Tried(
                learner.plain_settings(),
                float(is_right.mean()),
                scaled_log_likelihood(found, truth),
                len(truth),
            )
            for learner, found, is_right in zip(learners, held_out, right, strict=True)
        )
        likelihoods = [each.log_likelihood for each in tried]
        chosen, fallback = ranked(right, likelihoods, [each.is_supervised for each in learners])
        return cls(_up_to(learners[chosen], paths), _up_to(learners[fallback], paths), tried)


def ranked(
    right: Sequence[BoolArray], likelihoods: Sequence[float], is_supervised: Sequence[bool]
) -> tuple[int, int]:
    """Numbers of the best settings, and of the best supervised ones if there are any.

    ``right`` are the held-out documents that settings classify correctly. Supervised settings are
    the best only if they lead by a standard error.
    """

    def best_of(wanted: bool) -> int | None:
        numbers = [number for number, own in enumerate(is_supervised) if own == wanted]
        merit = {number: (right[number].mean(), likelihoods[number]) for number in numbers}
        return max(numbers, key=lambda number: merit[number], default=None)

    supervised, other = best_of(True), best_of(False)
    if supervised is None or other is None:
        only = other if supervised is None else supervised
        assert only is not None
        return only, only
    lead = right[supervised].astype(np.float64) - right[other]
    is_sure = lead.sum() > SURE * np.sqrt((lead != 0).sum())
    return supervised if is_sure else other, supervised


def _up_to(learner: T, paths: Sequence[Sequence[T]]) -> Sequence[T]:
    """The path to a learner."""
    path = next(path for path in paths if learner in path)
    return path[: path.index(learner) + 1]


def scaled_log_likelihood(scores: FloatArray, truth: IntArray) -> float:
    """Mean log probability of the true classes, the scores multiplied by the factor that suits.

    Models of words are overconfident to different degrees, and are calibrated afterwards. A weak
    prior keeps the factor near the one that gives scores unit spread.
    """
    spread = max(float(scores.std(axis=1).mean()), LEAST_SPREAD)
    rows = np.arange(len(truth))

    def loss(log_factor: float) -> float:
        log_p = log_softmax(np.exp(log_factor) / spread * scores)[rows, truth]
        return float(log_factor**2 - log_p.sum())

    best = minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded")
    return -float(best.fun) / len(truth)


def _walked(path: Sequence[TunedLearner], training: TrainingSet, run: Run) -> TunedLearned:
    """The fit at the end of a path, each begun where the one before ended."""
    start = None
    for learner in path[:-1]:
        start = learner.shortened().fit_given(training, replace(run, start=start)).expert
    found = path[-1].fit_given(training, replace(run, start=start))
    return replace(found, path=path)


def _with_facts(learned: TunedLearned, tried: tuple[Tried, ...], run: Run) -> TunedLearned:
    """What was learned, with how its settings were chosen."""
    chosen = learned.learner
    if tried:
        scored = next(each for each in tried if dict(each.settings) == chosen.plain_settings())
        line = (
            f"{_shown(chosen)} chosen among {len(tried)} settings: {percent(scored.accuracy)} "
            f"accuracy on {scored.n_scored:,} held-out labels"
        )
    else:
        why = "no labels could be held out to choose other settings"
        if run.progress.is_stopped:
            why = "training was stopped before settings were chosen"
        line = f"{_shown(chosen)}: {why}"
    facts = {**learned.facts, "tried": [asdict(each) for each in tried]}
    return replace(
        learned,
        facts=facts,
        lines=(line, *learned.lines),
        is_chosen_by_labels=bool(tried),
    )


def _shown(learner: TunedLearner) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in learner.settings().items())

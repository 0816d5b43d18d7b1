"""Naive Bayes with EM: from documents to a mixture, with the options of Nigam et al."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from leaven._base.folds import n_folds_for
from leaven._base.plain import plain
from leaven._base.typing import FloatArray
from leaven._base.validation import check_choice, check_in, check_whole
from leaven.corpora import CorpusSize, TrainingSet
from leaven.documents._label_checks import check_label_weights
from leaven.exceptions import CollapseWarning
from leaven.experts import MixtureExpert
from leaven.learners._base import Learned, Learner, Message, Run
from leaven.learners._collapse import collapse_message
from leaven.learners._components import (
    Choice,
    choose_sizes,
    listed_candidates,
    sizes_of,
)
from leaven.learning import CORRESPONDENCES, Ascent, Climb, Fit, components_of, fit_mixture
from leaven.learning._em_facts import EMFacts, class_lines, em_lines
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import cooling

__all__ = ["ClustersLearner", "MixtureLearned", "NaiveBayesLearner", "mixture_prior_weight"]

MIXTURE_PRIOR = 5.0  # effective number of independent words in a document


@dataclass(frozen=True, eq=False, kw_only=True)
class MixtureLearned(Learned):
    """A mixture that EM fitted."""

    expert: MixtureExpert
    fit: Fit
    climb: Climb  # as it was run
    choices: tuple[Choice, ...]  # of the number of components
    unlabeled_shares: FloatArray | None  # (n_classes,) None without unlabeled documents

    def refit(self, training: TrainingSet, run: Run) -> MixtureExpert:
        """From one start, with fewer temperatures."""
        once = replace(self.climb.thinned(), n_init=1)
        fit = fit_mixture(self.expert.model, training.corpus, once, run.seed, keep_words=False)
        return replace(self.expert, params=fit.result.params)


@dataclass(frozen=True)
class NaiveBayesLearner(Learner):
    """Naive Bayes trained by EM; the options are those of [`leaven.NaiveBayesEM`][]."""

    title: ClassVar[str] = "naive Bayes with EM"
    stops_early: ClassVar[bool] = False  # whether EM is meant to end before it converges
    expert_type: ClassVar[type[MixtureExpert]] = MixtureExpert

    alpha: float = 1.0
    class_alpha: float = 0.0
    unlabeled_weight: float = 1.0
    n_components: Any = 1
    n_init: int = 3
    n_splits: int | str | None = None
    beta_start: float = 1.0
    beta_factor: float = 1.01
    beta_iter: int = 1
    correspondence: str = "as-is"
    max_iter: int = 100
    tol: float = 1e-6

    def check(self, dtype: Any) -> None:
        check_in("alpha", self.alpha, "(0, inf)")
        limits = np.finfo(dtype)
        if not limits.tiny <= self.alpha <= limits.max:
            raise ValueError(
                f"alpha must be representable in the precision of the counts, {limits.dtype}, "
                f"got {self.alpha!r}; choose one between 1e-30 and 1e30"
            )
        check_in("class_alpha", self.class_alpha, "[0, inf)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_whole("n_init", self.n_init, "[1, inf)")
        check_in("beta_start", self.beta_start, "(0, 1]")
        check_in("beta_factor", self.beta_factor, "(1, inf)")
        check_whole("beta_iter", self.beta_iter, "[1, inf)")
        check_choice("correspondence", self.correspondence, CORRESPONDENCES)
        n_folds_for(self.n_splits, 0, "n_splits")
        check_whole("max_iter", self.max_iter, "[0, inf)")
        check_in("tol", self.tol, "[0, inf)")
        if listed_candidates(self.n_components) is None and not isinstance(
            self.n_components, Mapping
        ):
            check_whole("n_components", self.n_components, "[1, inf)")

    @property
    def climb(self) -> Climb:
        """How EM searches for a maximum."""
        return Climb(
            self.n_init,
            cooling(self.beta_start, self.beta_factor, self.beta_iter),
            self.correspondence,
            self.max_iter,
            self.tol,
        )

    @property
    def most_steps(self) -> int:
        """Most steps of EM over all starts, for progress bars."""
        climb = self.climb
        is_single = isinstance(self.n_components, Integral) and self.n_components == 1
        return (1 if is_single else self.n_init) * (len(climb.warm_up) + climb.max_iter)

    def n_tables(self, n_threads: int) -> int:
        # Parameters and every thread's statistics; while labels are held out, also the model, and
        # the statistics of the labeled documents.
        return 3 + n_threads

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        return self.fitted_mixture(training, run)

    def fitted_mixture(self, training: TrainingSet, run: Run) -> MixtureLearned:
        """The mixture, which learners of other models may be fitted to."""
        self.check(training.corpus.dtype)
        self._check_labels(training)
        model, climb, choices = self._planned(training, run)
        start = self._warm_start(run, model, training)
        on_step = run.progress.steps("EM", self.most_steps)
        fit = fit_mixture(model, training.corpus, climb, run.seed, on_step, start, keep_words=False)
        return self._learned(training, run, Ascent(model, climb), fit, choices)

    def _check_labels(self, training: TrainingSet) -> None:
        """Raise an error for labels that nothing can be learned from."""
        check_label_weights(training.label_weights, training.labels)

    @property
    def climbs_unlabeled(self) -> bool:
        """Whether unlabeled documents change the result at all."""
        return self.unlabeled_weight > 0 and (self.max_iter > 0 or self.beta_start < 1)

    def planned_ascent(self, training: TrainingSet, run: Run) -> Ascent | None:
        if not self.climbs_unlabeled:
            return None
        model, climb, _ = self._planned(training, run)
        return Ascent(model, climb)

    def _planned(
        self, training: TrainingSet, run: Run
    ) -> tuple[MultinomialMixture, Climb, tuple[Choice, ...]]:
        """The model to be fitted, with its components chosen, and how."""
        climb, candidates = self.climb, listed_candidates(self.n_components)
        # Without unlabeled documents EM still separates the components of a class.
        if not (self.unlabeled_weight > 0 or candidates is not None or self.n_components != 1):
            climb = replace(climb, warm_up=(), max_iter=0)
        model = self._mixture(training, run)
        choices: list[Choice] = []
        if candidates is None:
            sizes = sizes_of(self.n_components, training.labels)
        else:
            on_fold = run.progress.phase("choosing")
            sizes, choices = choose_sizes(
                candidates, training, model, climb, self.n_splits, run.seed, on_fold
            )
        return replace(model, component_class=components_of(sizes)), climb, tuple(choices)

    def _mixture(self, training: TrainingSet, run: Run) -> MultinomialMixture:
        """The model with one component per class."""
        prior = (self.alpha, self.class_alpha, self.unlabeled_weight)
        return MultinomialMixture(np.arange(training.n_classes), *prior, run.n_threads)

    def _warm_start(
        self, run: Run, model: MultinomialMixture, training: TrainingSet
    ) -> MixtureParams | None:
        """Parameters of an earlier fit that plain EM can continue from."""
        # With annealing or early stopping the result depends on the path from the labels.
        continues = self.climbs_unlabeled and self.beta_start == 1 and not self.stops_early
        earlier = run.start.as_mixture() if run.start is not None and continues else None
        if earlier is None or earlier.kind != self.expert_type.kind:
            return None
        corpus = training.corpus
        fits = earlier.fits(model.component_class, corpus.n_words, corpus.dtype)
        return earlier.params if fits else None

    def _learned(
        self,
        training: TrainingSet,
        run: Run,
        ascent: Ascent,
        fit: Fit,
        choices: tuple[Choice, ...],
    ) -> MixtureLearned:
        model, result, labels = ascent.model, fit.result, training.labels
        shares = fit.unlabeled_shares(model)
        sizes = np.bincount(model.component_class).tolist()
        listed = [{**asdict(choice), "components": plain(choice.components)} for choice in choices]
        facts: EMFacts = {
            "unlabeled_shares": {} if shares is None else labels.by_name(shares.tolist()),
            "objective": [float(value) for value in result.objective],
            "converged": bool(result.converged),
            "stops_early": self.stops_early,
            "n_annealed": sum(bool(beta < 1.0) for beta in result.betas),
            "components": labels.by_name(sizes),
            "choices": listed,
        }
        return MixtureLearned(
            learner=self,
            expert=self.expert_type(self.title, model, result.params),
            facts={**facts},
            lines=em_lines(facts),
            class_lines=class_lines(facts),
            messages=self._messages(training, run, fit, shares),
            ascent=ascent if self.climbs_unlabeled else None,
            is_chosen_by_labels=bool(choices),
            fit=fit,
            climb=ascent.climb,
            choices=choices,
            unlabeled_shares=shares,
        )

    def _messages(
        self, training: TrainingSet, run: Run, fit: Fit, shares: FloatArray | None
    ) -> tuple[Message, ...]:
        found: list[Message] = []
        ran_out = self.max_iter > 0 and fit.result.n_iter > 0 and not fit.result.converged
        if ran_out and not self.stops_early and not run.progress.is_stopped:
            message = (
                f"EM stopped after {self.max_iter:,} iterations before reaching the tolerance "
                f"{self.tol}; increase max_iter or tol"
            )
            found.append((ConvergenceWarning, message))
        collapse = collapse_message(training.labels, training.label_weights, shares)
        if collapse is not None:
            found.append((CollapseWarning, collapse))
        return tuple(found)

    def prior_weight(self, size: CorpusSize) -> float:
        return mixture_prior_weight(size)


@dataclass(frozen=True)
class ClustersLearner(NaiveBayesLearner):
    """A mixture without classes: all documents are of one, whose components are clusters."""

    title: ClassVar[str] = "clusters"

    def _check_labels(self, training: TrainingSet) -> None:
        return


def mixture_prior_weight(size: CorpusSize) -> float:
    """Naive Bayes treats the words of a document as independent, and so is overconfident."""
    return min(1.0, MIXTURE_PRIOR / max(size.mean_length, 1e-9))

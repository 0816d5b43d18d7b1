"""Number of components of each class: as given, or the number that classifies best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from leaven._base.progress import OnDone
from leaven._base.validation import check_whole
from leaven.corpora import Corpus, TrainingSet, in_memory, sample_unlabeled
from leaven.documents._labels import Labels
from leaven.learning import Climb, components_of, fit_mixture
from leaven.learning._cross_validation import Folds, Predictor, cross_validate
from leaven.models import MultinomialMixture

__all__ = ["Choice", "choose_sizes", "listed_candidates", "sizes_of"]

AUTO = (1, 2, 3, 5, 10, 20)  # components per class that "auto" compares
MOST_UNLABELED = 20_000  # documents in a sample that stands for all, while candidates are compared


@dataclass(frozen=True)
class Choice:
    """A candidate's accuracy on held-out labeled documents."""

    components: Any  # as the user wrote it
    accuracy: float
    n_scored: int


def listed_candidates(components: Any) -> list[Any] | None:
    """The candidates among which to choose, None where the number is given."""
    if isinstance(components, str):
        if components != "auto":
            raise ValueError(
                f"n_components must be a number, a mapping from classes to numbers, a list of "
                f"such, or 'auto', got {components!r}"
            )
        return list(AUTO)
    if isinstance(components, list | tuple | range) or np.ndim(components):
        if not len(components):
            raise ValueError("n_components must list at least one candidate, got an empty list")
        return list(components)
    return None


def sizes_of(components: Any, labels: Labels) -> list[int]:
    """Number of components of each class."""
    names = labels.classes.tolist()
    if not isinstance(components, Mapping):
        check_whole("n_components", components, "[1, inf)")
        return [int(components)] * len(names)
    sizes = dict.fromkeys(names, 1)
    # Names as model files write them: True as true.
    written = {str(name): name for name in names} | {str(name).lower(): name for name in names}
    for name, size in components.items():
        check_whole(f"n_components[{name!r}]", size, "[1, inf)")
        if name not in sizes and str(name) not in written:
            raise ValueError(
                f"n_components names {name!r}, which is not a class; choose from "
                f"{', '.join(map(repr, names))}"
            )
        sizes[name if name in sizes else written[str(name)]] = int(size)
    return list(sizes.values())


def choose_sizes(
    candidates: Sequence[Any],
    training: TrainingSet,
    model: MultinomialMixture,
    climb: Climb,
    n_folds: int | str | None = None,
    seed: Any = 0,
    on_fit: OnDone | None = None,
) -> tuple[list[int], list[Choice]]:
    """Sizes of the candidate that classifies most held-out labeled documents correctly.

    Of equals the one with most components is taken: cross-validation with few labels chooses
    too few (table 3.3 of Nigam et al.), which costs more than a few too many.
    """
    sizes = [sizes_of(candidate, training.labels) for candidate in candidates]
    once = replace(climb, n_init=1)

    def fit(class_sizes: list[int], rest: Corpus) -> Predictor:
        mixture = replace(model, component_class=components_of(class_sizes))
        params = fit_mixture(mixture, rest, once, seed, keep_words=False).result.params
        return lambda documents: mixture.class_log_joint(params, documents.X, documents.vectors)

    # Many fits, so they run in memory, on a sample of the unlabeled documents.
    rng = np.random.default_rng(seed)
    sample = sample_unlabeled(training.corpus, MOST_UNLABELED, rng)[0]
    folds = Folds(training, n_folds, seed, unlabeled=in_memory(sample, model.n_threads))
    right = cross_validate(folds, [partial(fit, class_sizes) for class_sizes in sizes], on_fit)
    if not len(right[0]):  # stopped before any fold was done
        return sizes[0], []
    choices = [
        Choice(candidate, float(is_right.mean()), len(is_right))
        for candidate, is_right in zip(candidates, right, strict=True)
    ]
    best = max(range(len(sizes)), key=lambda i: (choices[i].accuracy, sum(sizes[i])))
    return sizes[best], choices

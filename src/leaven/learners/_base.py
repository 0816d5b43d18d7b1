"""The contract of a method: a learner fits on documents and gives an expert."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from leaven._base.progress import SILENT, Progress
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import CorpusSize, TrainingSet
from leaven.exceptions import CollapseWarning
from leaven.experts import Expert
from leaven.learning import Ascent
from leaven.learning._cross_validation import Folds

__all__ = ["Learned", "Learner", "Message", "Run"]

Message: TypeAlias = tuple[type[Warning], str]


@dataclass(frozen=True, eq=False)
class Run:
    """How a fit is to run: everything that is no option of a method.

    Parameters
    ----------
    seed : int
        Of whatever is drawn at random.
    n_threads : int or None
        Threads to use; None is one per processor.
    progress : Progress
        Is told how far the fit has come, and may ask for its end.
    start : Expert or None
        What an earlier fit of the same learner gave, on the same words, classes and labels: a
        warm start. A learner that cannot use it begins anew.
    """

    seed: Any = 0
    n_threads: int | None = None
    progress: Progress = SILENT
    start: Expert | None = None

    @classmethod
    def seeded(cls, random_state: int | None, n_threads: int | None = None, **more: Any) -> "Run":
        """From scikit-learn's ``random_state``, in which None draws a seed."""
        return cls(np.random.SeedSequence(random_state).entropy, n_threads, **more)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner gives: an expert, and how it went."""

    learner: "Learner"
    expert: Expert
    facts: Mapping[str, Any] = field(default_factory=dict)  # for reports; JSON can hold them
    lines: tuple[str, ...] = ()  # the facts in words
    class_lines: Mapping[str, str] = field(default_factory=dict)  # class → what to say of it
    messages: tuple[Message, ...] = ()  # what to warn of
    ascent: Ascent | None = None  # what EM climbed; None where unlabeled documents changed nothing
    is_chosen_by_labels: bool = False  # labels chose a setting, so held-out ones look too good

    @property
    def has_collapsed(self) -> bool:
        """Whether one class took almost everything, which only held-out labels can excuse."""
        return any(category is CollapseWarning for category, _ in self.messages)

    def refit(self, training: TrainingSet, run: Run) -> Expert:
        """The expert that a part of the documents gives: for labels that are held out.

        What labels chose for the whole stays as it is. Override it where a quicker fit does.
        """
        # An earlier expert has seen the labels that are held out now.
        anew = replace(run, start=None, progress=SILENT)
        return self.learner.fit(training, anew).expert

    def held_out_scores(self, folds: Folds, places: list[IntArray], run: Run) -> FloatArray:
        """Scores of the documents in each of the folds, from experts fitted without them.

        Override it where fits can share work. A stop asked for leaves the later folds out.
        """
        on_fold = run.progress.phase("holding out")
        found: list[FloatArray] = [np.zeros((0, len(folds.labels)))]
        for number, fold in enumerate(places):
            expert = self.refit(folds.rest(fold), run)
            documents = folds.documents(fold)
            found.append(expert.scores(documents.X, documents.vectors))
            if on_fold is not None and on_fold(number + 1, len(places)):
                break
        return np.concatenate(found)


class Learner(Protocol):
    """How a method learns: a frozen dataclass whose fields are the method's options.

    What is found goes into a :class:`Learned`; a learner itself never changes, so one can fit
    many times and in several threads.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    title: ClassVar[str]  # what reports call it

    @property
    def n_dims(self) -> int:
        """Dimensions of the vectors that documents must come with; 0 where it needs none."""
        return 0

    def check(self, dtype: Any) -> None:
        """Refuse options that make no sense, for counts of this precision."""
        return

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        """Learn from documents wherever they are; they carry vectors if ``n_dims`` says so."""
        ...

    def planned_ascent(self, training: TrainingSet, run: Run) -> Ascent | None:
        """What EM would climb; None where unlabeled documents would change nothing."""
        return None

    def prior_weight(self, size: CorpusSize) -> float:
        """What to multiply the expert's scores by as long as no held-out label tells."""
        return 1.0

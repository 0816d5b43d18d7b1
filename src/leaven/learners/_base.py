"""The interface of a learner, which fits on documents and returns an expert."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from leaven._base.progress import SILENT, Progress
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import CorpusSize, TrainingSet
from leaven.exceptions import CollapseWarning
from leaven.experts import Expert, checked_scores
from leaven.learning import Ascent
from leaven.learning._cross_validation import Folds

__all__ = ["Learned", "Learner", "Message", "Run"]

Message: TypeAlias = tuple[type[Warning], str]


@dataclass(frozen=True, eq=False)
class Run:
    """How a fit runs: everything that is not an option of the method.

    Parameters
    ----------
    seed : int
        Seed of everything that is drawn at random.
    n_threads : int or None
        Threads to use; None is one per processor.
    progress : Progress
        Receives the progress of the fit, and may request a stop.
    start : Expert or None
        The expert of an earlier fit of the same learner, on the same words, classes and labels: a
        warm start. A learner that cannot use it starts from scratch.
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
    """The result of a learner: an expert, and facts about the fit."""

    learner: "Learner"
    expert: Expert
    facts: Mapping[str, Any] = field(default_factory=dict)  # for reports; JSON can hold them
    lines: tuple[str, ...] = ()  # the facts in words
    class_lines: Mapping[str, str] = field(default_factory=dict)  # class → facts about it in words
    messages: tuple[Message, ...] = ()  # warnings to issue
    ascent: Ascent | None = None  # how EM was run; None where unlabeled documents changed nothing
    is_chosen_by_labels: bool = False  # a setting, so accuracy on held-out labels is optimistic

    @property
    def has_collapsed(self) -> bool:
        """Whether one class took almost everything, which only held-out labels can justify."""
        return any(category is CollapseWarning for category, _ in self.messages)

    def refit(self, training: TrainingSet, run: Run) -> Expert:
        """The expert fitted on a part of the documents: to score labels that are held out.

        Override it to keep settings that labels chose on all documents, or where a quicker fit is
        enough.
        """
        # An earlier expert has seen the labels that are held out now.
        fresh = replace(run, start=None, progress=SILENT)
        return self.learner.fit(training, fresh).expert

    def held_out_scores(self, folds: Folds, places: list[IntArray], run: Run) -> FloatArray:
        """Scores of the documents in each of the folds, from experts fitted without them.

        The folds deal out ``training.labeled`` of the fit, row for row. Override it where fits
        can share work. After a requested stop, later folds are left out.
        """
        on_fold = run.progress.phase("holding out")
        found: list[FloatArray] = [np.zeros((0, len(folds.labels)))]
        for number, fold in enumerate(places):
            expert = self.refit(folds.rest(fold), run)
            documents = folds.documents(fold)
            n_classes = len(folds.labels)
            found.append(checked_scores(expert, documents.X, documents.vectors, n_classes))
            if on_fold is not None and on_fold(number + 1, len(places)):
                break
        return np.concatenate(found)


class Learner(Protocol):
    """How a method learns: a frozen dataclass whose fields are the method's options.

    Every option of a registered method has a default, of the field or in the method's entry.
    Results go into a ``Learned``; a learner itself never changes, so one can fit many times
    and in several threads.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    title: ClassVar[str]  # what reports call it

    @property
    def n_dims(self) -> int:
        """Dimensions of the vectors that documents must come with; 0 where it needs none."""
        return 0

    def for_labels(self, n_labeled: int, has_vectors: bool) -> "Learner":
        """This learner with settings that suit so many labeled documents.

        ``has_vectors`` says whether users provide vectors of documents.
        """
        return self

    def check(self, dtype: Any) -> None:
        """Raise an error for invalid options, given the precision of the counts."""
        return

    def n_tables(self, n_threads: int) -> int:
        """Arrays of a number per class and word that a fit has in memory at its peak.

        In the precision of the counts. A fit that would not fit into memory is refused.
        """
        return 1

    @abstractmethod
    def fit(self, training: TrainingSet, run: Run) -> Learned:
        """Learn from documents wherever they are; they have vectors if ``n_dims`` is positive."""
        ...

    def planned_ascent(self, training: TrainingSet, run: Run) -> Ascent | None:
        """How EM would be run; None where unlabeled documents would change nothing."""
        return None

    def prior_weight(self, size: CorpusSize) -> float:
        """Factor on the expert's scores where no label can be held out; else the prior's center."""
        return 1.0

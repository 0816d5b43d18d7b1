"""From raw texts and labels to a fitted classifier: the steps behind every method."""

import dataclasses
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._report import FitReport
from leaven.corpora import MOST_LABELED, Counted, Counting, Uncounted
from leaven.corpora._size import measure
from leaven.estimators._two_view import TwoViewEM
from leaven.exceptions import UnlabeledHurtWarning
from leaven.experts._experts import MixtureExpert
from leaven.learners._components import plain
from leaven.learning._latent import GivenVectors
from leaven.methods._auto import Blended, blend, calibrate
from leaven.methods._label_checks import check_labels
from leaven.methods._quick_diagnosis import diagnose_fitted
from leaven.methods._registry import METHODS, TEXT_DECIDES, Method, fewest_documents
from leaven.text._options import TextOptions

__all__ = ["Training"]

WORDS_CHOSEN_BY_LABELS = (
    "whether unlabeled documents help was not checked: the words were chosen by the labels that "
    "the check would hold out; leaven diagnose checks with all words"
)
CHOSEN_TOGETHER = (
    "the accuracies by which components were chosen are too good: the words were chosen by the "
    "same labels; a grid search with LabeledFold chooses both honestly"
)
EXPECTED_TOGETHER = (
    "the expected accuracy is too good: the words were chosen by the labels that it was held "
    "out from; leaven evaluate on other labeled documents tells the truth"
)
EXPECTED_CHOSEN = (
    "the expected accuracy is too good: the number of components was chosen by the labels that it "
    "was held out from; leaven evaluate on other labeled documents tells the truth"
)
# Parts of a diagnosis that a report does without.
TOO_LONG = {"points", "alternatives", "recommended"}


@dataclass
class Training:
    """One fit: what is wanted, and what was found on the way."""

    method: Method
    estimator: Any
    text_options: Callable[[int], TextOptions]  # by the number of documents
    calibrate: bool = True
    diagnose: bool = False
    n_threads: int | None = None
    on_progress: Callable[[str, int, int], None] | None = None
    notes: list[str] = field(default_factory=list)  # for the report
    doubts: list[str] = field(default_factory=list)  # for the report, and to be warned of
    seconds: dict[str, float] = field(default_factory=dict)
    uses_labels: bool = False  # whether labels decided which words are kept

    def run(self, documents: Uncounted) -> FittedClassifier:
        """Count, learn vectors where the method looks at any, fit, hold out, report."""
        # The matrix products here are small and many: a library's own threads cost more than
        # they save, and on a busy machine ten times so.
        with threadpool_limits(1, user_api="blas"):
            return self._run(documents)

    def _run(self, documents: Uncounted) -> FittedClassifier:
        how = Counting(self.text_options, self.n_threads, self.on_progress, check_labels)
        counted: Counted = self._timed("counting", lambda: documents.counted(how))
        self.notes += counted.notes
        n_words, dtype, corpus = counted.counter.n_words, counted.dtype, counted.corpus
        self.uses_labels = self.text_options(counted.n_documents).uses_labels
        if isinstance(self.estimator, TwoViewEM):
            on_pass, own = self._progress("vectors"), self.estimator
            corpus = self._timed("vectors", lambda: own.viewed(corpus, n_words, dtype, on_pass))
        counted = dataclasses.replace(counted, corpus=corpus)
        self._timed("fitting", lambda: self._fit(counted))
        blended = self._blended(counted)
        diagnosis = self._diagnosis(counted)
        report = self._report(counted, blended, diagnosis)
        view = getattr(self.estimator, "latent_", None)
        needs_view = isinstance(view, GivenVectors) or any(e.sees_vectors for e in blended.experts)
        return FittedClassifier(
            counted.counter,
            blended.experts,
            blended.weights,
            counted.classes,
            report,
            view if needs_view else None,
            dtype,
        )

    def _timed(self, phase: str, step: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = step()
        self.seconds[phase] = time.perf_counter() - start
        return result

    def _progress(self, phase: str) -> Callable[[int, int], None] | None:
        if self.on_progress is None:
            return None
        report = self.on_progress
        return lambda done, total: report(phase, done, total)

    def _fit(self, counted: Counted) -> None:
        step = self._progress("EM")
        most = self.estimator.most_steps
        self.estimator.fit_corpus(
            counted.corpus,
            classes=counted.classes,
            n_words=counted.counter.n_words,
            dtype=counted.dtype,
            on_step=None if step is None else lambda done, _objective: step(done, most),
            on_fold=self._progress("choosing"),
            warn=False,
        )

    def _blended(self, counted: Counted) -> Blended:
        on_fit = self._progress("holding out")
        if not self.method.blends and not self.calibrate:
            expert = MixtureExpert(self.method.name, self.estimator._model, self.estimator._params)
            return Blended((expert,), np.ones(1))
        corpus, dtype = counted.corpus, counted.dtype
        size = measure(corpus, counted.counter.n_words)
        if self.method.blends:
            fewest = fewest_documents(METHODS["em"], counted.n_documents)
            own: Blended = self._timed(
                "comparing", lambda: blend(self.estimator, corpus, size, dtype, fewest, on_fit)
            )
        else:
            own = self._timed(
                "calibrating",
                lambda: calibrate(self.estimator, self.method.name, corpus, size, dtype, on_fit),
            )
        n_labeled = int(counted.class_counts.sum())
        if n_labeled > MOST_LABELED:
            self.notes.append(
                f"labels were held out from a sample of {MOST_LABELED:,} of the {n_labeled:,} "
                "labeled documents"
            )
        if own.expected is not None and self.uses_labels:
            self.notes.append(EXPECTED_TOGETHER)
        elif own.expected is not None and self.estimator.choices_:
            self.notes.append(EXPECTED_CHOSEN)
        return own

    def _diagnosis(self, counted: Counted) -> dict[str, Any]:
        # A blend has held documents out already, and acted on what it saw.
        if not self.diagnose or self.method.blends or not self.estimator.climbs_unlabeled:
            return {}
        if self.uses_labels:
            self.notes.append(WORDS_CHOSEN_BY_LABELS)
            return {}
        found = self._timed(
            "checking",
            lambda: diagnose_fitted(
                self.estimator,
                counted.corpus,
                n_words=counted.counter.n_words,
                dtype=counted.dtype,
                on_fit=self._progress("checking"),
            ),
        )
        if found.verdict == "hurts":
            self.doubts.append(f"{found.sentence} {found.recommendation}")
        return {key: value for key, value in found.to_json().items() if key not in TOO_LONG}

    def _report(
        self,
        counted: Counted,
        blended: Blended,
        diagnosis: dict[str, Any],
    ) -> FitReport:
        own = self.estimator
        if own.choices_ and self.uses_labels:
            self.notes.append(CHOSEN_TOGETHER)
        classes, counter = counted.classes, counted.counter
        shares = [] if np.isnan(own.unlabeled_shares_).any() else own.unlabeled_shares_.tolist()
        return FitReport(
            method=self.method.name,
            reason=blended.reason or self.method.summary,
            n_documents=counted.n_documents,
            n_labeled=int(counted.class_counts.sum()),
            class_counts=_by_name(classes, counted.class_counts.tolist()),
            n_words=counter.n_words,
            unlabeled_shares=_by_name(classes, shares),
            objective=own.objective_.tolist(),
            n_annealed=int((own.betas_ < 1.0).sum()),
            components=_by_name(classes, np.bincount(own.component_class_).tolist()),
            choices=[
                {**dataclasses.asdict(choice), "components": plain(choice.components)}
                for choice in own.choices_
            ],
            size_choices=[dataclasses.asdict(choice) for choice in counter.size_choices],
            converged=own.converged_,
            stops_early=isinstance(own, TwoViewEM),
            diagnosis=diagnosis,
            candidates=blended.candidates,
            expected_accuracy={} if blended.expected is None else blended.expected.to_json(),
            # A blend leaves an EM that collapsed out, and gives that as a reason.
            warnings=[*self.notes, *([] if self.method.blends else own.messages_), *self.doubts],
            seconds=self.seconds,
            options={
                "text": self.text_options(counted.n_documents).to_json(),
                "method": {
                    name: plain(value) if name == "components" else value
                    for name, value in own.get_params().items()
                    if name not in TEXT_DECIDES
                },
                "training": {"calibrate": self.calibrate},
            },
        )

    def warn(self, stacklevel: int) -> None:
        """Issue what there is to warn of."""
        if not self.method.blends:
            self.estimator.warn(stacklevel=stacklevel + 1)
        for message in self.doubts:
            warnings.warn(message, UnlabeledHurtWarning, stacklevel=stacklevel)


def _by_name(classes: Any, values: list[Any]) -> dict[str, Any]:
    return {str(name): value for name, value in zip(classes, values, strict=False)}

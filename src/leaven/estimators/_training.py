"""From raw texts and labels to a fitted classifier: the steps behind every method."""

import dataclasses
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from leaven._labels import Labels
from leaven.corpora import Block, Corpus, in_memory
from leaven.estimators._blending import Blended, blend, calibrate
from leaven.estimators._components import plain
from leaven.estimators._methods import METHODS, TEXT_DECIDES, Method, fewest_documents
from leaven.estimators._quick_diagnosis import diagnose_fitted
from leaven.estimators._two_view import TwoViewEM
from leaven.exceptions import UnlabeledHurtWarning
from leaven.experts import MixtureExpert
from leaven.fitted import FittedClassifier
from leaven.report import FitReport
from leaven.text._counter import TextCounter, TextOptions, fit_counter

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
    text_options: TextOptions
    calibrate: bool = True
    diagnose: bool = False
    n_threads: int | None = None
    on_progress: Callable[[str, int, int], None] | None = None
    notes: list[str] = field(default_factory=list)  # for the report
    doubts: list[str] = field(default_factory=list)  # for the report, and to be warned of
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, texts: pa.LargeStringArray, labels: Labels, given: Any) -> FittedClassifier:
        """Count, learn vectors where the method looks at any, fit, hold out, report."""
        # The matrix products here are small and many: a library's own threads cost more than
        # they save, and on a busy machine ten times so.
        with threadpool_limits(1, user_api="blas"):
            return self._run(texts, labels, given)

    def _run(self, texts: pa.LargeStringArray, labels: Labels, given: Any) -> FittedClassifier:
        counter, X = self._timed("counting", lambda: self._counted(texts, labels))
        block = Block(X, labels.codes, np.ones(len(texts)))
        if isinstance(self.estimator, TwoViewEM):
            on_pass, own = self._progress("vectors"), self.estimator
            block = self._timed("vectors", lambda: own.with_vectors(block, given, on_pass))
        corpus = in_memory(block, self.n_threads)
        self._timed("fitting", lambda: self._fit(corpus, block, labels))
        blended = self._blended(corpus, block)
        diagnosis = self._diagnosis(corpus, block)
        report = self._report(texts, labels, counter, blended, diagnosis)
        return FittedClassifier(
            counter,
            blended.experts,
            blended.weights,
            labels.classes,
            report,
            getattr(self.estimator, "latent_", None)
            if given is not None or any(own.sees_vectors for own in blended.experts)
            else None,
            X.dtype,
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

    def _counted(self, texts: pa.LargeStringArray, labels: Labels) -> tuple[TextCounter, Any]:
        return fit_counter(
            texts,
            self.text_options,
            codes=labels.codes,
            by_frequency=True,
            n_threads=self.n_threads,
            on_progress=self._progress("counting"),
        )

    def _fit(self, corpus: Corpus, block: Block, labels: Labels) -> None:
        step = self._progress("EM")
        most = self.estimator.most_steps
        self.estimator.fit_corpus(
            corpus,
            classes=labels.classes,
            n_words=block.X.shape[1],
            dtype=block.X.dtype,
            on_step=None if step is None else lambda done, _objective: step(done, most),
            on_fold=self._progress("choosing"),
            warn=False,
        )

    def _blended(self, corpus: Corpus, block: Block) -> Blended:
        on_fit = self._progress("holding out")
        if self.method.blends:
            fewest = fewest_documents(METHODS["em"], block.X.shape[0])
            own: Blended = self._timed(
                "comparing", lambda: blend(self.estimator, corpus, block, fewest, on_fit)
            )
        elif self.calibrate:
            own = self._timed(
                "calibrating",
                lambda: calibrate(self.estimator, self.method.name, corpus, block, on_fit),
            )
        else:
            expert = MixtureExpert(self.method.name, self.estimator._model, self.estimator._params)
            own = Blended((expert,), np.ones(1))
        if own.expected is not None and self.text_options.uses_labels:
            self.notes.append(EXPECTED_TOGETHER)
        elif own.expected is not None and self.estimator.choices_:
            self.notes.append(EXPECTED_CHOSEN)
        return own

    def _diagnosis(self, corpus: Corpus, block: Block) -> dict[str, Any]:
        # A blend has held documents out already, and acted on what it saw.
        if not self.diagnose or self.method.blends or not self.estimator.climbs_unlabeled:
            return {}
        if self.text_options.uses_labels:
            self.notes.append(WORDS_CHOSEN_BY_LABELS)
            return {}
        found = self._timed(
            "checking",
            lambda: diagnose_fitted(
                self.estimator,
                corpus,
                n_words=block.X.shape[1],
                dtype=block.X.dtype,
                on_fit=self._progress("checking"),
            ),
        )
        if found.verdict == "hurts":
            self.doubts.append(f"{found.sentence} {found.recommendation}")
        return {key: value for key, value in found.to_json().items() if key not in TOO_LONG}

    def _report(
        self,
        texts: pa.LargeStringArray,
        labels: Labels,
        counter: TextCounter,
        blended: Blended,
        diagnosis: dict[str, Any],
    ) -> FitReport:
        own = self.estimator
        if own.choices_ and self.text_options.uses_labels:
            self.notes.append(CHOSEN_TOGETHER)
        shares = [] if np.isnan(own.unlabeled_shares_).any() else own.unlabeled_shares_.tolist()
        return FitReport(
            method=self.method.name,
            reason=blended.reason or self.method.summary,
            n_documents=len(texts),
            n_labeled=int(labels.counts.sum()),
            class_counts=_by_name(labels.classes, labels.counts.tolist()),
            n_words=counter.n_words,
            unlabeled_shares=_by_name(labels.classes, shares),
            objective=own.objective_.tolist(),
            n_annealed=int((own.betas_ < 1.0).sum()),
            components=_by_name(labels.classes, np.bincount(own.component_class_).tolist()),
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
                "text": self.text_options.to_json(),
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

"""From raw texts and labels to a fitted classifier: the steps behind every method."""

import dataclasses
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from leaven._base.available_memory import check_memory
from leaven._base.blas import one_blas_thread
from leaven._base.plain import checked_plain, plain
from leaven._base.threads import count_threads
from leaven._base.typing import IntArray
from leaven.classifier import Channel, FitReport, FittedClassifier
from leaven.corpora import MOST_LABELED, Counted, Counting, TrainingSet, Uncounted
from leaven.documents._excerpts import Excerpts
from leaven.documents._label_checks import check_labels, doubtful_labels
from leaven.documents._labels import Labels
from leaven.documents._reading import Reading
from leaven.exceptions import CollapseWarning, LabelWarning, UnlabeledHurtWarning
from leaven.experts import documents_of, usual_decision
from leaven.held_out import Combination, calibrate, calibrate_sets
from leaven.held_out.diagnosis import diagnose_corpus
from leaven.learners import Learned, Learner, Message, Run
from leaven.learning import View, learn_view
from leaven.methods._beside import Beside, seen_beside
from leaven.methods._diagnose import spelling_of
from leaven.methods._label_quality import label_quality
from leaven.methods._options import (
    learner_options,
    make_learner,
    merged_text_options,
    subword_options,
)
from leaven.methods._registry import Method
from leaven.methods._text_quality import word_notes
from leaven.methods._warm_start import WarmStart
from leaven.neighbors import KeptDocuments
from leaven.text._options import TextOptions
from leaven.text._vocabulary import EmptyVocabularyError

__all__ = ["Training"]

T = TypeVar("T")
WORDS_CHOSEN_BY_LABELS = (
    "whether unlabeled documents help was not checked: the words were selected by the labels "
    "that the check would hold out; leaven diagnose checks with all words"
)
CHOSEN_TOGETHER = (
    "the accuracies by which settings were chosen are optimistic: the words were selected by the "
    "same labels; choose both by a grid search with LabeledFold"
)
EXPECTED_TOGETHER = (
    "the expected accuracy is optimistic: the words were selected by the labels that were held "
    "out; use leaven evaluate on other labeled documents"
)
EXPECTED_CHOSEN = (
    "the expected accuracy is optimistic: settings of the method were chosen by the labels that "
    "were held out; use leaven evaluate on other labeled documents"
)
NO_WORD_SHARED = (
    "the documents share no words, so that parts of words are counted; check the column of the text"
)
MOST_COMPARED = 5000  # labeled documents kept to compare others with, at most
STOPPED = "training was stopped early, as the progress callback requested"
# Parts of a diagnosis that reports leave out.
TOO_LONG = {"points", "alternatives", "recommended"}


@dataclass
class Training:
    """One fit: its settings, and notes and warnings collected on the way."""

    method: Method
    learner: Learner
    run: Run
    random_state: int | None = 0
    calibrate: bool = True
    diagnose: bool = False
    start: WarmStart = field(default_factory=WarmStart)
    reading: Reading | None = None  # how files were read, for the model to remember
    data: dict[str, Any] = field(default_factory=dict)  # the same for the report
    notes: list[str] = field(default_factory=list)  # for the report
    messages: list[Message] = field(default_factory=list)  # for the report, and to be issued
    seconds: dict[str, float] = field(default_factory=dict)
    keep_documents: bool = True
    keep_excerpts: int = 0  # characters of each
    options: Mapping[str, Any] | None = None  # of the learner, as the user gave them
    given_text_options: Mapping[str, Any] | None = None
    subwords: bool | None = None  # as the user asked; the method has it already
    is_segmented: bool = False  # by a function of the user, which models cannot hold
    allow_empty: bool | None = None  # whether a document may be predicted to have no label
    has_vectors: bool = False  # which the user provides
    uses_labels: bool = False  # whether labels decided which words are kept

    def text_options(self, n_documents: int) -> TextOptions:
        """How the method sees text, with the user's changes."""
        return merged_text_options(self.method, self.given_text_options, n_documents)

    def fit(self, documents: Uncounted) -> FittedClassifier:
        """Count, learn vectors where the method uses any, fit, hold out, report."""
        # The matrix products here are small and many: threads of the BLAS library cost more
        # than they save, on a busy machine ten times more.
        with one_blas_thread():
            return self._fit(documents)

    def _fit(self, documents: Uncounted) -> FittedClassifier:
        run = self.run
        self._reported_options()  # which are checked before anything is read
        how = Counting(
            self.text_options,
            run.n_threads,
            run.progress,
            self._check_labels,
            again=self.method.beside is not None,
        )
        counted = self._timed("counting", lambda: self._counted(documents, how))
        counted = counted.allowing_empty(self.allow_empty)
        self.notes += [*counted.notes, *counted.looks.notes(counted.counter.options)]
        self._check_memory(counted)
        doubts = doubtful_labels(counted.training.labels, counted.label_counts)
        self.messages += [(LabelWarning, doubt) for doubt in doubts]
        self.uses_labels = self.text_options(counted.n_documents).uses_labels
        earlier = self.start.fitting(counted, self.method.name, self._reported_options())
        training, view = self._with_vectors(counted.training, earlier)
        expert = earlier.expert(self.learner.title, counted.labels_digest)
        run = self.run = dataclasses.replace(run, start=expert)
        learned = self._timed("fitting", lambda: self.learner.fit(training, run))
        beside = self._beside(documents, counted, training, earlier)
        self.notes += word_notes(counted, beside is not None)
        combined = self._combined(learned, training, counted, beside)
        diagnosis = self._diagnosis(learned, training)
        quality = self._label_quality(counted, training, combined, view)
        kept = self._documents(training, combined)
        excerpts = self._excerpts(documents, kept)
        channel = None if beside is None else beside.channel(combined.beside)
        report = self._report(learned, counted, combined, channel, diagnosis, quality)
        sees_vectors = any(expert.sees_vectors for expert in combined.experts)
        needs_view = view is not None and (view.n_given > 0 or sees_vectors)
        return FittedClassifier(
            counted.counter,
            combined.experts,
            combined.weights,
            combined.decision or usual_decision(training.labels),
            report,
            view if needs_view else None,
            training.corpus.dtype,
            counted.labels_digest,
            self.reading,
            counted.labeled.hashes,
            kept,
            excerpts,
            channel,
        )

    def _counted(self, documents: Uncounted, how: Counting) -> Counted:
        """Documents by their words, or by subwords where they share no word."""
        try:
            return documents.counted(how)
        except EmptyVocabularyError:
            if self.method.beside is None:
                raise
        self.method = self.method.of_subwords()
        self.notes.append(NO_WORD_SHARED)
        return documents.counted(how)

    def _check_memory(self, counted: Counted) -> None:
        """Refuse parameters of so many classes and words that they would not fit into memory."""
        n_tables = self.learner.n_tables(count_threads(self.run.n_threads))
        n_tables += self.method.n_more_tables
        training = counted.training
        n_classes, n_words = training.n_classes, training.corpus.n_words
        check_memory(
            n_tables * n_classes * n_words * training.corpus.dtype.itemsize,
            f"method {self.method.name} of {n_classes:,} classes and {n_words:,} words",
            "limit the words with max_features or min_df (--vocabulary-size, --min-df), hash them "
            "to fewer with hash_features, or choose method knn, which has no parameters of words",
        )

    def _beside(
        self, documents: Uncounted, counted: Counted, training: TrainingSet, earlier: WarmStart
    ) -> Beside | None:
        """The same documents by their subwords, where the method uses them for such texts."""
        n_documents, size = counted.n_documents, counted.training.size
        options = subword_options(
            self.method, self.given_text_options, n_documents, size.words_per_document
        )
        if options is None or self._is_stopped:
            return None

        return self._timed(
            "subwords",
            lambda: seen_beside(
                documents, options, training, n_documents, self.learner.n_dims, self.run, earlier
            ),
        )

    def _check_labels(self, labels: Labels, counts: IntArray, n_documents: int) -> list[str]:
        """Check the labels as soon as they are known, and adapt the method to them."""
        notes = check_labels(labels, counts, n_documents)
        labels.allowing_empty(self.allow_empty)  # which may refuse it
        if labels.has_sets:
            self.method = self.method.for_sets()
        learner = make_learner(self.method, self.options)
        self.learner = learner.for_labels(int(counts.sum()), self.has_vectors)
        return notes

    def _timed(self, phase: str, step: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = step()
        self.seconds[phase] = time.perf_counter() - start
        return result

    def _with_vectors(
        self, training: TrainingSet, earlier: WarmStart
    ) -> tuple[TrainingSet, View | None]:
        """The documents with vectors, if the learner needs any, and the view they come from."""
        if not self.learner.n_dims:
            return training, None

        def learn() -> tuple[TrainingSet, View]:
            on_pass = self.run.progress.phase("vectors")
            view = earlier.view or learn_view(
                training.corpus, self.learner.n_dims, self.run.seed, on_pass, self.run.n_threads
            )
            return training.with_vectors(view.seen, view.n_dims), view

        return self._timed("vectors", learn)

    def _combined(
        self,
        learned: Learned,
        training: TrainingSet,
        counted: Counted,
        beside: Beside | None,
    ) -> Combination:
        combine: Callable[[Learned, TrainingSet, Run], Combination]
        if self.method.blend:
            step = "comparing"
            combine = partial(
                self.method.blended, beside=None if beside is None else beside.training
            )
        elif self.calibrate:
            step = "calibrating"
            combine = calibrate_sets if training.labels.has_sets else calibrate
        else:
            return Combination((learned.expert,), np.ones(1))
        combined = self._timed(step, lambda: combine(learned, training, self.run))
        n_labeled = int(counted.label_counts.sum())
        is_held_out = combined.expected is not None and combined.expected.n_held_out > 0
        if is_held_out and n_labeled > MOST_LABELED and training.audited is None:
            self.notes.append(
                f"labels were held out from a sample of {MOST_LABELED:,} of the {n_labeled:,} "
                "labeled documents"
            )
        if is_held_out and self.uses_labels:
            self.notes.append(EXPECTED_TOGETHER)
        elif is_held_out and learned.is_chosen_by_labels:
            self.notes.append(EXPECTED_CHOSEN)
        return combined

    def _documents(self, training: TrainingSet, combined: Combination) -> KeptDocuments | None:
        """The documents to compare others with: an expert's own, or the labeled ones."""
        own = documents_of(combined.experts)
        if own is not None or not self.keep_documents:
            return own
        return KeptDocuments.of_labeled(training.labeled).at_most(MOST_COMPARED)

    def _excerpts(self, documents: Uncounted, kept: KeptDocuments | None) -> Excerpts | None:
        n_characters = self.keep_excerpts
        if kept is None or not n_characters:
            return None
        texts = self._timed(
            "excerpts",
            lambda: documents.excerpts(kept.numbers, n_characters, self.run.progress),
        )
        return Excerpts.of(n_characters, texts)

    def _diagnosis(self, learned: Learned, training: TrainingSet) -> dict[str, Any]:
        ascent = learned.ascent
        if not self.diagnose or self._is_stopped:
            return {}
        if self.method.blend:
            return _no_diagnosis(f"{self.method.name} already weights EM by held-out labels")
        if ascent is None:
            return _no_diagnosis(f"{self.method.name} ran no EM over unlabeled documents")
        if self.uses_labels:
            self.notes.append(WORDS_CHOSEN_BY_LABELS)
            return {}
        on_fit = self.run.progress.phase("checking")
        found = self._timed(
            "checking",
            lambda: diagnose_corpus(
                ascent,
                training,
                seed=self.random_state,
                spelling=spelling_of(self.method),
                on_fit=on_fit,
            ),
        )
        if found.verdict == "hurts":
            message = f"{found.sentence} {found.recommendation}"
            self.messages.append((UnlabeledHurtWarning, message))
        return {key: value for key, value in found.to_json().items() if key not in TOO_LONG}

    def _label_quality(
        self, counted: Counted, training: TrainingSet, combined: Combination, view: View | None
    ) -> dict[str, int]:
        found = label_quality(
            counted,
            training,
            has_vectors=view is not None and view.n_given > 0,
            is_held_out=combined.expected is not None and combined.expected.n_held_out > 0,
        )
        self.notes += found.notes
        return found.numbers

    def _reported_options(self) -> dict[str, Any]:
        """Options as a report holds them."""
        more = {"random_state": self.random_state, "n_jobs": self.run.n_threads}
        return checked_plain("the option", {**learner_options(self.learner), **more})

    @property
    def _is_stopped(self) -> bool:
        return self.run.progress.is_stopped

    def _report(
        self,
        learned: Learned,
        counted: Counted,
        combined: Combination,
        channel: Channel | None,
        diagnosis: dict[str, Any],
        labeled_texts: dict[str, int],
    ) -> FitReport:
        if learned.is_chosen_by_labels and self.uses_labels:
            self.notes.append(CHOSEN_TOGETHER)
        if self._is_stopped:
            self.notes.append(STOPPED)
        # A blend leaves out an EM that collapsed, and says so in its reason.
        self.messages[:0] = [
            (category, message)
            for category, message in learned.messages
            if not (self.method.blend and category is CollapseWarning)
        ]
        expected, labels = combined.expected, counted.training.labels
        return FitReport(
            method=self.method.name,
            reason=combined.reason or self.method.summary,
            n_documents=counted.n_documents,
            n_labeled=int(counted.label_counts.sum()),
            class_counts=labels.by_name(labels.per_class(counted.label_counts).tolist()),
            n_words=counted.counter.n_words,
            n_subwords=0 if channel is None else channel.counter.n_words,
            scripts=counted.looks.script_shares,
            lines=[*learned.lines],
            class_lines=dict(learned.class_lines),
            size_choices=[dataclasses.asdict(choice) for choice in counted.counter.size_choices],
            diagnosis=diagnosis,
            candidates=combined.candidates,
            expected_accuracy={} if expected is None else expected.to_json(),
            labeled_texts=labeled_texts,
            label_sets=labels.set_facts(counted.label_counts),
            warnings=[*self.notes, *(message for _, message in self.messages)],
            seconds=self.seconds,
            options={
                "text": plain(self.text_options(counted.n_documents).to_json()),
                "method": self._reported_options(),
                "training": {
                    "calibrate": self.calibrate,
                    "keep_documents": self.keep_documents,
                    "keep_excerpts": self.keep_excerpts,
                    "allow_empty": self.allow_empty,
                    "subwords": self.subwords,
                    "segment": self.is_segmented,
                },
            },
            data=plain(self.data),
            facts=checked_plain("the fact", learned.facts),
        )

    def warn(self, stacklevel: int) -> None:
        """Issue the warnings of the fit."""
        for category, message in self.messages:
            warnings.warn(message, category, stacklevel=stacklevel)


def _no_diagnosis(why: str) -> dict[str, Any]:
    sentence = f"Whether unlabeled text helps was not diagnosed: method {why}."
    return {"verdict": None, "sentence": sentence}

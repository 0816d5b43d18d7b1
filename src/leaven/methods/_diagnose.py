"""Diagnosis of raw texts: whether the unlabeled ones help."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from leaven._base.bars import listening
from leaven._base.blas import one_blas_thread
from leaven._base.progress import SILENT, OnProgress, Progress
from leaven._base.typing import IntArray
from leaven._base.validation import Seed, check_choice, checked_seed
from leaven.corpora import Block, Counting, Joined, TextsInMemory, TrainingSet, in_memory
from leaven.corpora._base import stacked
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import (
    check_labels,
    check_lengths,
    doubtful_labels,
    refuse_label_sets,
)
from leaven.documents._label_encoding import encode_labels
from leaven.documents._label_rules import LabelRules
from leaven.exceptions import LabelWarning
from leaven.experts import checked_scores
from leaven.held_out.diagnosis import (
    NAIVE_BAYES,
    Diagnosis,
    Rival,
    Spelling,
    diagnose_alternatives,
    diagnose_corpus,
)
from leaven.learners import Run
from leaven.learning import learn_view
from leaven.methods._options import make_learner, merged_text_options
from leaven.methods._registry import METHODS, Method, methods_where

__all__ = ["diagnose", "spelling_of"]


def diagnose(
    texts: Any,
    labels: Any,
    *,
    method: str = "em",
    text_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    alternatives: bool = True,
    n_starts: int = 10,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    unlabeled: Sequence[Any] = (),
    ignore_case: bool = False,
    on_progress: OnProgress = None,
) -> Diagnosis:
    """Check whether the unlabeled texts help, by holding out labels.

    EM starts from several subsets of the labeled documents and is scored on the others. Where
    more probable models classify better, unlabeled text helps; where they are worse, it
    hurts.

    Parameters
    ----------
    texts : list of str, or a column of pandas, polars or Arrow
        The documents.
    labels : list of str or int, or such a column
        The class of each document; None, NaN or "" (-1 among whole numbers) is unlabeled.
    method : {"em", "mixture", "annealed", "two-view"}, default="em"
        The method of [`leaven.TextClassifier`][] to diagnose.
    text_options, options : dict or None, default=None
        As in [`leaven.TextClassifier`][].
    alternatives : bool, default=True
        Also try alternatives, including the default method "auto", and recommend the best.
        Takes twenty times as long: about a minute for 20,000 documents of 20 classes.
    n_starts : int, default=10
        Subsets of the labeled documents to start from; more take longer and are more reliable.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.
    random_state : int, RandomState, Generator or None, default=0
        Seed of subsets, samples and starts.
    unlabeled, ignore_case
        As in [`leaven.TextClassifier`][].
    on_progress : callable, "bar" or None, default=None
        "bar" shows progress bars, on a terminal or in a notebook. A function is called as
        ``on_progress(phase, done, total)`` with phase "counting", "choosing" (of the number of
        components) or "diagnosing".

    Returns
    -------
    Diagnosis
        The verdict ("helps", "hurts" or "unclear"), a sentence with the evidence, a
        recommendation, and the accuracy of each alternative. A notebook shows a table.

    Raises
    ------
    ValueError
        If documents have several labels, or words are selected by labels.

    Warns
    -----
    LabelWarning
        If classes look like spellings of one, or like missing labels.

    See Also
    --------
    compare : All methods on the same held-out labels.

    References
    ----------
    [Nigam, McCallum and Mitchell (2006)][nigam2006], section 3.3, figures 3.2 and 3.3.

    Examples
    --------
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> diagnosis = diagnose(texts, ["baking", "space", None, None])
    >>> diagnosis.verdict
    'unclear'
    >>> print(diagnosis.recommendation)
    Label at least two documents of each class, then diagnose again.
    """
    check_choice("method", method, methods_where(is_diagnosed=True))
    array = as_text_array(texts)
    encoded = encode_labels(labels, LabelRules.of(unlabeled, ignore_case))
    refuse_label_sets(encoded.labels, "diagnose")
    check_lengths(encoded, len(array))
    check_labels(encoded.labels, encoded.counts, len(array))
    for doubt in doubtful_labels(encoded.labels, encoded.counts):
        warnings.warn(doubt, LabelWarning, stacklevel=2)
    entry = METHODS[method]
    learner = make_learner(entry, options)
    learner.check(np.dtype(np.float32))  # all options, before some are set aside
    merged = merged_text_options(entry, text_options, len(array))
    if merged.uses_labels:
        raise ValueError(
            "diagnose holds labels out, and max_features with rank_by='mutual_information' or "
            "'auto' would choose the words by all of them; leave these text_options out"
        )
    seed = checked_seed(random_state)
    with listening(on_progress) as listener:
        run = Run.seeded(seed, n_jobs, progress=Progress(listener))
        texts_in_memory = TextsInMemory(array, encoded)
        training = _counted(texts_in_memory, entry, text_options, run)
        if learner.n_dims:
            view = learn_view(training.corpus, learner.n_dims, run.seed)
            training = training.with_vectors(view.seen, view.n_dims)
        ascent = learner.planned_ascent(training, run)
        if ascent is None:
            raise ValueError(
                "there is nothing to diagnose: with unlabeled_weight=0 or max_iter=0 unlabeled "
                "documents change nothing; leave these options out"
            )
        settings: dict[str, Any] = {
            "n_starts": n_starts,
            "seed": seed,
            "spelling": spelling_of(entry),
            "on_fit": run.progress.phase("diagnosing"),
        }
        if not alternatives:
            return diagnose_corpus(ascent, training, **settings)
        default = _Default(texts_in_memory, text_options, replace(run, progress=SILENT))
        return diagnose_alternatives(ascent, training, default=default.rival, **settings)


def spelling_of(method: Method) -> Spelling:
    """How to ask for each way to train the model of a method."""
    is_naive_bayes = method.learner == METHODS["em"].learner
    return NAIVE_BAYES if is_naive_bayes else Spelling.of(method.name)


def _counted(
    documents: TextsInMemory, method: Method, text_options: Mapping[str, Any] | None, run: Run
) -> TrainingSet:
    options = partial(merged_text_options, method, text_options)
    return documents.counted(Counting(options, run.n_threads, run.progress)).training


class _Default:
    """The default method, trained on the documents of each start as it sees them.

    Its words and vectors, for which no label is needed, are those of all documents.
    """

    def __init__(
        self, documents: TextsInMemory, text_options: Mapping[str, Any] | None, run: Run
    ) -> None:
        self.documents, self.text_options, self.run = documents, text_options, run
        self.method = next(iter(METHODS.values()))
        self.learner = make_learner(self.method, None)

    @property
    def rival(self) -> Rival:
        name = self.method.name
        advice = f"Train with the default, method {name} (leaven train without --method)"
        return Rival(name, advice, self.answers)

    @cached_property
    def training(self) -> TrainingSet:
        training = _counted(self.documents, self.method, self.text_options, self.run)
        view = learn_view(training.corpus, self.learner.n_dims, self.run.seed)
        return training.with_vectors(view.seen, view.n_dims)

    @cached_property
    def seen(self) -> Block:
        """All documents, in the order of their numbers."""
        blocks: list[Block] = self.training.corpus.reduce(lambda block: [block])
        together = stacked(blocks)
        return together.rows(np.argsort(together.numbers))

    def answers(self, labeled: Block, unlabeled: Block, held: Block) -> IntArray:
        """Codes of the documents held out."""
        with one_blas_thread():  # as in training
            parts = [self._as_seen(labeled), self._as_seen(unlabeled)]
            corpus = Joined([in_memory(part, self.run.n_threads) for part in parts])
            counts = np.bincount(labeled.y, labeled.weight, self.training.n_classes)
            weights = counts.astype(np.float64)
            training = replace(self.training, corpus=corpus, label_weights=weights)
            learned = self.learner.fit(training, self.run)
            combined = self.method.blended(learned, training, self.run)
            documents = self._as_seen(held)
            X, vectors, n_classes = documents.X, documents.vectors, training.n_classes
            scores = [checked_scores(one, X, vectors, n_classes) for one in combined.experts]
            return training.labels.decide(np.tensordot(combined.weights, np.stack(scores), 1))

    def _as_seen(self, block: Block) -> Block:
        """The same documents with the default method's words and vectors."""
        return replace(self.seen.rows(block.numbers), y=block.y, weight=block.weight)

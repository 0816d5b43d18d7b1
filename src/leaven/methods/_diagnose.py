"""Diagnosis of raw texts: whether the unlabeled ones help."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leaven._base.progress import Listener, Progress
from leaven._base.validation import check_choice
from leaven.corpora import Counting, TextsInMemory
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_labels, check_lengths, doubtful_labels
from leaven.documents._label_rules import LabelRules
from leaven.documents._labels import encode_labels
from leaven.exceptions import LabelWarning
from leaven.held_out.diagnosis import Diagnosis, diagnose_alternatives, diagnose_corpus
from leaven.learners import Run
from leaven.learning import learn_view
from leaven.methods._options import make_learner, merged_text_options
from leaven.methods._registry import METHODS, methods_where

__all__ = ["diagnose"]


def diagnose(
    texts: Any,
    labels: Any,
    *,
    method: str = "em",
    text_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    alternatives: bool = True,
    n_starts: int = 10,
    n_threads: int | None = None,
    random_state: int | None = 0,
    unlabeled: Sequence[Any] = (),
    ignore_case: bool = False,
    on_progress: Listener | None = None,
) -> Diagnosis:
    """Judge whether the unlabeled texts help, from the labeled ones alone.

    EM starts from several parts of the labeled documents and is scored on the others. Where
    more probable models are the better ones, unlabeled text helps; where they are worse, it
    hurts.

    Parameters
    ----------
    texts : list of str, or a column of pandas, polars or Arrow
        The documents.
    labels : list of str or int, or such a column
        The class of each document; None, NaN or "" (-1 among whole numbers) is unlabeled.
    method : {"em", "mixture", "annealed", "two-view"}, default="em"
        The method of :class:`TextClassifier` to diagnose.
    text_options, options : dict or None, default=None
        As :class:`TextClassifier` takes them.
    alternatives : bool, default=True
        Also try alternatives, and recommend the best. Takes about ten times as long.
    n_starts : int, default=10
        Parts of the labeled documents to start from: more take longer and are more certain.
    n_threads : int or None, default=None
        Threads to use; None is one per processor.
    random_state : int or None, default=0
        Seed of parts, samples and starts.
    unlabeled, ignore_case
        As :class:`TextClassifier` takes them.
    on_progress : callable or None, default=None
        Called as ``on_progress(phase, done, total)`` with phase "counting", "choosing" (of
        the number of components) or "diagnosing".

    Examples
    --------
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> diagnosis = diagnose(texts, ["baking", "space", None, None])
    >>> diagnosis.verdict
    'unclear'
    >>> print(diagnosis.recommendation)
    Label at least two documents of each class, then ask again.
    """
    check_choice("method", method, methods_where(is_diagnosed=True))
    array = as_text_array(texts)
    encoded = encode_labels(labels, LabelRules.of(unlabeled, ignore_case))
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
    run = Run.seeded(random_state, n_threads, progress=Progress(on_progress))
    how = Counting(lambda _: merged, n_threads, run.progress)
    training = TextsInMemory(array, encoded).counted(how).training
    if learner.n_dims:
        view = learn_view(training.corpus, learner.n_dims, run.seed)
        training = training.with_vectors(view.seen, view.n_dims)
    ascent = learner.planned_ascent(training, run)
    if ascent is None:
        raise ValueError(
            "there is nothing to diagnose: with unlabeled_weight=0 or max_iter=0 unlabeled "
            "documents change nothing; leave these options out"
        )
    tell = diagnose_alternatives if alternatives else diagnose_corpus
    on_fit = run.progress.phase("diagnosing")
    return tell(ascent, training, n_starts=n_starts, seed=random_state, on_fit=on_fit)

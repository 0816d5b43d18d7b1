"""Labels that may be wrong: every labeled document is held out once and predicted."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.bars import listening
from leaven._base.folds import labeled_folds
from leaven._base.progress import Listener, OnProgress
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import Seed, check_whole, checked_seed
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_labels, check_lengths, refuse_label_sets
from leaven.documents._label_encoding import encode_labels
from leaven.documents._labels import EncodedLabels
from leaven.held_out import disputed_labels
from leaven.learning import check_given
from leaven.methods._label_lists import DisputedLabel, DisputedLabels
from leaven.methods._text_classifier import TextClassifier

__all__ = ["LabelErrors", "find_label_errors", "held_out_probabilities"]

FOLDS = 5  # by default


@dataclass(frozen=True)
class LabelErrors:
    """Disputed labels, the most doubtful first.

    Attributes
    ----------
    disputed : list of DisputedLabel
        Labels that may be wrong.
    method : str
        The method that classified the documents.
    n_labeled : int
        Labeled documents.
    n_held_out : int
        Those that were checked: all but the only labeled documents of a class.
    n_wordless : int
        Those of them without a word that the others have, so that nothing is known of them.
    n_splits : int
        Folds.
    """

    disputed: DisputedLabels
    method: str
    n_labeled: int
    n_held_out: int
    n_wordless: int
    n_splits: int


def find_label_errors(
    texts: Any,
    labels: Any,
    *,
    method: str = "auto",
    options: Mapping[str, Any] | None = None,
    text_options: Mapping[str, Any] | None = None,
    n_splits: int | None = None,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    vectors: Any = None,
    subwords: bool | None = None,
    on_progress: OnProgress = None,
) -> LabelErrors:
    """Find labels that may be wrong.

    The labeled documents are split into folds. Each fold is left out in turn: a classifier is
    trained on the others and on all unlabeled documents, and predicts the classes of the fold. A
    label is disputed where another class is much more probable; a document without any known
    word is no evidence against its label.

    Parameters are those of [`leaven.compare`][]; ``method``, ``options``, ``text_options`` and
    ``subwords`` those of [`leaven.TextClassifier`][]. ``on_progress`` is called with the phase
    "holding out" after every fit.
    """
    array, encoded = as_text_array(texts), encode_labels(labels)
    refuse_label_sets(encoded.labels, "the search for wrong labels")
    check_lengths(encoded, len(array))
    check_labels(encoded.labels, encoded.counts, len(array))
    if encoded.counts.max() < 2:
        raise ValueError(
            "labels are checked by holding them out, which needs a class with two labeled "
            "documents, and every class has one; label a second document of some classes"
        )
    seed = checked_seed(random_state)
    number = FOLDS if n_splits is None else n_splits
    check_whole("n_splits", number, "[2, inf)")
    folds = labeled_folds(encoded.codes, int(number), seed)
    clf = TextClassifier(
        method,
        options=options,
        text_options=text_options,
        subwords=subwords,
        n_jobs=n_jobs,
        random_state=seed,
    )
    given = None if vectors is None else check_given(vectors, len(array))
    with listening(on_progress) as listener:
        probability, is_wordless = held_out_probabilities(
            clf, array, encoded, folds, given, listener
        )
    places = np.concatenate(folds)[~is_wordless]
    found = disputed_labels(probability[~is_wordless], encoded.codes[places])
    names, numbers = encoded.classes.tolist(), places[found.rows]
    disputed = DisputedLabels(
        DisputedLabel(int(number), names[int(encoded.codes[number])], names[code], p, own)
        for number, code, p, own in zip(
            numbers.tolist(),
            found.suggested.tolist(),
            found.probability.tolist(),
            found.label_probability.tolist(),
            strict=True,
        )
    )
    n_labeled = int(encoded.counts.sum())
    return LabelErrors(
        disputed, method, n_labeled, len(is_wordless), int(is_wordless.sum()), len(folds)
    )


def held_out_probabilities(
    clf: TextClassifier,
    texts: pa.LargeStringArray,
    labels: EncodedLabels,
    folds: list[IntArray],
    vectors: FloatArray | None = None,
    on_progress: Listener | None = None,
) -> tuple[FloatArray, BoolArray]:
    """Class probabilities of the documents of all folds, by fits without them.

    Also returns which of these documents hold no word that the fit knows. The classifier is
    fitted for every fold, and left as the last one.
    """
    parts, wordless = [], []
    for done, fold in enumerate(folds):
        if on_progress is not None:
            on_progress("holding out", done, len(folds))
        is_kept = np.ones(len(texts), bool)
        is_kept[fold] = False
        kept = labels.labels.listed(labels.codes[is_kept])
        # Every fold would give the same warnings.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf.fit(
                texts.filter(pa.array(is_kept)),
                kept,
                vectors=None if vectors is None else vectors[is_kept],
            )
            # Every class has a label left, so codes mean the same as in all the labels.
            probability, is_wordless = clf.fitted.classify(
                texts.take(pa.array(fold)),
                vectors=None if vectors is None else vectors[fold],
                n_threads=clf.n_jobs,
            )
        parts.append(probability)
        wordless.append(is_wordless)
    if on_progress is not None:
        on_progress("holding out", len(folds), len(folds))
    return np.concatenate(parts), np.concatenate(wordless)

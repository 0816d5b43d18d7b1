"""Fits to the same texts with other labels each time, as while a person labels them."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array, vstack

from leaven._base.progress import Listener, Progress
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven.classifier import FittedClassifier, Seen
from leaven.corpora import Block, TextsInMemory, in_memory
from leaven.documents._label_encoding import encode_labels
from leaven.documents._reading import Reading
from leaven.learning import View, learn_view
from leaven.methods._options import (
    check_vectors,
    make_learner,
    merged_text_options,
    subword_options,
)
from leaven.methods._registry import Method, find_method, methods_where
from leaven.methods._text_classifier import TextClassifier
from leaven.methods._warm_start import NO_START, WarmStart
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._looks import TextLooks
from leaven.text._options import TextOptions
from leaven.text._vocabulary import EmptyVocabularyError

__all__ = ["RepeatedFits"]

MOST_DOCUMENTS = 100_000  # that a fit looks at; of more, a sample drawn at random
QUICK = "two-view"  # the method whose vectors say which documents are similar


@dataclass(frozen=True, eq=False)
class _Words:
    """The sampled texts as one method sees them."""

    counter: TextCounter
    X: Counts
    given: FloatArray | None  # the user's vectors
    n_dims: int
    seed: int
    on_progress: Listener | None

    @cached_property
    def view(self) -> View:
        """Where vectors come from."""
        n_documents = self.X.shape[0]
        block = Block(self.X, np.full(n_documents, -1), np.ones(n_documents), self.given)
        on_pass = Progress(self.on_progress).phase("vectors")
        return learn_view(in_memory(block), self.n_dims, self.seed, on_pass)

    @cached_property
    def vectors(self) -> FloatArray:
        return self.view.vectors(self.X, self.given)


class RepeatedFits:
    """Fits of any methods to the same texts; words and vectors are computed once.

    Parameters
    ----------
    texts : Arrow array of strings
        All documents.
    text_options : mapping or None
        As those of [`leaven.TextClassifier`][]; words must not be selected by labels.
    given : array of shape (n_documents, n_given) or None
        The user's vectors.
    several_labels : bool
        Whether documents can have several labels.
    most : int
        Of more documents than this, a random sample takes part, and all labeled documents.
    on_progress : callable or None
        Called while words and vectors are computed for the first time.
    """

    def __init__(
        self,
        texts: pa.LargeStringArray,
        *,
        text_options: Mapping[str, Any] | None = None,
        given: FloatArray | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        several_labels: bool = False,
        most: int = MOST_DOCUMENTS,
        on_progress: Listener | None = None,
    ) -> None:
        self.texts, self.given, self.text_options = texts, given, text_options
        self.n_jobs, self.random_state, self.on_progress = n_jobs, random_state, on_progress
        self.several_labels = several_labels
        rng = np.random.default_rng(random_state)
        every = np.arange(len(texts))
        chosen = every if len(texts) <= most else rng.choice(every, most, replace=False)
        self.sample: IntArray = np.sort(chosen)  # numbers of the documents that take part
        self._words: dict[tuple[str, int], _Words] = {}  # by text options and n_dims

    @property
    def vectors(self) -> FloatArray:
        """Unit vectors of the sampled documents, by which to find groups of them."""
        return self._seen_by(QUICK).vectors

    def fit(
        self,
        method: str,
        labels: Mapping[int, Any],
        *,
        audited: Collection[int] | None = None,
        options: Mapping[str, Any] | None = None,
        calibrate: bool = True,
        on_progress: Listener | None = None,
    ) -> TextClassifier:
        """A classifier from labels by document number; ``audited`` are those drawn at random.

        With None, nothing is known of how they were chosen, as for [`leaven.TextClassifier.fit`][].
        Labels are names of classes, or lists of them where documents can have several.
        """
        began = time.perf_counter()
        words = self._seen_by(method, options)
        subwords = self._subwords_for(method, words)
        numbers = np.fromiter(labels, np.int64, len(labels))
        others = np.setdiff1d(numbers, self.sample)
        rows = np.concatenate([self.sample, others])
        texts = self._texts(others)
        known = {
            each.counter.options.analyzer: (each.counter, self._rows(each, others))
            for each in (words, subwords)
            if each is not None
        }
        given = None if self.given is None else self.given[rows]
        answers = [labels.get(number) for number in rows.tolist()]
        is_audited = None
        if audited is not None:
            is_audited = np.isin(rows, np.fromiter(audited, np.int64, len(audited)))
        encoded = encode_labels(answers)
        clf = TextClassifier(
            method,
            options=options,
            text_options=self.text_options,
            subwords=subwords is not None if self._entry(method).beside is not None else None,
            calibrate=calibrate,
            keep_documents=False,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        documents = TextsInMemory(
            texts, encoded, given, known=known, looks=self._looks, audited=is_audited
        )
        start = NO_START
        if words.n_dims:
            beside = None if subwords is None else (subwords.counter, subwords.view)
            start = WarmStart(view=words.view, beside=beside)
        # Filters of warnings are shared by all threads, so that none are changed here.
        return clf._train(
            documents, given is not None, on_progress, began, Reading(), start, warns=False
        )

    def check(self, method: str) -> None:
        """Raise an error for a method that cannot be fitted to these documents."""
        entry = find_method(method)
        entry = entry.for_sets() if self.several_labels else entry
        if self.given is not None:
            check_vectors(entry, methods_where(sees_vectors=True))
        merged_text_options(entry, self.text_options, len(self.sample))

    def classified(self, fitted: FittedClassifier) -> tuple[FloatArray, BoolArray]:
        """Class probabilities of the sampled documents by one of the fits.

        Also returns which of them are classified without evidence.
        """
        words = self._counted_by(fitted.counter)
        subwords = None if fitted.beside is None else self._counted_by(fitted.beside.counter).X
        return fitted.classify_counts(Seen(words.X, subwords), words.given, self.n_jobs)

    @cached_property
    def _looks(self) -> TextLooks:
        """What the sampled texts look like."""
        html = bool((self.text_options or {}).get("html"))
        return TextLooks.of(self.texts.take(pa.array(self.sample)), html)

    def _counted_by(self, counter: TextCounter) -> _Words:
        return next(each for each in self._words.values() if each.counter is counter)

    def _texts(self, others: IntArray) -> pa.LargeStringArray:
        """Texts of the sampled documents, and of these others."""
        if not len(others) and len(self.sample) == len(self.texts):
            return self.texts
        return self.texts.take(pa.array(np.concatenate([self.sample, others])))

    def _rows(self, words: _Words, others: IntArray) -> Counts:
        """Counts of the same."""
        if not len(others):
            return words.X
        added = self.texts.take(pa.array(others))
        X = words.counter.count(added, dtype=words.X.dtype, n_threads=self.n_jobs)
        return csr_array(vstack([words.X, X], format="csr"))

    def _subwords_for(self, method: str, words: _Words) -> _Words | None:
        """The sampled texts by their subwords, where the method uses them for such texts."""
        n_documents = words.X.shape[0]
        per_document = words.X.nnz / max(n_documents, 1)
        entry = self._entry(method)
        seen = subword_options(entry, self.text_options, n_documents, per_document)
        if seen is None:
            return None
        key = (repr(seen), words.n_dims)
        if key not in self._words:
            try:
                counted = self._counted(seen)
            except EmptyVocabularyError:  # the documents share no subword
                return None
            self._words[key] = replace(counted, given=None, n_dims=words.n_dims)
        return self._words[key]

    def _seen_by(self, method: str, options: Mapping[str, Any] | None = None) -> _Words:
        """The sampled texts as a method sees them, counted once for all methods that agree."""
        entry = self._entry(method)
        seen = merged_text_options(entry, self.text_options, len(self.sample))
        if seen.uses_labels:
            raise ValueError(
                "words are selected by labels (max_features with mutual information), which "
                "change while documents are labeled; leave this option out"
            )
        n_dims = make_learner(entry, options).n_dims
        key = (repr(seen), n_dims)
        if key not in self._words:
            same = (each for (text, _), each in self._words.items() if text == key[0])
            counted = next(same, None) or self._counted(seen)
            self._words[key] = replace(counted, n_dims=n_dims)
        return self._words[key]

    def _entry(self, method: str) -> Method:
        found = find_method(method)
        return found.for_sets() if self.several_labels and method != QUICK else found

    def _counted(self, options: TextOptions) -> _Words:
        sampled = self.texts.take(pa.array(self.sample))
        counter, X = fit_counter(
            sampled,
            options,
            by_frequency=True,
            n_threads=self.n_jobs,
            on_progress=Progress(self.on_progress).phase("counting"),
        )
        given = None if self.given is None else self.given[self.sample]
        return _Words(counter, X, given, 0, self.random_state, self.on_progress)

"""A trained text classifier as data: everything prediction needs, free of scikit-learn."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._typing import Counts, FloatArray
from leaven._validation import check_whole
from leaven.correspondence import by_hand
from leaven.exceptions import UnseenWordsWarning
from leaven.explain import (
    ComponentWords,
    Explanation,
    WordPull,
    component_words,
    top_words,
    word_pulls,
)
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT
from leaven.report import FitReport
from leaven.text._arrow import as_text_array
from leaven.text._counter import TextCounter, TextOptions, fit_counter
from leaven.text._counting import Progress

__all__ = ["FittedClassifier"]

# Responsibilities of this many documents are in memory at once during prediction.
DOCUMENTS_PER_BATCH = 50_000


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """Counter, model and parameters that together classify raw text."""

    counter: TextCounter
    model: MultinomialMixture
    params: MixtureParams
    classes: Any  # (n_classes,) ndarray: object (str), integer or bool
    report: FitReport

    def predict_proba(
        self,
        texts: Any,
        *,
        n_threads: int | None = None,
        on_progress: Progress | None = None,
        warn: bool = True,
    ) -> FloatArray:
        """Class probabilities, (n_documents, n_classes)."""
        array = as_text_array(texts)
        batches = []
        n_wordless = 0
        for start in range(0, len(array), DOCUMENTS_PER_BATCH):
            batch = array.slice(start, DOCUMENTS_PER_BATCH)
            X = self.counter.count(batch, dtype=self.params.log_word.dtype, n_threads=n_threads)
            n_wordless += int((np.diff(X.indptr) == 0).sum())
            batches.append(SOFT(self.model.class_log_joint(self.params, X))[0])
            if on_progress is not None:
                on_progress(start + len(batch), len(array))
        if n_wordless and warn:
            warnings.warn(
                wordless_message(n_wordless, len(array)), UnseenWordsWarning, stacklevel=3
            )
        return np.concatenate(batches) if batches else np.empty((0, len(self.classes)))

    def top_words(self, how_many: int = 10) -> dict[Any, list[str]]:
        """Most telling words of each class; see :func:`leaven.explain.top_words`."""
        words = self._word_list("top_words")
        check_whole("how_many", how_many, "[0, inf)")
        numbers = top_words(self.model, self.params, how_many)
        return {
            name: words.take(pa.array(own)).to_pylist()
            for name, own in zip(self.classes.tolist(), numbers, strict=True)
        }

    def components(self, how_many: int = 10) -> list[ComponentWords]:
        """Every component with its most telling words, numbered as :meth:`assigned` wants it."""
        words = self._word_list("components")
        check_whole("how_many", how_many, "[0, inf)")
        names, share = self.classes.tolist(), np.exp(self.params.log_weight)
        return [
            ComponentWords(
                number,
                names[int(self.model.component_class[number])],
                float(share[number]),
                words.take(pa.array(own)).to_pylist(),
            )
            for number, own in enumerate(component_words(self.params, how_many))
        ]

    def assigned(self, mapping: Mapping[int, Any]) -> "FittedClassifier":
        """This classifier with components given to other classes, by number."""
        model = by_hand(self.model, self.classes, mapping)
        moved = ", ".join(str(number) for number in sorted(mapping))
        report = replace(
            self.report,
            components={
                str(name): int((model.component_class == code).sum())
                for code, name in enumerate(self.classes.tolist())
            },
            # What the fit said of classes is no longer true of them.
            unlabeled_shares={},
            diagnosis={},
            warnings=[f"components assigned by hand: {moved}"],
        )
        return replace(self, model=model, report=report)

    def explain(self, text: str, how_many: int = 10) -> Explanation:
        """The prediction for one text and the words that pulled it there."""
        words = self._word_list("explain")
        check_whole("how_many", how_many, "[0, inf)")
        x = self.counter.count(as_text_array([text]), dtype=self.params.log_word.dtype)
        probability = SOFT(self.model.class_log_joint(self.params, x))[0][0]
        numbers, weights, pulls = word_pulls(self.model, self.params, x)
        names = self.classes.tolist()
        found = words.take(pa.array(numbers[:how_many])).to_pylist()
        entries = [
            WordPull(word, float(weight), dict(zip(names, map(float, pull), strict=True)))
            for word, weight, pull in zip(found, weights, pulls, strict=False)
        ]
        return Explanation(
            names[int(probability.argmax())],
            dict(zip(names, map(float, probability), strict=True)),
            entries,
            self._count_unknown(text, x),
        )

    def _count_unknown(self, text: str, x: Counts) -> int:
        plain = TextOptions(
            tokens=self.counter.options.tokens,
            lowercase=self.counter.options.lowercase,
            stop_words=self.counter.options.stop_words,
            ngram_range=self.counter.options.ngram_range,
            numbers=self.counter.options.numbers,
        )
        try:
            alone, _ = fit_counter(as_text_array([text]), plain)
        except ValueError:  # the text holds no word at all
            return 0
        return max(alone.n_words - x.nnz, 0)

    def _word_list(self, what: str) -> pa.LargeStringArray:
        if self.counter.options.hash_features:
            raise ValueError(
                f"{what} needs the words, and this model hashed them; train without hash_features"
            )
        return self.counter.vocabulary.words


def wordless_message(n_wordless: int, n_documents: int) -> str:
    """What to tell about documents without a known word."""
    return (
        f"{n_wordless} of {n_documents} documents hold no word that the model knows; their "
        "prediction is only the most common class. Train on text of the same kind and language"
    )

"""The one door: raw texts and a few labels in, a classifier out."""

import dataclasses
import os
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from leaven._labels import encode_labels
from leaven._typing import FloatArray
from leaven.corpora import InMemoryCorpus
from leaven.estimators._components import plain
from leaven.estimators._label_checks import check_labels, check_lengths
from leaven.estimators._methods import Method, find_method
from leaven.estimators._quick_diagnosis import diagnose_fitted
from leaven.exceptions import UnlabeledHurtWarning
from leaven.explain import ComponentWords, Explanation
from leaven.fitted import FittedClassifier
from leaven.io import load_model, save_model
from leaven.report import FitReport
from leaven.text._arrow import as_text_array
from leaven.text._counter import TextOptions, fit_counter

__all__ = ["TextClassifier", "load"]

# Fewest documents a word must occur in, by the number of documents: rare words cost EM more
# (every one adds alpha to every class) than they tell, but in a small corpus all words are rare.
MIN_DF = {5000: 5, 1000: 3, 200: 2, 0: 1}
# Parameters of the methods' estimators that are the classifier's own too.
OWN = ("n_threads", "random_state")
WORDS_CHOSEN_BY_LABELS = (
    "whether unlabeled documents help was not checked: the words were chosen by the labels that "
    "the check would hold out; leaven diagnose checks with all words"
)
CHOSEN_TOGETHER = (
    "the accuracies by which components were chosen are too good: the words were chosen by the "
    "same labels; a grid search with LabeledFold chooses both honestly"
)
# Parts of a diagnosis that a report does without.
TOO_LONG = {"points", "alternatives", "recommended"}


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Classify raw text, trained on a few labeled documents and all unlabeled ones.

    Parameters
    ----------
    method : {"auto", "nb", "em", "mixture", "annealed"}, default="auto"
        How to learn. "nb" uses labeled documents only, "em" the unlabeled ones too;
        "mixture" gives a class several components, for classes of many topics; "annealed"
        cools slowly, for very few labels; "auto" chooses.
    text_options : dict or None, default=None
        Parameters of :class:`leaven.text.TextVectorizer` (all but ``vocabulary``, ``dtype``
        and ``n_threads``) to use instead of the method's own, such as
        ``{"stop_words": "english", "ngram_range": (1, 2)}``.
    options : dict or None, default=None
        Parameters of the method's estimator, such as ``{"alpha": 0.1}``.
    diagnose : bool, default=False
        After the fit, find out whether the unlabeled documents helped, from held-out labels
        (see :func:`leaven.diagnose`): a few seconds; ``report_.diagnosis`` holds the answer,
        and a warning is given where they hurt.
    n_threads : int or None, default=None
        Threads to use; None is one per processor.
    random_state : int, default=0
        Seed of methods that draw random numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted: the labels as given, str or int.
    report_ : FitReport
        What was fitted, why this method, the objective per iteration, warnings, timings.

    See Also
    --------
    NaiveBayesEM : The classifier alone, on counts of your own.

    Examples
    --------
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> clf = TextClassifier().fit(texts, ["baking", "space", None, None])
    >>> clf.predict(["bread dough", "an orbit"])
    array(['baking', 'space'], dtype=object)
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        text_options: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        diagnose: bool = False,
        n_threads: int | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.method = method
        self.text_options = text_options
        self.options = options
        self.diagnose = diagnose
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, texts: Any, labels: Any, *, on_progress: Any = None) -> Self:
        """Learn from texts, some of them labeled.

        Parameters
        ----------
        texts : list of str, or a column of pandas, polars or Arrow
            The documents.
        labels : list of str or int, or such a column
            The class of each document; None, NaN or "" (-1 among whole numbers) is unlabeled.
        on_progress : callable or None, default=None
            Called as ``on_progress(phase, done, total)`` with phase "counting", "choosing" (of
            the number of components), "EM" or "checking" (whether unlabeled documents helped).
        """
        start = time.perf_counter()
        array = as_text_array(texts)
        if labels is None:
            raise ValueError(
                "TextClassifier requires y to be passed, but the target y is None; give one "
                "label per document, None where unlabeled"
            )
        encoded = encode_labels(labels)
        notes = check_labels(encoded, len(array))
        method, reason = find_method(self.method, int((encoded.codes < 0).sum()))
        text_options = _merged_text_options(method.text, self.text_options, len(array))
        own = {name: getattr(self, name) for name in OWN}
        estimator = _make_estimator(method, self.options, own)
        prepared = time.perf_counter()
        counter, X = fit_counter(
            array,
            text_options,
            codes=encoded.codes,
            by_frequency=True,
            n_threads=self.n_threads,
            on_progress=_phase(on_progress, "counting"),
        )
        counted = time.perf_counter()
        corpus = InMemoryCorpus(X, encoded.codes, n_threads=self.n_threads)
        estimator.fit_corpus(
            corpus,
            classes=encoded.classes,
            n_words=counter.n_words,
            dtype=X.dtype,
            on_step=_em_steps(on_progress, estimator),
            on_fold=_phase(on_progress, "choosing"),
            warn=False,
        )
        fitted = time.perf_counter()
        seconds = {
            "preparing": prepared - start,
            "counting": counted - prepared,
            "fitting": fitted - counted,
        }
        diagnosis: dict[str, Any] = {}
        doubts: list[str] = []
        wanted = self.diagnose and estimator.climbs_unlabeled
        if wanted and text_options.uses_labels:
            notes.append(WORDS_CHOSEN_BY_LABELS)
        elif wanted:
            found = diagnose_fitted(
                estimator,
                corpus,
                n_words=counter.n_words,
                dtype=X.dtype,
                on_fit=_phase(on_progress, "checking"),
            )
            diagnosis = {k: v for k, v in found.to_json().items() if k not in TOO_LONG}
            seconds["checking"] = time.perf_counter() - fitted
            if found.verdict == "hurts":
                doubts.append(f"{found.sentence} {found.recommendation}")
        if estimator.choices_ and text_options.uses_labels:
            notes.append(CHOSEN_TOGETHER)
        self.classes_ = encoded.classes
        self.report_ = FitReport(
            method=method.name,
            reason=reason,
            n_documents=len(array),
            n_labeled=int(encoded.counts.sum()),
            class_counts=_by_name(encoded.classes, encoded.counts.tolist()),
            n_words=counter.n_words,
            unlabeled_shares=_by_name(
                encoded.classes,
                []
                if np.isnan(estimator.unlabeled_shares_).any()
                else estimator.unlabeled_shares_.tolist(),
            ),
            objective=estimator.objective_.tolist(),
            n_annealed=int((estimator.betas_ < 1.0).sum()),
            components=_by_name(encoded.classes, np.bincount(estimator.component_class_).tolist()),
            choices=[
                {**dataclasses.asdict(choice), "components": plain(choice.components)}
                for choice in estimator.choices_
            ],
            size_choices=[dataclasses.asdict(choice) for choice in counter.size_choices],
            converged=estimator.converged_,
            diagnosis=diagnosis,
            warnings=[*notes, *estimator.messages_, *doubts],
            seconds=seconds,
            options={
                "text": text_options.to_json(),
                "method": {**estimator.get_params(), "components": plain(estimator.components)},
            },
        )
        self._fitted = FittedClassifier(
            counter, estimator._model, estimator._params, self.classes_, self.report_
        )
        estimator.warn(stacklevel=3)
        for message in doubts:
            warnings.warn(message, UnlabeledHurtWarning, stacklevel=2)
        return self

    def predict_proba(self, texts: Any) -> FloatArray:
        """Class probabilities, (n_documents, n_classes)."""
        return self.fitted.predict_proba(texts, n_threads=self.n_threads)

    def predict(self, texts: Any) -> Any:
        """Most probable class of each document."""
        proba = self.fitted.predict_proba(texts, n_threads=self.n_threads)
        return self.classes_[proba.argmax(axis=1)]

    def predict_log_proba(self, texts: Any) -> FloatArray:
        """Logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(texts))

    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """Accuracy on the labeled documents among these."""
        check_is_fitted(self, "_fitted")
        array, known = as_text_array(texts), encode_labels(labels)
        check_lengths(known, len(array))
        is_labeled = known.codes >= 0
        if not is_labeled.any():
            raise ValueError("score needs labeled documents, and every label is missing")
        if not set(known.classes.tolist()) & set(self.classes_.tolist()):
            raise ValueError(
                f"none of the labels given ({known.classes.tolist()[0]!r}, …) is a class of this "
                f"classifier ({self.classes_.tolist()[0]!r}, …); give labels of the same kind"
            )
        truth = known.classes[known.codes[is_labeled]]
        proba = self.fitted.predict_proba(array, n_threads=self.n_threads)
        right = self.classes_[proba.argmax(axis=1)][is_labeled] == truth
        weight = None if sample_weight is None else np.asarray(sample_weight)[is_labeled]
        return float(np.average(right, weights=weight))

    def top_words(self, how_many: int = 10) -> dict[Any, list[str]]:
        """Most telling words of each class, by weighted log-likelihood ratio."""
        return self.fitted.top_words(how_many)

    def components(self, how_many: int = 10) -> list[ComponentWords]:
        """Every component of the model: number, class, share of the documents, top words."""
        return self.fitted.components(how_many)

    def assign_components(self, mapping: Mapping[int, Any]) -> Self:
        """Give components to other classes, after a look at their words.

        Annealing with few labels can leave a component with the wrong class, which its words
        betray. Components that ``mapping`` (number to class) does not name keep their class.
        """
        self._fitted = self.fitted.assigned(mapping)
        self.report_ = self._fitted.report
        return self

    def explain(self, text: str, how_many: int = 10) -> Explanation:
        """The prediction for one text, and which words pulled towards which class."""
        return self.fitted.explain(text, how_many)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`leaven.load` reads."""
        save_model(self.fitted, path)

    @property
    def fitted(self) -> FittedClassifier:
        """The trained classifier as data."""
        check_is_fitted(self, "_fitted")
        return self._fitted

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.poor_score = True
        return tags


def load(path: str | os.PathLike[str]) -> TextClassifier:
    """Read a classifier that :meth:`TextClassifier.save` or ``leaven train`` wrote."""
    fitted = load_model(path)
    options = fitted.report.options
    clf = TextClassifier(
        fitted.report.method,
        text_options=options.get("text"),
        options={k: v for k, v in options.get("method", {}).items() if k not in OWN},
        random_state=options.get("method", {}).get("random_state", 0),
    )
    clf.classes_, clf.report_, clf._fitted = fitted.classes, fitted.report, fitted
    return clf


def _merged_text_options(
    defaults: TextOptions, given: Mapping[str, Any] | None, n_documents: int
) -> TextOptions:
    known = {field.name for field in dataclasses.fields(TextOptions)}
    unknown = sorted(set(given or {}) - known)
    if unknown:
        raise ValueError(
            f"text_options has no {unknown[0]!r}; choose from {', '.join(sorted(known))}"
        )
    min_df = next(min_df for least, min_df in MIN_DF.items() if n_documents >= least)
    defaults = dataclasses.replace(defaults, min_df=min_df)
    merged = dataclasses.replace(defaults, **(given or {}))
    if merged.hash_features and merged.alternate_sign:
        raise ValueError(
            "hash_features with alternate_sign=True gives negative counts, which naive Bayes "
            "cannot use; add alternate_sign=False to text_options"
        )
    return merged


def _make_estimator(method: Method, given: Mapping[str, Any] | None, own: Mapping[str, Any]) -> Any:
    known = set(method.estimator().get_params()) - set(own)
    unknown = sorted(set(given or {}) - known)
    if unknown:
        raise ValueError(
            f"method {method.name!r} has no option {unknown[0]!r}; choose from "
            f"{', '.join(sorted(known))}"
        )
    return method.estimator(**{**method.settings, **(given or {}), **own})


def _by_name(classes: Any, values: list[Any]) -> dict[str, Any]:
    return {str(name): value for name, value in zip(classes, values, strict=False)}


def _phase(on_progress: Any, phase: str) -> Callable[[int, int], None] | None:
    if on_progress is None:
        return None
    return lambda done, total: on_progress(phase, done, total)


def _em_steps(on_progress: Any, estimator: Any) -> Callable[[int, float], None] | None:
    if on_progress is None:
        return None
    most_steps = estimator.most_steps
    return lambda step, _objective: on_progress("EM", step, most_steps)

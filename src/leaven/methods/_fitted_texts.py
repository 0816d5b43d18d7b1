"""What a trained TextClassifier is for: predict, score, save."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from leaven._base.typing import ClassArray, FloatArray
from leaven._base.validation import checked_weights
from leaven.classifier import FitReport, FittedClassifier, is_confident, save_model
from leaven.classifier._fitted import wordless_message
from leaven.classifier._in_parts import Decided, decide_in_parts
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_lengths
from leaven.documents._label_encoding import encode_like
from leaven.documents._label_rules import LabelRules
from leaven.documents._labels import EncodedLabels
from leaven.exceptions import UnseenWordsWarning
from leaven.learning import check_given
from leaven.text._embeddings import Embedding
from leaven.text._html import texts_of_html

__all__ = ["FittedTexts"]


class FittedTexts:
    """The methods of [`leaven.TextClassifier`][] that predict, score and save."""

    classes_: ClassArray
    report_: FitReport
    embed: Callable[[list[str]], Any] | str | None
    segment: Callable[[list[str]], Sequence[str]] | None
    text_options: Mapping[str, Any] | None
    n_jobs: int | None
    unlabeled: Sequence[Any]
    ignore_case: bool
    _fitted: FittedClassifier

    @property
    def _label_rules(self) -> LabelRules:
        return LabelRules.of(self.unlabeled, self.ignore_case)

    @property
    def _text_options(self) -> Mapping[str, Any] | None:
        """The text options given; where texts are split already, spaces delimit words."""
        if self.segment is None:
            return self.text_options
        return {"tokens": "spaces", **(self.text_options or {})}

    @property
    def _embedding_name(self) -> str | None:
        return self.embed if isinstance(self.embed, str) else None

    def _texts(self, X: Any) -> pa.LargeStringArray:
        """Texts, split into words by the user's function where there is one."""
        array = as_text_array(X)
        if self.segment is None:
            return array
        split = as_text_array(self.segment(self._without_markup(array).to_pylist()))
        if len(split) != len(array):
            raise ValueError(
                f"segment must return one text per text, got {len(split):,} for {len(array):,}; "
                "join the words of each text with spaces"
            )
        return split

    def _without_markup(self, array: pa.LargeStringArray) -> pa.LargeStringArray:
        return texts_of_html(array) if (self.text_options or {}).get("html") else array

    def _vectors(self, X: Any, given: Any) -> FloatArray | None:
        """The user's vectors of texts as they are: as given, or from a function or an embedding."""
        if given is None and self.embed is None:
            return None
        array = as_text_array(X)
        if given is None and self.embed is not None:
            if isinstance(self.embed, str):
                given = Embedding(self.embed, bool((self.text_options or {}).get("html")))(array)
            else:
                given = self.embed(self._without_markup(array).to_pylist())
        return check_given(given, len(array))

    def predict_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Class probabilities, (n_documents, n_classes).

        Calibrated on held-out labels: of the predictions at 0.8, about 80 % are correct. Where
        documents can have several labels, the probability that a document has each of them,
        whatever others it has.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``, if it was trained with vectors.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Columns in the order of ``classes_``.

        Warns
        -----
        UnseenWordsWarning
            If a text has no word that the classifier knows.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> clf.predict_proba(["bread dough"]).argmax(axis=1)
        array([0])
        """
        return self.fitted.predict_proba(**self._asked(X, vectors))

    def predict(self, X: Any, *, vectors: Any = None, min_probability: float | None = None) -> Any:
        """Most probable class of each document; None where it is below ``min_probability``.

        Where documents can have several labels: tuples of them, or a matrix of zeros and ones if
        labels were given as one. The probability of all labels of a document together must then
        reach ``min_probability``, for which a matrix has no place.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``, if it was trained with vectors.
        min_probability : float or None, default=None
            Probability that a prediction must reach; None accepts all of them.

        Returns
        -------
        ndarray of shape (n_documents,), or (n_documents, n_classes) for a matrix of labels
            The predicted labels.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> clf.predict(["bread dough", "an orbit"])
        array(['baking', 'space'], dtype=object)
        """
        decided = self._decided(X, vectors)
        predicted = decided.labels.values
        if min_probability is not None:
            if predicted.ndim > 1:
                raise ValueError(
                    "min_probability leaves documents without a prediction, for which a matrix of "
                    "zeros and ones has no place; fit on lists of labels, or use predict_proba"
                )
            predicted = predicted.astype(object)
            predicted[~is_confident(decided.confidence, min_probability)] = None
        return predicted

    def predict_log_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``, if it was trained with vectors.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Minus infinity where a probability is zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.fitted.predict_proba(**self._asked(X, vectors)))

    def _decided(self, X: Any, vectors: Any) -> Decided:
        """Labels of texts, with a warning of those without a known word for the user's caller."""
        decided = decide_in_parts(self.fitted, *self._asked(X, vectors).values())
        n_wordless = int(decided.is_wordless.sum())
        if n_wordless:
            message = wordless_message(n_wordless, len(decided.is_wordless))
            warnings.warn(message, UnseenWordsWarning, stacklevel=3)
        return decided

    def _asked(self, X: Any, vectors: Any) -> dict[str, Any]:
        return {
            "texts": self._texts(X),
            "vectors": self._vectors(X, vectors),
            "n_threads": self.n_jobs,
        }

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, vectors: Any = None) -> float:
        """Accuracy on the labeled documents among these.

        Where documents can have several labels, the share of documents for which all of them
        are predicted and no other.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        y : list of labels
            As for [`leaven.TextClassifier.fit`][]; unlabeled documents are left out.
        sample_weight : array of shape (n_documents,) or None, default=None
            How much each document counts.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``, if it was trained with vectors.

        Returns
        -------
        float
            Share of the labeled documents that are predicted correctly.

        Raises
        ------
        ValueError
            If no document is labeled, or none with a class of this classifier.
        """
        check_is_fitted(self, "_fitted")
        array = as_text_array(X)
        known = encode_like(y, self.fitted.labels, self._label_rules)
        check_lengths(known, len(array))
        is_labeled = known.codes >= 0
        if not is_labeled.any():
            raise ValueError(
                "score needs labeled documents, but every label is missing; in cross-validation "
                "use cv=LabeledFold(), whose test folds contain labeled documents only"
            )
        if len(known.classes) and not set(known.classes.tolist()) & set(self.classes_.tolist()):
            raise ValueError(
                f"none of the labels given ({known.classes.tolist()[0]!r}, …) is a class of this "
                f"classifier ({self.classes_.tolist()[0]!r}, …); give labels of the same kind"
            )
        weight = None
        if sample_weight is not None:
            weight = checked_weights("sample_weight", sample_weight, len(array))[is_labeled]
            if not weight.any():
                raise ValueError(
                    "sample_weight must be positive for some labeled document, got 0 for all of "
                    "them; raise some"
                )
        truth = EncodedLabels(known.codes[is_labeled], known.labels)
        found = self._decided(array, vectors).labels
        right = EncodedLabels(found.codes[is_labeled], found.labels).is_same(truth)
        return float(np.average(right, weights=weight))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that [`leaven.load`][] reads.

        The file contains numbers, words and options, no code; it is safe to load. It contains
        text only if ``keep_excerpts`` is set.

        Parameters
        ----------
        path : str or path
            Where to write; an existing file is replaced once the new one is complete.
        """
        save_model(self.fitted, path)

    @property
    def fitted(self) -> FittedClassifier:
        """The trained classifier as data."""
        check_is_fitted(self, "_fitted")
        return self._fitted

"""What a trained TextClassifier can do: predict, score, explain, save."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from leaven._base.typing import ClassArray, FloatArray
from leaven._base.validation import checked_weights
from leaven.classifier import FitReport, FittedClassifier, is_confident, save_model
from leaven.classifier._changed_words import ChangedWords, find_changed_words
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_lengths
from leaven.documents._label_encoding import encode_like
from leaven.documents._label_rules import LabelRules
from leaven.documents._labels import EncodedLabels
from leaven.experts import ComponentWords, Explanation, Neighbor
from leaven.learning import check_given
from leaven.text._embeddings import Embedding
from leaven.text._html import texts_of_html

if TYPE_CHECKING:
    from leaven.methods._label_errors import DisputedLabel
    from leaven.methods._suggest import Suggestion

__all__ = ["FittedTexts"]


class FittedTexts:
    """The methods of [`leaven.TextClassifier`][] that need a trained classifier."""

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
        array = as_text_array(X)
        if given is None and self.embed is not None:
            if isinstance(self.embed, str):
                given = Embedding(self.embed, bool((self.text_options or {}).get("html")))(array)
            else:
                given = self.embed(self._without_markup(array).to_pylist())
        return None if given is None else check_given(given, len(array))

    def predict_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Class probabilities, (n_documents, n_classes).

        Calibrated on held-out labels: of the predictions at 0.8, about 80 % are correct. Where
        documents can have several labels, the probability that a document has each of them,
        whatever others it has.
        """
        return self.fitted.predict_proba(**self._asked(X, vectors))

    def predict(self, X: Any, *, vectors: Any = None, min_probability: float | None = None) -> Any:
        """Most probable class of each document; None where it is below ``min_probability``.

        Where documents can have several labels: tuples of them, or a matrix of zeros and ones if
        labels were given as one. The probability of all labels of a document together must then
        reach ``min_probability``, for which a matrix has no place.
        """
        fitted = self.fitted
        probability = fitted.predict_proba(**self._asked(X, vectors))
        decided = fitted.decide(probability)
        predicted = decided.values
        if min_probability is not None:
            if predicted.ndim > 1:
                raise ValueError(
                    "min_probability leaves documents without a prediction, for which a matrix of "
                    "zeros and ones has no place; fit on lists of labels, or use predict_proba"
                )
            predicted = predicted.astype(object)
            predicted[~is_confident(fitted.confidence(probability, decided), min_probability)] = (
                None
            )
        return predicted

    def predict_log_proba(self, X: Any, *, vectors: Any = None) -> FloatArray:
        """Logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.fitted.predict_proba(**self._asked(X, vectors)))

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
        fitted = self.fitted
        probability = fitted.predict_proba(**self._asked(array, vectors))
        right = fitted.decide(probability[is_labeled]).is_same(truth)
        return float(np.average(right, weights=weight))

    def top_words(self, how_many: int = 10) -> dict[Any, list[str]]:
        """Most characteristic words of each class, by weighted log-likelihood ratio."""
        return self.fitted.top_words(how_many)

    def changed_words(self, against: "FittedTexts", how_many: int = 10) -> dict[Any, ChangedWords]:
        """Words whose discriminative power changed most from another classifier to this one.

        The discriminative power of a word for a class is the probability that a document which
        consists of this word alone belongs to the class. Against a classifier that was trained
        on the labeled documents alone, it shows what the unlabeled ones contributed.

        Parameters
        ----------
        against : TextClassifier
            A trained classifier, or one that [`leaven.load`][] read, of any method. Its classes
            must be the same, and some of its words.
        how_many : int, default=10
            Number of words for each class and direction.

        Returns
        -------
        dict
            For each class, the words that ``rose`` most and those that ``fell`` most, each with
            ``word``, ``difference``, ``before`` (by ``against``) and ``after`` (by this
            classifier). Only words that both classifiers know, and that changed. N-grams are
            documents without the words that they consist of.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> labels = ["baking", "space", None, None]
        >>> supervised = TextClassifier("nb").fit(texts, labels)
        >>> clf = TextClassifier("em").fit(texts, labels)
        >>> print(clf.changed_words(supervised, how_many=1)["baking"])
        rose: bread 50.0 % → 100.0 %
        fell: orbit 50.0 % → 0.0 %
        """
        if not isinstance(against, FittedTexts):
            raise TypeError(
                "against must be a trained TextClassifier, or one that leaven.load returned, got "
                f"{against!r}; load a model file first"
            )
        return find_changed_words(against.fitted, self.fitted, how_many, self.n_jobs)

    def components(self, how_many: int = 10) -> list[ComponentWords]:
        """Every component of the model: number, class, share of the documents, top words."""
        return self.fitted.components(how_many)

    def assign_components(self, mapping: Mapping[int, Any]) -> Self:
        """Assign components to other classes, after inspecting their words.

        Annealing with few labels can leave a component with the wrong class, which its words
        reveal. Components that ``mapping`` (number to class) does not name keep their class.
        """
        self._fitted = self.fitted.assigned(mapping)
        self.report_ = self._fitted.report
        return self

    def neighbors(self, texts: Any, how_many: int = 5) -> list[list[Neighbor]]:
        """Training documents that are most similar to each text, by the cosine of their words.

        For nearest-neighbor methods, the documents that voted, those with the largest share of
        the votes first. For others, labeled documents, the most similar first: they illustrate a
        prediction, which does not come from them.
        """
        return self.fitted.neighbors(self._texts(texts), how_many, self.n_jobs)

    def explain(
        self,
        text: str,
        how_many: int = 10,
        *,
        vector: Any = None,
        n_neighbors: int | None = None,
    ) -> Explanation:
        """The prediction for one text, and how much each word contributes to each class.

        ``vector`` is the vector of the text, instead of ``embed``, for a classifier that was
        trained with vectors. ``n_neighbors`` documents are listed as by
        [`leaven.TextClassifier.neighbors`][]; None is 5 for nearest-neighbor methods, and none for
        others. A classifier that hashed its words cannot name them, and is explained by documents
        alone. Where documents have several labels, the label is a tuple, and ``generated`` has the
        share of each word that each label generated, if the method models it.
        """
        given = None if vector is None else [vector]
        fitted, array = self.fitted, self._texts([text])
        vectors = self._vectors([text], given)
        given = None if vectors is None else vectors[0]
        return fitted.explain(array[0].as_py(), how_many, given, n_neighbors)

    def suggest(
        self, texts: Any, n: int = 20, *, labels: Any = None, vectors: Any = None
    ) -> list["Suggestion"]:
        """Documents whose labels would help this classifier most, the most useful first.

        Documents that it is unsure of and that many others are similar to, different from each
        other; none that it was trained with as labeled, nor any that has a label in ``labels``. See
        [`leaven.suggest`][] for the first documents, before there is a classifier.
        """
        from leaven.methods._suggest import suggest_for

        fitted, array = self.fitted, self._texts(texts)
        is_open = None
        if labels is not None:
            known = encode_like(labels, fitted.labels, self._label_rules)
            check_lengths(known, len(array))
            is_open = known.codes < 0
        return suggest_for(
            fitted,
            array,
            n,
            is_open=is_open,
            given=self._vectors(texts, vectors),
            n_threads=self.n_jobs,
        )

    def suspicious(self, texts: Any, labels: Any, *, vectors: Any = None) -> list["DisputedLabel"]:
        """Labels that may be wrong, the most doubtful first.

        Every labeled document is held out once and classified by a classifier of the same method
        and options that is trained on the others, as by ``leaven errors``. Takes as long as five
        fits.
        """
        from leaven.methods._label_errors import find_label_errors

        report = self.fitted.report
        found = find_label_errors(
            self._texts(texts),
            labels,
            method=report.method,
            options=getattr(self, "options", None),
            text_options=self._text_options,
            n_jobs=self.n_jobs,
            subwords=getattr(self, "subwords", None),
            vectors=self._vectors(texts, vectors),
        )
        return found.disputed

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that [`leaven.load`][] reads."""
        save_model(self.fitted, path)

    @property
    def fitted(self) -> FittedClassifier:
        """The trained classifier as data."""
        check_is_fitted(self, "_fitted")
        return self._fitted

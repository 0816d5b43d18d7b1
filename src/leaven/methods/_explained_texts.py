"""How a trained TextClassifier explains itself, and what it says about documents and labels."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from leaven._base.progress import OnProgress
from leaven.classifier._changed_words import ChangedByClass, find_changed_words
from leaven.documents._arrow import as_text_array
from leaven.documents._label_checks import check_lengths
from leaven.documents._label_encoding import encode_like
from leaven.experts import Components, Explanation, NeighborLists, TopWords
from leaven.methods._fitted_texts import FittedTexts

if TYPE_CHECKING:
    from leaven.methods._label_lists import DisputedLabels, Suggestions

__all__ = ["ExplainedTexts"]


class ExplainedTexts(FittedTexts):
    """The methods of [`leaven.TextClassifier`][] that explain, and that find documents to label."""

    def top_words(self, how_many: int = 10) -> TopWords:
        """Most characteristic words of each class, by weighted log-likelihood ratio.

        Parameters
        ----------
        how_many : int, default=10
            Number of words for each class.

        Returns
        -------
        dict of class to list of str
            The words of each class, the most characteristic first; a notebook shows a table.

        Raises
        ------
        ValueError
            If words were hashed, so that none can be named.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> clf.top_words(2)
        {'baking': ['yeast', 'bread'], 'space': ['planets', 'orbit']}
        """
        return self.fitted.top_words(how_many)

    def changed_words(self, against: FittedTexts, how_many: int = 10) -> ChangedByClass:
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

    def components(self, how_many: int = 10) -> Components:
        """Every component of the model: number, class, share of the documents, top words.

        Parameters
        ----------
        how_many : int, default=10
            Number of words for each component.

        Returns
        -------
        list of ComponentWords
            One entry per component; a notebook shows a table.

        Raises
        ------
        ValueError
            If the model has no components (methods other than "em", "mixture", "annealed" and
            "two-view"), or words were hashed.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> for component in clf.components(2):
        ...     print(component.number, component.label, component.words)
        0 baking ['yeast', 'bread']
        1 space ['planets', 'orbit']
        """
        return self.fitted.components(how_many)

    def assign_components(self, mapping: Mapping[int, Any]) -> Self:
        """Assign components to other classes, after inspecting their words.

        Annealing with few labels can leave a component with the wrong class, which its words
        reveal.

        Parameters
        ----------
        mapping : dict of int to class
            Number of a component, as [`leaven.TextClassifier.components`][] lists it, to its
            class. Components that are not named keep their class.

        Returns
        -------
        TextClassifier
            This classifier, changed.
        """
        self._fitted = self.fitted.assigned(mapping)
        self.report_ = self._fitted.report
        return self

    def neighbors(self, texts: Any, how_many: int = 5) -> NeighborLists:
        """Training documents that are most similar to each text, by the cosine of their words.

        For nearest-neighbor methods, the documents that voted, those with the largest share of
        the votes first. For others, labeled documents, the most similar first: they illustrate a
        prediction, which does not come from them.

        Parameters
        ----------
        texts : list of str, or a column of pandas, polars or Arrow
            Texts to find neighbors of.
        how_many : int, default=5
            Most documents for each text.

        Returns
        -------
        list of list of Neighbor
            The neighbors of each text; a notebook shows tables.

        Raises
        ------
        ValueError
            If the model was trained with ``keep_documents=False``.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> [[(each.number, each.label) for each in found] for found in clf.neighbors(["yeast"])]
        [[(0, 'baking')]]
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

        A classifier that hashed its words cannot name them, and is explained by documents alone.

        Parameters
        ----------
        text : str
            The text.
        how_many : int, default=10
            Most words to list.
        vector : array of shape (n_dims,) or None, default=None
            The vector of the text, instead of ``embed``, for a classifier that was trained with
            vectors.
        n_neighbors : int or None, default=None
            Number of documents to list, as by [`leaven.TextClassifier.neighbors`][]; None is 5 for
            nearest-neighbor methods, and 0 for others.

        Returns
        -------
        Explanation
            The label, its probability, and the words with the largest effect; a notebook shows
            bars. Where documents can have several labels, the label is a tuple, and ``generated``
            has the share of each word that each label generated, if the method models it.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> explanation = clf.explain("fresh bread")
        >>> explanation.label, explanation.unknown_words
        ('baking', 1)
        >>> explanation.words[0].word, explanation.words[0].towards
        ('bread', 'baking')
        """
        given = None if vector is None else [vector]
        fitted, array = self.fitted, self._texts([text])
        vectors = self._vectors([text], given)
        given = None if vectors is None else vectors[0]
        return fitted.explain(array[0].as_py(), how_many, given, n_neighbors)

    def suggest(
        self, texts: Any, n: int = 20, *, labels: Any = None, vectors: Any = None
    ) -> "Suggestions":
        """Documents whose labels would help this classifier most, the most useful first.

        Documents that it is unsure of and that many others are similar to, different from each
        other; none that it was trained with as labeled. See [`leaven.suggest`][] for the first
        documents, before there is a classifier.

        Parameters
        ----------
        texts : list of str, or a column of pandas, polars or Arrow
            The documents to choose from.
        n : int, default=20
            How many documents.
        labels : list of labels or None, default=None
            Labels of the documents; those that have one are not suggested.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``.

        Returns
        -------
        list of Suggestion
            With the ``number`` of the document, and the label ``predicted`` with its
            ``probability``; a notebook shows a table.

        Examples
        --------
        >>> from leaven import TextClassifier
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> new = ["bread in orbit", "planets", "yeast"]
        >>> [new[each.number] for each in clf.suggest(new, n=1)]
        ['bread in orbit']
        """
        from leaven.methods._suggest import suggest_for

        fitted, array = self.fitted, self._texts(texts)
        is_open = None
        if labels is not None:
            known = encode_like(labels, fitted.labels, self._label_rules)
            check_lengths(known, len(array))
            is_open = known.codes < 0
        found = suggest_for(
            fitted,
            array,
            n,
            is_open=is_open,
            given=self._vectors(texts, vectors),
            n_threads=self.n_jobs,
        )
        return found.with_excerpts(as_text_array(texts))

    def suspicious(
        self,
        texts: Any,
        labels: Any,
        *,
        vectors: Any = None,
        on_progress: OnProgress = None,
    ) -> "DisputedLabels":
        """Labels that may be wrong, the most doubtful first.

        Every labeled document is held out once and classified by a classifier of the same method
        and options that is trained on the others, as by ``leaven errors``. Takes as long as five
        fits.

        Parameters
        ----------
        texts : list of str, or a column of pandas, polars or Arrow
            The documents.
        labels : list of str or int, or such a column
            Their labels, as for [`leaven.TextClassifier.fit`][].
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``.
        on_progress : callable, "bar" or None, default=None
            As for [`leaven.TextClassifier.fit`][], with the phase "holding out".

        Returns
        -------
        list of DisputedLabel
            With the ``number`` of the document, its ``label``, the class ``suggested`` and the
            probabilities of both; a notebook shows a table.
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
            on_progress=on_progress,
        )
        return found.disputed.with_excerpts(as_text_array(texts))

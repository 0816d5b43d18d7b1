"""TextClassifier, the main entry point: raw texts and a few labels in, a classifier out."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Self

from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from leaven._base.progress import OnProgress
from leaven._base.typing import ClassArray
from leaven._base.validation import Seed, checked_weights
from leaven.classifier import FitReport, FittedClassifier
from leaven.corpora import TextsInMemory
from leaven.documents._audits import audits_given, check_audited
from leaven.documents._label_checks import check_labels, check_lengths
from leaven.documents._label_encoding import encode_labels
from leaven.documents._reading import Columns, Reading
from leaven.methods._nested_options import NestedOptions
from leaven.methods._places import check_client, check_no_functions, uncounted_files
from leaven.methods._registry import find_method
from leaven.methods._text_training import TrainedTexts
from leaven.methods._warm_start import NO_START, WarmStart
from leaven.text._embeddings import vector_source

__all__ = ["TextClassifier"]


class TextClassifier(TrainedTexts, ClassifierMixin, NestedOptions):
    """Classify raw text, trained on a few labeled documents and all unlabeled ones.

    Parameters
    ----------
    method : {"auto", "nb", "em", "mixture", "annealed", "sfe", "two-view", "svm", "tsvm", \
            "maxent", "mcl", "pcp", "fisher", "knn", "ss-cknn", "multilabel"}, default="auto"
        The learning method. "auto" combines linear models and two kinds of EM, with weights
        fitted to held-out labels. "nb" uses labeled documents only, "em" also unlabeled ones;
        "mixture" gives a class several components, for classes that cover several topics;
        "annealed" is EM with deterministic annealing; "sfe" estimates word frequencies from all
        documents, in one pass without EM; "two-view" is EM over words and vectors, for very few
        labels; "knn" lets the nearest labeled documents vote, "ss-cknn" also unlabeled ones that
        they classified; "svm" trains a linear support vector machine for each class, "tsvm" also
        keeps unlabeled documents out of its margin; "maxent" is logistic regression, to which "mcl"
        and "pcp" add the likelihood of all documents, with the same parameters or with others that
        are coupled to them; "fisher" trains support vector machines on how documents would change
        the model of "two-view"; "multilabel" is a mixture of the word distributions of a document's
        labels. "auto", "svm" and "multilabel" also learn several labels per document.
    text_options : dict or None, default=None
        Parameters of [`leaven.TextVectorizer`][] (all but ``vocabulary``, ``dtype`` and ``n_jobs``)
        to use instead of the method's defaults, such as ``{"stop_words": "english", "ngram_range":
        (1, 2)}``.
    options : dict or None, default=None
        Parameters of the method's estimator, such as ``{"alpha": 0.1}``. Grid search reaches an
        entry as ``options__alpha``, and one of ``text_options`` as ``text_options__min_df``.
    embed : callable, "wordllama" or None, default=None
        From a list of texts to an array of one vector each, such as a sentence encoder's
        ``encode``. The vectors are used in addition to those learned from the text (methods "auto"
        and "two-view"). A model file does not contain the function: pass it to [`leaven.load`][]
        again. "wordllama" is an embedding of English by name (``pip install 'leaven[vectors]'``):
        the mean of static vectors of the tokens. Models remember the name.
    segment : callable or None, default=None
        From a list of texts to texts whose words are separated by spaces: a segmenter for a
        language that is written without them, where runs of one to three characters are counted by
        default. A model file does not contain the function: pass it to [`leaven.load`][] again.
    subwords : bool or None, default=None
        Whether subwords, character n-grams of 3 to 5 characters inside words, are counted. None:
        method "auto" adds models of subwords where texts are short. True: it adds them to any
        texts; other methods, and "auto" for documents with several labels, count subwords instead
        of words. False: words only.
    calibrate : bool, default=True
        Hold out labels to calibrate probabilities and to estimate the expected accuracy in
        ``report_``; takes a few more fits. Always on for "auto".
    diagnose : bool, default=False
        After the fit, check on held-out labels whether the unlabeled documents helped
        ([`leaven.diagnose`][]; a few seconds). The result is ``report_.diagnosis``; warn if not.
    keep_documents : bool, default=True
        Keep the words (not the text) of at most 5,000 labeled documents, for
        [`leaven.TextClassifier.neighbors`][]. No effect for nearest-neighbor methods, whose
        predictions need documents.
    keep_excerpts : int, default=0
        Also keep the first so many characters of these documents, to show them. With 0 the model
        contains no text, which may be private.
    n_jobs : int or None, default=None
        Threads to use; None and -1 are one per processor.
    random_state : int, RandomState, Generator or None, default=0
        Seed of methods that draw random numbers; the two kinds of generators provide one for each
        fit.
    unlabeled : sequence of labels, default=()
        Labels that mean unlabeled besides missing ones, such as ``("?", "unknown")``.
    ignore_case : bool, default=False
        Make one class of labels that differ only in case or white space, in lower case.
    allow_empty : bool or None, default=None
        Where documents can have several labels, whether a document may be predicted to have none;
        if not, it has the most probable one. None allows it if some labeled document has none
        (``[]``).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted: the labels as given, str or int; the numbers of the columns, or
        their names, where labels are a matrix.
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
        embed: Callable[[list[str]], Any] | str | None = None,
        segment: Callable[[list[str]], Sequence[str]] | None = None,
        subwords: bool | None = None,
        calibrate: bool = True,
        diagnose: bool = False,
        keep_documents: bool = True,
        keep_excerpts: int = 0,
        n_jobs: int | None = None,
        random_state: Seed = 0,
        unlabeled: Sequence[Any] = (),
        ignore_case: bool = False,
        allow_empty: bool | None = None,
    ) -> None:
        self.method = method
        self.text_options = text_options
        self.options = options
        self.embed = embed
        self.segment = segment
        self.subwords = subwords
        self.calibrate = calibrate
        self.diagnose = diagnose
        self.keep_documents = keep_documents
        self.keep_excerpts = keep_excerpts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.unlabeled = unlabeled
        self.ignore_case = ignore_case
        self.allow_empty = allow_empty

    classes_: ClassArray
    report_: FitReport
    _fitted: FittedClassifier

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        vectors: Any = None,
        audited: Any = None,
        start: "TextClassifier | None" = None,
        on_progress: OnProgress = None,
    ) -> Self:
        """Learn from texts, some of them labeled.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        y : list of str or int, or such a column
            The label of each text; None, NaN or "" (-1 among whole numbers) is unlabeled. For
            documents with several labels, a list of labels each ([] where it has none of them,
            None where unlabeled), or a matrix of zeros and ones with a column for each class,
            in which a row of -1 is unlabeled; predictions then have the same form.
        sample_weight : array of shape (n_documents,) or None, default=None
            How much each document counts, labeled or not; None is 1 for all.
        vectors : array of shape (n_documents, n_dims) or None, default=None
            A vector of each document, instead of ``embed``.
        audited : array of bool of shape (n_documents,) or None, default=None
            Which labels are audits: given to documents drawn at random from all, and not because
            someone chose them. The expected accuracy, calibration and the weights of ``auto`` are
            then estimated from these alone; with fewer than 10, the accuracy is reported as
            unknown. What it says of unlabeled documents is ignored. None: nothing is known, and
            all labels are used as if they were a random sample.
        start : TextClassifier or None, default=None
            An earlier fit of the same method on the same texts. Its vectors are reused, so that
            a fit after a few more labels is faster; with the same labels, as after a fit that
            was stopped, plain EM (methods em and mixture) continues from its parameters. Where
            the method, its options, the words or the classes differ, it is ignored.
        on_progress : callable, "bar" or None, default=None
            "bar" shows progress bars, on a terminal or in a notebook, for phases that take longer
            than a second. A function is called as ``on_progress(phase, done, total)`` with phase
            "counting", "vectors", "choosing" (of the number of components), "EM", "holding out"
            (labels, to compare or to calibrate) or "checking" (whether unlabeled documents
            helped). If it returns True, training ends soon: EM stops with the parameters reached,
            and no more labels are held out.

        Returns
        -------
        TextClassifier
            This classifier, trained.

        Raises
        ------
        ValueError
            If no document is labeled, all labels are the same, or a parameter is invalid.

        Warns
        -----
        CollapseWarning
            If almost all unlabeled documents were assigned to one class.
        LabelWarning
            If classes look like spellings of one, or like missing labels.
        UnlabeledHurtWarning
            If unlabeled documents made the classifier worse, with ``diagnose=True``.

        Examples
        --------
        >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
        >>> clf.classes_
        array(['baking', 'space'], dtype=object)

        Documents with several labels:

        >>> labels = [["baking"], ["space", "travel"], None, []]
        >>> TextClassifier("svm").fit(texts, labels).predict(["yeast bread"])
        array([('baking',)], dtype=object)
        """
        began = time.perf_counter()
        array = self._texts(X)
        if y is None:
            raise ValueError(
                "TextClassifier requires y to be passed, but the target y is None; give one "
                "label per document, None where unlabeled"
            )
        encoded = encode_labels(y, self._label_rules)
        check_lengths(encoded, len(array))
        # Before any vector is made.
        check_labels(encoded.labels, encoded.counts, len(array))
        if encoded.labels.has_sets:
            find_method(self.method).for_sets()
        weights = None
        if sample_weight is not None:
            weights = checked_weights("sample_weight", sample_weight, len(array))
        flags = audits_given(audited, len(array))
        if vectors is None and self.embed is not None:
            self._checked("memory", True)
        given = self._vectors(X, vectors)
        name = self._embedding_name if vectors is None else None
        reading = Reading(**asdict(self._label_rules), embed=name)
        documents = TextsInMemory(array, encoded, given, weights, audited=flags)
        # Vectors of the user may have changed, so that nothing learned from them is known to fit.
        warm = NO_START if start is None or given is not None else WarmStart.of(start.fitted)
        return self._train(documents, given is not None, on_progress, began, reading, warm)

    def fit_files(
        self,
        paths: Any,
        *,
        text: Columns | None = None,
        label: str | None = None,
        label_separator: str | None = None,
        vectors: str | None = None,
        audited: str | None = None,
        format: str | None = None,
        encoding: str | None = None,
        header: bool = True,
        skip_bad_files: bool = False,
        stream: bool = True,
        cache: str | os.PathLike[str] | None = None,
        client: Any = None,
        on_progress: OnProgress = None,
    ) -> Self:
        r"""Learn from documents in files that need not fit in memory.

        The files are read twice, first for their words and labels, then to be counted, and twice
        more where subwords are counted too; the counts are kept on disk, and every iteration
        streams them from there. Memory depends on the number of words and classes, not on the
        number of documents.

        Parameters
        ----------
        paths : str, path, or list of them
            CSV, TSV, JSON, Parquet or text files (all but Parquet also gzipped), patterns
            such as ``"big/*.parquet"``, or folders.
        text, label : str or None, default=None
            Columns of the text and of the label; detected from column names if not given. Several
            columns of text, given as a tuple, are joined. A document with an empty label is
            unlabeled. A column of lists, in Parquet and JSON, holds several labels per document,
            or none where a list is empty.
        label_separator : str or None, default=None
            Text between the labels of a document in a column of text, such as ";". A cell of
            the separator alone means that a document has none of the labels.
        vectors : str or None, default=None
            Column of your vectors, a list of numbers per document.
        audited : str or None, default=None
            Column that says which labels are audits, as in [`leaven.TextClassifier.fit`][]: true or
            false, 1 or 0, yes or no, or "audit" for those that are, as a labeling page exports it.
            An empty value is false.
        format, encoding : str or None, default=None
            Of the files, where their extensions do not show it, or their bytes are not UTF-8.
        header : bool, default=True
            Whether the first row of a CSV or TSV file names its columns; with False they are
            called "1", "2" and so on.
        skip_bad_files : bool, default=False
            Leave out files that are missing or damaged; ``report_.warnings`` counts them.
        stream : bool, default=True
            With False all documents are read into memory, which is faster where they fit, and
            required where words are selected by labels.
        cache : path or None, default=None
            Folder for the counts, about eight bytes for each different word of each document;
            None is the folder of temporary files. They are deleted with the process.
        client : dask.distributed.Client or None, default=None
            Have the workers of a Dask cluster read and count the files, each its own pieces, and
            keep the counts; every worker must find the files under the same paths.
        on_progress : callable, "bar" or None, default=None
            As in [`leaven.TextClassifier.fit`][], with the phases "reading" and "counting" of
            bytes, or "files" and "pieces" of them on a cluster; these calls may come from another
            thread.

        Returns
        -------
        TextClassifier
            This classifier, trained.

        Raises
        ------
        DataError
            If a file cannot be used as it is, or no document is labeled.
        ClusterError
            If the cluster is lost or has no workers.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "texts.csv")
        ...     rows = ["text,label", "dough and yeast,baking", "stars and planets,space", "bread,"]
        ...     _ = path.write_text("\n".join(rows))
        ...     clf = TextClassifier("em").fit_files(path)
        >>> clf.report_.n_documents, clf.report_.n_labeled
        (3, 2)
        """
        began = time.perf_counter()
        check_client(client, cache)
        place = "dask" if client is not None else "stream" if stream else "memory"
        name = self._embedding_name if vectors is None else None
        self._checked(place, vectors is not None or name is not None)
        rules = asdict(self._label_rules)
        reading = Reading(
            text,
            label,
            vectors,
            format,
            encoding,
            header,
            label_separator=label_separator,
            embed=name,
            **rules,
        )
        files = reading.files(
            paths, needs_labels=True, keep_columns=audited is not None, skip_bad=skip_bad_files
        )
        if audited is not None:
            check_audited(files.column_names, audited, files.source)
        check_no_functions(self.embed, self.segment)
        source = vector_source(reading, bool((self.text_options or {}).get("html")))
        documents = uncounted_files(files, source, audited, stream, cache, client)
        used = replace(reading, text=files.text_column, label=files.label_column)
        data = {**files.facts, "described": files.described}
        if audited is not None:
            data["audited"] = audited
        return self._train(documents, source is not None, on_progress, began, used, data=data)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.poor_score = True
        return tags

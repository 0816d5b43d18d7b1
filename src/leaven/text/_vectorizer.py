"""The scikit-learn transformer over the word counter."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from leaven._base.typing import Counts
from leaven.documents._arrow import as_text_array
from leaven.documents._label_encoding import encode_labels
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary, check_words

__all__ = ["TextVectorizer"]

COUNT_TYPES = ("int32", "int64", "float32", "float64")
WEIGHT_TYPES = ("float32", "float64")


class TextVectorizer(TransformerMixin, BaseEstimator):
    r"""Count the words of texts; by default the same matrix as ``CountVectorizer``.

    Words are counted by compiled code from UTF-8 bytes, in threads. The options after
    ``vocabulary`` weigh and scale the counts, in the order listed.

    Parameters
    ----------
    html : bool, default=False
        Texts are HTML: remove tags, comments, and the contents of scripts and styles, and decode
        entities. Tags separate words, except inline ones such as ``<b>``.
    tokens : {"words", "letters", "scripts", "spaces"}, default="words"
        A word is a run of two or more letters, digits and underscores
        (``(?u)\\b\\w\\w+\\b``), or of letters only. With "scripts", words of all scripts:
        combining marks and joiners after a word's first character belong to the word, as in
        Hindi; and in scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer,
        Burmese, Tibetan and others) all n-grams of one to three characters are counted instead
        of words, whatever ``ngram_range`` is. They break n-grams of words. With "spaces", a word
        is whatever white space separates, for texts that a segmenter or tokenizer has split.
    analyzer : {"word", "char_wb", "char"}, default="word"
        Count words; or n-grams of characters, as ``CountVectorizer`` does: inside words that
        white space delimits, with a blank before and after each ("char_wb"), or of the whole
        text, white space included ("char"). The options ``tokens``, ``stop_words`` and
        ``numbers`` are about words only.
    lowercase : bool, default=True
        Lower-case first, as ``str.lower`` does.
    stop_words : str, list of str or None, default=None
        Words to leave out, compared after lower-casing. "english" is scikit-learn's list; other
        languages, such as "german" or "de", need ``pip install 'leaven[stopwords]'``. "frequent"
        is the 50 words that most documents contain, of those in at least 5 % of the documents
        and in at least 20; it needs neither a list nor labels.
    ngram_range : (int, int), default=(1, 1)
        Smallest and largest number of words in a row that count as one feature; of characters,
        where ``analyzer`` counts those.
    numbers : {"keep", "one"}, default="keep"
        With "one", every string of two or more digits becomes the word ``<number>``; a
        single digit is not a word. No effect with ``tokens="letters"``, which excludes digits.
    min_df, max_df : int or float, default=1 and 1.0
        Fewest and most documents a word may occur in: a number of documents (int) or a
        share of them (float).
    max_features : int, "auto" or None, default=None
        Size of the vocabulary; the highest-ranked words are kept. "auto" chooses the size
        with which naive Bayes classifies most labeled documents correctly when they are
        left out one at a time.
    rank_by : {"frequency", "mutual_information"}, default="frequency"
        Rank words by occurrences, or by mutual information with the labels given as
        ``y`` to ``fit`` (unlabeled documents are ignored).
    vocabulary : iterable of str, mapping or None, default=None
        Words to count, in the order of their columns; None learns them. Without ``idf``
        there is then nothing to fit.
    hash_features : int or None, default=None
        Number of columns to hash words into, instead of a vocabulary. Without ``idf``
        there is then nothing to fit.
    alternate_sign : bool, default=True
        Give hashed words a sign, so that collisions cancel out on average. Naive Bayes
        needs counts: set it to False there.
    binary : bool, default=False
        Count a word once per document.
    log_tf : bool, default=False
        Replace a count n by log(1 + n).
    idf : bool, default=False
        Multiply by log((1 + documents) / (1 + documents with the word)) + 0.1.
    length : float or None, default=None
        Scale every document's counts to this sum.
    dtype : numpy dtype or None, default=None
        None is int64 for counts and float32 for weighted counts. Counts may be int32,
        int64, float32 or float64; weighted counts float32 or float64.
    n_jobs : int or None, default=None
        Threads to count in; None is one per processor.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each word (empty with ``hash_features``).
    n_words_ : int
        Number of columns.
    size_choices_ : list of SizeChoice
        Accuracy by vocabulary size, with ``max_features="auto"``.

    See Also
    --------
    sklearn.feature_extraction.text.CountVectorizer : The same counts, one core, any regex.

    Examples
    --------
    >>> X = TextVectorizer().fit_transform(["raw dough rises", "dough, more dough"])
    >>> X.toarray()
    array([[1, 0, 1, 1],
           [2, 1, 0, 0]])
    """

    def __init__(
        self,
        *,
        html: bool = False,
        tokens: str = "words",
        analyzer: str = "word",
        lowercase: bool = True,
        stop_words: Any = None,
        ngram_range: tuple[int, int] = (1, 1),
        numbers: str = "keep",
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | str | None = None,
        rank_by: str = "frequency",
        vocabulary: Any = None,
        hash_features: int | None = None,
        alternate_sign: bool = True,
        binary: bool = False,
        log_tf: bool = False,
        idf: bool = False,
        length: float | None = None,
        dtype: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.html = html
        self.tokens = tokens
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.numbers = numbers
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.rank_by = rank_by
        self.vocabulary = vocabulary
        self.hash_features = hash_features
        self.alternate_sign = alternate_sign
        self.binary = binary
        self.log_tf = log_tf
        self.idf = idf
        self.length = length
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary of texts.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        y : array of shape (n_documents,) or None, default=None
            Labels, by which ``rank_by="mutual_information"`` ranks words; otherwise ignored.

        Returns
        -------
        TextVectorizer
            The fitted vectorizer.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Counts:
        """Learn the vocabulary of texts and return their counts.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.
        y : array of shape (n_documents,) or None, default=None
            Labels, by which ``rank_by="mutual_information"`` ranks words; otherwise ignored.

        Returns
        -------
        sparse array of shape (n_documents, n_words_)
            Counts, or weighted counts.
        """
        options = self._options()
        vocabulary, dtype = self._given_vocabulary(), self._dtype(options)
        texts = as_text_array(X)
        codes = None
        if y is not None and options.uses_labels:
            codes = encode_labels(y).codes
            if len(codes) != len(texts):
                raise ValueError(
                    f"y must hold one label per document, got {len(codes)} labels for "
                    f"{len(texts)} documents; give None for a document without a label"
                )
        self._counter, counts = fit_counter(
            texts,
            options,
            codes=codes,
            vocabulary=vocabulary,
            dtype=dtype,
            n_threads=self.n_jobs,
        )
        self.n_words_ = self._counter.n_words
        self.size_choices_ = list(self._counter.size_choices)
        return counts

    def transform(self, X: Any) -> Counts:
        """Counts of texts.

        Parameters
        ----------
        X : list of str, or a column of pandas, polars or Arrow
            The texts.

        Returns
        -------
        sparse array of shape (n_documents, n_words_)
            Counts, or weighted counts.
        """
        counter = self._fitted_counter()
        dtype = self._dtype(counter.options)
        return counter.count(as_text_array(X), dtype=dtype, n_threads=self.n_jobs)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Column of each word."""
        return self._fitted_counter().columns

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Word of each column; hashed columns are called ``hash0``, ``hash1``, …

        Parameters
        ----------
        input_features : ignored
            For compatibility with scikit-learn.

        Returns
        -------
        ndarray of shape (n_words_,)
            The words.
        """
        counter = self._fitted_counter()
        if counter.options.hash_features:
            return np.array([f"hash{i}" for i in range(counter.n_words)], dtype=object)
        return np.array(counter.vocabulary.words.to_pylist(), dtype=object)

    def _fitted_counter(self) -> TextCounter:
        if not (hasattr(self, "_counter") or self._must_learn):
            options = self._options()
            vocabulary = self._given_vocabulary() or Vocabulary.empty()
            return TextCounter(options, options.as_tokens, vocabulary, np.zeros(0))
        check_is_fitted(self, "_counter")
        return self._counter

    @property
    def _must_learn(self) -> bool:
        return bool(self.idf) or (self.vocabulary is None and self.hash_features is None)

    def _options(self) -> TextOptions:
        if self.vocabulary is not None and self.hash_features is not None:
            raise ValueError(
                "vocabulary names the columns, which hash_features leaves unnamed; set one of "
                "them to None"
            )
        fields = {name: getattr(self, name) for name in TextOptions.__dataclass_fields__}
        options = TextOptions(**fields)
        if self.vocabulary is not None and options.finds_stop_words:
            raise ValueError(
                "stop_words='frequent' leaves out words of the texts, but a vocabulary is given; "
                "set one of them to None"
            )
        return options

    def _dtype(self, options: TextOptions) -> Any:
        if self.dtype is None:
            return np.dtype(np.float32 if options.is_weighted else np.int64)
        allowed = WEIGHT_TYPES if options.is_weighted else COUNT_TYPES
        try:
            dtype = np.dtype(self.dtype)
        except TypeError:
            dtype = None
        # None equals float64 to numpy.
        if dtype is None or dtype not in map(np.dtype, allowed):
            kind = "weighted counts (log_tf, idf or length)" if options.is_weighted else "counts"
            found = repr(self.dtype) if dtype is None else dtype
            raise TypeError(
                f"dtype must be one of {', '.join(allowed)} for {kind}, got {found}; choose one, "
                "or None for the default"
            )
        return dtype

    def _given_vocabulary(self) -> Vocabulary | None:
        if self.vocabulary is None:
            return None
        is_word = self.analyzer == "word"
        words = check_words("vocabulary", self.vocabulary, may_hold_nul=not is_word)
        if isinstance(self.vocabulary, Mapping):
            columns = [self.vocabulary[word] for word in words]
            is_whole = all(isinstance(column, Integral) for column in columns)
            if not is_whole or sorted(columns) != list(range(len(words))):
                raise ValueError("vocabulary must map its words to 0, 1, 2, … without gaps")
            words.sort(key=self.vocabulary.__getitem__)
        elif isinstance(self.vocabulary, set | frozenset):
            words.sort()
        if not words:
            raise ValueError("vocabulary must hold at least one word, got none")
        if len(set(words)) != len(words):
            raise ValueError("vocabulary must not repeat a word; remove the duplicates")
        return Vocabulary.of(words)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        tags.requires_fit = self._must_learn
        return tags

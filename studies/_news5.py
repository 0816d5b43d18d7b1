"""News5 as Nigam, McCallum and Mitchell use it (section 3.5.2): data, draws, and both fits.

Data: the five comp.* groups of 20 Newsgroups (19,997 messages), bodies only, without the 21
messages that begin with an encoded binary file, which the paper seems to have left out too, to
judge by its table 3.4 (see ``studies.table_3_4``). Words are runs of letters; stop words and words
of a single document are left out. Per class 600 random documents are unlabeled, a fixed number is
labeled, and the rest is the test set.

The oracle vocabulary, which is the paper's, is the 4,000 words of most mutual information with
the labels of *all* documents, those of the test set included. Without it, words come from a draw's
labeled and unlabeled documents. Idf always does.

Annealing is the paper's, beta from 0.02 by factors of 1.01 to 1 with one M-step each, then EM to
convergence. Plain EM starts from the same labeled documents.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven.corpora import InMemoryCorpus
from leaven.datasets import load_corpus
from leaven.documents._arrow import as_text_array
from leaven.learning import Climb, fit_mixture, run_em
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import cooling
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary

N_UNLABELED = 600  # per class
N_WORDS = 4000  # of the oracle vocabulary
COUNTS = TextOptions(tokens="letters", stop_words="english", min_df=2)
SHORT = replace(COUNTS, length=50.0)
WEIGHTED = replace(COUNTS, log_tf=True, idf=True, length=150.0)
MODEL = MultinomialMixture(np.arange(5))


@dataclass(frozen=True, eq=False)
class News5:
    """Documents and their classes."""

    texts: np.ndarray  # (n_documents,) str
    codes: np.ndarray  # (n_documents,) class codes
    names: np.ndarray  # (5,) str

    @cached_property
    def oracle_vocabulary(self) -> Vocabulary:
        options = replace(COUNTS, max_features=N_WORDS, rank_by="mutual_information")
        return fit_counter(as_text_array(self.texts), options, codes=self.codes)[0].vocabulary


@dataclass(frozen=True, eq=False)
class Draw:
    """One division of the documents and the maxima found on it."""

    X: Any  # (n_train, n_words) weighted counts, labeled documents first
    y: np.ndarray  # (n_train,) class codes, -1 where unlabeled
    test: Any  # (n_test, n_words)
    truth: np.ndarray  # (n_test,) class codes
    em: MixtureParams
    annealed: MixtureParams


def load_news5(encoded: bool = False) -> News5:
    """The documents, with those that are encoded files only if asked."""
    table = load_corpus("20news_19997", columns=["text", "label"])
    labels = np.array(table["label"].to_pylist())
    texts = np.array(table["text"].to_pylist(), dtype=object)
    is_wanted = np.char.startswith(labels, "comp.")
    if not encoded:
        is_wanted &= ~np.array([is_encoded(text) for text in texts])
    names, codes = np.unique(labels[is_wanted], return_inverse=True)
    return News5(texts[is_wanted], codes, names)


def is_encoded(text: str) -> bool:
    """Whether a message begins with a block of an encoded file.

    The rule is that of Rainbow, the program of the paper's authors: of the first 4,096 characters
    less than a tenth are white space, and over half of the lines have one length, of 50 to 80.
    Rainbow looks at the header too, so a message of a line or two does not meet it.
    """
    head = text[:4096]
    lengths = [len(line) for line in head.split("\n")[:-1]]
    if len(lengths) < 10 or sum(map(str.isspace, head)) >= len(head) / 10:
        return False
    length, n_lines = Counter(lengths).most_common(1)[0]
    return n_lines > len(lengths) // 2 and 50 <= length <= 80


def fit_draw(news: News5, options: TextOptions, oracle: bool, per_class: int, seed: int) -> Draw:
    """Fit both ways from ``per_class`` labels per class; labeled sets of a seed are nested."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(np.flatnonzero(news.codes == code)) for code in range(5)]
    last = N_UNLABELED + per_class
    unlabeled = np.concatenate([order[:N_UNLABELED] for order in orders])
    labeled = np.concatenate([order[N_UNLABELED:last] for order in orders])
    rest = np.concatenate([order[last:] for order in orders])
    counter, X = fit_counter(
        as_text_array(news.texts[np.concatenate([labeled, unlabeled])]),
        options,
        vocabulary=news.oracle_vocabulary if oracle else None,
    )
    y = np.concatenate([news.codes[labeled], np.full(len(unlabeled), -1)])
    corpus = as_corpus(X, y)

    def fit(climb: Climb) -> MixtureParams:
        return fit_mixture(MODEL, corpus, climb).result.params

    test = counter.count(as_text_array(news.texts[rest]))
    return Draw(X, y, test, news.codes[rest], fit(Climb()), fit(Climb(warm_up=cooling())))


def as_corpus(X: Any, y: np.ndarray) -> InMemoryCorpus:
    return InMemoryCorpus(csr_array(X), y, n_threads=1)


def accuracy(draw: Draw, params: MixtureParams) -> float:
    return float((MODEL.log_joint(params, draw.test).argmax(axis=1) == draw.truth).mean())


def log_probability(draw: Draw, params: MixtureParams) -> float:
    """Log posterior of a model per document, up to a constant.

    All documents of News5 are taken as unlabeled, whatever part they play in the draw: the
    same documents for every draw and number of labels, so that models can be compared.
    """
    everything = as_corpus(
        vstack([draw.X, draw.test], format="csr"),
        np.full(len(draw.y) + len(draw.truth), -1),
    )
    measured = run_em(MODEL, everything, params, max_iter=0)
    return measured.objective[0] / (len(draw.y) + len(draw.truth))

"""Reuters-21578 by the protocol of Nigam et al., section 3.4.2, for the studies of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven._base.folds import labeled_folds
from leaven.corpora import InMemoryCorpus
from leaven.datasets import load_corpus
from leaven.documents._arrow import as_text_array
from leaven.learning import Climb, Fit, components_of, fit_mixture
from leaven.models import MultinomialMixture
from leaven.text._counter import TextCounter, fit_counter
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary, mutual_information
from leaven.text._vocabulary_size import SizeChoice, try_sizes

CATEGORIES = (
    "acq", "corn", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade", "wheat",
)  # fmt: skip
N_UNLABELED = 7000
POSITIVE, NEGATIVE = 10, 40  # labeled documents of a trial
MOST_TRIALS = 10
LENGTH = 200.0
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Reuters:
    """ModApte: raw counts of training and test documents, and their topics."""

    train: Any  # csr counts
    test: Any
    train_topics: list[list[str]]
    test_topics: list[list[str]]

    def truth(self, category: str) -> tuple[Any, Any]:
        """Is it of the category? For training and test documents."""
        return tuple(  # type: ignore[return-value]
            np.array([category in topics for topics in part], dtype=np.int64)
            for part in (self.train_topics, self.test_topics)
        )


def load_reuters() -> Reuters:
    """Title and body; runs of letters, English stop words and words of one document left out."""
    table = load_corpus("reuters21578", columns=["title", "text", "labels", "split"])
    split = np.array(table["split"].to_pylist(), dtype=object)
    texts = [
        f"{title or ''}\n{text or ''}"
        for title, text in zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True)
    ]
    topics = [labels or [] for labels in table["labels"].to_pylist()]
    parts = [np.flatnonzero(split == name) for name in ("train", "test")]
    options = TextOptions(tokens="letters", stop_words="english", min_df=2)
    counter, train = fit_counter(as_text_array([texts[i] for i in parts[0]]), options)
    test = counter.count(as_text_array([texts[i] for i in parts[1]]))
    return Reuters(train, test, *([topics[i] for i in part] for part in parts))


@dataclass(frozen=True, eq=False)
class Trial:
    """One labeled set of a category."""

    category: str
    number: int
    labeled: Any  # places among the training documents
    unlabeled: Any
    y: Any  # of all training documents
    y_test: Any


def trials(reuters: Reuters, category: str, most: int = MOST_TRIALS) -> Iterator[Trial]:
    """Up to ten labeled sets without a document in common, and the same 7,000 unlabeled."""
    y, y_test = reuters.truth(category)
    order = np.random.default_rng(0).permutation(len(y))
    unlabeled, pool = order[:N_UNLABELED], order[N_UNLABELED:]
    positive, negative = pool[y[pool] == 1], pool[y[pool] == 0]
    n_trials = min(most, len(positive) // POSITIVE, len(negative) // NEGATIVE)
    for number in range(n_trials):
        labeled = np.concatenate(
            [
                positive[number * POSITIVE : (number + 1) * POSITIVE],
                negative[number * NEGATIVE : (number + 1) * NEGATIVE],
            ]
        )
        yield Trial(category, number, labeled, unlabeled, y, y_test)


@dataclass(frozen=True, eq=False)
class View:
    """A trial's documents in a vocabulary of its own, at constant length."""

    corpus: InMemoryCorpus
    scored: Any  # csr counts of the documents to classify
    truth: Any


def view(
    reuters: Reuters,
    trial: Trial,
    size: int,
    held_out: Any = None,
    rank_by: Any = None,
    *,
    on_training: bool = False,
) -> View:
    """The ``size`` words of most mutual information with the labels, less those held out.

    Without ``held_out`` (places in ``trial.labeled``) the test documents are to be classified,
    otherwise the labeled documents held out; with ``on_training`` all training documents whose
    label the trial does not see. ``rank_by`` are other labeled documents by which to rank the
    words.
    """
    kept = trial.labeled if held_out is None else np.delete(trial.labeled, held_out)
    ranking = kept if rank_by is None else rank_by
    scores = mutual_information(csr_array(reuters.train[ranking]), trial.y[ranking], 2)
    columns = np.sort(np.argsort(-scores, kind="stable")[:size])
    rows = np.concatenate([kept, trial.unlabeled])
    y = np.concatenate([trial.y[kept], np.full(len(trial.unlabeled), UNKNOWN)])
    X = _scaled(reuters.train[rows], columns)
    if on_training:
        chosen = np.setdiff1d(np.arange(len(trial.y)), trial.labeled)
        scored, truth = reuters.train[chosen], trial.y[chosen]
    elif held_out is None:
        scored, truth = reuters.test, trial.y_test
    else:
        chosen = trial.labeled[held_out]
        scored, truth = reuters.train[chosen], trial.y[chosen]
    return View(InMemoryCorpus(X, y), _scaled(scored, columns), truth)


def _scaled(X: Any, columns: Any) -> Any:
    return _weigh(csr_array(X[:, columns], dtype=np.float32))


def _weigh(X: Any) -> Any:
    options = TextOptions(tokens="letters", length=LENGTH)
    counter = TextCounter(options, options.as_tokens, Vocabulary.empty(), np.zeros(0))
    return counter.weigh(X)


def fit_filter(
    seen: View, n_negative: int, *, unlabeled_weight: float, climb: Climb, seed: int = 0
) -> tuple[MultinomialMixture, Fit]:
    """One component for the category, ``n_negative`` for everything else, eqs. (3.9) to (3.13)."""
    model = MultinomialMixture(
        components_of([n_negative, 1]),
        class_alpha=1.0,  # eq. (3.10)
        unlabeled_weight=unlabeled_weight,
        n_threads=None,
    )
    if not unlabeled_weight and n_negative == 1:
        climb = replace(climb, max_iter=0)
    return model, fit_mixture(model, seen.corpus, climb, seed)


def log_odds(model: MultinomialMixture, fit: Fit, X: Any) -> Any:
    """Of the category, against everything else."""
    log_joint = model.class_log_joint(fit.result.params, X)
    return log_joint[:, 1] - log_joint[:, 0]


def folds(trial: Trial, n_folds: int | None) -> list[Any]:
    return labeled_folds(trial.y[trial.labeled], n_folds, trial.number)


def leave_one_out(reuters: Reuters, trial: Trial) -> list[SizeChoice]:
    """Accuracy of naive Bayes by vocabulary size, labeled documents left out one at a time."""
    return try_sizes(
        csr_array(reuters.train[trial.labeled]),
        trial.y[trial.labeled],
        lambda X, y: mutual_information(X, y, 2),
        lambda columns, X: _weigh(X),
    )

"""Hybrids of Druck et al. and transductive SVMs: seconds per fit, growth of cost, and memory.

SciPy's docstrings, and 20 Newsgroups where they are; 10 labels per class, all other documents are
unlabeled. Settings are given, or chosen by held-out labels ("auto"). Supervised methods are
compared with scikit-learn's on the labeled documents, the others with self-training by logistic
regression on all documents, which has no prior on intercepts. BLAS has one thread, as leaven's
learners give it, for the peers too.

Growth is that of one evaluation of the objective and its gradient, with what L-BFGS computes
meanwhile. Steps of L-BFGS evaluate once or twice, by chance, so seconds per step would not show it.
"""

import gc
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks._common import Row, best_seconds, newsgroups
from leaven import (
    MaxEntClassifier,
    MultiConditionalClassifier,
    ParameterCouplingClassifier,
    TransductiveSVM,
)
from leaven._base.peak_memory import MEBIBYTE, PeakMemory
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import InMemoryCorpus
from leaven.datasets import load_docstrings
from leaven.documents._arrow import as_text_array
from leaven.exceptions import CollapseWarning
from leaven.learners._transductive import unit_length
from leaven.learning import Likelihoods, Margin, climb_gradient
from leaven.learning._gradient import MEMORY, Height
from leaven.models import RampLoss
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

PREFIX = "hybrids"  # with which all rows begin
GIVES, CHOOSES = "settings given", "settings chosen"
PER_CLASS = 10
C, C_UNLABELED = 10.0, 1.0
MAXENT, SVM, MCL, PCP, TSVM = "maxent", "svm", "mcl", "pcp", "tsvm"
GIVEN: dict[str, Any] = {  # methods with settings
    MAXENT: MaxEntClassifier(variance=1.0),
    SVM: TransductiveSVM(C=C, C_unlabeled=0.0),
    MCL: MultiConditionalClassifier(alpha=1e4, variance=0.1),
    PCP: ParameterCouplingClassifier(alpha=0.3),
    TSVM: TransductiveSVM(C=C, C_unlabeled=C_UNLABELED),
}
CHOSEN: dict[str, Any] = {  # methods that choose theirs
    MAXENT: MaxEntClassifier(),
    MCL: MultiConditionalClassifier(),
    PCP: ParameterCouplingClassifier(),
    TSVM: TransductiveSVM(),
}
SUPERVISED = (MAXENT, SVM)  # fitted to the labeled documents alone
SETTINGS = ("alpha", "variance", "C", "C_unlabeled")
LOGISTIC, LINEAR, SELF = "LogisticRegression", "LinearSVC", "SelfTrainingClassifier"
PEERS = {MAXENT: LOGISTIC, SVM: LINEAR, MCL: SELF, PCP: SELF, TSVM: SELF}
CHOSEN_ON_NEWS = (MAXENT, MCL)  # the others take too long for a benchmark

N_GROUPS = 16  # that growth is measured on; they are merged into fewer classes
N_FREQUENT = 8_000  # words, where unlabeled documents grow
UNLABELED = (1_875, 3_750, 7_500, 15_000)
PARTS = (8, 4, 2, 1)  # of the vocabulary, one of so many words
CLASSES = (2, 4, 8, 16)
USUAL_UNLABELED, USUAL_CLASSES = 3_750, 4  # where something else grows
STEPS = 10  # of L-BFGS, which remembers 5
ROUNDS = 2
SLACK = 1.25  # what growth may be, in times of linear growth


class Drawn(NamedTuple):
    """Documents, of which the first are labeled."""

    name: str
    X: csr_array
    y: IntArray  # class codes, -1 where unlabeled
    truth: IntArray

    @property
    def n_labeled(self) -> int:
        return int((self.y >= 0).sum())

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def labeled(self) -> tuple[csr_array, IntArray]:
        return self.X[: self.n_labeled], self.y[: self.n_labeled]

    def sizes(self) -> dict[str, int]:
        return {
            "n_labeled": self.n_labeled,
            "n_unlabeled": len(self.y) - self.n_labeled,
            "n_words": self.X.shape[1],
            "n_classes": self.n_classes,
        }


def draw(name: str, texts: list[str], labels: Iterable[str]) -> Drawn:
    """Documents in random order but for the labeled ones; words are weighted as the methods do."""
    codes = np.unique(np.array(list(labels)), return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(texts))
    labeled = np.concatenate(
        [order[codes[order] == code][:PER_CLASS] for code in range(codes.max() + 1)]
    )
    order = np.concatenate([labeled, order[~np.isin(order, labeled)]])
    options = TextOptions(log_tf=True, idf=True, min_df=2)
    _, X = fit_counter(as_text_array([texts[i] for i in order]), options, by_frequency=True)
    truth = codes[order]
    y = np.where(np.arange(len(order)) < len(labeled), truth, -1)
    return Drawn(name, csr_array(X), y, truth)


def run() -> list[Row]:
    texts, labels, _ = load_docstrings()
    try:
        messages: Any = newsgroups()
    except FileNotFoundError as error:
        print(f"{PREFIX}: only docstrings are measured: {error}", file=sys.stderr)
        messages = None
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        for kind in (CollapseWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", kind)
        rows = fits(draw("docstrings", texts, labels), CHOSEN)
        if messages is not None:
            rows += fits(groups("comp.", *messages), CHOSEN_ON_NEWS)
            many = groups("", *messages)
            rows += [*growth(many), *memory(many)]
    return rows


def groups(prefix: str, texts: list[str], labels: list[str]) -> Drawn:
    """Messages of the first groups whose names begin so."""
    names = [name for name in sorted(set(labels)) if name.startswith(prefix)][:N_GROUPS]
    chosen = [i for i, label in enumerate(labels) if label in names]
    return draw(f"{len(names)} newsgroups", [texts[i] for i in chosen], [labels[i] for i in chosen])


def fits(drawn: Drawn, chosen: Iterable[str]) -> list[Row]:
    """Seconds of fits, in one run with the peers'; all but the supervised ones are fitted once."""
    tasks = peers(drawn)
    for name, estimator in GIVEN.items():
        fit(estimator, name, drawn, max_iter=1)  # compiles
        tasks[name] = partial(fit, estimator, name, drawn)
    supervised = {name: tasks.pop(name) for name in (*SUPERVISED, LOGISTIC, LINEAR)}
    choices = {f"{name}, {CHOOSES}": partial(fit, CHOSEN[name], name, drawn) for name in chosen}
    seconds, fitted = timed(supervised, ROUNDS)
    more_seconds, more_fitted = timed({**tasks, **choices}, 1)
    seconds, fitted = {**seconds, **more_seconds}, {**fitted, **more_fitted}
    rows = []
    for name, peer in PEERS.items():
        what = f"{PREFIX}: {drawn.name}, {name}, {GIVES}"
        details = about(drawn, name, fitted[name])
        details["peer_accuracy"] = accuracy(drawn, fitted[peer])
        rows.append(Row(what, seconds[name], peer, seconds[peer], details=details))
    for name in chosen:
        key = f"{name}, {CHOOSES}"
        details = about(drawn, name, fitted[key])
        rows.append(Row(f"{PREFIX}: {drawn.name}, {key}", seconds[key], details=details))
    return rows


def fit(estimator: Any, name: str, drawn: Drawn, **options: Any) -> Any:
    own = clone(estimator).set_params(**options)
    return own.fit(*(drawn.labeled() if name in SUPERVISED else (drawn.X, drawn.y)))


def peers(drawn: Drawn) -> dict[str, Callable[[], Any]]:
    X, y = drawn.labeled()
    return {
        LOGISTIC: lambda: LogisticRegression(max_iter=1000).fit(X, y),
        LINEAR: lambda: make_pipeline(Normalizer(), LinearSVC(C=C)).fit(X, y),
        SELF: lambda: SelfTrainingClassifier(LogisticRegression(max_iter=1000)).fit(
            drawn.X, drawn.y
        ),
    }


def timed(
    tasks: Mapping[str, Callable[[], Any]], rounds: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """Least seconds of tasks, and what they return."""
    found: dict[str, Any] = {}

    def keep(name: str) -> None:
        found[name] = tasks[name]()

    return best_seconds({name: partial(keep, name) for name in tasks}, rounds), found


def about(drawn: Drawn, method: str, fitted: Any) -> dict[str, Any]:
    """What was fitted to what; a setting of None is infinite."""
    values = {name: getattr(fitted, f"{name}_", None) for name in SETTINGS}
    return {
        "corpus": drawn.name,
        **drawn.sizes(),
        "method": method,
        "settings": {
            name: value if np.isfinite(value) else None
            for name, value in values.items()
            if value is not None
        },
        "n_iter": int(fitted.n_iter_),
        "accuracy": accuracy(drawn, fitted),
    }


def accuracy(drawn: Drawn, fitted: Any) -> float:
    """Share of the unlabeled documents that are classified correctly."""
    X = drawn.X[drawn.n_labeled :]
    return float((fitted.predict(X) == drawn.truth[drawn.n_labeled :]).mean())


def growth(drawn: Drawn) -> list[Row]:
    """Seconds per evaluation of the objectives by documents, words and classes."""
    return [
        *growth_with("unlabeled documents", of_documents(drawn)),
        *growth_with("words", of_words(drawn)),
        *growth_with("classes", of_classes(drawn)),
    ]


def growth_with(what: str, parts: dict[int, Drawn]) -> list[Row]:
    found = {size: climbs(part) for size, part in parts.items()}
    for own in found.values():
        for climb in own.values():
            climb.evaluate(climb.start)  # compiles
    smallest, *_, largest = found
    rows = []
    for name in found[smallest]:
        best = best_seconds({str(size): own[name].run for size, own in found.items()}, ROUNDS)
        by_size = {str(size): own[name].measured(best[str(size)]) for size, own in found.items()}
        linear = round(largest / smallest)
        if what == "classes":  # a transductive SVM has one column for two of them
            linear = found[largest][name].n_columns // found[smallest][name].n_columns
        first, *_, last = (each["seconds_per_evaluation"] for each in by_size.values())
        told = f"time per evaluation with {largest:,} {what}, in times of {smallest:,}"
        rows.append(
            Row(
                f"{PREFIX}: {name}, {told} (≤ {SLACK * linear:.3g})",
                last / first,
                target=SLACK * linear,
                unit="",
                details={"method": name, "grows": what, "by_size": by_size},
            )
        )
    return rows


def of_documents(drawn: Drawn) -> dict[int, Drawn]:
    """With frequent words only: the cost of words does not depend on the number of documents."""
    frequent = drawn._replace(X=csr_array(drawn.X[:, :N_FREQUENT]))
    return {n: cut(frequent, n_unlabeled=n) for n in UNLABELED}


def of_words(drawn: Drawn) -> dict[int, Drawn]:
    """Words drawn at random, so that documents have fewer of them too."""
    usual = cut(drawn)
    order = np.random.default_rng(0).permutation(drawn.X.shape[1])
    kept = [np.sort(order[: len(order) // part]) for part in PARTS]
    return {len(words): usual._replace(X=csr_array(usual.X[:, words])) for words in kept}


def of_classes(drawn: Drawn) -> dict[int, Drawn]:
    return {n: cut(drawn, n_classes=n) for n in CLASSES}


def cut(drawn: Drawn, n_unlabeled: int = USUAL_UNLABELED, n_classes: int = USUAL_CLASSES) -> Drawn:
    """Fewer unlabeled documents, and classes that are merged ones."""
    n = drawn.n_labeled + n_unlabeled
    truth = drawn.truth[:n] * n_classes // drawn.n_classes
    return Drawn(drawn.name, csr_array(drawn.X[:n]), np.where(drawn.y[:n] < 0, -1, truth), truth)


@dataclass(eq=False)
class Climb:
    """A few steps of L-BFGS."""

    evaluate: Callable[[FloatArray], Height]
    start: FloatArray
    n_columns: int  # of a table of parameters
    n_values: int  # counts that are not zero
    n_evaluations: int = 0
    n_steps: int = 0

    def run(self) -> None:
        self.n_evaluations = 0
        self.n_steps = climb_gradient(self._counted, self.start, max_iter=STEPS, tol=0.0).n_iter

    def _counted(self, params: FloatArray) -> Height:
        self.n_evaluations += 1
        return self.evaluate(params)

    def measured(self, seconds: float) -> dict[str, Any]:
        return {
            "seconds_per_evaluation": seconds / self.n_evaluations,
            "seconds_per_step": seconds / self.n_steps,
            "n_evaluations": self.n_evaluations,
            "n_steps": self.n_steps,
            "n_values": self.n_values,
            "n_parameters": len(self.start),
        }


def climbs(drawn: Drawn) -> dict[str, Climb]:
    """The objectives with given settings; that of tsvm is its first convex problem."""
    corpus = InMemoryCorpus(drawn.X, drawn.y)
    likelihoods = Likelihoods.of(corpus, drawn.n_classes)
    found = {}
    for name in (MCL, PCP):
        objective = GIVEN[name].learner().objective(likelihoods)
        start = objective.start(np.zeros(likelihoods.shape))
        found[name] = Climb(objective.height, start, drawn.n_classes, drawn.X.nnz)
    loss = RampLoss(drawn.n_classes, C, C_UNLABELED, TransductiveSVM().ramp)
    margin = Margin.balanced(corpus.map(unit_length), loss)
    table = margin.zeros()
    tangent = margin.corpus.reduce(partial(loss.concave, table)).table
    height = partial(margin.height, tangent)
    found[TSVM] = Climb(height, table.ravel(), table.shape[1], drawn.X.nnz)
    return found


def memory(drawn: Drawn) -> list[Row]:
    """Most memory of a fit of mcl, in arrays of all parameters, beside those L-BFGS remembers.

    From half of the classes to all of them only these arrays grow; the rest are documents.
    """
    found = {}
    for n_classes in CLASSES[-2:]:
        part = cut(drawn, UNLABELED[-1], n_classes)
        fit(GIVEN[MCL], MCL, part, max_iter=1)
        gc.collect()
        with PeakMemory() as peak:
            fit(GIVEN[MCL], MCL, part, max_iter=STEPS)
        if peak.added is None:  # this system does not tell
            return []
        array = 8 * (part.X.shape[1] + 1) * n_classes
        found[str(n_classes)] = {"peak_bytes": peak.added * MEBIBYTE, "array_bytes": array}
    few, many = found.values()
    n_arrays = (many["peak_bytes"] - few["peak_bytes"]) / (many["array_bytes"] - few["array_bytes"])
    return [
        Row(
            f"{PREFIX}: mcl, {CLASSES[-1]} classes × {drawn.X.shape[1]:,} words, most memory of a "
            f"fit, in arrays of the parameters (L-BFGS remembers {2 * MEMORY})",
            many["peak_bytes"] / many["array_bytes"],
            unit="",
            details={
                "method": MCL,
                **part.sizes(),
                "n_values": part.X.nnz,
                "n_arrays": n_arrays,  # that grow with the parameters
                "n_remembered": 2 * MEMORY,
                "by_classes": found,
            },
        )
    ]

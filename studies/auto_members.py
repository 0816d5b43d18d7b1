"""Which methods would earn a weight in ``auto``, on training documents.

Eight corpora of few_labels, of which only training documents have a part here: 1, 5, 15 or 50
documents of every class are labeled (at most half of a class), and at most 3,000 of the others,
drawn at random, are unlabeled. Accuracy is that on 1,500 further training documents (a third of the
unlabeled ones where there are fewer), which no method sees. Test documents are not used.

Today's members are those of ``auto``: two linear models, two-view EM and naive Bayes with EM. The
candidates, each with settings that need no choice:

- mcl: multi-conditional learning, α = 1e4, variance 0.01, on log(1 + tf) · idf without constant
  length; pcp: α = 0.1, at most 100 iterations; tsvm: C = 10, C* = 1; all on the same text
- fisher, knn (ss-cknn), annealed (beta from 0.02 by factors of 1.05), svm: ``TextClassifier``'s

All members are fitted to the same folds of labels, with all unlabeled documents, and blended by
the weights that ``auto`` fits to held-out scores, held-out documents weighted by the sizes of
classes as there; its rules for a member that collapsed and for a supervised model that wins alone
are left out. The prior weight of a candidate is such that on unlabeled documents its scores, times
the weight, spread as much as those of the linear model with vectors, times a factor ("strength").
Without held-out labels (one per class) these are the weights, and naive Bayes with EM has no part.
Seconds are those of one fit on one thread; a blend fits each member six times (five folds and all
documents) where labels can be held out, the linear models and naive Bayes at a lower cost.

The settings of fisher were chosen on other draws from the same training documents (fisher_options),
those of mcl, pcp and tsvm on draws of five of the corpora (hybrid_options).

Run: ``python -m studies.auto_members``; what is in results/auto_members.jsonl is not computed
again.
"""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from leaven._base.folds import labeled_folds
from leaven.corpora import Block, TrainingSet, in_memory
from leaven.documents._arrow import as_text_array
from leaven.documents._labels import Labels
from leaven.held_out import fit_weights
from leaven.learners import (
    FisherLearner,
    Learner,
    MultiConditionalLearner,
    NaiveBayesLearner,
    NeighborsLearner,
    ParameterCouplingLearner,
    Run,
    SVMLearner,
    TransductiveSVMLearner,
    TwoViewLearner,
)
from leaven.learners._frequent_words import FrequentWordsLearner
from leaven.learners._linear import LinearLearner, LinearVectorsLearner
from leaven.learning import learn_view
from leaven.methods import METHODS
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies import _common
from studies._common import run_study
from studies._few_labels_corpora import CORPORA
from studies._rows import Row, RowFile, report
from studies._workers import complete
from studies.fisher_options import draw_task

SIZES = (1, 5, 15, 50)  # labeled documents per class
FOLDS = 5
N_DIMS = 100
SEED = 11  # tasks are not those that options of fisher were chosen on
MOST_LOOKED_AT = 1000  # unlabeled documents, for the spread of scores
UNEVEN = (0.2, 5.0)  # limits of a class's weight, as in auto
OF_A_TASK = ("corpus", "per_class")
ROWS = RowFile(_common.RESULTS / "auto_members.jsonl", (*OF_A_TASK, "blend", "strength"))
WEIGHTED = {"log_tf": True, "idf": True}
TEXTS: dict[str, Row] = {
    "soft": {**WEIGHTED, "length": 10.0},
    "unscaled": WEIGHTED,
    "long": {**WEIGHTED, "length": 150.0},
    "counts": {"log_tf": True, "numbers": "one"},
}
TODAY = ("linear", "linear of vectors", "two-view", "em")
CANDIDATES = ("mcl", "pcp", "tsvm", "fisher", "knn", "annealed", "svm")
STRENGTHS = (0.3, 1.0)
BLENDS = (
    TODAY,
    *((*TODAY, own) for own in CANDIDATES),
    (*TODAY, "mcl", "fisher"),
    (*TODAY, "mcl", "svm"),
    ("linear", "linear of vectors", "two-view", "mcl"),
)


class Member(NamedTuple):
    """A learner, and the text that it sees."""

    text: str
    learner: Learner


def members(n_documents: int) -> dict[str, Member]:
    fewest = METHODS["em"].fewest_documents(n_documents)
    annealed = {"beta_start": 0.02, "beta_factor": 1.05, "correspondence": "labels"}
    two_views: Row = dict(METHODS["two-view"].settings)
    return {
        "linear": Member("soft", LinearLearner()),
        "linear of vectors": Member("soft", LinearVectorsLearner()),
        "two-view": Member("soft", TwoViewLearner(**two_views)),
        "em": Member("soft", FrequentWordsLearner(fewest, 150.0)),
        "mcl": Member("unscaled", MultiConditionalLearner(alpha=1e4, variance=0.01)),
        "pcp": Member("unscaled", ParameterCouplingLearner(alpha=0.1, max_iter=100)),
        "tsvm": Member("unscaled", TransductiveSVMLearner(C=10.0, C_unlabeled=1.0)),
        "fisher": Member("soft", FisherLearner(**two_views)),
        "knn": Member("soft", NeighborsLearner(unlabeled_weight=0.2)),
        "annealed": Member("long", NaiveBayesLearner(**annealed)),
        "svm": Member("counts", SVMLearner()),
    }


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of a member, and the seconds of one fit."""

    held_out: Any  # (n_held_out, n_classes)
    unlabeled: Any  # (n_unlabeled, n_classes), of a sample
    others: Any  # (n_others, n_classes)
    seconds: float
    prior: float  # weight that its learner suggests


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one task; runs in a worker process."""
    task = draw_task(*(plans[0][name] for name in OF_A_TASK), seed=SEED)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scored, truth = scores_of_members(task)
    return [{**plan, **measured(plan, scored, truth, task.truth)} for plan in plans]


def scores_of_members(task: Any) -> tuple[dict[str, Scored], Any]:
    y, n_documents = task.y, len(task.y)
    codes = y[y >= 0]  # the labeled documents are first
    n_folds = min(FOLDS, int(np.bincount(codes).max()))
    folds = labeled_folds(codes, n_folds, 0) if n_folds > 1 else []
    texts, others = as_text_array(task.texts), as_text_array(task.others)
    labels = Labels(np.arange(int(codes.max()) + 1))
    found, counts = {}, {}
    for name, own in TEXTS.items():
        fewest = 2 if n_documents >= 200 else 1
        if name == "long":
            fewest = METHODS["em"].fewest_documents(n_documents)
        options = TextOptions(min_df=fewest if name != "counts" else 1, **own)
        counter, X = fit_counter(texts, options, by_frequency=True, n_threads=1)
        counts[name] = X.astype(np.float32), counter.count(others, dtype=np.float32, n_threads=1)
    X, X_others = counts["soft"]
    corpus = in_memory(Block(X, y, np.ones(n_documents)), 1)
    view, size = learn_view(corpus, N_DIMS, 0), TrainingSet.of(corpus, labels).size
    vectors = view.vectors(X, None, 1), view.vectors(X_others, None, 1)
    sample = np.flatnonzero(y < 0)[:MOST_LOOKED_AT]
    for name, (text, learner) in members(n_documents).items():
        X, X_others = counts[text]
        seen = vectors if text == "soft" else (None, None)

        def expert(rows: Any, X: Any = X, seen: Any = seen, learner: Learner = learner) -> Any:
            own = None if seen[0] is None else seen[0][rows]
            block = Block(csr_array(X[rows]), y[rows], np.ones(len(rows)), own)
            training = TrainingSet.of(in_memory(block, 1), labels)
            training = replace(training, n_dims=0 if own is None else N_DIMS)
            return learner.fit(training, Run(n_threads=1)).expert

        start = time.perf_counter()
        whole = expert(np.arange(n_documents))
        seconds = time.perf_counter() - start
        scores = whole.scores(X_others, seen[1])
        own = None if seen[0] is None else seen[0][sample]
        unlabeled = whole.scores(csr_array(X[sample]), own)
        held_out = [np.zeros((0, len(labels)))]
        for fold in folds:
            rows = np.setdiff1d(np.arange(n_documents), fold)
            own = None if seen[0] is None else seen[0][fold]
            held_out.append(expert(rows).scores(csr_array(X[fold]), own))
        prior = learner.prior_weight(size)
        found[name] = Scored(np.concatenate(held_out), unlabeled, scores, seconds, prior)
    truth = codes[np.concatenate([np.zeros(0, int), *folds]).astype(int)]
    return found, truth


def measured(plan: Row, scored: dict[str, Scored], truth: Any, hidden: Any) -> Row:
    """Accuracy of a blend on the other documents."""
    blend = plan["blend"]
    if not len(truth) and len(blend) > 1:
        blend = [name for name in blend if name != "em"]
    own = [scored[name] for name in blend]
    priors = prior_weights(blend, scored, plan["strength"])
    weights = fit_weights([each.held_out for each in own], truth, priors, importance(scored, truth))
    together = np.tensordot(weights, np.stack([each.others for each in own]), 1)
    return {
        "accuracy": float((together.argmax(axis=1) == hidden).mean()),
        "seconds": round(sum(each.seconds for each in own), 3),
        "weights": [round(float(weight), 4) for weight in weights],
        "priors": [round(float(prior), 4) for prior in priors],
    }


def importance(scored: dict[str, Scored], truth: Any) -> Any:
    """Weight of each held-out document by the size of its class, as ``auto`` has it."""
    if not len(truth):
        return np.zeros(0)
    scores = scored["linear of vectors"].unlabeled
    counts = np.bincount(scores.argmax(axis=1), minlength=scores.shape[1]) + 1.0
    of_labels = np.bincount(truth, minlength=scores.shape[1]) / len(truth)
    ratio = counts / counts.sum() / np.maximum(of_labels, 1e-9)
    own = np.sqrt(np.clip(ratio, *UNEVEN))[truth]
    return own / own.mean()


def prior_weights(blend: Sequence[str], scored: dict[str, Scored], strength: float) -> list[float]:
    """Today's weights, and weights of candidates by which their scores spread as much."""
    spread = {name: float(own.unlabeled.std(axis=1).mean()) for name, own in scored.items()}
    reference = scored["linear of vectors"].prior * spread["linear of vectors"]
    return [
        scored[name].prior if name in TODAY else strength * reference / max(spread[name], 1e-9)
        for name in blend
    ]


def planned() -> list[Row]:
    alone = [(name,) for name in (*TODAY, *CANDIDATES)]
    return [
        {"corpus": corpus, "per_class": size, "blend": list(blend), "strength": strength}
        for size in SIZES
        for corpus in CORPORA
        for blend in (*alone, *BLENDS)
        for strength in (STRENGTHS if len(blend) > len(TODAY) else STRENGTHS[-1:])
    ]


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    found = ", ".join(
        f"{'+'.join(name for name in row['blend'] if name not in TODAY) or 'today'} "
        f"{100 * row['accuracy']:.1f}"
        for row in rows
        if len(row["blend"]) >= len(TODAY) and row["strength"] == STRENGTHS[-1]
    )
    return f"{first['corpus']} ({first['per_class']}): {found}"


def summarize(rows: Sequence[Row]) -> Row:
    lines: list[Row] = []
    cells = {(*row["blend"], row["strength"], row["corpus"], row["per_class"]): row for row in rows}
    for plan in planned():
        key = (tuple(plan["blend"]), plan["strength"])
        if any((tuple(line["blend"]), line["strength"]) == key for line in lines):
            continue
        by_size, gains = {}, []
        for size in SIZES:
            own = [
                (cells[*key[0], key[1], corpus, size], cells[*TODAY, 1.0, corpus, size])
                for corpus in CORPORA
                if (*key[0], key[1], corpus, size) in cells
            ]
            if own:
                by_size[str(size)] = float(np.mean([row["accuracy"] for row, _ in own]))
                gains += [row["accuracy"] - today["accuracy"] for row, today in own]
        of_line = [
            cell for name, cell in cells.items() if name[: len(key[0]) + 1] == (*key[0], key[1])
        ]
        lines.append(
            {
                "blend": list(key[0]),
                "strength": key[1],
                "accuracy_by_labels": by_size,
                "accuracy": float(np.mean(list(by_size.values()))),
                "gain": float(np.mean(gains)),
                "better": int(np.sum(np.array(gains) > 0)),
                "worse": int(np.sum(np.array(gains) < 0)),
                "seconds": float(np.mean([row["seconds"] for row in of_line])),
                "n_tasks": len(of_line),
            }
        )
    return {"lines": lines}


def shown_name(line: Row) -> str:
    added = [name for name in line["blend"] if name not in TODAY]
    left_out = [name for name in TODAY if name not in line["blend"]]
    if len(line["blend"]) == 1:
        return f"{line['blend'][0]} alone"
    name = "today's members" + "".join(f" + {own}" for own in added)
    name += "".join(f" − {own}" for own in left_out)
    return name + (f", strength {line['strength']:g}" if added else "")


def markdown(results: Row) -> str:
    shown = [
        "Accuracy on other training documents in %, mean of eight corpora, by labels per class; "
        "gain over today's members in points, and in how many tasks it is more or less accurate; "
        "seconds of one fit of each member:\n",
        f"| members | {' | '.join(map(str, SIZES))} | mean | gain | better | worse | seconds |",
        "|---" * (len(SIZES) + 6) + "|",
    ]
    for line in results["lines"]:
        means = (*line["accuracy_by_labels"].values(), line["accuracy"])
        shown.append(
            f"| {shown_name(line)} | {' | '.join(f'{100 * mean:.1f}' for mean in means)} | "
            f"{100 * line['gain']:+.1f} | {line['better']} | {line['worse']} | "
            f"{line['seconds']:.1f} |"
        )
    return "\n".join(shown) + "\n"


def main() -> None:
    rows = complete(planned(), OF_A_TASK, run_unit, told, ROWS)
    results = summarize(rows)
    report("auto_members", rows, results, markdown(results), [SEED])


if __name__ == "__main__":
    run_study(main)

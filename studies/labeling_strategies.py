"""Which document to ask about next: accuracy by number of answers of a simulated labeler.

Documents are asked about five at a time and answered with their true class; after each five the
method "two-view" is fitted, as on the labeling page while a person answers. Accuracy is that on
test documents. Five corpora of few_labels with their test documents, of which at most 3,000
training documents can be asked about; ten draws, which determine these documents and the seeds.

- default: the questions of ``leaven label``: ten typical documents, then those that are typical and
  uncertain, every fifth an audit drawn at random
- random: documents drawn at random
- margin: ten at random, then those of the smallest margin
- no_audits: the default without audits

How doubt and typicality are combined was chosen among about ten variants by their accuracy on test
documents of three other corpora, three draws each (WebKB stemmed, Industry Sector, SRAA). The first
of these has pages of the same universities as WebKB here, and one draw of docstrings had been seen
with earlier variants, so that results on these two may be optimistic. Nothing is known about the
number of classes: a class is known once a document of it was answered. "Labels needed" is the
number of answers after which the mean accuracy over draws first reaches that of random with 100,
between two points by a line; curves are not monotone, so random itself may need fewer than 100.

Run: ``python -m studies.labeling_strategies``; what is in results/labeling_strategies.jsonl is not
computed again.
"""

import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from leaven._base.typing import FloatArray, IntArray
from leaven.documents._arrow import as_text_array
from leaven.labeling._planner import Asked, Planner
from leaven.methods._repeated_fits import RepeatedFits
from leaven.query import random_documents, uncertain_documents
from studies import _common, _names
from studies._common import run_study
from studies._few_labels_corpora import DRAWN_ANEW, load
from studies._rows import Row, RowFile, report
from studies._workers import complete

CORPORA = ("docstrings", "20news", "webkb4", "movie_reviews", "reuters_r10")
DRAWS = 10
MOST_LABELS, BATCH = 150, 5
FIRST = 10  # random labels of strategies that need a model
MOST_ASKED = 3000  # documents that can be asked about
COMPARED_AT = 100  # labels
OF_A_TASK = ("corpus", "draw", "strategy")
ROWS = RowFile(_common.RESULTS / "labeling_strategies.jsonl", OF_A_TASK)

# From the documents' planner, the answers, the probabilities and a seed to documents.
Strategy = Callable[[Planner, Sequence[Asked], FloatArray | None, int], Sequence[tuple[int, str]]]


def by_planner(
    planner: Planner, answers: Sequence[Asked], probability: FloatArray | None, seed: int
) -> Sequence[tuple[int, str]]:
    plan = planner.plan(answers, (), probability)
    closed = [each.document for each in answers]
    return planner.questions(plan, BATCH, [each.why for each in answers], closed)


def without_audits(
    planner: Planner, answers: Sequence[Asked], probability: FloatArray | None, seed: int
) -> Sequence[tuple[int, str]]:
    plan = planner.plan(answers, (), probability)
    return plan.documents[:BATCH]


def at_random(
    planner: Planner, answers: Sequence[Asked], probability: FloatArray | None, seed: int
) -> Sequence[tuple[int, str]]:
    return _named(planner, random_documents(_open(planner, answers), BATCH, seed))


def by_margin(
    planner: Planner, answers: Sequence[Asked], probability: FloatArray | None, seed: int
) -> Sequence[tuple[int, str]]:
    if probability is None or len(answers) < FIRST:
        return at_random(planner, answers, probability, seed)
    return _named(planner, uncertain_documents(probability, _open(planner, answers), BATCH))


STRATEGIES: dict[str, Strategy] = {
    "default": by_planner,
    "random": at_random,
    "margin": by_margin,
    "no_audits": without_audits,
}


def _open(planner: Planner, answers: Sequence[Asked]) -> Any:
    return ~np.isin(planner.sample, [each.document for each in answers])


def _named(planner: Planner, places: IntArray) -> list[tuple[int, str]]:
    return [(int(document), "") for document in planner.sample[places]]


def planned(corpora: Sequence[str] = CORPORA, draws: int = DRAWS) -> list[Row]:
    return [
        dict(zip(OF_A_TASK, task, strict=True))
        for task in product(corpora, range(draws), STRATEGIES)
    ]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """The rows of tasks, in a worker process."""
    return [{**plan, **simulated(**{name: plan[name] for name in OF_A_TASK})} for plan in plans]


def simulated(corpus: str, draw: int, strategy: str) -> Row:
    """Accuracy after each batch of answers."""
    found = load(corpus, draw if corpus in DRAWN_ANEW else 0)
    rng = np.random.default_rng([draw, 5])
    asked = rng.permutation(found.unlabeled)[:MOST_ASKED]
    truth, names = found.labels[asked], found.labels[found.test]
    texts = as_text_array([found.texts[i] for i in asked])
    tests = as_text_array([found.texts[i] for i in found.test])
    accuracy: dict[str, float] = {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = RepeatedFits(texts, n_jobs=1, random_state=draw)
        planner = Planner(fits.sample, fits.vectors, draw)
        answers: list[Asked] = []
        probability = None
        while len(answers) < MOST_LABELS:
            questions = STRATEGIES[strategy](
                planner, answers, probability, draw * 1000 + len(answers)
            )
            answers += [Asked(number, str(truth[number]), why) for number, why in questions]
            labels = {each.document: each.label for each in answers}
            if len(set(labels.values())) < 2:
                continue
            clf = fits.fit("two-view", labels, audited=())  # as on the page
            probability, _ = fits.classified(clf.fitted)
            predicted = predictions(clf, tests)
            accuracy[str(len(answers))] = float((predicted == names).mean())
    return {"accuracy": accuracy}


def predictions(clf: Any, texts: pa.LargeStringArray) -> Any:
    return clf.classes_[clf.predict_proba(texts).argmax(axis=1)]


def told(rows: Sequence[Row]) -> str:
    last = {row["strategy"]: row["accuracy"].get(str(COMPARED_AT), 0.0) for row in rows}
    shown = ", ".join(f"{name} {100 * value:.1f}" for name, value in last.items())
    return f"{rows[0]['corpus']}, draw {rows[0]['draw']}: {shown}"


def curve(rows: Sequence[Row], corpus: str, strategy: str) -> dict[int, float]:
    """Mean accuracy by number of labels; before a second class is known, that of one class."""
    own = [
        row["accuracy"] for row in rows if (row["corpus"], row["strategy"]) == (corpus, strategy)
    ]
    sizes = sorted({int(size) for row in own for size in row})
    return {n: float(np.mean([row.get(str(n), 0.0) for row in own])) for n in sizes if own}


def labels_needed(points: dict[int, float], wanted: float) -> float:
    """Number of labels at which a curve first reaches an accuracy; infinite if it never does."""
    before: tuple[int, float] | None = None
    for n, value in sorted(points.items()):
        if value >= wanted:
            if before is None or value == before[1]:
                return float(n)
            share = (wanted - before[1]) / (value - before[1])
            return before[0] + share * (n - before[0])
        before = (n, value)
    return float("inf")


def summarize(rows: Sequence[Row]) -> Row:
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    found: Row = {"corpora": corpora, "strategies": {}, "draws": len({row["draw"] for row in rows})}
    wanted = {each: curve(rows, each, "random")[COMPARED_AT] for each in corpora}
    for strategy in STRATEGIES:
        curves = {each: curve(rows, each, strategy) for each in corpora}
        needed = {each: labels_needed(curves[each], wanted[each]) for each in corpora}
        at_last = {each: paired_at(rows, each, strategy) for each in corpora}
        found["strategies"][strategy] = {
            "curves": curves,
            "needed": needed,
            "mean_needed": float(np.mean(list(needed.values()))),
            "against_random": at_last,
        }
    return found


def paired_at(rows: Sequence[Row], corpus: str, strategy: str) -> Row | None:
    """Difference to random with 100 labels, paired by draws."""
    by_draw = {
        (row["strategy"], row["draw"]): row["accuracy"].get(str(COMPARED_AT), 0.0)
        for row in rows
        if row["corpus"] == corpus
    }
    draws = sorted({draw for name, draw in by_draw if name == strategy})
    if strategy == "random" or len(draws) < 2:
        return None
    own, others = ([by_draw[name, draw] for draw in draws] for name in (strategy, "random"))
    return dict(_common.paired(own, others))


def markdown(results: Row) -> str:
    corpora = results["corpora"]
    head = " | ".join(_names.CORPORA[each] for each in corpora)
    shown = [
        f"Answers after which the mean accuracy reaches that of random with {COMPARED_AT}, and in "
        f"brackets the accuracy with 50 and with {COMPARED_AT} labels in %:\n",
        f"| questions | {head} | mean |",
        "|---" * (len(corpora) + 2) + "|",
    ]
    for strategy, own in results["strategies"].items():
        cells = []
        for each in corpora:
            points = {int(n): value for n, value in own["curves"][each].items()}
            pair = ", ".join(f"{100 * points[n]:.1f}" for n in (50, COMPARED_AT))
            cells.append(f"{_count(own['needed'][each])} ({pair})")
        shown.append(f"| {strategy} | {' | '.join(cells)} | {_count(own['mean_needed'])} |")
    return "\n".join(shown) + "\n"


def _count(value: float) -> str:
    return f"{value:.0f}" if np.isfinite(value) else f"> {MOST_LABELS}"


def main() -> None:
    plans = planned()
    rows = complete(plans, ("corpus", "draw"), run_unit, told, ROWS)
    results = summarize(rows)
    report("labeling_strategies", rows, results, markdown(results), DRAWS)


if __name__ == "__main__":
    run_study(main)

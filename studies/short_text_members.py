"""What else was tried for short texts: blends of models of words and subwords, on training sides.

Twelve corpora (_short_corpora.py), of which only the training side has a part here: 1, 2, 5, 15 or
50 documents of every class are labeled (at most half of a class), and at most 3,000 of the others,
drawn at random, are unlabeled. Accuracy is that on 1,500 further documents of the training side (a
quarter of it where that is less), which no model sees. The two draws have other seeds than those of
short_texts. Models of words are the four of ``auto``: linear, linear with vectors, two-view EM,
naive Bayes with EM. "words + subwords" adds the models of subwords of ``auto``, n-grams of 3 to 5
characters inside words: linear with vectors, two-view EM and naive Bayes, with their own vectors.

- "subwords alone": the same three, and a linear model
- "one bag": counts of words and subwords side by side; both linear models and two-view EM
- "vectors of both": models of subwords with vectors learned from words and subwords together
- "word pairs and first words": a linear model of words, word pairs, and the first two words as such
- "shares": correction for the shares of classes as in ``auto``, 5 steps and a factor of accuracy
- "distilled": ridge regression (penalty 10) on unit-length words and unit-length subwords of all
  documents, fitted to the blend's probabilities; labeled documents count five times, by their label
- "random labels": as many labels drawn at random, and one of every class that has none among them

All models are fitted to the same folds of labels, with all unlabeled documents, and blended by the
weights that ``auto`` fits to held-out scores (default ones where there is one label per class); its
rule for a supervised model that wins alone is left out. What is in results/short_text_members.jsonl
is not computed again. Run: ``python -m studies.short_text_members``
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby, product
from statistics import fmean
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from leaven._base.measures import log_softmax
from leaven.corpora import Block, TrainingSet, in_memory
from leaven.documents._arrow import as_text_array
from leaven.documents._labels import Labels
from leaven.experts import checked_scores, row_norms
from leaven.held_out import HeldOut, _shares, class_bias, class_shares, fit_weights
from leaven.learners import Learner, Run
from leaven.learners._frequent_words import FrequentWordsLearner
from leaven.learners._linear import LinearLearner, LinearVectorsLearner
from leaven.learners._subwords import FrequentSubwordsLearner, TwoViewSubwordsLearner
from leaven.learners._two_view import TwoViewLearner
from leaven.learning import learn_view
from leaven.methods import METHODS
from leaven.methods._options import merged_text_options, subword_options
from leaven.text._counter import fit_counter
from studies import _common
from studies._rows import Row, RowFile, report
from studies._short_corpora import SHORT, split
from studies._workers import compute

SIZES, DRAWS = (1, 2, 5, 15, 50), (11, 12)  # labels per class, and seeds
MOST_UNLABELED, MOST_OTHERS = 3000, 1500
PENALTY, LABELED_WEIGHT = 10.0, 5.0  # of ridge regression, and of a labeled document in it
AUTO, ALONE, RUN = METHODS["auto"], METHODS["em"], Run(seed=0, n_threads=1)
OF_WORDS = TwoViewLearner, FrequentWordsLearner
OF_SUBWORDS = TwoViewSubwordsLearner, FrequentSubwordsLearner
LINEAR: dict[str, Learner] = {"linear": LinearLearner(), "vectors": LinearVectorsLearner()}
OF_A_TASK = ("corpus", "per_class", "draw")
ROWS = RowFile(_common.RESULTS / "short_text_members.jsonl", (*OF_A_TASK, "blend"))
Views = Mapping[str, Sequence[str]]  # how documents are seen → models of them
training_side = lru_cache(maxsize=1)(lambda load: split(*load())[0])
Pair = tuple[Any, Any]  # of something about the documents to learn from, and about the others
FOUR = ("linear", "vectors", "two-view", "bayes")
WORDS, THREE = {"words": FOUR}, FOUR[1:]
BOTH: Views = {**WORDS, "subwords": THREE}


class Blend(NamedTuple):
    """Models, and what is done with their scores."""

    views: Views = BOTH
    steps: int = 0  # of the estimate of shares
    by_accuracy: bool = True  # whether its effect depends on the expected accuracy
    student: str = ""  # a ridge regression instead of the blend, with or without its intercept
    is_random: bool = False  # how documents to label were drawn


BASE, RANDOM, STEPS = "words + subwords", "words + subwords, random labels", _shares.STEPS
SHARES = f"{BASE} + shares"
BLENDS: dict[str, Blend] = {
    "words": Blend(WORDS),
    BASE: Blend(),
    f"{BASE}, no naive Bayes of subwords": Blend({**WORDS, "subwords": THREE[:2]}),
    "subwords alone": Blend({"subwords": FOUR}),
    "one bag of words and subwords": Blend({"one bag": FOUR[:3]}),
    f"{BASE}, vectors of both": Blend({**BOTH, "subwords": THREE[2:], "both": THREE[:2]}),
    f"{BASE} + word pairs and first words": Blend({**BOTH, "pairs": FOUR[:1]}),
    f"{BASE} of 2–4 characters": Blend({**WORDS, "2–4": THREE}),
    f"{BASE} of 3–6 characters": Blend({**WORDS, "3–6": THREE}),
    SHARES: Blend(steps=STEPS),
    f"{SHARES}, 1 step": Blend(steps=1),
    f"{SHARES}, 20 steps": Blend(steps=20),
    f"{SHARES}, without the factor of accuracy": Blend(steps=STEPS, by_accuracy=False),
    f"{BASE}, distilled": Blend(student="with intercept"),
    f"{BASE}, distilled, no intercept": Blend(student="no intercept"),
    f"{SHARES}, distilled": Blend(steps=STEPS, student="with intercept"),
    RANDOM: Blend(is_random=True),
    f"{SHARES}, random labels": Blend(is_random=True, steps=STEPS),
}


class Task(NamedTuple):
    """Texts to learn from, the labeled ones first, and others to judge by."""

    texts: tuple[list[str], list[str]]
    codes: Any  # of those to learn from, -1 where unlabeled
    truth: Any  # codes of the others
    labels: Labels


def drawn(corpus: str, per_class: int, draw: int, is_random: bool) -> Task:
    texts, names = training_side(SHORT[corpus])
    classes, codes = np.unique(names, return_inverse=True)
    rng = np.random.default_rng([draw, per_class])
    others, rest = np.split(rng.permutation(len(texts)), [min(MOST_OTHERS, len(texts) // 4)])
    of_class = [rest[codes[rest] == code] for code in range(len(classes))]
    chosen = [own[: min(per_class, max(len(own) // 2, 1))] for own in of_class]
    if is_random:
        first = rest[: sum(map(len, chosen))]
        chosen = [first, *(own[:1] for own in of_class if not np.isin(own, first).any())]
    labeled = np.concatenate(chosen)
    unlabeled = rng.permutation(np.setdiff1d(rest, labeled))[:MOST_UNLABELED]
    known = np.r_[codes[labeled], np.full(len(unlabeled), -1)]
    own, new = ([texts[i] for i in rows] for rows in (np.r_[labeled, unlabeled], others))
    return Task((own, new), known, codes[others], Labels(classes))


class Members:
    """Models of one task, each fitted once."""

    def __init__(self, task: Task) -> None:
        self.task, self.ones = task, np.ones(len(task.codes))
        self.seen, self.training = cache(self._seen), cache(self._training)
        self.scored = cache(self._scored)
        self.held = HeldOut(self.training("words"), RUN)

    def _counted(self, options: Any, most: int | None = None) -> Pair:
        """Counts of the documents, or of their first words."""
        texts = [[" ".join(each.split()[:most]) for each in own] for own in self.task.texts]
        counter, X = fit_counter(as_text_array(texts[0]), options, by_frequency=True, n_threads=1)
        return X, counter.count(as_text_array(texts[1]), n_threads=1)

    def _seen(self, view: str) -> tuple[Pair, Pair]:
        """Counts and vectors."""
        words = merged_text_options(AUTO, None, len(self.ones))
        if view == "both":
            return self.seen("subwords")[0], self.seen("one bag")[1]
        if view == "pairs":  # of any length, or the first words would weigh as much as all
            pairs = replace(words, ngram_range=(1, 2), min_df=1, length=None)
            return beside(self._counted(pairs), self._counted(pairs, 2)), (None, None)
        if view == "one bag":
            counts = beside(self.seen("words")[0], self.seen("subwords")[0])
        elif view == "words":
            counts = self._counted(words)
        else:
            subwords = subword_options(AUTO, None, len(self.ones), words_per_document=0.0)
            assert subwords is not None
            lengths = {"2–4": (2, 4), "3–6": (3, 6)}.get(view, subwords.ngram_range)
            counts = self._counted(replace(subwords, ngram_range=lengths))
        corpus = in_memory(Block(counts[0], self.task.codes, self.ones), 1)
        space = learn_view(corpus, TwoViewLearner().n_dims, RUN.seed)
        return counts, (space.vectors(counts[0], None, 1), space.vectors(counts[1], None, 1))

    def _training(self, view: str) -> TrainingSet:
        (X, _), (vectors, _) = self.seen(view)
        corpus = in_memory(Block(X, self.task.codes, self.ones, vectors), 1)
        like = None if view == "words" else self.training("words")
        n_dims = 0 if vectors is None else vectors.shape[1]
        return replace(TrainingSet.of(corpus, self.task.labels), n_dims=n_dims, like=like)

    def _scored(self, view: str, model: str) -> tuple[Any, Any, Any, float] | None:
        """Scores (held out, known, others) and prior weight; None where ``auto`` leaves it out."""
        training, learner = self.training(view), learner_of(view, model, len(self.ones))
        learned = learner.fit(training, RUN)
        if not self.held.places and (learned.has_collapsed or model == "bayes"):
            return None
        known, others = (
            checked_scores(learned.expert, X, vectors, training.n_classes)
            for X, vectors in zip(*self.seen(view), strict=True)
        )
        held_out = HeldOut(training, RUN).scores(learned)
        return held_out, known, others, learner.prior_weight(training.size)

    def predicted(self, blend: Blend) -> Any:
        """Codes of the others."""
        pairs = [(view, model) for view, models in blend.views.items() for model in models]
        own = {pair: found for pair in pairs if (found := self.scored(*pair)) is not None}
        linear = next(own[pair][1] for pair in pairs if pair[1] == "vectors")
        shares = class_shares(self.task.labels, linear, self.ones)
        *scores, priors = zip(*own.values(), strict=True)
        weights = fit_weights(scores[0], self.held.truth, priors, self.held.importance(shares))
        held_out, known, others = (np.tensordot(weights, np.stack(part), 1) for part in scores)
        if blend.steps:
            guess = self.held.expectation(held_out, shares).guess if blend.by_accuracy else 1.0
            labeled, new = self.held.training.labeled.y, known[self.task.codes < 0]
            with patch.object(_shares, "STEPS", blend.steps):
                bias = class_bias(new, np.ones(len(new)), labeled, guess)
            known, others = known + bias, others + bias
        return (self._student(known, blend) if blend.student else others).argmax(axis=1)

    def _student(self, scores: Any, blend: Blend) -> Any:
        """Scores of the others by a ridge regression that imitates these scores."""
        codes, is_labeled = self.task.codes, self.task.codes >= 0
        wanted = np.exp(log_softmax(scores))
        wanted[is_labeled] = np.eye(scores.shape[1])[codes[is_labeled]]
        counts = [self.seen(view)[0] for view in BOTH]
        units = ([diags_array(1 / row_norms(X)) @ X for X in own] for own in counts)
        known, others = beside(*units)
        student = Ridge(alpha=PENALTY, solver="sparse_cg", tol=1e-3)
        student.fit(known, wanted, sample_weight=np.where(is_labeled, LABELED_WEIGHT, 1.0))
        return student.predict(others) - (
            student.intercept_ if blend.student == "no intercept" else 0
        )


def beside(*kinds: Sequence[Any]) -> Any:
    """Pairs of matrices as one pair."""
    return tuple(csr_array(hstack(own, format="csr")) for own in zip(*kinds, strict=True))


def learner_of(view: str, model: str, n_documents: int) -> Learner:
    two_view, bayes = OF_WORDS if view == "words" else OF_SUBWORDS
    if model == "bayes":
        return bayes(ALONE.fewest_documents(n_documents), ALONE.text["length"])
    return two_view(**AUTO.settings) if model == "two-view" else LINEAR[model]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one task; runs in a worker process."""
    corpus, per_class, draw = (plans[0][name] for name in OF_A_TASK)
    members = cache(lambda is_random: Members(drawn(corpus, per_class, draw, is_random)))
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for plan in plans:
            blend = BLENDS[plan["blend"]]
            own = members(blend.is_random)
            accuracy = float((own.predicted(blend) == own.task.truth).mean())
            rows.append({**plan, "accuracy": accuracy, "n_others": len(own.task.truth)})
    return rows


def planned() -> list[Row]:
    return [
        {"corpus": corpus, "per_class": size, "draw": draw, "blend": blend}
        for corpus, draw, size, blend in product(SHORT, DRAWS, SIZES, BLENDS)
    ]


def told(rows: Sequence[Row]) -> str:
    found = ", ".join(f"{row['blend']} {100 * row['accuracy']:.1f}" for row in rows)
    return f"{rows[0]['corpus']} ({rows[0]['per_class']}): {found}"


def summarize(rows: Sequence[Row]) -> Row:
    found = {(row["blend"], *(row[name] for name in OF_A_TASK)): row["accuracy"] for row in rows}
    tasks, lines = [task for blend, *task in found if blend == BASE], []
    for name, blend in BLENDS.items():
        base = RANDOM if blend.is_random else BASE
        gains = np.array([found[name, *task] - found[base, *task] for task in tasks])
        means = [fmean(found[name, *task] for task in tasks if task[1] == size) for size in SIZES]
        line = {"blend": name, "means": means, "mean": fmean(means), "gain": float(gains.mean())}
        lines.append({**line, "better": int((gains > 0).sum()), "worse": int((gains < 0).sum())})
    return {"n_corpora": len(SHORT), "draws": len(DRAWS), "n_tasks": len(tasks), "lines": lines}


def markdown(results: Row) -> str:
    shown = [
        f"Accuracy on other documents of the training side in %, mean of {results['n_corpora']} "
        f"corpora and {results['draws']} draws, by labels per class; gain over {BASE} (with random "
        "labels, over the same blend with random labels) in points, and in how many of "
        f"{results['n_tasks']} tasks it is more or less accurate:\n",
        f"| blend | {' | '.join(map(str, SIZES))} | mean | gain | better | worse |",
        "|---" * (len(SIZES) + 5) + "|",
    ]
    for line in results["lines"]:
        means = " | ".join(f"{100 * mean:.1f}" for mean in (*line["means"], line["mean"]))
        gain = f"{100 * line['gain']:+.1f} | {line['better']} | {line['worse']}"
        shown.append(f"| {line['blend']} | {means} | {gain} |")
    return "\n".join(shown) + "\n"


def main() -> None:
    groups = groupby(ROWS.missing(planned()), lambda plan: [plan[name] for name in OF_A_TASK])
    compute([list(group) for _, group in groups], run_unit, told, ROWS, processes=1)
    results = summarize(rows := ROWS.of(planned()))
    report("short_text_members", rows, results, markdown(results), list(DRAWS))


if __name__ == "__main__":
    _common.run_study(main)

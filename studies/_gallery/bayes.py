"""Naive Bayes, EM and the frequency estimate: what they learn of words."""

from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.classifier import FittedClassifier
from leaven.experts import class_log_words
from studies._gallery._style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    PALE,
    end_labels,
    figure,
    headline,
    note,
    panel_title,
)
from studies._gallery._task import Task, docstrings, histogram, rounded

Found = dict[str, Any]
EDGES = np.arange(-12.0, 12.5, 1.0)
CERTAIN = 0.95
ITERATIONS = 8
EM_CLASS = "optimize"
WORDS_SHOWN = 7
SFE_CLASS = "signal"
WORDS_COMPARED = 12
FEWEST_DOCUMENTS = 20  # that a word is in, for the error of its log ratio
LOG_2 = np.log(2)


def compute_nb() -> Found:
    """Log odds of the true class against the best other, by labels alone, calibrated."""
    task = docstrings()
    model = task.fitted("nb", calibrate=True)
    scores = task.scores(model)
    margins = task.margins(scores)
    is_sure = np.abs(margins) > np.log(CERTAIN / (1 - CERTAIN))
    is_known = _words_of(task, model, task.labeled)
    return {
        **task.sizes,
        "edges": rounded(EDGES, 1),
        "documents": histogram(margins, EDGES),
        "certain": CERTAIN,
        "accuracy": task.accuracy(scores),
        "share_sure": float(is_sure.mean()),
        "accuracy_of_sure": float((margins[is_sure] > 0).mean()),
        "accuracy_of_others": float((margins[~is_sure] > 0).mean()),
        "n_words": len(is_known),
        "share_of_words_labeled": float(is_known.mean()),
    }


def draw_nb(found: Found) -> Any:
    card, axes = figure(3.3)
    edges, documents = np.array(found["edges"]), np.array(found["documents"])
    is_right = edges[:-1] >= 0
    for wanted, color in ((is_right, BLUE), (~is_right, ORANGE)):
        axes.bar(edges[:-1][wanted] + 0.5, documents[wanted], 0.92, color=color)
    sure = np.log(found["certain"] / (1 - found["certain"]))
    top = 1.12 * documents.max()
    for place in (-sure, sure):
        axes.axvline(place, color=GREY, linewidth=1, linestyle=":")
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_ylim(0, top)
    axes.set_xlim(edges[0], edges[-1])
    odds = f"odds over {np.exp(sure):.0f} to 1"
    for place, who, color, side in (
        (sure + 0.25, "right", BLUE, "left"), (-sure - 0.25, "wrong", ORANGE, "right")
    ):  # fmt: skip
        note(axes, place, 0.97 * top, f"{who}, {odds}", color=color, ha=side, va="top")
    note(axes, 0.2, 0.97 * top, "right", color=BLUE, va="top")
    note(axes, -0.2, 0.97 * top, "wrong", color=ORANGE, va="top", ha="right")
    axes.set_xlabel("log odds of the true class against the best other")
    axes.set_ylabel("unlabeled documents")
    ticks = np.arange(-10, 11, 5)
    axes.set_xticks([*ticks, edges[-1] - 0.5], [*map(str, ticks), "more"])
    headline(
        card,
        f"nb: {found['n_labeled']} labels alone place {100 * found['accuracy']:.0f} % of "
        f"{found['n_unlabeled']:,} documents in the right class",
    )
    return card


def compute_em() -> Found:
    """Words that no labeled document of their class has, by iteration; accuracy beside."""
    task = docstrings()
    models = [task.fitted("em", {"max_iter": number}) for number in range(ITERATIONS + 1)]
    final = models[-1]
    code = int(np.flatnonzero(task.classes == EM_CLASS)[0])
    ratios = np.array([log_ratios(model)[code] for model in models])  # (n_iterations, n_words)
    of_class = task.labeled[task.codes[task.labeled] == code]
    strength = final.experts[0].word_scores()[code]
    strength[_words_of(task, final, of_class)] = -np.inf
    top = np.argsort(-strength, kind="stable")[:WORDS_SHOWN]
    words = final.counter.vocabulary.words.to_pylist()
    return {
        **task.sizes,
        "class": EM_CLASS,
        "n_labeled_of_class": len(of_class),
        "words": [words[number] for number in top],
        "log_ratios": rounded(ratios[:, top].T),
        "accuracy": [task.accuracy(task.scores(model)) for model in models],
        "objective": [model.report.objective[-1] for model in models],
        "n_iter_converged": task.fitted("em").report.n_iter,
    }


def draw_em(found: Found) -> Any:
    card, (left, right) = figure(3.5, ncols=2, width_ratios=(1.25, 1))
    lines = np.array(found["log_ratios"]) / LOG_2
    steps = np.arange(lines.shape[1])
    for line in lines:
        left.plot(steps, line, color=BLUE, linewidth=1.6, marker="o", markersize=2.5)
    left.axhline(0, color=GREY, linewidth=1)
    end_labels(
        left, steps[-1] + 0.25, lines[:, -1], found["words"], [BLUE] * len(lines),
        0.065 * lines.max(),
    )  # fmt: skip
    left.set_ylim(-0.3, 1.12 * lines.max())
    left.set_xlim(0, steps[-1])
    left.set_ylabel("log₂ of the word's probability in the\nclass over that in all classes")
    panel_title(left, f"words of “{found['class']}” in none of its labels")
    right.plot(steps, 100 * np.array(found["accuracy"]), color=ORANGE, marker="o", markersize=3.5)
    first, best = 100 * found["accuracy"][0], 100 * found["accuracy"][-1]
    note(right, 0.3, first, f"labels alone {first:.0f} %", color=ORANGE, va="center")
    note(right, steps[-1], best + 0.35, f"{best:.0f} %", color=ORANGE, ha="right", va="bottom")
    right.set_ylim(first - 1, best + 2)
    panel_title(right, "accuracy, %")
    for axes in (left, right):
        axes.set_xlabel("iteration of EM")
        axes.set_xticks(steps[::2])
    headline(
        card,
        f"em: unlabeled documents teach words of “{found['class']}” that its labels lack",
    )
    return card


def compute_sfe() -> Found:
    """Log ratios of a class's words: by labels alone, by the estimate, and if all were labeled."""
    task = docstrings()
    everything = Task(task.texts, task.truth, np.arange(len(task.texts)))
    models = {
        # The estimate without unlabeled documents is naive Bayes on the same counts.
        "labels": task.fitted("sfe", {"unlabeled_weight": 0.0}),
        "sfe": task.fitted("sfe"),
        "truth": everything.fitted("sfe", {"unlabeled_weight": 0.0}),
    }
    ratios = {name: log_ratios(model) for name, model in models.items()}
    code = int(np.flatnonzero(task.classes == SFE_CLASS)[0])
    strength = models["truth"].experts[0].word_scores()[code]
    top = np.argsort(-strength, kind="stable")[:WORDS_COMPARED]
    words = models["sfe"].counter.vocabulary.words.to_pylist()
    X = task.counts(models["sfe"])
    is_frequent = np.bincount(X.indices, minlength=X.shape[1]) >= FEWEST_DOCUMENTS
    is_labeled = _words_of(task, models["sfe"], task.labeled)
    return {
        **task.sizes,
        "class": SFE_CLASS,
        "words": [words[number] for number in top],
        "is_labeled": [bool(is_labeled[number]) for number in top],
        "log_ratios": {name: rounded(own[code, top]) for name, own in ratios.items()},
        "fewest_documents": FEWEST_DOCUMENTS,
        "error": {  # root of the mean square over all classes, in bits
            name: float(
                np.sqrt(np.mean((ratios[name] - ratios["truth"])[:, is_frequent] ** 2)) / LOG_2
            )
            for name in ("labels", "sfe")
        },
        "accuracy": {name: task.accuracy(task.scores(models[name])) for name in ("labels", "sfe")},
    }


def draw_sfe(found: Found) -> Any:
    card, axes = figure(4.0)
    values = {name: np.array(own) / LOG_2 for name, own in found["log_ratios"].items()}
    rows = np.arange(len(found["words"]))[::-1]
    axes.hlines(rows, values["labels"], values["truth"], color=PALE, linewidth=2)
    axes.hlines(rows, values["labels"], values["sfe"], color=BLUE, linewidth=2)
    for name, marker, color in (("truth", "D", INK), ("labels", "o", ORANGE), ("sfe", "o", BLUE)):
        axes.scatter(values[name], rows, s=34, color=color, marker=marker, zorder=3)
    names = {
        "labels": f"{found['n_labeled']} labels alone",
        "sfe": "with all documents (sfe)",
        "truth": "if all were labeled",
    }
    for (name, text), color, side in zip(
        names.items(), (ORANGE, BLUE, INK), ("center", "left", "center"), strict=True
    ):
        note(axes, values[name][0], rows[0] + 0.55, text, color=color, ha=side, va="bottom")
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    axes.set_yticks(rows, found["words"])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(rows) + 0.5)
    axes.set_xlabel(
        f"log₂ of the word's probability in “{found['class']}” over that in all classes"
    )
    headline(card, "sfe: words of labeled documents move towards their true frequencies")
    return card


def log_ratios(model: FittedClassifier) -> FloatArray:
    """Log of each word's probability in a class over its mean of all classes."""
    expert = model.experts[0].as_mixture()
    assert expert is not None
    log_words = np.asarray(class_log_words(expert.model, expert.params), np.float64)
    found: FloatArray = log_words - np.log(np.exp(log_words).mean(axis=0))
    return found


def _words_of(task: Task, model: FittedClassifier, documents: Any) -> Any:
    """Which words are in any of these documents."""
    X = task.counts(model)
    is_present = np.zeros(X.shape[1], bool)
    is_present[X[documents].indices] = True
    return is_present

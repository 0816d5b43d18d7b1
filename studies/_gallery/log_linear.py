"""Maximum entropy and its hybrids: the weights of words, with and without unlabeled documents."""

from typing import Any

import numpy as np

from leaven._base.typing import BoolArray
from leaven.classifier import FittedClassifier
from leaven.corpora import InMemoryCorpus, TrainingSet
from leaven.documents._labels import Labels
from leaven.learners import Run
from leaven.methods import METHODS
from leaven.methods._options import make_learner
from studies._gallery._style import (
    BLUE,
    GREY,
    LABEL,
    ORANGE,
    figure,
    headline,
    panel_title,
)
from studies._gallery._task import Task, docstrings, rounded

Found = dict[str, Any]
CLASSES = ("signal", "optimize", "stats")
WORDS_SHOWN = 8
ALPHAS = (0.1, 0.5, 0.9)  # of the coupling, from tight to loose
COUPLED_CLASS = "signal"
MOST_POINTS = 500


def compute_maxent() -> Found:
    """The words of greatest weight of some classes, by labels alone."""
    task = docstrings()
    model = task.fitted("maxent")
    table = model.experts[0].linear_weights()
    assert table is not None
    return {
        **task.sizes,
        **_top_words(task, model),
        "n_words": len(table) - 1,
        "share_of_words_used": float((np.abs(table[:-1]).max(axis=1) > 1e-6).mean()),
        "settings": {"variance": model.report.facts["variance"]},
        "accuracy": task.accuracy(task.scores(model)),
    }


def draw_maxent(found: Found) -> Any:
    card = _draw_words(found, ORANGE)
    share = 100 * found["share_of_words_used"]
    headline(card, f"maxent: only the {share:.0f} % of words in labeled documents have weights")
    return card


def compute_mcl() -> Found:
    """The words of greatest weight of the same classes, by all documents."""
    task = docstrings()
    model = task.fitted("mcl")
    facts = model.report.facts
    return {
        **task.sizes,
        **_top_words(task, model),
        "settings": {name: facts[name] for name in ("alpha", "variance")},
        "accuracy": task.accuracy(task.scores(model)),
        "accuracy_of_maxent": task.accuracy(task.scores(task.fitted("maxent"))),
    }


def draw_mcl(found: Found) -> Any:
    card = _draw_words(found, BLUE)
    headline(card, "mcl: with unlabeled documents, the topic’s own words have the weight")
    return card


def compute_pcp() -> Found:
    """Weights of words in the table that classifies and in the one that explains documents."""
    task = docstrings()
    model = task.fitted("maxent")  # which sees text as pcp does
    corpus = InMemoryCorpus(task.counts(model), task.known_codes, n_threads=1)
    training = TrainingSet.of(corpus, Labels(task.classes.astype(object)))
    code = int(np.flatnonzero(task.classes == COUPLED_CLASS)[0])
    rows = np.random.default_rng(0).permutation(corpus.n_words)[:MOST_POINTS]
    found: Found = {**task.sizes, "class": COUPLED_CLASS, "steps": []}
    expert = None
    for alpha in ALPHAS:  # each from the maximum of the one before, as the method does
        learner = make_learner(METHODS["pcp"], {"alpha": alpha})
        expert, result = learner.search_given(training, Run(n_threads=1, start=expert))
        tables = [
            part.reshape(expert.table.shape)[:-1] for part in np.split(np.asarray(result.params), 2)
        ]
        ours, theirs = (table - table.mean(axis=1, keepdims=True) for table in tables)
        found["steps"].append(
            {
                "alpha": alpha,
                "classifies": rounded(ours[rows, code], 2),
                "explains": rounded(theirs[rows, code], 2),
                "correlation": float(np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]),
                "accuracy": task.accuracy(expert.scores(task.counts(model), None)),
            }
        )
    return found


def draw_pcp(found: Found) -> Any:
    card, panels = figure(3.1, ncols=len(found["steps"]), sharex=True, sharey=True)
    for axes, step in zip(panels, found["steps"], strict=True):
        x, y = np.array(step["explains"]), np.array(step["classifies"])
        axes.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
        axes.scatter(x, y, s=6, color=BLUE, alpha=0.35, linewidth=0)
        panel_title(
            axes,
            f"α = {step['alpha']:g}: correlation {step['correlation']:.2f},\n"
            f"accuracy {100 * step['accuracy']:.0f} %",
        )
    panels[0].set_ylabel(f"weight that classifies\n(words of “{found['class']}”)")
    card.supxlabel("weight that explains documents", fontsize=LABEL)
    headline(card, "pcp: α couples the weights that classify to those that explain documents")
    return card


def _top_words(task: Task, model: FittedClassifier) -> Found:
    """The words of greatest weight of each class shown, and whether a labeled document has them."""
    words = model.counter.vocabulary.words.to_pylist()
    weights = model.experts[0].word_scores()
    X = task.counts(model)
    is_labeled: BoolArray = np.zeros(X.shape[1], bool)
    is_labeled[X[task.labeled].indices] = True
    shown = {}
    for name in CLASSES:
        code = int(np.flatnonzero(task.classes == name)[0])
        top = np.argsort(-weights[code], kind="stable")[:WORDS_SHOWN]
        shown[name] = {
            "words": [words[number] for number in top],
            "weights": rounded(weights[code, top]),
            "is_labeled": [bool(is_labeled[number]) for number in top],
        }
    return {"classes": shown}


def _draw_words(found: Found, color: str) -> Any:
    """Bars of weights, a panel for each class; hollow for words of no labeled document."""
    card, panels = figure(3.0, ncols=len(found["classes"]))
    for axes, (name, own) in zip(panels, found["classes"].items(), strict=True):
        rows = np.arange(len(own["words"]))
        bars = axes.barh(rows, own["weights"], 0.72, color=color, edgecolor=color)
        for bar, is_labeled in zip(bars, own["is_labeled"], strict=True):
            if not is_labeled:
                bar.set_facecolor("white")
                bar.set_hatch("////")
        axes.set_yticks(rows, own["words"])
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        panel_title(axes, f"“{name}”")
    hatched = not all(all(own["is_labeled"]) for own in found["classes"].values())
    more = " (hatched: in no labeled document)" if hatched else ""
    card.supxlabel(f"weight of the word{more}", fontsize=LABEL)
    return card

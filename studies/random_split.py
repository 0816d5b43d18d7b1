"""20 Newsgroups split at random, beside the split by date of the other studies.

Messages of one thread fall on both sides of a random split, and words of the day are the same
on both: it is easier than Nigam's, where the test messages are the latest. 20 % are for testing,
10,000 others are unlabeled, labeled ones are drawn from the rest.

Run: ``python -m studies.random_split``
"""

from dataclasses import replace

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from leaven import TextClassifier
from studies._common import (
    NewsgroupSplit,
    labeled_set,
    mean_sd,
    newsgroup_split,
    run_study,
    write_results,
)

BUDGETS = (1, 5, 15, 50)
DRAWS = 5
METHODS = ("svm", "em", "two-view", "auto")


def random_split(seed: int) -> NewsgroupSplit:
    split = newsgroup_split(seed)
    order = np.random.default_rng([seed, 1]).permutation(len(split.labels))
    n_test = round(0.2 * len(order))
    return replace(
        split,
        test=order[:n_test],
        unlabeled=np.sort(order[n_test : n_test + 10_000]),
        pool=order[n_test + 10_000 :],
    )


def accuracy(method: str, split: NewsgroupSplit, labeled: np.ndarray) -> float:
    train = np.concatenate([labeled, split.unlabeled])
    texts, test = [split.texts[i] for i in train], [split.texts[i] for i in split.test]
    if method == "svm":
        vectorizer = TfidfVectorizer().fit(texts)
        X = vectorizer.transform(texts[: len(labeled)])
        found = LinearSVC().fit(X, split.labels[labeled]).predict(vectorizer.transform(test))
    else:
        labels = [*split.labels[labeled].tolist(), *[None] * len(split.unlabeled)]
        found = TextClassifier(method, calibrate=False).fit(texts, labels).predict(test)
    return float((found == split.labels[split.test]).mean())


def main() -> None:
    found: dict[str, dict[int, list[float]]] = {
        method: {n: [] for n in BUDGETS} for method in METHODS
    }
    for draw in range(DRAWS):
        split = random_split(draw)
        for n in BUDGETS:
            labeled = labeled_set(split, n * len(np.unique(split.labels)), draw)
            for method in METHODS:
                found[method][n].append(accuracy(method, split, labeled))
    print("accuracy, %, at", *BUDGETS, "labels per class")
    for method in METHODS:
        print(f"{method:<10}", "  ".join(mean_sd(found[method][n]) for n in BUDGETS))
    write_results("random_split", {"budgets": list(BUDGETS), "accuracy": found}, seed=range(DRAWS))


if __name__ == "__main__":
    run_study(main)

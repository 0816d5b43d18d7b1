"""Raw text to a trained model against a scikit-learn pipeline that does the same."""

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import MultinomialNB

from benchmarks._common import Row, best_seconds, machine, n_bytes, newsgroups
from leaven import TextClassifier

ITERATIONS = 10


def sklearn_em(texts: list[str], labels: list[Any]) -> MultinomialNB:
    """Count, weigh, scale to a constant length, then EM with MultinomialNB: 10 iterations.

    Unlabeled documents enter an M-step once per class, weighted by their probabilities,
    through ``partial_fit``'s only way to take them: one-hot targets with sample weights.
    """
    X = CountVectorizer(min_df=5).fit_transform(texts)
    X.data = np.log1p(X.data)
    X = TfidfTransformer(norm="l1").fit_transform(X) * 150.0
    y = np.array([label or "" for label in labels])
    is_labeled = y != ""
    model = MultinomialNB().fit(X[is_labeled], y[is_labeled])
    one_hot = (y[:, None] == model.classes_).astype(float)
    for _ in range(ITERATIONS):
        q = model.predict_proba(X)
        q[is_labeled] = one_hot[is_labeled]
        # MultinomialNB's own M-step, on fractional targets.
        model._init_counters(len(model.classes_), X.shape[1])
        model._count(X, q)
        model._update_feature_log_prob(model.alpha)
        model._update_class_log_prior()
    return model


def run() -> list[Row]:
    texts, names = newsgroups()
    rng = np.random.default_rng(0)
    labels = [name if rng.random() < 0.02 else None for name in names]
    options = {"max_iter": ITERATIONS, "tol": 0.0}
    clf = TextClassifier("em", options=options, calibrate=False, n_jobs=2)

    def ours() -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ten iterations do not converge, and need not
            clf.fit(texts, labels)

    best = best_seconds({"peer": lambda: sklearn_em(texts, labels), "ours": ours}, rounds=4)
    return [
        Row(
            "raw text → trained model, 10 EM iterations, two threads",
            best["ours"],
            "scikit-learn pipeline",
            best["peer"],
            12.0,
            {"phases": clf.report_.seconds},
            limit=machine().seconds(n_bytes(texts)),
        )
    ]

"""McCallum, table 2: the ten largest classes of Reuters-21578, documents with several labels.

ModApte; 6,490 training and 2,545 test documents that have at least one of the ten classes; title,
dateline and text. The literal model has raw counts, scikit-learn's English stop words (the paper:
SMART's) and numbers as one word, and predicts the most probable set. Repairs are added one after
the other; where naive Bayes odds are added, sets are decided class by class. Default methods have
no stop words. ``max_iter`` counts M-steps: the first is that of words shared equally among a
document's classes, so ``max_iter=2`` is one iteration of EM after that start.

Binary naive Bayes is scikit-learn's ``MultinomialNB``, one for each class, on the literal model's
words. "Sizes chosen on held-out training documents" chooses the number of words of each class (by
mutual information) on a quarter of the training documents; "chosen on test documents" is what
the paper did for these classifiers. Seconds are of fit and predict together, two threads, with
counting words. Run: ``python -m studies mccallum_table_2``.
"""

import time
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from leaven import TextClassifier
from leaven.documents._arrow import as_text_array
from leaven.significance import mcnemar
from leaven.text import TextVectorizer
from leaven.text._vocabulary import mutual_information
from studies import _common
from studies._common import run_study, write_results
from studies._label_sets import SetCorpus, linear, load, markdown, measured, percent

PAPER = {  # accuracy by class in alphabetical order, then of whole sets
    "paper: binary naive Bayes": (
        0.9707, 0.9751, 0.9751, 0.9718, 0.9627, 0.9639, 0.9536, 0.9867, 0.9524, 0.9618, 0.7569,
    ),
    "paper: mixture": (
        0.9783, 0.9834, 0.9807, 0.9823, 0.9795, 0.9827, 0.9689, 0.9815, 0.9654, 0.9811, 0.8392,
    ),
}  # fmt: skip
WORDS: dict[str, Any] = {"stop_words": "english", "numbers": "one", "log_tf": False}
LITERAL: dict[str, Any] = {
    "word_weights": "equal",
    "document_length": 0.0,
    "odds_weight": 0.0,
    "max_iter": 10,
    "leave_one_out": True,
    "unlabeled_weight": 0.0,
}
ONE = {**LITERAL, "max_iter": 1}
LOGARITHMS = {**WORDS, "log_tf": True}
SCALED = {**ONE, "document_length": 2.0}
INFORMATION = {**SCALED, "word_weights": "information"}
TOGETHER = {**INFORMATION, "odds_weight": 0.5}
TEN_STEPS, TWO_STEPS, ONE_STEP = (f"literal model, max_iter={n}" for n in (10, 2, 1))
STOPPED = "literal model, early stopping"
INFORMED = "+ information weights"
DEFAULT, AUTO = "multilabel", "auto"
# Options of the learner, of the text, and whether probabilities are calibrated.
Model = tuple[dict[str, Any], dict[str, Any], bool]
MODELS: dict[str, Model] = {
    TEN_STEPS: (LITERAL, WORDS, False),
    "… without leave-one-out": ({**LITERAL, "leave_one_out": False}, WORDS, False),
    "… without background": ({**LITERAL, "background": False}, WORDS, False),
    STOPPED: ({**LITERAL, "early_stopping": True}, WORDS, False),
    TWO_STEPS: ({**LITERAL, "max_iter": 2}, WORDS, False),
    ONE_STEP: (ONE, WORDS, False),
    "+ logarithms of counts": (ONE, LOGARITHMS, False),
    "+ documents of equal length": (SCALED, LOGARITHMS, False),
    INFORMED: (INFORMATION, LOGARITHMS, False),
    "… calibrated": (INFORMATION, LOGARITHMS, True),
    "+ odds of naive Bayes": (TOGETHER, LOGARITHMS, False),
    "+ calibration": (TOGETHER, LOGARITHMS, True),
}
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
SEARCHES = ("both", "greedy", "weights", "stochastic", "exhaustive")
BAYES = "binary naive Bayes"
COMPARED = [
    (AUTO, "LinearSVC, one label forced"),
    (AUTO, "svm"),
    (AUTO, DEFAULT),
    (DEFAULT, "LinearSVC"),
    (DEFAULT, TWO_STEPS),
]


def classifier(options: dict[str, Any], text: dict[str, Any], calibrate: bool) -> TextClassifier:
    return TextClassifier(
        "multilabel",
        options=options,
        text_options=text,
        calibrate=calibrate,
        keep_documents=False,
    )


def most_probable(fitted: TextClassifier, texts: list[str]) -> np.ndarray:
    """The sets with the highest posterior probability, as in the paper."""
    data = fitted.fitted
    found: np.ndarray = data.experts[0].best_sets(  # type: ignore[attr-defined]
        csr_array(data.counter.count(as_text_array(texts)), dtype=np.float32)
    )
    return found


class Table:
    """Rows of the table, and the predictions that they were measured on."""

    def __init__(self, corpus: SetCorpus) -> None:
        self.corpus = corpus
        self.truth = corpus.members(corpus.test_labels)
        self.rows: dict[str, dict[str, Any]] = {}
        self.predictions: dict[str, np.ndarray] = {}

    def add(self, name: str, predicted: np.ndarray, seconds: float, **facts: Any) -> None:
        row = {**measured(self.truth, predicted), "seconds": seconds, **facts}
        self.rows[name], self.predictions[name] = row, predicted
        print(
            f"{name:<55} exact {percent(row['exact'])}  micro {percent(row['micro_f1'])}  "
            f"macro {percent(row['macro_f1'])}  {seconds:.1f} s",
            flush=True,
        )

    def add_classifier(self, name: str, fitted: TextClassifier, by_sets: bool, **facts: Any) -> Any:
        """``by_sets``: the most probable set is predicted; otherwise every class by itself."""
        corpus = self.corpus
        start = time.perf_counter()
        fitted.fit(corpus.texts, corpus.labels)
        predicted = corpus.members(list(fitted.predict(corpus.test_texts)))
        seconds = time.perf_counter() - start
        if by_sets:
            facts["exact_by_probability"] = measured(self.truth, predicted)["exact"]
            predicted = most_probable(fitted, corpus.test_texts)
        decided_by = "sets" if by_sets else "classes"
        self.add(name, predicted, seconds, decided_by=decided_by, **facts)
        return fitted


def add_models(table: Table, models: dict[str, Model] = MODELS) -> dict[str, TextClassifier]:
    """Rows of the models and of the default methods, and their classifiers."""
    fitted = {}
    for name, (options, text, calibrate) in models.items():
        by_sets = not calibrate and not options["odds_weight"]
        made = classifier(options, text, calibrate)
        about = {"options": options, "text_options": text, "calibrate": calibrate}
        fitted[name] = table.add_classifier(name, made, by_sets, **about)
    for name in (DEFAULT, "svm", AUTO):
        made = TextClassifier(name, keep_documents=False)
        fitted[name] = table.add_classifier(name, made, False)
    return fitted


def by_iteration(table: Table) -> dict[str, list[dict[str, Any]]]:
    """The literal model and the default by number of iterations, on test documents."""
    corpus = table.corpus
    found: dict[str, list[dict[str, Any]]] = {"literal model": [], DEFAULT: []}
    for number in range(1, LITERAL["max_iter"] + 1):
        literal = classifier({**LITERAL, "max_iter": number}, WORDS, False)
        literal.fit(corpus.texts, corpus.labels)
        usual = TextClassifier(DEFAULT, options={"max_iter": number}, keep_documents=False)
        usual.fit(corpus.texts, corpus.labels)
        predicted = {
            "literal model": most_probable(literal, corpus.test_texts),
            DEFAULT: corpus.members(list(usual.predict(corpus.test_texts))),
        }
        for name, own in predicted.items():
            row = measured(table.truth, own)
            del row["by_class"]
            found[name].append({"max_iter": number, **row})
    return found


def searches(table: Table) -> dict[str, dict[str, dict[str, float]]]:
    """How often each search finds the set that the exhaustive one finds."""
    corpus, found = table.corpus, {}
    for model in (TWO_STEPS, TEN_STEPS, INFORMED):
        options, text, _ = MODELS[model]
        sets, seconds = {}, {}
        for search in SEARCHES:
            made = classifier({**options, "search": search}, text, False)
            made.fit(corpus.texts, corpus.labels)
            most_probable(made, corpus.test_texts[:100])  # compiles
            start = time.perf_counter()
            sets[search] = most_probable(made, corpus.test_texts)
            seconds[search] = time.perf_counter() - start
        best = sets["exhaustive"]
        found[model] = {
            search: {
                "agreement": float((own == best).all(axis=1).mean()),
                "exact": measured(table.truth, own)["exact"],
                "seconds": seconds[search],
            }
            for search, own in sets.items()
        }
    return found


def add_naive_bayes(table: Table) -> dict[str, Any]:
    """Binary classifiers by the number of words, and the sizes that were chosen."""
    corpus, truth = table.corpus, table.truth
    TextVectorizer(numbers="one").fit_transform(corpus.texts[:10])  # compiles
    start = time.perf_counter()
    vectorizer = TextVectorizer(stop_words="english", numbers="one")
    X = csr_array(vectorizer.fit_transform(corpus.texts))
    test = csr_array(vectorizer.transform(corpus.test_texts))
    has_class = corpus.members(corpus.labels)
    counting = time.perf_counter() - start
    sizes = [*(size for size in SIZES if size < X.shape[1]), X.shape[1]]
    order = np.random.default_rng(0).permutation(len(corpus.texts))
    held_out, rest = np.split(order, [len(order) // 4])
    start = time.perf_counter()
    on_held_out = _accuracies(X[rest], has_class[rest], X[held_out], has_class[held_out], sizes)[1]
    choosing = time.perf_counter() - start
    start = time.perf_counter()
    predicted, on_test = _accuracies(X, has_class, test, truth, sizes)
    seconds = counting + (time.perf_counter() - start)
    classes = np.arange(len(corpus.classes))
    chosen, oracle = on_held_out.argmax(axis=0), on_test.argmax(axis=0)
    each = {
        f"{BAYES}, all words": np.full_like(chosen, len(sizes) - 1),
        f"{BAYES}, sizes chosen on held-out training documents": chosen,
        f"{BAYES}, sizes chosen on test documents (as in the paper)": oracle,
    }
    for number, (name, places) in enumerate(each.items()):
        took = (seconds, seconds + choosing, seconds)[number]
        own = predicted[places, :, classes].T
        table.add(name, own, took, vocabulary_sizes=[sizes[place] for place in places])
    return {"sizes": sizes, "test_accuracy": on_test.tolist(), "held_out": on_held_out.tolist()}


def _accuracies(
    X: Any, has_class: np.ndarray, test: Any, truth: np.ndarray, sizes: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions (n_sizes, n_documents, n_classes) and accuracy (n_sizes, n_classes)."""
    predicted = np.zeros((len(sizes), *truth.shape), bool)
    for number, wanted in enumerate(has_class.T):
        ranked = np.argsort(-mutual_information(X, wanted.astype(np.int64), 2), kind="stable")
        for place, size in enumerate(sizes):
            columns = np.sort(ranked[:size])
            model = MultinomialNB().fit(X[:, columns], wanted)
            predicted[place, :, number] = model.predict(test[:, columns])
    return predicted, (predicted == truth).mean(axis=1)


def add_linear(table: Table, machines: dict[str, Any]) -> None:
    """Rows of binary linear classifiers, and of the same with one label forced."""
    corpus = table.corpus
    has_class = corpus.members(corpus.labels)
    for name, machine in machines.items():
        plain, forced, seconds = linear(machine, corpus.texts, has_class, corpus.test_texts)
        table.add(name, plain, seconds)
        table.add(f"{name}, one label forced", forced, seconds)


def differences(table: Table, compared: list[tuple[str, str]]) -> dict[str, Any]:
    """McNemar's test of whole sets that are right."""
    found = {}
    right = {name: (own == table.truth).all(axis=1) for name, own in table.predictions.items()}
    for a, b in compared:
        test = mcnemar(np.ones(len(table.truth), bool), right[a], right[b])
        found[f"{a} minus {b}"] = {"difference": test.difference, "p_value": test.p_value}
    return found


def compute() -> dict[str, Any]:
    corpus = load("R10")
    table = Table(corpus)
    TextClassifier().fit(corpus.texts[:300], corpus.labels[:300])  # compiles
    fitted = add_models(table)
    sizes = add_naive_bayes(table)
    logistic = LogisticRegression(solver="liblinear")
    add_linear(table, {"LinearSVC": LinearSVC(), "LogisticRegression": logistic})
    stopped = fitted[STOPPED].report_.facts
    return {
        "corpus": corpus.about(),
        "classes": corpus.classes,
        "paper": PAPER,
        "rows": table.rows,
        "differences": differences(table, COMPARED),
        "early_stopping": stopped,
        "by_iteration": by_iteration(table),
        "searches": searches(table),
        "naive_bayes": sizes,
        "default_options": fitted[DEFAULT].report_.options,
    }


def table_of(results: dict[str, Any]) -> str:
    """All rows, in Markdown."""
    classes = results["classes"]
    head = ["accuracy, %", *classes, "exact set", "micro-F1", "macro-F1", "seconds"]
    rows = [[name, *(percent(share) for share in own), "", "", ""] for name, own in PAPER.items()]
    for name, row in results["rows"].items():
        shares = [*row["by_class"], row["exact"], row["micro_f1"], row["macro_f1"]]
        rows.append([name, *(percent(share) for share in shares), f"{row['seconds']:.1f}"])
    tried = ", ".join(
        percent(share) for share in results["early_stopping"]["accuracy_by_iteration"]
    )
    on_test = ", ".join(percent(row["exact"]) for row in results["by_iteration"]["literal model"])
    agreement = [
        [model, search, *(percent(row[what]) for what in ("agreement", "exact")),
         f"{row['seconds']:.2f}"]
        for model, by_search in results["searches"].items()
        for search, row in by_search.items()
    ]  # fmt: skip
    tests = [
        f"- {name}: {100 * test['difference']:+.2f} (p = {test['p_value']:.2g})"
        for name, test in results["differences"].items()
    ]
    return "\n".join(
        [
            markdown(head, rows),
            f"Literal model, exact sets by max_iter, test: {on_test}; on held-out training "
            f"documents (early stopping): {tried}.",
            "",
            markdown(["model", "search", "as exhaustive, %", "exact set", "seconds"], agreement),
            "Differences of exact sets in points, McNemar's test:",
            "",
            *tests,
            "",
        ]
    )


def main() -> None:
    results = compute()
    shown = table_of(results)
    print("\n" + shown)
    (_common.RESULTS / "mccallum_table_2.md").write_text(shown, encoding="utf-8")
    print(f"wrote {write_results('mccallum_table_2', results, seed=0).name}")


if __name__ == "__main__":
    run_study(main)

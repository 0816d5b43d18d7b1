"""Few documents with several labels: do unlabeled documents help the label-set mixture?

10, 30, 100 or 300 training documents at random keep their labels, and 2,000 others are unlabeled;
five draws; the test documents are those of the corpus. λ is ``unlabeled_weight``. Every variant
with λ > 0 is compared with the same one with λ = 0, and with the default, by paired t-tests over
draws; p-values are corrected by Holm's method among the variants and sizes of a corpus.

All variants on R10; on TITLES and XPOST (``studies/_label_sets.py``) some, on XPOST three draws. A
class without a label counts as missed. Run: ``python -m studies label_sets_few``; what is in
results/label_sets_few.jsonl with the same options is not computed again (remove that file to
compute everything).
"""

import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from leaven import TextClassifier
from leaven.methods import METHODS
from leaven.significance import holm
from studies import _common, _provenance
from studies._common import dodged, log_ticks, mean_sd, paired, run_study, save_figure, subplots
from studies._label_sets import linear, load, markdown, measured
from studies._rows import Row, RowFile, report

SIZES = (10, 30, 100, 300)
DRAWS = {"R10": 5, "TITLES": 5, "XPOST": 3}
MEASURES = ("exact", "micro_f1", "macro_f1")
N_UNLABELED = 2000
WEIGHTS = {1: (0.03, 0.1, 0.3, 1.0), 3: (0.1,)}  # by max_iter
PEER, SVM, AUTO = "LinearSVC, one label forced", "svm", "auto"
CHANGES: dict[str, dict[str, Any]] = {
    "mixture alone": {"odds_weight": 0.0},
    "leave-one-out": {"leave_one_out": True},
}


def named(weight: float, max_iter: int, change: str = "") -> str:
    text = f"multilabel, λ = {weight:g}, max_iter={max_iter}"
    return f"{text}, {change}" if change else text


SUPERVISED, DEFAULT = named(0.0, 1), named(0.1, 1)
SUPERVISED_AUTO = f"{AUTO}, λ = 0"


def variants() -> dict[str, tuple[str, dict[str, Any]]]:
    """Method and options by name."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for max_iter, weights in WEIGHTS.items():
        for weight in (0.0, *weights):
            options = {"unlabeled_weight": weight, "max_iter": max_iter}
            found[named(weight, max_iter)] = ("multilabel", options)
    for change, own in CHANGES.items():
        for weight in (0.0, 0.1):
            options = {"unlabeled_weight": weight, **own}
            found[named(weight, 1, change)] = ("multilabel", options)
    found[SVM], found[AUTO] = (SVM, {}), (AUTO, {})
    found[SUPERVISED_AUTO] = (AUTO, {"unlabeled_weight": 0.0})
    found[PEER] = (PEER, {})
    return found


VARIANTS = variants()
SOME = (SUPERVISED, named(0.03, 1), DEFAULT, named(0.3, 1), SVM, AUTO, SUPERVISED_AUTO, PEER)
OF_CORPUS = {"R10": tuple(VARIANTS), "TITLES": SOME, "XPOST": SOME}
ROWS = RowFile(
    _common.RESULTS / "label_sets_few.jsonl", ("corpus", "variant", "options", "size", "draw")
)


def all_options(name: str) -> dict[str, Any]:
    """All options of a variant, as defaults are now."""
    method, given = VARIANTS[name]
    if method == PEER:
        return {}
    own = METHODS[method].for_sets()
    return asdict(own.learner_type(**{**own.settings, **given}))


def planned() -> Iterator[Row]:
    for corpus, n_draws in DRAWS.items():
        for draw in range(n_draws):
            for size in SIZES:
                for name in OF_CORPUS[corpus]:
                    yield {
                        "corpus": corpus,
                        "variant": name,
                        "options": all_options(name),
                        "size": size,
                        "draw": draw,
                    }


def drawn(corpus: str, size: int, draw: int) -> np.ndarray:
    """Places of labeled training documents, then of unlabeled ones."""
    order = np.random.default_rng([draw, size]).permutation(len(load(corpus).texts))
    return order[: size + N_UNLABELED]


def run_plan(plan: Row) -> Row:
    corpus = load(plan["corpus"])
    size = plan["size"]
    chosen = drawn(plan["corpus"], size, plan["draw"])
    texts = [corpus.texts[i] for i in chosen]
    labels = [corpus.labels[i] for i in chosen[:size]]
    method, given = VARIANTS[plan["variant"]]
    start = time.perf_counter()
    if method == PEER:
        has_class = corpus.members(labels)
        predicted = linear(LinearSVC(), texts[:size], has_class, corpus.test_texts)[1]
    else:
        classifier = TextClassifier(method, options=given, keep_documents=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # classes with one label are part of the result
            classifier.fit(texts, [*labels, *[None] * N_UNLABELED])
            predicted = corpus.members(list(classifier.predict(corpus.test_texts)))
    seconds = time.perf_counter() - start
    found = measured(corpus.members(corpus.test_labels), predicted)
    own = {name: found[name] for name in MEASURES}
    return {**plan, **own, "seconds": seconds, **_provenance.code()}


def compute() -> list[Row]:
    plans = list(planned())
    for plan in ROWS.missing(plans):
        row = run_plan(plan)
        ROWS.add(row)
        shares = " ".join(f"{100 * row[name]:5.1f}" for name in MEASURES)
        print(
            f"{row['corpus']}, draw {row['draw']}, {row['size']:>3} labels, {row['variant']:<55} "
            f"{shares}  {row['seconds']:.1f} s",
            flush=True,
        )
    return ROWS.of(plans)


def with_unlabeled(corpus: str) -> list[str]:
    return [name for name in OF_CORPUS[corpus] if VARIANTS[name][1].get("unlabeled_weight")]


def same_without(corpus: str) -> list[tuple[str, str]]:
    """Variants with unlabeled documents beside the same without."""
    pairs = [(AUTO, SUPERVISED_AUTO)]
    for name in with_unlabeled(corpus):
        start, _, rest = name.partition(", λ = ")
        pairs.append((name, f"{start}, λ = 0, {rest.partition(', ')[2]}"))
    return pairs


def usual(corpus: str) -> list[tuple[str, str]]:
    """Other variants with unlabeled documents beside the default."""
    return [(name, DEFAULT) for name in with_unlabeled(corpus) if name != DEFAULT]


OTHERS = [(AUTO, SVM), (AUTO, DEFAULT), (AUTO, PEER), (DEFAULT, PEER)]


def summarize(rows: list[Row]) -> dict[str, Any]:
    measures: dict[str, Any] = {}
    order = {name: number for number, name in enumerate(VARIANTS)}
    for row in sorted(rows, key=lambda row: (row["draw"], order[row["variant"]])):
        of_variant = measures.setdefault(row["corpus"], {}).setdefault(row["variant"], {})
        of_size = of_variant.setdefault(row["size"], {name: [] for name in MEASURES})
        for name in MEASURES:
            of_size[name].append(row[name])
    return {
        "sizes": SIZES,
        "draws": DRAWS,
        "options": {name: all_options(name) for name in VARIANTS},
        "measures": measures,
        "unlabeled": {n: tests(own, same_without(n), True) for n, own in measures.items()},
        "against_default": {n: tests(own, usual(n), True) for n, own in measures.items()},
        "others": {name: tests(own, OTHERS, False) for name, own in measures.items()},
    }


def tests(by_variant: Row, pairs: list[tuple[str, str]], correct: bool) -> list[Row]:
    """Paired differences, with p-values corrected for the number of pairs and sizes or not."""
    found = [
        {"a": a, "b": b, "size": size, "measure": name,
         **paired(by_variant[a][size][name], by_variant[b][size][name])}
        for a, b in pairs if a in by_variant and b in by_variant
        for size in SIZES if size in by_variant[a] and size in by_variant[b]
        for name in MEASURES if len(by_variant[a][size][name]) > 1
        and len(by_variant[a][size][name]) == len(by_variant[b][size][name])
    ]  # fmt: skip
    if correct:
        for name in MEASURES:
            own = [test for test in found if test["measure"] == name]
            for test, p_value in zip(own, holm([test["p_value"] for test in own]), strict=True):
                test["p_holm"] = float(p_value)
    return found


def table(results: Row) -> str:
    """Mean ± standard deviation over draws, and differences, in Markdown."""
    parts = []
    for corpus, by_variant in results["measures"].items():
        for measure in MEASURES:
            head = [f"{corpus}, {measure}, %", *(f"{size} labels" for size in SIZES)]
            rows = [
                [name, *(mean_sd(own[size][measure]).strip() if size in own
                         and len(own[size][measure]) > 1 else "" for size in SIZES)]
                for name, own in by_variant.items()
            ]  # fmt: skip
            parts.append(markdown(head, rows))
    for what in ("unlabeled", "against_default", "others"):
        head = ["corpus", "difference in points", "measure", *(f"{size} labels" for size in SIZES)]
        parts.append(markdown(head, _difference_rows(results[what])))
    return "\n".join(parts)


def _difference_rows(by_corpus: Row) -> list[list[str]]:
    cells: dict[tuple[str, str, str], dict[int, str]] = {}
    for corpus, found in by_corpus.items():
        for test in found:
            key = (corpus, f"{test['a']} minus {test['b']}", test["measure"])
            p_value = test.get("p_holm", test["p_value"])
            shown = f"{100 * test['difference']:+.1f} (p = {p_value:.2g})"
            cells.setdefault(key, {})[test["size"]] = shown
    return [[*key, *(own.get(size, "") for size in SIZES)] for key, own in cells.items()]


def plot(results: Row) -> None:
    colors = {
        SUPERVISED: ("multilabel, labels alone", "#7a7a7a", "s-"),
        DEFAULT: ("multilabel", "#1f6f8b", "^-"),
        named(0.3, 1): ("multilabel, λ = 0.3", "#1f6f8b", "^:"),
        SVM: ("svm", "#c8642b", "v-"),
        AUTO: ("auto", "#4b2e83", "o-"),
        PEER: ("LinearSVC, one label forced", "#2f7d4f", "D:"),
    }
    corpora = list(results["measures"])
    figure, axes = subplots(
        ncols=len(corpora), nrows=2, figsize=(4.2 * len(corpora) + 1, 7.4), squeeze=False
    )
    for column, corpus in zip(axes.T, corpora, strict=True):
        for panel, measure in zip(column, ("exact", "macro_f1"), strict=True):
            for number, (variant, (label, color, style)) in enumerate(colors.items()):
                by_size = results["measures"][corpus].get(variant, {})
                sizes = [size for size in SIZES if size in by_size]
                values = [by_size[size][measure] for size in sizes]
                panel.errorbar(
                    dodged(sizes, number, len(colors), 1.035),
                    [100 * np.mean(each) for each in values],
                    [100 * np.std(each, ddof=1) for each in values],
                    fmt=style,
                    color=color,
                    capsize=2,
                    linewidth=1.4,
                    elinewidth=0.8,
                    markersize=5,
                    label=label,
                )
            log_ticks(panel, SIZES)
            panel.set_xlabel("labeled documents")
        column[0].set_title(corpus)
    axes[0, 0].set_ylabel("whole sets right, %")
    axes[1, 0].set_ylabel("macro-F1, %")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    save_figure("label_sets_few", figure)


def main() -> None:
    rows = compute()
    results = summarize(rows)
    report("label_sets_few", rows, results, table(results), max(DRAWS.values()))
    plot(results)


if __name__ == "__main__":
    run_study(main)

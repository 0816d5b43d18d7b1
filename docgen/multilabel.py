"""Markdown about documents with several labels, from the code and from the results of studies."""

from dataclasses import fields
from statistics import fmean, stdev

from studies._provenance import described, staleness
from studies.mccallum_table_2 import LITERAL

from docgen import benchmarks as of_benchmarks
from docgen import options as of_options
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table
from leaven import MultiLabelMixture
from leaven.methods import METHODS

PAGE = "docs/methods/multilabel.md"

STUDIES = (
    "mccallum_table_1",
    "mccallum_table_2",
    "mccallum_90",
    "label_sets_corpora",
    "label_sets_few",
)
MEASURES = ("exact", "micro_f1", "macro_f1")
WHOLE, PER_CLASS = ("exact set", "micro-F1", "macro-F1"), "accuracy by class, %"
BY_CLASS = (  # rows whose classes are shown one by one
    "binary naive Bayes, sizes chosen on test documents (as in the paper)",
    "literal model, max_iter=10",
    "literal model, max_iter=1",
    "multilabel",
    "auto",
    "LinearSVC, one label forced",
)


def stale_results() -> list[str]:
    """A sentence for each study whose numbers are shown and whose code has changed since."""
    notes = {name: staleness(read(name).get("made_with")) for name in STUDIES}
    return [f"studies/results/{name}.json was {stale}" for name, stale in notes.items() if stale]


def options_table() -> str:
    """Options of the learner: their defaults, and what makes them the paper's model."""
    own = METHODS["multilabel"].for_sets()
    usual = own.learner_type(**own.settings)
    meanings = of_options.parameters_of(MultiLabelMixture)
    rows = []
    for each in fields(own.learner_type):
        value = getattr(usual, each.name)
        shown = [repr(value), repr(LITERAL.get(each.name, value))]
        rows.append([f"`{each.name}`", *shown, meanings[each.name]])
    return markdown_table(["option", "default", "paper's model", "meaning"], rows)


def words_table() -> str:
    """Table 1: the most probable words of classes."""
    found = read("mccallum_table_1")
    head = [f"{name} ({found['n_found'][name]} of 10)" for name in found["words"]]
    columns = [
        [_marked(word, word in found["paper"][name]) for word in words]
        for name, words in found["words"].items()
    ]
    added = ", ".join(f"`{word}`" for word in found["stop_words_added"])
    about = (
        f"Words that the paper's table has too are bold; d\\* is any number; stop words besides "
        f"scikit-learn's: {added} ({_made('mccallum_table_1')}):"
    )
    return f"{about}\n\n{markdown_table(head, list(zip(*columns, strict=True)))}"


def accuracy_table() -> str:
    """Table 2: all rows by whole sets, some of them class by class."""
    found = read("mccallum_table_2")
    about = found["corpus"]
    rows = [
        [name, f"{100 * own[-1]:.2f}", "", "", ""]
        for name, own in found["paper"].items()
    ]  # fmt: skip
    rows += [
        [name, *(f"{100 * row[measure]:.2f}" for measure in MEASURES), f"{row['seconds']:.1f}"]
        for name, row in found["rows"].items()
    ]
    by_class = [
        [name, *(f"{100 * share:.2f}" for share in own[:-1])]
        for name, own in found["paper"].items()
    ]
    by_class += [
        [name, *(f"{100 * share:.2f}" for share in found["rows"][name]["by_class"])]
        for name in BY_CLASS
    ]
    sentence = (
        f"{about['n_training']:,} training and {about['n_test']:,} test documents, in % "
        f"({_made('mccallum_table_2')}):"
    )
    head = ["", *WHOLE, "seconds"]
    tests = [_difference(name, test) for name, test in found["differences"].items()]
    return "\n\n".join(
        [
            sentence,
            markdown_table(head, rows),
            markdown_table([PER_CLASS, *found["classes"]], by_class),
            f"Exact sets in points, McNemar's test: {'; '.join(tests)}.",
        ]
    )


def iterations_table() -> str:
    """Exact sets of the literal model and of the default by the number of iterations."""
    found = read("mccallum_table_2")
    by_model = found["by_iteration"]
    steps = [row["max_iter"] for row in next(iter(by_model.values()))]
    rows = [
        [_code(name), *(f"{100 * row['exact']:.1f}" for row in own)]
        for name, own in by_model.items()
    ]
    head = ["exact sets, %, by `max_iter`", *steps]
    return f"{_made('mccallum_table_2')}:\n\n{markdown_table(head, rows)}"


def searches_table() -> str:
    """How often a search finds what the exhaustive one finds."""
    found = read("mccallum_table_2")
    models = list(found["searches"])
    head = ["the set of the exhaustive search, %", *models, "seconds, 2,545 documents"]
    rows = []
    for search in found["searches"][models[0]]:
        own = [found["searches"][model][search] for model in models]
        agreement = (f"{100 * row['agreement']:.2f}" for row in own)
        rows.append([f"`{search}`", *agreement, f"{own[0]['seconds']:.2f}"])
    return f"{_made('mccallum_table_2')}:\n\n{markdown_table(head, rows)}"


def all_classes_table() -> str:
    """The 90 classes of Reuters."""
    found = read("mccallum_90")
    about = found["corpus"]
    rows = [
        [name, *(f"{100 * row[measure]:.2f}" for measure in MEASURES), f"{row['seconds']:.1f}"]
        for name, row in found["rows"].items()
    ]
    tests = [_difference(name, test) for name, test in found["differences"].items()]
    sentence = (
        f"{about['n_classes']} classes, {about['n_training']:,} training and "
        f"{about['n_test']:,} test documents, in % ({_made('mccallum_90')}):"
    )
    after = f"Exact sets in points, McNemar's test: {'; '.join(tests)}."
    return "\n\n".join([sentence, markdown_table(["", *WHOLE, "seconds"], rows), after])


def corpora_table() -> str:
    """Seven corpora with all labels."""
    found = read("label_sets_corpora")
    methods = list(next(iter(found["corpora"].values()))["methods"])
    head = [
        "exact / micro-F1 / macro-F1, %",
        "classes",
        "labels per document",
        *map(_code, methods),
    ]
    rows = []
    for name, own in found["corpora"].items():
        cells = (
            " / ".join(f"{100 * own['methods'][method][m]:.1f}" for m in MEASURES)
            for method in methods
        )
        rows.append([name, own["n_classes"], f"{own['labels_per_document']:.2f}", *cells])
    differences = [
        [f"`auto` − {_code(peer)}", *(_points(own[what]) for what in ("mean", "worst"))]
        for peer, own in found["auto_minus"].items()
    ]
    summary = markdown_table(
        ["points", "mean of the corpora", "smallest of each measure"], differences
    )
    return "\n\n".join([f"{_made('label_sets_corpora')}:", markdown_table(head, rows), summary])


def expected_table() -> str:
    """Exact sets that auto expects from held-out labels, and those of the test documents."""
    found = read("label_sets_corpora")["corpora"]
    own = [corpus["methods"]["auto"] for corpus in found.values()]
    rows = [
        ["expected, from held-out labels", *(f"{100 * row['expected_exact']:.1f}" for row in own)],
        ["test documents", *(f"{100 * row['exact']:.1f}" for row in own)],
    ]
    return markdown_table(["`auto`, exact sets, %", *found], rows)


def few_table() -> str:
    """Few labels: exact sets by variant, and what unlabeled documents change."""
    found = read("label_sets_few")
    sizes = [str(size) for size in found["sizes"]]
    draws = ", ".join(f"{number} draws of {name}" for name, number in found["draws"].items())
    parts = [f"{draws}; exact sets in % ({_made('label_sets_few')}):"]
    for corpus, by_variant in found["measures"].items():
        rows = [
            [name, *(_mean_sd(own[size]["exact"]) if size in own else "" for size in sizes)]
            for name, own in by_variant.items()
        ]
        parts.append(markdown_table([f"{corpus}, labels", *sizes], rows))
    head = ["corpus", "", *sizes]
    for what, about in {
        "unlabeled": "λ > 0 minus the same with λ = 0",
        "against_default": "λ > 0 minus the default",
    }.items():
        rows = []
        for corpus, tests in found[what].items():
            for name in dict.fromkeys(test["a"] for test in tests):
                own = {
                    str(test["size"]): f"{100 * test['difference']:+.1f} (p = {test['p_holm']:.2g})"
                    for test in tests
                    if test["a"] == name and test["measure"] == "exact"
                }
                rows.append([corpus, name, *(own.get(size, "") for size in sizes)])
        parts += [
            f"{about}, exact sets in points (paired t-tests, Holm):",
            markdown_table(head, rows),
        ]
    return "\n\n".join(parts)


def speed_table() -> str:
    """What the benchmark of label sets measured, if it was run."""
    found = of_benchmarks.read()
    own = [row for row in found["rows"] if row["what"].startswith(of_benchmarks.LABEL_SETS)]
    if not own:
        return "Not measured yet (`python -m benchmarks`)."
    rows = [
        [
            row["what"].partition(": ")[2],
            f"{row['seconds']:.3f} {row['unit']}",
            "" if row["peer_seconds"] is None else f"{row['peer']} {row['peer_seconds']:.3f} s",
            "" if row["ratio"] is None else f"{row['ratio']:.1f}×",
        ]
        for row in own
    ]
    about = (
        f"{found['machine']['processors']} cores (`python -m benchmarks`; "
        f"{described(found['made_with'])}):"
    )
    return f"{about}\n\n{markdown_table(['task', 'leaven', 'compared with', 'ratio'], rows)}"


def _made(name: str) -> str:
    return f"`python -m studies {name}`; {described(read(name)['made_with'])}"


def _marked(word: str, is_bold: bool) -> str:
    word = word.replace("*", r"\*")
    return f"**{word}**" if is_bold else word


def _code(name: str) -> str:
    return f"`{name}`" if name in ("multilabel", "svm", "auto") else name


def _difference(name: str, test: dict[str, float]) -> str:
    return f"{name} {100 * test['difference']:+.2f} (p = {test['p_value']:.2g})"


def _points(by_measure: dict[str, float]) -> str:
    return " / ".join(f"{100 * by_measure[measure]:+.1f}" for measure in MEASURES)


def _mean_sd(values: list[float]) -> str:
    return f"{100 * fmean(values):.1f} ± {100 * stdev(values):.1f}"


SECTIONS = [
    Section(PAGE, "mccallum_table_2: searches", searches_table),
    Section(PAGE, "mccallum_table_2: iterations", iterations_table),
    Section(PAGE, "multilabel: options", options_table),
    Section(PAGE, "mccallum_table_1", words_table),
    Section(PAGE, "mccallum_table_2", accuracy_table),
    Section(PAGE, "mccallum_90", all_classes_table),
    Section(PAGE, "label_sets_corpora", corpora_table),
    Section(PAGE, "label_sets_corpora: expected", expected_table),
    Section(PAGE, "label_sets_few", few_table),
    Section(PAGE, "benchmarks: label sets", speed_table),
]

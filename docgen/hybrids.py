"""Markdown about hybrids and transductive SVMs, from the results of studies and of a benchmark."""

from collections.abc import Iterable
from statistics import fmean, median, stdev
from typing import Any

from studies import druck_table_1
from studies._provenance import described, staleness

from docgen import options as of_options
from docgen.benchmarks import read_suite, suite_command
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table
from leaven.learners import SVMLearner
from leaven.methods import METHODS

PAGE = "docs/methods/hybrids.md"
MACHINES_PAGE = "docs/methods/support-vector-machines.md"

GIVEN, CHOSEN = "settings given", "settings chosen"
STUDIES = ("hybrid_options", "druck_table_1", "transductive_svm")
TEXT, AUTO = "text", "auto"  # groups of hybrid_options
SUITE = "hybrids"  # of benchmarks


def stale_results() -> list[str]:
    """A sentence for each study whose numbers are shown and whose code has changed since."""
    notes = {f"studies/results/{name}.json": read(name).get("made_with") for name in STUDIES}
    notes[f"benchmarks/{SUITE}.json"] = read_suite(SUITE).get("made_with")
    stale = {name: staleness(made_with) for name, made_with in notes.items()}
    return [f"{name} was {told}" for name, told in stale.items() if told]


def text_table() -> str:
    """Accuracy by what the text looks like."""
    return _options((TEXT,))


def options_table() -> str:
    """Accuracy by all other options, and with chosen settings."""
    return _options(("start", "coupling", "balance", AUTO))


def _options(groups: Iterable[str]) -> str:
    found = read("hybrid_options")
    tried = found["variants"]
    sizes = list(tried[0]["accuracy_by_labels"])
    head = ["", "options", *(f"{size} labels" for size in sizes), "mean", "seconds"]
    rows = [
        [
            each["group"],
            each["name"],
            *(f"{100 * each['accuracy_by_labels'][size]:.1f}" for size in sizes),
            f"{100 * each['accuracy']:.1f}",
            f"{each['seconds']:.1f}",
        ]
        for each in tried
        if each["group"] in groups
    ]
    about = (
        f"Accuracy in % on unlabeled training documents of five corpora, by labels per class "
        f"({tried[0]['n_tasks']} tasks; `python -m studies hybrid_options`; "
        f"{described(found['made_with'])}):"
    )
    return f"{about}\n\n{markdown_table(head, rows)}"


def table_1() -> str:
    """Table 1 and 4 of Druck et al. beside ours, under the paper's protocol and without it."""
    found = read("druck_table_1")
    about = (
        "Accuracy in %, the paper's and ours. *Best on test* is the paper's protocol: the one "
        "setting of a grid with the highest mean test accuracy. It uses the test labels; *chosen "
        "without test labels* does not (`python -m studies druck_table_1`; "
        f"{described(found['made_with'])}; [all tables](../../studies/results/druck_table_1.md)):"
    )
    seconds = (
        "Median seconds of a fit on one thread, beside the paper's Table 4; *auto* contains the "
        "choice of settings:"
    )
    return "\n\n".join(
        [
            about,
            druck_table_1.accuracy_table(found),
            druck_table_1.notes(found),
            seconds,
            druck_table_1.seconds_table(found),
        ]
    )


def transductive_table() -> str:
    """Accuracy of transductive SVMs on two newsgroups."""
    found = read("transductive_svm")
    methods = list(next(iter(found["tasks"].values()))["methods"])
    rows = []
    for task, own in found["tasks"].items():
        accuracy = [own["methods"][name]["accuracy"] for name in methods]
        gain = own["gain"]
        rows.append(
            [
                task,
                *(f"{100 * fmean(each):.1f} ± {100 * stdev(each):.1f}" for each in accuracy),
                f"{100 * gain['difference']:+.1f} (p = {gain['p_value']:.2g})",
            ]
        )
    reported = ", ".join(f"{name} {100 * value:.1f}" for name, value in found["reported"].items())
    tasks = found["tasks"].values()
    timed = {name: [median(own["methods"][name]["seconds"]) for own in tasks] for name in methods}
    seconds = ", ".join(f"{name} {median(values):.2f}" for name, values in timed.items())
    about = (
        "comp.sys.ibm.pc.hardware against comp.sys.mac.hardware, 40 labeled and 1,128 unlabeled "
        f"messages, tested on later ones; accuracy in %, {found['draws']} draws. `tsvm` chooses "
        f"C* by held-out labels. Others report, for features of their own: {reported} (`python -m "
        f"studies transductive_svm`; {described(found['made_with'])}):"
    )
    head = ["messages", *methods, "tsvm − svm"]
    return f"{about}\n\n{markdown_table(head, rows)}\n\nMedian seconds of a fit: {seconds}."


def speed_table() -> str:
    """What the benchmark of hybrids measured: fits, growth and memory."""
    found = read_suite(SUITE)
    own = found["rows"]
    made = f"`{suite_command(SUITE)}`; {described(found['made_with'])}"
    about = f"{found['machine']['processors']} cores ({made}):"
    timed = [row for row in own if row["unit"] == "s"]
    fits = [
        _fits([row for row in timed if row["corpus"] == corpus])
        for corpus in dict.fromkeys(row["corpus"] for row in timed)
    ]
    growth = [row for row in own if "grows" in row]
    memory = [_memory(row) for row in own if "n_arrays" in row]
    return "\n\n".join([about, *fits, *_growth(growth), *memory])


def _fits(rows: list[dict[str, Any]]) -> str:
    """Seconds with settings given and chosen, beside a peer's, on one corpus."""
    by_task: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        kind = row["what"].rpartition(", ")[2]
        by_task.setdefault(row["method"], {})[kind] = row
    lines = []
    for method, kinds in by_task.items():
        given, chosen = kinds[GIVEN], kinds.get(CHOSEN)
        cells = [f"`{method}`", _timed(given["seconds"], given["accuracy"])]
        cells.append("" if chosen is None else _timed(chosen["seconds"], chosen["accuracy"]))
        peer = _timed(given["peer_seconds"], given["peer_accuracy"])
        lines.append([*cells, f"{given['peer']} {peer}", f"{given['ratio']:.2g}×"])
    about = (
        "{corpus}: {n_labeled:,} labeled and {n_unlabeled:,} unlabeled documents, {n_words:,} "
        "words, {n_classes} classes; seconds of a fit, and accuracy on the unlabeled documents:"
    ).format_map(rows[0])
    head = ["method", GIVEN, CHOSEN, "compared with", "ratio"]
    return f"{about[0].upper()}{about[1:]}\n\n{markdown_table(head, lines)}"


def _timed(seconds: float, accuracy: float) -> str:
    return f"{_digits(seconds)} s, {100 * accuracy:.1f} %"


def _growth(rows: list[dict[str, Any]]) -> list[str]:
    """A table for each thing that grows: milliseconds per evaluation."""
    tables = []
    for grows in dict.fromkeys(row["grows"] for row in rows):
        own = [row for row in rows if row["grows"] == grows]
        head = [f"milliseconds per evaluation, by {grows}", *map(_whole, own[0]["by_size"])]
        lines = [
            [
                f"`{row['method']}`",
                *(
                    _digits(1000 * each["seconds_per_evaluation"])
                    for each in row["by_size"].values()
                ),
            ]
            for row in own
        ]
        tables.append(markdown_table(head, lines))
    return tables


def _memory(row: dict[str, Any]) -> str:
    most = row["by_classes"][str(row["n_classes"])]
    peak, array = (f"{most[name] / 1e6:,.0f} MB" for name in ("peak_bytes", "array_bytes"))
    return (
        f"Memory of a fit of `{row['method']}`: {row['n_arrays']:.0f} arrays of the parameters, "
        f"{row['n_remembered']} of which L-BFGS remembers; with {row['n_classes']} classes, "
        f"{row['n_words']:,} words and {row['n_labeled'] + row['n_unlabeled']:,} documents "
        f"it took {peak}, where an array has {array}."
    )


def _digits(number: float) -> str:
    """At least two digits, no more than three behind the point."""
    return f"{number:.3f}" if number < 0.1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def _whole(number: str) -> str:
    return f"{int(number):,}"


def _options_of(page: str, method: str) -> Section:
    """The options of a method, as the docstring of its estimator explains them."""
    estimator = METHODS[method].estimator
    return Section(
        page, f"options: {method}", lambda: of_options.options_table((method,), estimator)
    )


SECTIONS = [
    *(_options_of(PAGE, method) for method in ("maxent", "mcl", "pcp")),
    Section(PAGE, "hybrid_options: text", text_table),
    Section(PAGE, "hybrid_options: others", options_table),
    Section(PAGE, "druck_table_1", table_1),
    Section(MACHINES_PAGE, "options: svm", lambda: of_options.explained_options(SVMLearner())),
    _options_of(MACHINES_PAGE, "tsvm"),
    Section(MACHINES_PAGE, "transductive_svm", transductive_table),
    Section(PAGE, "benchmarks: hybrids", speed_table),
]

"""Markdown about nearest neighbors, from the results of studies and of the benchmarks."""

from collections.abc import Iterable
from statistics import fmean, median, stdev

from studies._provenance import described, staleness

from docgen import benchmarks as of_benchmarks
from docgen import options as of_options
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table

PAGE = "docs/methods/neighbors.md"

STUDIES = ("neighbor_options", "clark_table", "clark_figure_4")
DESIGNS = ("per class", "at random")
VOTES, CONDENSED, DEFAULT = "votes", "condensed", "default"


def stale_results() -> list[str]:
    """A sentence for each study whose numbers are shown and whose code has changed since."""
    notes = {name: staleness(read(name).get("made_with")) for name in STUDIES}
    return [f"studies/results/{name}.json was {stale}" for name, stale in notes.items() if stale]


def method_options() -> str:
    """The options of both methods."""
    return of_options.options_table(("knn", "ss-cknn"), "CondensedNeighbors")


def votes_table() -> str:
    """Accuracy by kind of votes, and condensed."""
    return _options((DEFAULT, VOTES, CONDENSED))


def options_table() -> str:
    """Accuracy by every option."""
    return _options((DEFAULT, "k", "α", "λ", "several", "knn"))


def _options(groups: Iterable[str]) -> str:
    found = read("neighbor_options")
    head = ["options", "labels per class", "labels at random", "mean", "macro F1", "documents kept"]
    rows = []
    for each in found["variants"]:
        if each["group"] in groups:
            accuracy = [each[f"accuracy {design}"] for design in DESIGNS]
            shares = [*accuracy, each["accuracy"], each["macro_f1"]]
            cells = [each["name"], *(f"{100 * share:.1f}" for share in shares)]
            cells.append(f"{each['kept']:,.0f}")
            is_default = each["group"] == DEFAULT
            rows.append([f"**{cell}**" for cell in cells] if is_default else cells)
    about = (
        f"{found['n_tasks']} tasks, accuracy in % (`python -m studies neighbor_options`; "
        f"{described(found['made_with'])}):"
    )
    return f"{about}\n\n{markdown_table(head, rows)}"


def clark_table() -> str:
    """Clark's table: accuracy by hash buckets, and seconds beside the paper's."""
    found = read("clark_table")
    accuracy, paper = found["accuracy"], found["paper"]
    buckets = list(accuracy["KNN"])
    head = ["accuracy, %", *(f"{int(b):,}" if b.isdigit() else b for b in buckets)]
    rows = [[f"paper: {name}", *_paper(numbers)] for name, numbers in paper["accuracy"].items()]
    for name, by_buckets in accuracy.items():
        cells = [_mean_sd(by_buckets[b]) if b in by_buckets else "" for b in buckets]
        rows.append([name, *cells])
    seconds = [["paper: SS-CKNN", *_paper(paper["seconds"])]]
    for name in ("KNN", "SS-CKNN as written", "SS-KNN, balanced votes", "leaven's default"):
        parts = (found["fit_seconds"][name], found["predict_seconds"][name])
        cells = [" + ".join(f"{median(part[b]):.2f}" for part in parts) for b in buckets]
        seconds.append([name, *cells])
    about = (
        f"{found['draws']} draws (`python -m studies clark_table`; "
        f"{described(found['made_with'])}; [all tables](../../studies/results/clark_table.md)):"
    )
    head_seconds = ["seconds, fit + predict", *head[1:]]
    return "\n\n".join([about, markdown_table(head, rows), markdown_table(head_seconds, seconds)])


def figure_4_table() -> str:
    """Figures 4 and 5: accuracy by labeled documents."""
    found = read("clark_figure_4")
    sizes = [str(size) for size in found["sizes"]]
    head = ["labeled documents", *(f"{int(size):,}" for size in sizes)]
    rows = [
        [f"`{name}`" if " " not in name else name, *(_mean_sd(values[s]) for s in sizes)]
        for name, values in found["accuracy"].items()
    ]
    about = (
        f"{found['draws']} draws, accuracy in % (`python -m studies clark_figure_4`; "
        f"{described(found['made_with'])}):"
    )
    return f"{about}\n\n{markdown_table(head, rows)}"


def speed_table() -> str:
    """What the benchmark of neighbors measured, and how the time grows."""
    found = of_benchmarks.read()
    own = [row for row in found["rows"] if row["what"].startswith(of_benchmarks.NEIGHBORS)]
    timed = [row for row in own if row["unit"] == "s"]
    rows = [
        [
            row["what"].partition(": ")[2],
            f"{row['seconds']:.2f} s",
            f"{row['peer']} {row['peer_seconds']:.2f} s",
            f"{row['ratio']:.1f}×",
        ]
        for row in timed
    ]
    growth = next(row["unlabeled_documents"] for row in own if "unlabeled_documents" in row)
    head = ["unlabeled documents", *(f"{int(n):,}" for n in growth)]
    of_growth = [
        ["seconds", *(f"{each['seconds']:.2f}" for each in growth.values())],
        ["documents kept", *(f"{each['n_kept']:,}" for each in growth.values())],
        [
            "microseconds per document",
            *(f"{each['microseconds_per_document']:.0f}" for each in growth.values()),
        ],
    ]
    about = (
        f"{found['machine']['processors']} cores (`python -m benchmarks`; "
        f"{described(found['made_with'])}):"
    )
    compared = markdown_table(["task", "leaven", "compared with", "ratio"], rows)
    return "\n\n".join([about, compared, markdown_table(head, of_growth)])


def _mean_sd(values: list[float]) -> str:
    return f"{100 * fmean(values):.1f} ± {100 * stdev(values):.1f}"


def _paper(numbers: list[float]) -> list[str]:
    return [*(f"{number:.2f}" for number in numbers), ""]


SECTIONS = [
    Section(PAGE, "options", method_options),
    Section(PAGE, "neighbor_options: votes", votes_table),
    Section(PAGE, "neighbor_options: all", options_table),
    Section(PAGE, "benchmarks: neighbors", speed_table),
    Section(PAGE, "clark_table", clark_table),
    Section(PAGE, "clark_figure_4", figure_4_table),
]

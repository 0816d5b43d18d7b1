"""Markdown about the Fisher kernel, from the results of studies and of a benchmark."""

from typing import Any

from studies import fisher_options, takamura_figure_1, takamura_table_1
from studies._provenance import described, staleness

from docgen import options as of_options
from docgen.benchmarks import read_suite, suite_command
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table
from leaven import FisherKernel
from leaven.learners import FisherLearner

PAGE = "docs/methods/fisher.md"

STUDIES = ("fisher_options", "takamura_table_1", "takamura_figure_1")
SUITE = "fisher"  # of benchmarks


def stale_results() -> list[str]:
    """A sentence for each study whose numbers are shown and whose code has changed since."""
    notes = {f"studies/results/{name}.json": read(name).get("made_with") for name in STUDIES}
    notes[f"benchmarks/{SUITE}.json"] = read_suite(SUITE).get("made_with")
    stale = {name: staleness(made_with) for name, made_with in notes.items()}
    return [f"{name} was {told}" for name, told in stale.items() if told]


def options_table() -> str:
    """Accuracy by options on training documents."""
    found = read("fisher_options")
    n_tasks = found["variants"][0]["n_tasks"]
    about = _about("fisher_options", found, f"{n_tasks} tasks")
    return f"{about}\n\n{_without_title(fisher_options.markdown(found))}"


def table_1() -> str:
    """Table 1 of Takamura and Okumura beside ours."""
    found = read("takamura_table_1")
    about = _about("takamura_table_1", found, "in brackets the paper's")
    return f"{about}\n\n{_without_title(takamura_table_1.markdown(found))}"


def figure_1() -> str:
    """Figure 1 of Takamura and Okumura as a table."""
    found = read("takamura_figure_1")
    about = _about("takamura_figure_1", found, "by unlabeled messages")
    return f"{about}\n\n{_without_title(takamura_figure_1.markdown(found))}"


def speed_table() -> str:
    """Seconds and memory of features, kernel matrices and machines."""
    found = read_suite(SUITE)
    rows = []
    for row in found["rows"]:
        peer = "" if row["ratio"] is None else f"{row['peer']} {row['peer_seconds']:.2f} s"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f}×"
        rows.append([row["what"].partition(": ")[2], f"{row['seconds']:.2f} s", peer, ratio])
    sizes = [
        [
            f"{row['n_labeled']:,} labels, {row['mixture']}",
            f"{row['per_count']:.1f}",
            f"{row['stored_mebibytes']:,.0f}",
            "–" if row["peak_mebibytes"] is None else f"{row['peak_mebibytes']:,.0f}",
            f"{row['dense_mebibytes']:,.0f}",
        ]
        for row in found["rows"]
        if row["what"].endswith("features") and row["ratio"] is None
    ]
    about = (
        f"{found['machine']['processors']} cores, 20 Newsgroups (`{suite_command(SUITE)}`; "
        f"{described(found['made_with'])}):"
    )
    head = ["features of", "per count", "MiB stored", "MiB at the peak", "MiB if dense"]
    timed = markdown_table(["task", "seconds", "compared with", "ratio"], rows)
    return f"{about}\n\n{timed}\n\n{markdown_table(head, sizes)}"


def _about(name: str, found: dict[str, Any], more: str) -> str:
    return f"Accuracy in %, {more} (`python -m studies {name}`; {described(found['made_with'])}):"


def _without_title(shown: str) -> str:
    return shown.partition("\n\n")[2].strip()


SECTIONS = [
    Section(PAGE, "options: fisher", lambda: of_options.explained_options(FisherLearner())),
    Section(PAGE, "options: FisherKernel", lambda: of_options.explained_options(FisherKernel())),
    Section(PAGE, "fisher_options", options_table),
    Section(PAGE, "takamura_table_1", table_1),
    Section(PAGE, "takamura_figure_1", figure_1),
    Section(PAGE, "benchmarks: fisher", speed_table),
]

"""Markdown about labeling, from the results of a study and of a benchmark."""

from studies import labeling_strategies
from studies._provenance import described, staleness

from docgen.benchmarks import read_suite, suite_command
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table

STUDY = "labeling_strategies"
SUITE = "labeling"  # of benchmarks


def stale_results() -> list[str]:
    """A sentence for each file of results whose code has changed since."""
    notes = {
        f"studies/results/{STUDY}.json": read(STUDY).get("made_with"),
        f"benchmarks/{SUITE}.json": read_suite(SUITE).get("made_with"),
    }
    stale = {name: staleness(made_with) for name, made_with in notes.items()}
    return [f"{name} was {told}" for name, told in stale.items() if told]


def strategies_table() -> str:
    """Answers that each strategy needs."""
    found = read(STUDY)
    head, _, table = labeling_strategies.markdown(found).partition("\n\n")
    made = f"`python -m studies {STUDY}`; {found['draws']} draws; {described(found['made_with'])}"
    return f"{head.strip().rstrip(':')} ({made}):\n\n{table.strip()}"


def speed_table() -> str:
    """Seconds of answers and suggestions."""
    found = read_suite(SUITE)
    rows = [
        [
            row["what"].partition(": ")[2],
            f"{row['seconds']:.3f} s" if row["seconds"] < 1 else f"{row['seconds']:.1f} s",
            "" if row.get("mebibytes") is None else f"{row['mebibytes']:,.0f} MiB",
        ]
        for row in found["rows"]
    ]
    table = markdown_table(["what", "time", "peak memory"], rows)
    return f"{table}\n\n(`{suite_command(SUITE)}`; {described(found['made_with'])}.)"


SECTIONS = [
    Section("docs/methods/questions.md", "labeling_strategies", strategies_table),
    Section("docs/tutorials/labeling.md", "benchmarks: labeling", speed_table),
]

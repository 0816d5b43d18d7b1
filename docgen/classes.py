"""Markdown about many classes: the cost by number of classes, and the memory that a fit needs."""

from typing import Any

from studies._provenance import described, staleness

from docgen.benchmarks import read_suite
from docgen.sections import Section
from docgen.tables import markdown_table
from leaven._base.parts import VALUES_AT_ONCE
from leaven.held_out._held_out import MOST_SCORES
from leaven.methods import METHODS
from leaven.methods._options import make_learner

PAGE = "docs/how-to/many-classes.md"
SUITE = "classes"
N_THREADS = 2  # of the example
EXAMPLE = (10_000, 30_000)  # classes and words
FIT = "fit"
Row = dict[str, Any]


def stale_results() -> list[str]:
    """A sentence if the code has changed since the benchmark ran."""
    told = staleness(read_suite(SUITE).get("made_with"))
    return [f"benchmarks/{SUITE}.json was {told}"] if told else []


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    if "refused" in row:
        return _refusal(row["refused"])
    seconds, peak = row["cpu_seconds"], row["peak_mebibytes"] / 1024
    shown = f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"
    return f"{shown} s, {peak:.1f} GiB"


def _refusal(message: str) -> str:
    if message.startswith("more than"):
        return message
    _, needs, rest = message.partition(" needs ")
    return f"refused: needs {rest.partition(' of memory')[0]}" if needs else "fails"


def _tabled(tasks: list[tuple[str, str]], head: str, names: list[str]) -> str:
    rows = read_suite(SUITE)["rows"]
    numbers = sorted({row["n_classes"] for row in rows})
    found = {(row["n_classes"], row["method"], row["step"]): row for row in rows}
    body = [
        [name, *(_cell(found.get((number, *task))) for number in numbers)]
        for task, name in zip(tasks, names, strict=True)
    ]
    return markdown_table([head, *(f"{number:,} classes" for number in numbers)], body)


def cost_table() -> str:
    """Seconds and peak memory by number of classes."""
    found = read_suite(SUITE)
    rows, limits = found["rows"], found["limits"]
    fitted = {row["method"] for row in rows if row["step"] == FIT}
    methods = [name for name in METHODS if name in fitted]
    first = next(row["method"] for row in rows if row["step"] != FIT)
    steps = list(dict.fromkeys(row["step"] for row in rows if row["step"] != FIT))
    about = (
        f"24,000 documents of 40 to 120 words, drawn from about 30,000 words with Zipf's "
        f"frequencies and a few of their class, two labels per class; "
        f"{found['machine']['processors']} processors (`python -m benchmarks.{SUITE}`; "
        f"{described(found['made_with'])}). Processor time of all "
        "threads, and the peak memory of a process that does nothing else. "
        f"Processes were given {limits['mebibytes'] / 1024:g} GiB, and at most the "
        "time that is stated where it was not enough."
    )
    fits = _tabled([(each, FIT) for each in methods], "fit and save", [f"`{m}`" for m in methods])
    others = _tabled([(first, each) for each in steps], f"with a model of `{first}`", steps)
    return f"{about}\n\n{fits}\n\n2,000 documents are classified, one is explained:\n\n{others}"


def memory_table() -> str:
    """Tables of parameters by method, and what they are for many classes."""
    n_classes, n_words = EXAMPLE
    size = n_classes * n_words * 4
    rows = []
    for name, method in METHODS.items():
        learner = make_learner(method, None)
        counts = [learner.n_tables(n) + method.n_more_tables for n in (0, N_THREADS)]
        formula = f"{counts[0]} + threads" if counts[1] > counts[0] else f"{counts[0]}"
        rows.append([f"`{name}`", formula, f"{counts[1] * size / 1e9:.1f} GB"])
    example = f"{n_classes:,} classes, {n_words:,} words, {N_THREADS} threads"
    told = (
        "A table holds a number of four bytes for every class and word; where a class has several "
        "components, of every component. Beside these tables there are arrays of at most "
        f"{VALUES_AT_ONCE / 1e6:g} million numbers, or {MOST_SCORES / 1e6:g} million for each "
        "model while labels are held out, with the exceptions [below](#limits). "
        "For methods that climb by gradients (`tsvm`, `maxent`, `mcl`, `pcp`) it is a lower bound."
    )
    return f"{told}\n\n{markdown_table(['method', 'tables', example], rows)}"


SECTIONS = [
    Section(PAGE, "cost by classes", cost_table),
    Section(PAGE, "tables by method", memory_table),
]

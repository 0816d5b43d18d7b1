"""Markdown from the results of the benchmarks: every number in it is read from their file."""

import json
import sys
from pathlib import Path
from typing import Any

from studies._provenance import described, staleness

from docgen.tables import markdown_table
from leaven._base.percent import percent

# With which rows that are shown elsewhere begin.
NEIGHBORS, LABEL_SETS = "nearest neighbors", "several labels"
SPEED = "speed"  # results of the common path
RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results.json"


def read() -> dict[str, Any]:
    """Results of the last complete run; a missing file ends the program with one sentence."""
    if not RESULTS.exists():
        sys.exit("benchmarks/results.json is missing; run: make bench")
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def read_suite(name: str) -> dict[str, Any]:
    """Results of one suite in a file of its own."""
    path = RESULTS.with_name(f"{name}.json")
    if not path.exists():
        sys.exit(f"benchmarks/{path.name} is missing; run: {suite_command(name)}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def suite_command(name: str) -> str:
    """How the results of one suite are made."""
    options = "" if name == SPEED else f" --json benchmarks/{name}.json"
    return f"python -m benchmarks {name}{options}"


def stale_results() -> list[str]:
    """A sentence for each file if the code has changed since the benchmarks ran."""
    files = {"results": read(), SPEED: read_suite(SPEED)}
    told = {name: staleness(found.get("made_with")) for name, found in files.items()}
    return [f"benchmarks/{name}.json was {sentence}" for name, sentence in told.items() if sentence]


def speed_table() -> str:
    """What was timed, the peer's time and the ratio, and the limit of the machine."""
    found = read_suite(SPEED)
    rows = [_row(row) for row in found["rows"] if row["unit"] == "s"]
    machine = found["machine"]
    about = (
        f"{machine['processors']} cores ({machine['processor']}), 20 Newsgroups (34 MB of text), "
        f"best of several runs (`python -m benchmarks {SPEED}`; {described(found['made_with'])}). "
        "The limit is the least time in which this machine could move the data, at "
        f"{machine['bytes_per_second'] / 1e9:.0f} GB/s, and do the arithmetic, at "
        f"{machine['operations_per_second'] / 1e9:.0f} billion operations per second, as a probe "
        "measured in the same run."
    )
    head = ["| task | leaven | compared with | ratio | limit |", "|---|---|---|---|---|"]
    return "\n".join([about, "", *head, *rows])


def cost_table() -> str:
    """What an EM iteration costs: by the number of values, and the terms of the cost's model."""
    growth, model = (_details(start) for start in ("time per value", "model of an iteration"))
    per_value = growth["nanoseconds_per_value"]
    listed = ", ".join(f"{float(ns):.1f} ns at {int(n):,}" for n, ns in per_value.items())
    terms = [
        [name, f"{value:,.0f}" if value >= 100 else f"{value:.3g}"]
        for name, value in model["nanoseconds"].items()
    ]
    about = (
        f"Time per value of the counts, 20 classes, two threads, the last streamed from disk: "
        f"{listed}. The largest deviation from their middle is {percent(growth['seconds'])}.\n\n"
        f"An iteration takes the sum of these terms, fitted to {model['n_fitted']} settings; on "
        f"{model['n_checked']} others the median error is {percent(model['seconds'])}, the largest "
        f"{percent(model['largest_error'])}:"
    )
    return f"{about}\n\n{markdown_table(['for each of', 'nanoseconds'], terms)}"


def _details(start: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = read_suite(SPEED)["rows"]
    return next(row for row in rows if row["what"].startswith(start))


def _row(row: dict[str, Any]) -> str:
    what = row["what"].removesuffix(" (seconds)")
    cells = [what, f"{_seconds(row['seconds'])} s", "", "", ""]
    if row["ratio"] is not None:
        cells[2] = f"{row['peer']} {_seconds(row['peer_seconds'])} s"
        cells[3] = f"{row['ratio']:.1f}×"
    if row.get("limit") is not None:
        cells[4] = f"{_seconds(row['limit'])} s"
    return f"| {' | '.join(cells)} |"


def _seconds(seconds: float) -> str:
    if seconds < 0.01:
        return f"{seconds:.2g}"
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"

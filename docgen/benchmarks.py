"""Markdown from the results of the benchmarks: every number in it is read from their file."""

import json
import sys
from pathlib import Path
from typing import Any

from studies._provenance import described, staleness

# With which rows that are shown elsewhere begin.
NEIGHBORS, LABEL_SETS = "nearest neighbors", "several labels"
ELSEWHERE = (NEIGHBORS, LABEL_SETS, "hybrids", "fisher", "classes")
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
    return f"python -m benchmarks {name} --json benchmarks/{name}.json"


def stale_results() -> list[str]:
    """A sentence if the code has changed since the benchmarks ran."""
    told = staleness(read().get("made_with"))
    return [f"benchmarks/results.json was {told}"] if told else []


def speed_table() -> str:
    """What was timed, the peer's time and the ratio."""
    found = read()
    rows = [_row(row) for row in found["rows"] if row["unit"] == "s" and not _is_elsewhere(row)]
    about = (
        f"{found['machine']['processors']} cores, 20 Newsgroups (34 MB of text), best of "
        f"several runs (`make bench`; {described(found['made_with'])})."
    )
    head = ["| task | leaven | compared with | ratio |", "|---|---|---|---|"]
    return "\n".join([about, "", *head, *rows])


def _is_elsewhere(row: dict[str, Any]) -> bool:
    """Whether only the page of its method shows it."""
    return row["what"].startswith(ELSEWHERE) and row["target"] is None


def _row(row: dict[str, Any]) -> str:
    what = row["what"].removesuffix(" (seconds)")
    cells = [what, f"{_seconds(row['seconds'])} s", "", ""]
    if row["ratio"] is not None:
        cells[2] = f"{row['peer']} {_seconds(row['peer_seconds'])} s"
        cells[3] = f"{row['ratio']:.1f}×"
    return f"| {' | '.join(cells)} |"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"

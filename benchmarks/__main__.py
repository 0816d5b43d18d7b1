"""Run benchmarks, all or those named: a table, and of all of them benchmarks/results.json."""

import argparse
import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from studies._provenance import made_now

from benchmarks._common import Row, machine

RESULTS = Path(__file__).with_name("results.json")
SUITES = (
    "text", "em", "cost", "annealing", "pipeline", "default", "predicting", "classes", "neighbors",
    "label_sets", "hybrids", "fisher", "labeling", "serving", "scale", "startup",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=SUITES, help=f"of {', '.join(SUITES)}")
    parser.add_argument("--json", type=Path, help="default: results.json, if all suites run")
    parser.add_argument("--against", type=Path, help="earlier results to compare with")
    arguments = parser.parse_args()
    earlier = {} if arguments.against is None else earlier_ratios(arguments.against)
    rows = []
    for suite in arguments.suites:
        rows += importlib.import_module(f"benchmarks.{suite}").run()
    Console(width=150).print(table(rows, earlier))
    measured = [row.to_json() for row in rows]
    results = {"made_with": made_now(), "machine": machine().to_json(), "rows": measured}
    path = arguments.json or (RESULTS if set(arguments.suites) == set(SUITES) else None)
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n")


def table(rows: Sequence[Row], earlier: Mapping[tuple[str, str], float]) -> Table:
    """Figures with their goals, and how near they are to what the machine could do."""
    found = Table("what", "ours", "peer", "ratio", "goal", "reached", "limit", "of limit")
    if earlier:
        found.add_column("ratio before")
    for row in rows:
        before = earlier.get((row.what, row.peer))
        cells = [
            row.what,
            _short(row.seconds),
            "" if row.peer_seconds is None else f"{row.peer} {_short(row.peer_seconds)}",
            "" if row.ratio is None else f"{row.ratio:.1f}×",
            "" if row.target is None else f"{row.target:.3g}",
            {None: "", True: "yes", False: "no"}[row.reached],
            "" if row.limit is None else _short(row.limit),
            "" if row.share_of_limit is None else f"{row.share_of_limit:.0%}",
        ]
        if earlier:
            cells.append("" if before is None else f"{before:.1f}×")
        found.add_row(*cells)
    return found


def earlier_ratios(path: Path) -> dict[tuple[str, str], float]:
    """Ratios of an earlier run, by figure and peer: seconds depend more on the machine."""
    rows = json.loads(path.read_text())["rows"]
    return {(row["what"], row["peer"]): row["ratio"] for row in rows if row["ratio"] is not None}


def _short(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds >= 0.01 else f"{seconds:.2g}"


if __name__ == "__main__":
    main()

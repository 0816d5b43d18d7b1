"""Run benchmarks, all or those named: a table, and JSON files beside the code.

``speed`` names all suites of how fast the common path is, whose results are in speed.json; those
of a run of all suites are in results.json.
"""

import argparse
import importlib
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from studies._provenance import made_now

from benchmarks._common import Row, machine

RESULTS, SPEED_RESULTS = (Path(__file__).with_name(f"{name}.json") for name in ("results", "speed"))
SPEED = ("text", "em", "cost", "pipeline", "default", "predicting", "scale", "startup")
SUITES = (
    "text", "em", "cost", "annealing", "pipeline", "default", "predicting", "classes", "neighbors",
    "label_sets", "hybrids", "fisher", "labeling", "serving", "scale", "startup",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=SUITES, help=f"speed, or {', '.join(SUITES)}")
    parser.add_argument("--json", type=Path, help="where to write the results of this run")
    parser.add_argument("--against", type=Path, help="earlier results to compare with")
    arguments = parser.parse_args()
    given = arguments.suites
    suites = [name for each in given for name in (SPEED if each == "speed" else (each,))]
    earlier = {} if arguments.against is None else earlier_ratios(arguments.against)
    by_suite: dict[str, list[Row]] = {}
    for suite in suites:
        by_suite[suite] = importlib.import_module(f"benchmarks.{suite}").run()
    Console(width=150).print(table(list(itertools.chain(*by_suite.values())), earlier))
    if set(suites) == set(SUITES):
        write(RESULTS, by_suite, SUITES)
    if set(suites) >= set(SPEED):
        write(SPEED_RESULTS, by_suite, SPEED)
    if arguments.json is not None:
        write(arguments.json, by_suite, suites)


def write(path: Path, by_suite: Mapping[str, Sequence[Row]], suites: Sequence[str]) -> None:
    """Results of some suites, with the machine and the code that they were made with."""
    rows = [row.to_json() for suite in suites for row in by_suite[suite]]
    results = {"made_with": made_now(), "machine": machine().to_json(), "rows": rows}
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

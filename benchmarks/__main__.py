"""Run benchmarks, all or those named: a table, and of all of them benchmarks/results.json."""

import argparse
import importlib
import json
import platform
from pathlib import Path

from rich.console import Console
from rich.table import Table
from studies._provenance import made_now

from leaven._base.threads import count_threads

RESULTS = Path(__file__).with_name("results.json")
SUITES = (
    "text", "em", "annealing", "pipeline", "default", "neighbors", "label_sets", "hybrids",
    "fisher", "classes", "labeling", "serving", "scale", "startup",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=SUITES, help=f"of {', '.join(SUITES)}")
    parser.add_argument("--json", type=Path, help="default: results.json, if all suites run")
    arguments = parser.parse_args()
    rows = []
    for suite in arguments.suites:
        rows += importlib.import_module(f"benchmarks.{suite}").run()
    table = Table("what", "ours", "peer", "ratio", "target", "reached")
    for row in rows:
        table.add_row(
            row.what,
            f"{row.seconds:.3f}",
            "" if row.peer_seconds is None else f"{row.peer} {row.peer_seconds:.3f}",
            "" if row.ratio is None else f"{row.ratio:.1f}×",
            "" if row.target is None else f"{row.target:g}",
            {None: "", True: "yes", False: "no"}[row.reached],
        )
    Console(width=120).print(table)
    machine = {"processors": count_threads(None), "python": platform.python_version()}
    measured = [row.to_json() for row in rows]
    results = {"made_with": made_now(), "machine": machine, "rows": measured}
    path = arguments.json or (RESULTS if set(arguments.suites) == set(SUITES) else None)
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

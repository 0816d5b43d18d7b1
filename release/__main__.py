"""``python -m release [PART …]``: check that what would be published is right.

The parts, in their order: ``build`` (twice, the same bytes, the right files), ``metadata``,
``wheel`` (installed into an empty environment, all tests), ``minimum`` (oldest supported versions)
and ``latest`` (newest versions). A part that has passed is not repeated for the same files. The
archives are in ``dist`` afterwards, logs in ``build/release``.
"""

import argparse
import os
import signal
import sys
import textwrap
import time
from collections.abc import Sequence
from datetime import datetime

from release.bounds import FILE, minimum_text
from release.checkout import ROOT, changes
from release.commands import Failure
from release.parts import PARTS, Options, Part
from release.records import Record, Records

WIDTH = 100
Row = tuple[str, str, str, str]  # part, outcome, seconds, details


def main(arguments: list[str] | None = None) -> int:
    """Run the parts that were asked for; 1 at the first that fails."""
    options = _options(arguments)
    if "bounds" in options.parts:
        (ROOT / FILE).write_text(minimum_text(ROOT), encoding="utf-8")
        print(f"{FILE} has the lower bounds of pyproject.toml")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary folders are removed
    # The others check what `build` made, so it runs first unless it has passed for the same files.
    wanted = [part for part in PARTS if part.name == "build" or options.has(part.name)]
    status = check(wanted, options, Records(ROOT / "build" / "release"))
    if status == 0 and (n := changes()):
        print(f"\n{n} files differ from the last commit: commit them and check again.")
    return status


def check(parts: Sequence[Part], options: Options, records: Records) -> int:
    """Run parts up to the first that fails, print a table of them, and return the exit code."""
    rows: list[Row] = []
    for part in parts:
        try:
            rows.append(_outcome(part, options, records))
        except Failure as failure:
            print("failed")
            _print_table([*rows, (part.name, "FAILED", "", "see below")])
            print(f"\n{failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("\nInterrupted; parts that passed are kept.", file=sys.stderr)
            return 130
    _print_table(rows)
    return 0


def _outcome(part: Part, options: Options, records: Records) -> Row:
    """Run a part, unless it has passed for the same files; returns its row of the table."""
    inputs = part.inputs(options)
    record = records.find(part.name, inputs, part.left(), part.lasts)
    if record and not (options.again and options.has(part.name)):
        at = datetime.fromtimestamp(record.finished).strftime("%Y-%m-%d %H:%M")
        print(f"{part.name:<9} passed at {at}; --again repeats it", flush=True)
        return part.name, "passed before", f"{record.seconds:.0f} s", record.detail
    records.forget(part.name)
    print(f"{part.name:<9} {part.title} … ", end="", flush=True)
    start = time.monotonic()
    detail = part.run(options, records.log(part.name))
    seconds = time.monotonic() - start
    records.keep(part.name, Record(inputs, part.left(), detail, seconds, time.time()))
    print(f"passed in {seconds:.0f} s", flush=True)
    return part.name, "passed", f"{seconds:.0f} s", detail


def _print_table(rows: list[Row]) -> None:
    print(f"\n{'part':<9} {'outcome':<14} {'time':>6}  details")
    for name, outcome, seconds, detail in rows:
        first, *others = textwrap.wrap(detail, WIDTH - 33) or [""]
        print(f"{name:<9} {outcome:<14} {seconds:>6}  {first}")
        for line in others:
            print(f"{'':<33}{line}")
    sys.stdout.flush()  # before messages about a failure


def _options(arguments: list[str] | None) -> Options:
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser("python -m release", description="Check a release.")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"{', '.join(names)}; all by default. bounds writes {FILE}.",
    )
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--quick", action="store_true", help="leave slow tests out everywhere")
    amount.add_argument(
        "--full", action="store_true", help="run slow tests with oldest and newest versions too"
    )
    workers = min(os.cpu_count() or 1, 2)
    parser.add_argument(
        "--workers", type=int, default=workers, metavar="N", help=f"processes for tests ({workers})"
    )
    parser.add_argument("--again", action="store_true", help="repeat parts that have passed")
    found = parser.parse_args(arguments)
    unknown = [name for name in found.parts if name not in (*names, "bounds")]
    if unknown:
        parser.error(f"PART must be one of {', '.join((*names, 'bounds'))}, got {unknown[0]!r}")
    return Options(tuple(found.parts), found.quick, found.full, found.workers, found.again)


if __name__ == "__main__":
    sys.exit(main())

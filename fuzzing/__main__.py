"""Look for faults with random inputs: ``python -m fuzzing --inputs 200000 --seed 1``.

Inputs depend on the seed and their number alone. A fault is made smaller and stored in
``fuzzing/found``; ``--replay FILE`` runs it again, and so do the tests.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from fuzzing._cases import Case, Outcome, drawn, guarded, stored
from fuzzing._parts import PARTS
from fuzzing._report import counts_table, fault_lines
from fuzzing._running import Tally, run_cases, scratch
from fuzzing._shrinking import shrunk

FOUND = Path(__file__).parent / "found"
MODEL_SHARE = 5  # one input of this many is a model file
SHRINK_SECONDS = 5.0  # for every kind of fault


def replayed(path: Path) -> Outcome:
    """The outcome of a stored case."""
    content = json.loads(path.read_text(encoding="utf-8"))
    case = PARTS[content["part"]].from_json(content)
    with scratch() as folder:
        return guarded(case, folder)


def keep(tally: Tally, seed: int, folder: Path) -> list[Path]:
    """Make the first case of every fault smaller, and store it."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with scratch() as place:

        def check(case: Case) -> Outcome:
            return guarded(case, place)

        for (part, _, result), (number, fault) in tally.faults.items():
            case = drawn(PARTS[part].draw, part, seed, number)
            if result not in ("hangs", "crashes the process"):  # which would end this process too
                case, fault = shrunk(case, fault, check, SHRINK_SECONDS)
            paths.append(stored(case, part, fault, folder))
    return paths


def run(wanted: argparse.Namespace) -> int:
    """Run the parts that were asked for; 1 if anything unexpected happened."""
    n_models = wanted.inputs // MODEL_SHARE if wanted.only is None else wanted.inputs
    n_readers = wanted.inputs - n_models if wanted.only is None else wanted.inputs
    n_inputs = {"readers": n_readers, "models": n_models}
    tally = Tally()
    for part in PARTS if wanted.only is None else [wanted.only]:
        started = time.time()
        n = n_inputs[part]
        seconds = wanted.seconds * n / wanted.inputs if wanted.seconds else float("inf")
        draw = PARTS[part].draw
        tally.update(run_cases(part, draw, wanted.seed, n, wanted.workers, started + seconds))
        print("\n".join(counts_table(tally, part)))
        n_done = sum(n for (of, _, _), n in tally.counts.items() if of == part)
        seconds = time.time() - started
        per_10000 = seconds / max(n_done, 1) * 10_000
        print(f"{n_done:,} inputs in {seconds:,.0f} s, {per_10000:,.0f} s per 10,000\n")
    if not tally.faults:
        return 0
    print("Unexpected:", *fault_lines(tally), sep="\n")
    if not wanted.dry:
        paths = keep(tally, wanted.seed, wanted.found)
        print("Stored:", *sorted(set(paths)), sep="\n")
    return 1


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m fuzzing", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--inputs", type=int, default=20_000, metavar="N", help="how many (default: 20000)")
    add("--seed", type=int, default=0, metavar="S", help="other inputs for every seed (default: 0)")
    add("--only", choices=[*PARTS, "signals"], help="one part; signals run only if named")
    add("--seconds", type=float, default=0, metavar="T", help="stop after about T seconds")
    add("--workers", type=int, default=2, metavar="W", help="processes (default: 2)")
    add("--found", type=Path, default=FOUND, metavar="FOLDER", help="where faults are stored")
    add("--dry", action="store_true", help="list faults, but store none")
    add("--replay", type=Path, nargs="+", metavar="FILE", help="run stored cases again")
    wanted = parser.parse_args()
    if wanted.inputs < 1 or wanted.workers < 1 or wanted.seconds < 0:
        parser.error("--inputs and --workers must be at least 1, and --seconds at least 0")
    if wanted.replay:
        outcomes = [(path, replayed(path)) for path in wanted.replay]
        for path, outcome in outcomes:
            print(
                f"{path.name}: {outcome.result}"
                + (f" ({outcome.detail})" if outcome.detail else "")
            )
        return int(any(outcome.is_fault for _, outcome in outcomes))
    if wanted.only == "signals":
        from fuzzing.signals import run_signals

        return run_signals(wanted.inputs, wanted.seed, wanted.workers, wanted.seconds)
    return run(wanted)


if __name__ == "__main__":
    sys.exit(main())

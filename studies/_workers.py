"""Fits of a study in several processes, whose rows are stored as they come."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import groupby
from multiprocessing import get_context

from studies import _provenance
from studies._rows import Row, RowFile

PROCESSES = 2
RunUnit = Callable[[Sequence[Row]], list[Row]]
Told = Callable[[Sequence[Row]], str]


def complete(
    plans: Sequence[Row], task: Sequence[str], run_unit: RunUnit, told: Told, file: RowFile
) -> list[Row]:
    """The rows of all plans; missing ones are computed, those of a task (its fields) together."""
    groups = groupby(file.missing(plans), key=lambda plan: [plan[name] for name in task])
    compute([list(group) for _, group in groups], run_unit, told, file)
    return file.of(plans)


def compute(
    units: Sequence[Sequence[Row]],
    run_unit: RunUnit,
    told: Told,
    file: RowFile,
    processes: int = PROCESSES,
) -> None:
    """Add the rows of units of plans to a file, and print a line about each unit.

    ``run_unit`` runs in another process, so it must be a function of a module.
    """
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(run_unit, unit) for unit in units]
        try:
            for done, future in enumerate(as_completed(waiting), 1):
                rows = future.result()
                for row in rows:
                    file.add({**row, **_provenance.code()})
                print(f"{done}/{len(units)} {told(rows)}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

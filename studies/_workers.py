"""Fits of a study in several processes, whose rows are stored as they come."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from studies import _provenance
from studies._rows import Row, RowFile

PROCESSES = 2


def compute(
    units: Sequence[Sequence[Row]],
    run_unit: Callable[[Sequence[Row]], list[Row]],
    told: Callable[[Sequence[Row]], str],
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

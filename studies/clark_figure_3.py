"""Clark and Clark, figure 3: seconds of an EM iteration by workers, and by documents.

The paper ran one map-reduce job per iteration on 200,000 documents, most of them copies, and needed
under 90 seconds on three machines. Here 20 Newsgroups (19,997 messages, raw) is read 1 to 100 times
over, with 15 labels per class and copy, and EM runs in memory (two threads), streamed from counts
on disk (two threads) and on local Dask workers of one thread each. Every measurement has a process
of its own; the median of six iterations after the first is given, and the peak memory (resident
set) of each process from its start, reading and counting included.

Four workers on two processors say nothing about four processors: they show what it costs to start
more workers than there are processors. The machine's load decides much of the rest.
Run: ``python -m studies.clark_figure_3``, about ten minutes.
"""

import time
from typing import Any

import numpy as np
from benchmarks.scale import measure_apart, newsgroup_file

from studies._common import RESULTS, log_ticks, run_study, save_figure, subplots, write_results
from studies._provenance import described, made_now

COPIES = {"memory": (1, 3, 10, 30), "stream": (1, 3, 10, 30, 100), "dask": (1, 3, 10, 30, 100)}
WORKERS = (1, 2, 4)
AT_WORKERS = 10  # copies
SEED = 0  # of the labeled messages, in benchmarks.scale
SECONDS = (0.03, 0.1, 0.3, 1, 3)  # ticks
NAMES = {
    "memory": "in memory, two threads",
    "stream": "--stream, two threads",
    "dask": "Dask, two workers",
}
MARKERS = {"memory": "s", "stream": "o", "dask": "^"}
COLORS = {"memory": "#7a7a7a", "stream": "#1f6f8b", "dask": "#c8642b"}


def run() -> dict[str, Any]:
    start = time.perf_counter()
    found: list[dict[str, Any]] = []
    with newsgroup_file() as path:
        for place, sizes in COPIES.items():
            for copies in sizes:
                found.append(measure_apart(place, path, copies))
                print(line(found[-1]), flush=True)
        for n_workers in WORKERS:
            if n_workers != 2:
                found.append(measure_apart("dask", path, AT_WORKERS, n_workers))
                print(line(found[-1]), flush=True)
    return {"rows": found, "seconds": time.perf_counter() - start}


def seconds_of(row: dict[str, Any]) -> float:
    return float(np.median(row["iteration_seconds"]))


def line(row: dict[str, Any]) -> str:
    n_workers = row["n_workers"]
    workers = "" if n_workers is None else f", {n_workers} worker{'s' if n_workers > 1 else ''}"
    peaks = " ".join(f"{peak:.2f}" for peak in (row["peak_gb"], *row.get("worker_peak_gb", [])))
    return (
        f"| {row['place'] + workers:<16} | {row['n_documents']:>9,} | {row['n_words']:>7,} "
        f"| {row['reading_seconds']:6.1f} | {seconds_of(row):6.3f} "
        f"| {1e6 * seconds_of(row) / row['n_documents']:5.2f} | {peaks} |"
    )


def table(results: dict[str, Any]) -> str:
    head = (
        "| where | documents | words | reading and counting, s | iteration, s | µs per document "
        "| peak memory, GB (driver, workers) |\n|---|---:|---:|---:|---:|---:|---|"
    )
    return "\n".join([head, *(line(row) for row in results["rows"])]) + "\n"


def plot(results: dict[str, Any]) -> None:
    figure, (left, middle, right) = subplots(ncols=3, figsize=(14, 4.4))
    rows = results["rows"]
    for place, name in NAMES.items():
        of_place = [row for row in rows if row["place"] == place and row["n_workers"] in (None, 2)]
        x = [row["n_documents"] for row in of_place]
        look = {"marker": MARKERS[place], "color": COLORS[place], "label": name}
        left.plot(x, [seconds_of(row) for row in of_place], **look)
        peak = [max(row["peak_gb"], *row.get("worker_peak_gb", [0])) for row in of_place]
        right.plot(x, peak, **look)
    sizes = sorted({row["n_documents"] for row in rows})
    for axes in (left, right):
        log_ticks(axes, sizes)
        axes.set_xlabel("documents")
    left.set_yscale("log")
    left.set_yticks(SECONDS, [f"{each:g}" for each in SECONDS])
    left.minorticks_off()
    left.set_ylabel("seconds per EM iteration")
    left.set_title("time grows linearly with documents")
    left.legend()
    right.set_ylabel("peak memory of the largest process, GB")
    right.set_title("memory of streaming stays constant")
    right.legend(loc="upper left")
    right.set_ylim(bottom=0)
    at = sizes[COPIES["dask"].index(AT_WORKERS)]
    of_size = [row for row in rows if row["place"] == "dask" and row["n_documents"] == at]
    of_size.sort(key=lambda row: row["n_workers"])
    heights = [seconds_of(row) for row in of_size]
    middle.bar([str(row["n_workers"]) for row in of_size], heights, color=COLORS["dask"])
    memory = next(r for r in rows if r["place"] == "memory" and r["n_documents"] == at)
    middle.axhline(
        seconds_of(memory), color=COLORS["memory"], linestyle="--", label="in memory, two threads"
    )
    middle.set_xlabel("Dask workers (two processors)")
    middle.set_ylabel("seconds per EM iteration")
    middle.set_title(f"Dask workers, {at:,} documents")
    middle.set_ylim(top=1.25 * max(heights))  # room for the legend
    middle.legend(loc="upper right")
    save_figure("clark_figure_3", figure)


def main() -> None:
    write(run())


def write(results: dict[str, Any]) -> None:
    note = f"\nThese results were {described(made_now(seed=SEED))}.\n"
    (RESULTS / "clark_figure_3.md").write_text(table(results) + note)
    path = write_results("clark_figure_3", results, seed=SEED)
    print(f"{results['seconds']:.0f} s; wrote {path.name}")
    plot(results)


if __name__ == "__main__":
    run_study(main)

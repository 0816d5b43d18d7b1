"""Markdown about large data, from the results of a study and of the benchmarks."""

from statistics import median
from typing import Any

from studies._provenance import described, staleness

from docgen import benchmarks as of_benchmarks
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table

STUDY = "clark_figure_3"
PAGE, CLUSTER_PAGE = "docs/tutorials/larger-than-memory.md", "docs/tutorials/cluster.md"
PLACES = {
    "memory": "in memory, two threads",
    "stream": "streamed, two threads",
    "dask": "Dask, two workers",
}
N_SMALL, N_LARGE = 199_970, 1_999_700  # documents of the rows shown
PROCESSORS = 2  # of the machine of the study
Row = dict[str, Any]

# The cluster of the extrapolation to a billion documents.
N_DOCUMENTS, N_WORDS, N_CLASSES = 1e9, 200_000, 20
N_WORKERS, N_THREADS = 64, 16
STORAGE_GB, TEXT_KB = 5, 1.0  # read per second, and of Parquet per document
NETWORK_GB = 1.25  # per second, 10 Gbit
TREE_LEVELS, TREE_WIDTH = 2, 8  # of the tree in which sums are added
SCHEDULER_SECONDS = 0.001 * 30 * N_WORKERS  # a millisecond for each of 30 tasks per worker


def stale_results() -> list[str]:
    """A sentence if the code has changed since the study ran."""
    told = staleness(read(STUDY).get("made_with"))
    return [f"studies/results/{STUDY}.json was {told}"] if told else []


def scaling_table() -> str:
    """Seconds and memory by place and number of documents."""
    found = [
        *(_row(place, N_SMALL) for place in PLACES),
        *(_row(place, N_LARGE) for place in PLACES if place != "memory"),
    ]
    rows = [
        [
            PLACES[row["place"]],
            f"{row['n_documents']:,}",
            f"{row['reading_seconds']:.1f}",
            _seconds(_iteration(row)),
            _memory(row),
        ]
        for row in found
    ]
    head = ["where", "documents", "reading and counting, s", "iteration, s", "peak memory, GB"]
    about = (
        "20 Newsgroups (raw messages, 1.7 kB each), repeated up to 100 times, 20 classes, method "
        f"`em`, {PROCESSORS} processors (`python -m studies {STUDY}`; "
        f"{described(read(STUDY).get('made_with'))}; [all "
        f"measurements](../../studies/results/{STUDY}.md)). Memory is the peak of each process, "
        "reading included."
    )
    return f"{about}\n\n{markdown_table(head, rows)}"


def workers_findings() -> str:
    """What workers add, and what an iteration consists of."""
    one, two, four = (_iteration(_row("dask", N_SMALL, n)) for n in (1, 2, 4))
    parts = _row("dask", N_SMALL)["profile"]
    listed = "; ".join(f"{name}, {_seconds(seconds)} s" for name, seconds in parts.items())
    rows = of_benchmarks.read_suite(of_benchmarks.SPEED)["rows"]
    suite = next(row for row in rows if "two local workers" in row["what"])
    return (
        f"- On {N_SMALL:,} documents an iteration takes {_seconds(one)} s with one worker and "
        f"{_seconds(two)} s with two. Four on the same two processors take {_seconds(four)} s, so "
        "do not start more threads in total than there are processors. (Clark and Clark report "
        "under 90 seconds on 200,000 documents with three machines.)\n"
        f"- Its parts with two workers: {listed}.\n"
        f"- Measured alternately with one process that has all documents in memory (`make bench`): "
        f"{_seconds(suite['seconds'])} s against {_seconds(suite['peer_seconds'])} s, "
        f"{1 / suite['ratio']:.1f} times as long."
    )


def billion_table() -> str:
    """An extrapolation to a billion documents on 64 machines."""
    large, streamed = _row("dask", N_LARGE), _row("stream", N_LARGE)
    per_document = streamed["cache_gb"] * 1e9 / N_LARGE
    counts_gb = N_DOCUMENTS * per_document / 1e9
    threads = N_WORKERS * N_THREADS
    reading, expecting = (
        seconds * PROCESSORS / N_LARGE for seconds in (large["reading_seconds"], _iteration(large))
    )
    parameters_gb = 4 * N_WORDS * N_CLASSES / 1e9
    n_reads = 2
    e_step = N_DOCUMENTS * expecting / threads
    network = TREE_LEVELS * TREE_WIDTH * parameters_gb / NETWORK_GB
    iteration = e_step + network + SCHEDULER_SECONDS
    rows = [
        ["text", f"$10^9$ · about {TEXT_KB:.0f} kB as Parquet", "1 TB on shared storage"],
        [
            "counts",
            f"$10^9$ · {per_document:,.0f} bytes",
            f"{counts_gb / 1000:.2f} TB, {counts_gb / N_WORKERS:.0f} GB per worker",
        ],
        [
            "reading and counting",
            f"{1e6 * reading:.0f} µs per document and thread (both passes), {threads:,} threads",
            f"{N_DOCUMENTS * reading / threads:.0f} s of computing; "
            f"{n_reads * N_DOCUMENTS * TEXT_KB / 1e6 / STORAGE_GB:.0f} s if storage delivers "
            f"{STORAGE_GB} GB/s",
        ],
        ["parameters", f"4 · {N_WORDS:,} · {N_CLASSES} bytes", f"{1000 * parameters_gb:.0f} MB"],
        [
            "data moved per iteration",
            f"{N_WORKERS} · {1000 * parameters_gb:.0f} MB down, as many up, in a tree of "
            f"{TREE_LEVELS} levels",
            f"{2 * N_WORKERS * parameters_gb:.0f} GB in total, {network:.1f} s",
        ],
        [
            "E-step",
            f"{1e6 * expecting:.1f} µs per document and thread",
            f"{e_step:.1f} s",
        ],
        [
            "scheduler",
            "30 tasks per worker and iteration, about 1 ms each",
            f"{SCHEDULER_SECONDS:.0f} s",
        ],
        ["**an iteration**", "", f"**about {iteration:.0f} s**"],
    ]
    return markdown_table(["quantity", "calculation", "result"], rows)


def _row(place: str, n_documents: int, n_workers: int = 2) -> Row:
    return next(
        row
        for row in read(STUDY)["rows"]
        if row["place"] == place
        and row["n_documents"] == n_documents
        and row["n_workers"] in (None, n_workers)
    )


def _iteration(row: Row) -> float:
    return float(median(row["iteration_seconds"]))


def _memory(row: Row) -> str:
    if "worker_peak_gb" not in row:
        return f"{row['peak_gb']:.2f}"
    workers = " and ".join(f"{peak:.2f}" for peak in row["worker_peak_gb"])
    return f"driver {row['peak_gb']:.2f}, workers {workers}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}"


SECTIONS = [
    Section(PAGE, "clark_figure_3: table", scaling_table),
    Section(CLUSTER_PAGE, "clark_figure_3: workers", workers_findings),
    Section(CLUSTER_PAGE, "clark_figure_3: a billion", billion_table),
]

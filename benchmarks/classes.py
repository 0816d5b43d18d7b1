"""Cost by number of classes: seconds and peak memory of training and of using a model.

Documents are drawn from a Zipf distribution of words, and from a few words of their class. Every
step runs in a process of its own, so that its peak memory is that of the step, with limits on both:
a step that needs more is reported as such. ``python -m benchmarks.classes`` measures every method,
and writes classes.json; the suite measures some of them.
"""

import argparse
import contextlib
import io
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from studies._provenance import made_now

from benchmarks._common import Row
from leaven._base.threads import count_threads

RESULTS = Path(__file__).with_name("classes.json")
PREFIX = "classes"
NUMBERS = (2, 20, 100, 1000, 10_000)  # of classes
N_TRAIN, N_TEST = 24_000, 2000  # documents
N_LABELED_OF_CLASS = 2  # of which one can be held out
N_WORDS, STEEPNESS = 30_000, 1.0  # of the vocabulary, and of its frequencies (Zipf's law)
SHORTEST, LONGEST = 40, 120  # words of a document
OWN_WORDS, OWN_SHARE = 8, 0.25  # words of a class, and their share in its documents
FIRST_OWN = 100  # the most frequent words are of no class
MEBIBYTE = 2**20
MOST_MEBIBYTES = 8192  # of data, of one step
MOST_SECONDS = 60.0  # of one step of the suite
SUITE_METHODS = ("nb", "svm", "auto")  # of the suite, which is to take a few minutes
SUITE_STEPS = ("predict", "explain", "top words", "evaluate")
# Everything that costs more where classes are many.
STEPS = (
    "load", "predict", "predict_proba", "explain", "top words", "report", "info", "evaluate",
    "predict file", "save",
)  # fmt: skip


def write_corpus(folder: Path, n_classes: int, seed: int = 0) -> None:
    """Two files: documents to train on, few of them labeled, and labeled ones to score."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(1, N_WORDS + 1) ** STEEPNESS
    limits = np.cumsum(frequency / frequency.sum())
    own = rng.integers(FIRST_OWN, N_WORDS, (n_classes, OWN_WORDS))
    n_documents = N_TRAIN + N_TEST
    # Every class has the labeled documents first; the others are of random classes.
    codes = np.resize(np.arange(n_classes), n_classes * N_LABELED_OF_CLASS)
    codes = np.concatenate([codes, rng.integers(0, n_classes, n_documents - len(codes))])
    lengths = rng.integers(SHORTEST, LONGEST, n_documents)
    texts = []
    for code, length in zip(codes.tolist(), lengths.tolist(), strict=True):
        words = np.searchsorted(limits, rng.random(length))
        is_own = rng.random(length) < OWN_SHARE
        words[is_own] = rng.choice(own[code], int(is_own.sum()))
        texts.append(" ".join([f"w{word}" for word in words.tolist()]))
    names = [f"class {code:05}" for code in codes.tolist()]
    labels = [*names[: n_classes * N_LABELED_OF_CLASS]]
    labels += [None] * (N_TRAIN - len(labels))  # type: ignore[list-item]
    _write(folder / "train.parquet", texts[:N_TRAIN], labels)
    _write(folder / "test.parquet", texts[N_TRAIN:], names[N_TRAIN:])


def _write(path: Path, texts: list[str], labels: list[str]) -> None:
    pq.write_table(pa.table({"text": texts, "label": pa.array(labels, pa.string())}), path)


def _read(path: Path) -> tuple[list[str], list[str | None]]:
    table = pq.read_table(path)
    return table["text"].to_pylist(), table["label"].to_pylist()


def prepared(folder: Path, step: str, method: str) -> Callable[[], Any]:
    """A step, with everything loaded that is not part of it."""
    import leaven
    from leaven.cli import app

    model = str(folder / f"{method}.leaven")

    def command(arguments: list[str]) -> None:
        code = app(arguments, standalone_mode=False)
        if code:
            raise RuntimeError(f"leaven {arguments[0]} ended with {code}")

    if step == "fit":
        texts, labels = _read(folder / "train.parquet")

        def fit() -> None:
            leaven.TextClassifier(method=method).fit(texts, labels).save(model)

        return fit
    if step == "load":
        return partial(leaven.load, model)
    if step == "info":
        return partial(command, ["info", model])
    if step == "evaluate":
        return partial(command, ["evaluate", model, str(folder / "test.parquet")])
    if step == "predict file":
        output = str(folder / f"{method}.csv")
        return partial(command, ["predict", model, str(folder / "test.parquet"), "-o", output])
    if step == "compare":
        named = ["--methods", "nb,em", "--folds", "3"]
        return partial(command, ["compare", str(folder / "train.parquet"), *named])
    texts, _ = _read(folder / "test.parquet")
    classifier = leaven.load(model)
    steps: dict[str, Callable[[], Any]] = {
        "predict": lambda: classifier.predict(texts),
        "predict_proba": lambda: classifier.predict_proba(texts),
        "explain": lambda: str(classifier.explain(texts[0])),
        "top words": lambda: classifier.top_words(10),
        "report": lambda: (str(classifier.report_), classifier.report_._repr_html_()),
        "save": lambda: classifier.save(str(folder / "again.leaven")),
    }
    return steps[step]


def measure(folder: Path, step: str, method: str) -> dict[str, Any]:
    """Seconds, and peak memory of the process, of which so much was there before the step."""
    warnings.simplefilter("ignore")
    work = prepared(folder, step, method)
    before = _resident_mebibytes()
    start, start_cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        work()
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - start_cpu,
        "before_mebibytes": before,
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "n_lines": shown.getvalue().count("\n"),
    }


def _resident_mebibytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def measure_apart(
    folder: Path, step: str, method: str, most_seconds: float = MOST_SECONDS
) -> dict[str, Any]:
    """The same in a process of its own; what it lacked where it did not end."""
    command = [sys.executable, "-m", "benchmarks.classes", "--folder", str(folder)]
    command += ["--step", step, "--methods", method]
    most = MOST_MEBIBYTES * MEBIBYTE
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=most_seconds,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"more than {most_seconds:g} s"}
    if done.returncode:
        return {"refused": done.stderr.strip().splitlines()[-1][:300]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(
    numbers: Sequence[int], methods: Sequence[str], steps: Sequence[str], most_seconds: float
) -> Iterator[Row]:
    """Rows of every method, and of every step with the models of the first method."""
    for n_classes in numbers:
        with tempfile.TemporaryDirectory(prefix="leaven-classes-") as name:
            folder = Path(name)
            write_corpus(folder, n_classes)
            tasks = [(methods[0], step) for step in ("fit", *steps)]
            tasks += [(method, "fit") for method in methods[1:]]
            for method, step in tasks:
                found = measure_apart(folder, step, method, most_seconds)
                seconds = found.pop("seconds", float("nan"))
                about = {"n_classes": n_classes, "method": method, "step": step, **found}
                yield Row(f"{PREFIX}: {n_classes:,}, {method}, {step}", seconds, details=about)
                if method != methods[0]:  # its model is as large as that of the others
                    (folder / f"{method}.leaven").unlink(missing_ok=True)


def run() -> list[Row]:
    rows = list(measured(NUMBERS, SUITE_METHODS, SUITE_STEPS, MOST_SECONDS))
    for row in rows:
        if "refused" in row.details:
            print(f"{row.what}: {row.details['refused']}", file=sys.stderr)
    return [row for row in rows if "refused" not in row.details]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, nargs="*", default=NUMBERS)
    parser.add_argument("--methods", nargs="*", default=["nb", "em", "two-view", "svm", "auto"])
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of one step, at most")
    parser.add_argument("--steps", nargs="*", default=[*STEPS, "compare"], help="beside fits")
    parser.add_argument("--json", type=Path, default=RESULTS, help="other rows of it are kept")
    parser.add_argument("--folder", type=Path, help="of a corpus, to measure one step")
    parser.add_argument("--step")
    given = parser.parse_args()
    if given.step:
        print(json.dumps(measure(given.folder, given.step, given.methods[0])))
        return
    known = json.loads(given.json.read_text())["rows"] if given.json.exists() else []
    rows = {row["what"]: row for row in known}
    machine = {"processors": count_threads(None), "python": platform.python_version()}
    about = {"made_with": made_now(), "machine": machine, "limits": {"mebibytes": MOST_MEBIBYTES}}
    for row in measured(given.classes, given.methods, given.steps, given.seconds):
        print(row.what, row.details.get("refused", f"{row.seconds:.2f} s"), flush=True)
        rows[row.what] = _without_nan(row.to_json())
        given.json.write_text(json.dumps({**about, "rows": [*rows.values()]}, indent=1) + "\n")


def _without_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in row.items()}


if __name__ == "__main__":
    main()

"""How long a person waits for the command line: every time, and the first time."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks._common import Row, best_seconds, newsgroups
from benchmarks._imports import imported_packages
from benchmarks._processor_time import ProcessorTime, timed_process
from leaven import TextClassifier
from leaven.documents._writers import write_tables

N_LABELED = 300  # of 20 Newsgroups, as a first project may have
NOTICE = "compiling"  # how the line begins that says why nothing else is shown


def run() -> list[Row]:
    leaven = str(Path(sys.executable).with_name("leaven"))
    # Python keeps what it compiled of modules, as where leaven is installed.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        model, document = Path(folder, "model.leaven"), Path(folder, "one.txt")
        texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        TextClassifier().fit(texts, ["baking", "space", None, None]).save(model)
        document.write_text("bread dough\n")

        def call(*arguments: str) -> None:
            subprocess.run([leaven, *arguments], check=True, capture_output=True, env=environment)

        predict = ("predict", str(model), str(document))
        call(*predict)
        best = best_seconds(
            {"help": lambda: call("--help"), "predict": lambda: call(*predict)}, rounds=5
        )
        packages = imported_packages(predict, environment)
        _show(packages)
        first, later = _trainings(leaven, Path(folder), environment)
    compiling = first.total - later.total
    return [
        Row("leaven --help (seconds)", best["help"], target=0.4),
        Row(
            "leaven predict, one document (seconds)",
            best["predict"],
            target=0.8,
            details={"imports": packages},
        ),
        Row(
            "first leaven train: compiling (processor seconds)",
            compiling,
            target=15,
            details={"first_run": first.total, "later_runs": later.total},
        ),
        Row(
            "first leaven train: until its first line (processor seconds)",
            first.until_line,
            details={"later_runs": later.until_line},
        ),
    ]


def _trainings(
    leaven: str, folder: Path, environment: dict[str, str]
) -> tuple[ProcessorTime, ProcessorTime]:
    """The first training on a machine, and a later one."""
    texts, labels = newsgroups()
    step = len(labels) // N_LABELED
    shown = [label if i % step == 0 else None for i, label in enumerate(labels)]
    data = folder / "news.csv"
    write_tables([pa.table({"text": texts, "label": shown})], str(data))
    command = [leaven, "train", str(data), "-o", str(folder / "news.leaven"), "--force"]
    own = {**environment, "NUMBA_CACHE_DIR": str(folder / "compiled")}
    first, later = (timed_process(command, own, besides=NOTICE) for _ in range(2))
    return first, later


def _show(packages: list[dict[str, object]]) -> None:
    table = Table("leaven predict imports", "modules", "seconds", "needed for")
    for each in packages:
        seconds = f"{each['seconds']:.3f}"
        table.add_row(str(each["package"]), str(each["modules"]), seconds, str(each["needed_for"]))
    Console(width=120).print(table)

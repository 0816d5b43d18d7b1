"""Write the files of the README's session to a folder, run its commands there, print the session.

The files hold help requests that stand in for support tickets: messages of five computer
newsgroups of 20 Newsgroups, named after the team that would answer them. ``tickets.csv`` has the
earlier ones, twelve labels per team and the rest unlabeled; ``checked.csv`` has the last fifth of
each group by date, all labeled. Messages without text are left out.

Needs the folder of corpora (``LEAVEN_DATA``). Run: ``python -m docgen.tickets FOLDER``
"""

import csv
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

from leaven.datasets import load_corpus

TEAMS = {
    "comp.graphics": "graphics",
    "comp.os.ms-windows.misc": "windows",
    "comp.sys.ibm.pc.hardware": "pc",
    "comp.sys.mac.hardware": "mac",
    "comp.windows.x": "x11",
}
LABELS_PER_TEAM = 12
TEST_SHARE = 0.2
COLUMNS = "--text body --label team"
SESSION = (
    f"leaven train tickets.csv {COLUMNS} -o tickets.leaven",
    "leaven predict tickets.leaven tickets.csv -o predicted.csv",
    'leaven explain tickets.leaven "The Centris shows no picture on its new monitor"',
    "leaven evaluate tickets.leaven checked.csv",
    f"leaven compare tickets.csv {COLUMNS} --methods nb,em,two-view,auto",
)


def write(folder: Path) -> None:
    """Write both files."""
    table = load_corpus("20news_19997", columns=["text", "label", "date"])
    table = table.filter([bool(text.strip()) for text in table["text"].to_pylist()])
    groups = np.array(table["label"].to_pylist())
    dates = np.array(table["date"].to_pylist())
    rng = np.random.default_rng(0)
    tickets: list[int] = []
    checked: list[int] = []
    labeled: set[int] = set()
    for group in TEAMS:
        members = np.flatnonzero(groups == group)
        members = members[np.argsort(dates[members], kind="stable")]
        n_tickets = round((1 - TEST_SHARE) * len(members))
        tickets.extend(members[:n_tickets].tolist())
        checked.extend(members[n_tickets:].tolist())
        labeled.update(rng.choice(members[:n_tickets], LABELS_PER_TEAM, replace=False).tolist())
    texts = table["text"].to_pylist()
    for name, rows, has_label in (
        ("tickets.csv", rng.permutation(tickets), labeled),
        ("checked.csv", rng.permutation(checked), set(checked)),
    ):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "body", "team"])
            for row in map(int, rows):
                team = TEAMS[str(groups[row])] if row in has_label else ""
                writer.writerow([row, texts[row], team])


def run(folder: Path) -> None:
    """Run the commands, and print them with what they print."""
    environment = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1"}
    for command in SESSION:
        program, *arguments = shlex.split(command)
        found = subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        print(f"$ {command}\n{found.stdout.rstrip()}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m docgen.tickets FOLDER")
    write(Path(sys.argv[1]))
    run(Path(sys.argv[1]))

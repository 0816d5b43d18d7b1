"""List the studies, or run some: ``python -m studies``, ``python -m studies figure_3_4``.

``python -m studies --all`` runs all of them, ``--json`` prints the list as JSON, and ``--redraw``
only draws figures again, from stored results. A study with options of its own is run as
``python -m studies.few_labels --fresh``.
"""

import argparse
import ast
import importlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from leaven.datasets import data_folder
from studies._provenance import described, staleness

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
BY_ITSELF = {  # needs more than the corpora
    "sentence_vectors": "sentence_vectors needs a file of vectors; run: "
    "python -m studies.sentence_vectors --vectors FILE.npy"
}


def titles() -> dict[str, str]:
    """First line of the docstring of every study: each public module here that has a main()."""
    found = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def entry(name: str, title: str) -> dict[str, Any]:
    """What the list says of a study."""
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = {"name": name, "title": title}
    if not path.exists():
        return {**found, "results": None, "made_with": None, "stale": None}
    made_with = json.loads(path.read_text(encoding="utf-8")).get("made_with")
    results = path.relative_to(FOLDER.parent).as_posix()
    return {**found, "results": results, "made_with": made_with, "stale": staleness(made_with)}


def print_list(entries: list[dict[str, Any]], folder: Path | None) -> None:
    """The studies and their results, where corpora are, and how to run."""
    width = max(len(each["name"]) for each in entries)
    for each in entries:
        print(f"{each['name']:<{width}}  {each['title']}")
        print(f"{'':<{width}}  {status(each)}")
    print()
    if folder is None:
        print("Corpora: no folder found; set LEAVEN_DATA to a folder with files NAME.jsonl.gz")
    else:
        print(f"Corpora: {folder} (LEAVEN_DATA names another folder)")
    print("Run: python -m studies NAME…, or python -m studies --all")
    print("Options of one study: python -m studies.NAME --help (few_labels, sentence_vectors)")


def status(each: dict[str, Any]) -> str:
    """One line about the results of a study."""
    if each["results"] is None:
        return "no results yet"
    stale = each["stale"]
    text = f"stale: {stale}" if stale else described(each["made_with"])
    return f"{each['results']}; {text}"


def run(names: list[str]) -> None:
    """Run studies one after the other."""
    from studies._common import run_study

    sys.argv[1:] = []  # a study's own options keep their defaults
    for name in names:
        print(f"\n== {name}", flush=True)
        run_study(importlib.import_module(f"studies.{name}").main)


def redraw(names: list[str]) -> None:
    """Draw the figures of studies again from their stored results."""
    from studies._common import read_results, run_study

    def draw(name: str, plot: Any) -> None:
        written = plot(read_results(name))  # None, or what several pictures are called
        print(f"wrote {written or f'{name}.png'}")

    for name in names:
        plot = getattr(importlib.import_module(f"studies.{name}"), "plot", None)
        if plot is not None:
            run_study(partial(draw, name, plot))


def fail(message: str, code: int) -> NoReturn:
    """End with one sentence."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m studies", description="List or run studies.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="studies to run")
    parser.add_argument("--all", action="store_true", help="run all studies")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.add_argument(
        "--redraw", action="store_true", help="draw figures from stored results, of NAMEs or all"
    )
    wanted = parser.parse_args()
    known = titles()
    for name in wanted.names:
        if name not in known:
            fail(f"no study is called {name!r}; choose among {', '.join(known)}", 2)
        if name in BY_ITSELF and not wanted.redraw:
            fail(BY_ITSELF[name], 2)
    if wanted.redraw:
        redraw(wanted.names or list(known))
        return
    if wanted.json and (wanted.names or wanted.all):
        parser.error("--json prints the list; it goes without names and without --all")
    try:
        folder = data_folder()
    except FileNotFoundError as error:
        fail(str(error), 1)
    if wanted.all:
        run([name for name in known if name not in BY_ITSELF])
        print("", *(f"left out: {why}" for why in BY_ITSELF.values()), sep="\n")
    elif wanted.names:
        run(wanted.names)
    else:
        entries = [entry(name, title) for name, title in known.items()]
        if wanted.json:
            corpora = None if folder is None else str(folder)
            print(json.dumps({"data_folder": corpora, "studies": entries}, indent=1))
        else:
            print_list(entries, folder)


if __name__ == "__main__":
    main()

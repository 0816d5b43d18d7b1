"""Write what the documentation takes from the program and from the results of studies.

- docs/reference/cli.md, from the help of every command
- sections of other pages, between ``<!-- name -->`` and ``<!-- end -->``: the ``SECTIONS`` of
  the modules in ``SOURCES``
- pictures, which are copies of those that studies draw

With --check nothing is written; it fails if something is not current.
"""

import sys
from itertools import chain
from pathlib import Path

import typer

from docgen import (
    accuracy,
    auto,
    benchmarks,
    classes,
    code,
    command_line,
    constants,
    em_methods,
    fisher,
    gallery,
    home,
    hybrids,
    labeling,
    methods,
    multilabel,
    neighbors,
    options,
    readme,
    scaling,
    serving,
    short_texts,
    studies,
    two_view,
)
from docgen.sections import with_sections

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    readme,
    home,
    accuracy,
    code,
    methods,
    auto,
    two_view,
    em_methods,
    options,
    constants,
    neighbors,
    multilabel,
    hybrids,
    fisher,
    labeling,
    gallery,
    classes,
    scaling,
    serving,
    short_texts,
)
WITH_RESULTS = (
    studies,
    methods,
    auto,
    em_methods,
    neighbors,
    multilabel,
    hybrids,
    fisher,
    labeling,
    gallery,
    classes,
    scaling,
    serving,
    short_texts,
    benchmarks,
)
SECTIONS = list(chain.from_iterable(source.SECTIONS for source in SOURCES))
PICTURES = {  # and where each is copied from
    "docs/images/few_labels.png": "studies/results/few_labels.png",
    "docs/images/figure_3_1.png": "studies/results/figure_3_1.png",
    "docs/images/scaling.png": "studies/results/clark_figure_3.png",
    "docs/images/fisher.png": "studies/results/takamura_table_1.png",
    "docs/images/fisher_unlabeled.png": "studies/results/takamura_figure_1.png",
    "docs/images/short_texts.png": "studies/results/short_texts.png",
}


def wanted(root: Path = ROOT) -> dict[str, bytes]:
    """Every file that is written here, as it should be; pages are read below ``root``."""
    found = {command_line.PAGE: command_line.page().encode()}
    for file in dict.fromkeys(section.file for section in SECTIONS):
        path = root / file
        if not path.exists():
            sys.exit(f"{file} is missing; docgen writes sections of it")
        text = path.read_text(encoding="utf-8")
        found[file] = with_sections(file, text, SECTIONS).encode()
    for file, original in PICTURES.items():
        if not (ROOT / original).exists():
            sys.exit(f"{original} is missing; {file} is a copy of it")
        found[file] = (ROOT / original).read_bytes()
    return found


def outdated(content: dict[str, bytes], root: Path = ROOT) -> list[str]:
    """The files below ``root`` that are not as they should be."""
    return [
        file
        for file, expected in content.items()
        if not (root / file).exists() or (root / file).read_bytes() != expected
    ]


def main(check: bool = typer.Option(False, "--check", help="Only compare.")) -> None:
    """Write what is generated, or compare it; say which results are stale."""
    content = wanted()
    old = outdated(content)
    for note in chain.from_iterable(each.stale_results() for each in WITH_RESULTS):
        print(f"note: {note}", file=sys.stderr)
    if check and old:
        sys.exit(f"not current: {', '.join(old)}; run: python -m docgen")
    for file in old:
        (ROOT / file).write_bytes(content[file])


if __name__ == "__main__":
    typer.run(main)

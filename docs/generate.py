"""Write what the documentation takes from the program and from the results of studies.

- docs/cli.md, from the help of every command
- sections of other pages, between ``<!-- name -->`` and ``<!-- end -->``; ``SECTIONS`` lists them
- pictures, which are copies of those that studies draw

With --check nothing is written; it fails if something is not current.
"""

import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import typer
from typer.testing import CliRunner

from leaven.cli import app

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT)]

import generate_auto as of_auto  # noqa: E402
import generate_benchmarks as of_benchmarks  # noqa: E402
import generate_code as of_code  # noqa: E402
import generate_fisher as of_fisher  # noqa: E402
import generate_hybrids as of_hybrids  # noqa: E402
import generate_labeling as of_labeling  # noqa: E402
import generate_methods as of_methods  # noqa: E402
import generate_multilabel as of_multilabel  # noqa: E402
import generate_neighbors as of_neighbors  # noqa: E402
import generate_short_texts as of_short_texts  # noqa: E402
import generate_studies as of_studies  # noqa: E402


class Section(NamedTuple):
    """A part of a page that is written here."""

    file: str  # from the root of the project
    name: str  # of its marker
    content: Callable[[], str]  # Markdown, without the markers


SOURCES = (
    of_studies,
    of_methods,
    of_auto,
    of_neighbors,
    of_multilabel,
    of_hybrids,
    of_fisher,
    of_labeling,
    of_short_texts,
    of_benchmarks,
)
METHODS_PAGE = "docs/methods/index.md"
NEIGHBORS_PAGE = "docs/methods/neighbors.md"
MULTILABEL_PAGE = "docs/methods/multilabel.md"
HYBRIDS_PAGE = "docs/methods/hybrids.md"
FISHER_PAGE = "docs/methods/fisher.md"
SHORT_PAGE = "docs/short-texts.md"
LANGUAGES_PAGE = "docs/languages.md"
SECTIONS = [
    Section("README.md", "methods", of_code.methods_table),
    Section("docs/architecture.md", "tree", of_code.tree),
    Section("CONTRIBUTING.md", "toy family", of_code.toy_family),
    Section("README.md", "few_labels: setting", of_studies.few_labels_setting),
    Section("README.md", "few_labels: accuracy table", of_studies.few_labels_table),
    Section("README.md", "few_labels: findings", of_studies.few_labels_summary),
    Section("README.md", "new_corpora: accuracy table", of_studies.new_corpora_table),
    Section(
        "README.md",
        "sentence_vectors: accuracy table",
        lambda: of_studies.sentence_vectors_table(("logreg", "auto", "auto + vectors")),
    ),
    Section("README.md", "benchmarks: speed table", of_benchmarks.speed_table),
    Section("README.md", "figure_3_1: accuracy table", of_studies.newsgroups_table),
    Section("README.md", "figure_3_4: accuracy table", of_studies.annealing_table),
    Section(
        "docs/methods/auto.md",
        "few_labels: setting",
        lambda: of_studies.few_labels_setting(to_root="../../"),
    ),
    Section("docs/methods/auto.md", "few_labels: accuracy table", of_studies.few_labels_table),
    Section("docs/methods/auto.md", "few_labels: findings", of_studies.few_labels_findings),
    Section("docs/methods/auto.md", "auto_members", of_auto.members_table),
    Section("docs/methods/auto.md", "audited_labels", of_auto.audits_table),
    Section(METHODS_PAGE, "methods", of_code.methods_table),
    Section(METHODS_PAGE, "all_methods", of_methods.one_corpus_table),
    Section(METHODS_PAGE, "few_labels: every method", of_methods.all_corpora_table),
    Section(
        "docs/methods/two-view.md",
        "sentence_vectors: accuracy table",
        lambda: of_studies.sentence_vectors_table(spread=True),
    ),
    Section(NEIGHBORS_PAGE, "neighbor_options: votes", of_neighbors.votes_table),
    Section(NEIGHBORS_PAGE, "neighbor_options: all", of_neighbors.options_table),
    Section(NEIGHBORS_PAGE, "benchmarks: neighbors", of_neighbors.speed_table),
    Section(NEIGHBORS_PAGE, "clark_table", of_neighbors.clark_table),
    Section(NEIGHBORS_PAGE, "clark_figure_4", of_neighbors.figure_4_table),
    Section(MULTILABEL_PAGE, "mccallum_table_2: searches", of_multilabel.searches_table),
    Section(MULTILABEL_PAGE, "mccallum_table_2: iterations", of_multilabel.iterations_table),
    Section(MULTILABEL_PAGE, "multilabel: options", of_multilabel.options_table),
    Section(MULTILABEL_PAGE, "multilabel: constants", of_multilabel.constants_table),
    Section(MULTILABEL_PAGE, "mccallum_table_1", of_multilabel.words_table),
    Section(MULTILABEL_PAGE, "mccallum_table_2", of_multilabel.accuracy_table),
    Section(MULTILABEL_PAGE, "mccallum_90", of_multilabel.all_classes_table),
    Section(MULTILABEL_PAGE, "label_sets_corpora", of_multilabel.corpora_table),
    Section(MULTILABEL_PAGE, "label_sets_corpora: expected", of_multilabel.expected_table),
    Section(MULTILABEL_PAGE, "label_sets_few", of_multilabel.few_table),
    Section(MULTILABEL_PAGE, "benchmarks: label sets", of_multilabel.speed_table),
    Section(HYBRIDS_PAGE, "hybrid_options: text", of_hybrids.text_table),
    Section(HYBRIDS_PAGE, "hybrid_options: others", of_hybrids.options_table),
    Section(HYBRIDS_PAGE, "druck_table_1", of_hybrids.table_1),
    Section(HYBRIDS_PAGE, "transductive_svm", of_hybrids.transductive_table),
    Section(HYBRIDS_PAGE, "benchmarks: hybrids", of_hybrids.speed_table),
    Section("docs/methods/questions.md", "labeling_strategies", of_labeling.strategies_table),
    Section("docs/labeling.md", "benchmarks: labeling", of_labeling.speed_table),
    Section(FISHER_PAGE, "fisher_options", of_fisher.options_table),
    Section(FISHER_PAGE, "takamura_table_1", of_fisher.table_1),
    Section(FISHER_PAGE, "takamura_figure_1", of_fisher.figure_1),
    Section(FISHER_PAGE, "benchmarks: fisher", of_fisher.speed_table),
    Section(SHORT_PAGE, "tried", of_short_texts.tried_table),
    Section(SHORT_PAGE, "short_texts: accuracy table", of_short_texts.size_table),
    Section(SHORT_PAGE, "short_texts: findings", of_short_texts.findings),
    Section(SHORT_PAGE, "short_texts: corpora", of_short_texts.corpus_table),
    Section(SHORT_PAGE, "short_texts: intervals", of_short_texts.interval_table),
    Section(LANGUAGES_PAGE, "languages: accuracy table", of_short_texts.language_table),
    Section(LANGUAGES_PAGE, "languages: findings", of_short_texts.language_findings),
    Section(LANGUAGES_PAGE, "languages: examples", of_short_texts.language_examples),
]
PICTURES = {  # and where each is copied from
    "docs/images/few_labels.png": "studies/results/few_labels.png",
    "docs/images/figure_3_1.png": "studies/results/figure_3_1.png",
    "docs/images/scaling.png": "studies/results/clark_figure_3.png",
    "docs/images/fisher.png": "studies/results/takamura_table_1.png",
    "docs/images/fisher_unlabeled.png": "studies/results/takamura_figure_1.png",
    "docs/images/short_texts.png": "studies/results/short_texts.png",
}
CLI_PAGE = "docs/cli.md"
WIDTH = 100
HEAD = """\
# Command line

Results go to standard output; progress bars, notes, warnings and errors to standard error. `-`
stands for standard input or output, and `--json` prints JSON instead of text. Exit codes: 0 done,
1 an error, reported in one line that begins with `error:` (`LEAVEN_DEBUG=1` shows the traceback),
2 a command that cannot be understood, 130 interrupted with Ctrl-C, 141 the reader of the output
went away.

`--quiet` leaves out progress bars, notes and the summary of what was written; warnings, errors and
what was asked for (tables, predictions, JSON) stay. `error:` and `warning:` are coloured on
terminals, unless `NO_COLOR` is set or `TERM` is `dumb`; with `FORCE_COLOR` also elsewhere.

Nothing is overwritten by mistake: an output that is also an input, a model over a file that is not
a model, a table over a model, and a plot over a file that is not a picture are refused before any
work is done. `--force` overrides it. Files are replaced when the new one is complete.

`leaven --install-completion` completes commands, options and names of methods in bash, zsh, fish
and PowerShell from the next terminal on; `leaven --show-completion` prints the script.

Data files are CSV, TSV, JSON Lines, Parquet, or text with one document per line, all but Parquet
also gzipped; or a folder with one sub-folder per class. A document with an empty label is
unlabeled.

This page is written by `python docs/generate.py` from the commands' own help.
"""


def page() -> str:
    """The page about the command line as it should be."""
    verbs = [command.name for command in app.registered_commands]
    return HEAD + "".join(f"\n## {title}\n\n{_help(args)}" for title, args in _verbs(verbs))


def _verbs(verbs: list[str | None]) -> list[tuple[str, list[str]]]:
    return [("leaven", []), *((f"leaven {verb}", [str(verb)]) for verb in verbs)]


def _help(args: list[str]) -> str:
    environment = {"COLUMNS": str(WIDTH), "TERM": "dumb", "NO_COLOR": "1"}
    result = CliRunner().invoke(
        app, [*args, "--help"], prog_name="leaven", env=environment, terminal_width=WIDTH
    )
    if result.exit_code:
        raise RuntimeError(f"leaven {' '.join(args)} --help failed: {result.output}")
    text = "\n".join(line.rstrip() for line in result.stdout.strip().splitlines())
    return f"```\n{text}\n```\n"


def with_sections(file: str, text: str) -> str:
    """The text of a page with its sections as they should be."""
    sections = [section for section in SECTIONS if section.file == file]
    for section in sections:
        text = _replaced(text, section)
    n_ends = text.count("<!-- end -->")
    if n_ends != len(sections):
        sys.exit(
            f"{file} has {n_ends} <!-- end -->, and docs/generate.py writes {len(sections)} of them"
        )
    return text


def _replaced(text: str, section: Section) -> str:
    start, end = f"<!-- {section.name} -->\n", "<!-- end -->"
    before, found, rest = text.partition(start)
    old, ended, after = rest.partition(end)
    if not found:
        sys.exit(f"{section.file} has no marker {start.strip()}; put it where the section begins")
    if not ended or "<!--" in old:
        sys.exit(f"{section.file} has no {end} after {start.strip()}; put it where that ends")
    if start in after:
        sys.exit(f"{section.file} has {start.strip()} twice; remove one")
    return f"{before}{start}\n{section.content().strip()}\n\n{end}{after}"


def wanted(root: Path = ROOT) -> dict[str, bytes]:
    """Every file that is written here, as it should be; pages are read below ``root``."""
    found = {CLI_PAGE: page().encode()}
    for file in dict.fromkeys(section.file for section in SECTIONS):
        path = root / file
        if not path.exists():
            sys.exit(f"{file} is missing; docs/generate.py writes sections of it")
        found[file] = with_sections(file, path.read_text(encoding="utf-8")).encode()
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
    for note in chain.from_iterable(each.stale_results() for each in SOURCES):
        print(f"note: {note}", file=sys.stderr)
    if check and old:
        sys.exit(f"not current: {', '.join(old)}; run: python docs/generate.py")
    for file in old:
        (ROOT / file).write_bytes(content[file])


if __name__ == "__main__":
    typer.run(main)

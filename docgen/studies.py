"""Markdown from the results of studies: every number in it is read from studies/results."""

import json
import sys
import textwrap
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from studies import _names
from studies._names import CORPORA
from studies._provenance import described, staleness
from studies.few_labels import LOOKS

from docgen.tables import markdown_table

RESULTS = Path(__file__).resolve().parents[1] / "studies" / "results"
WIDTH = 120
SURE, WORTH_COUNTING = 0.05, 0.02  # p-value and size of a difference that is clear
METHODS = {  # of the study of few labels, as the short table names them
    **{method: name for method, name in _names.METHODS.items() if method in LOOKS},
    "leaven nb": "leaven `nb`",
    "em": "leaven `em`",
    "two_view": "leaven `two-view`",
    "auto": "**leaven `auto`**",
}
EVERY_METHOD = {  # of the same study, in the long table
    method: f"`{name.removeprefix('leaven ')}`" if name.startswith("leaven ") else name
    for method, name in _names.METHODS.items()
    if method != "em_raw"
}
ON_NEW_CORPORA = {
    "svm": "LinearSVC, tf-idf",
    "nb": "MultinomialNB",
    "minilm": "MiniLM + logistic regression",
    "em": "leaven `em`",
    "two_view": "leaven `two-view`",
    "auto": "**leaven `auto`**",
}
WITH_VECTORS = {  # of the study of sentence vectors
    "logreg": "MiniLM + logistic regression",
    "two-view": "leaven `two-view`",
    "two-view + vectors": "leaven `two-view` with MiniLM vectors",
    "auto": "**leaven `auto`**",
    "auto + vectors": "leaven `auto` with MiniLM vectors",
}
VIEWS = {  # of figure 3.1
    "counts": "counts of constant length",
    "weighted": "leaven's weighting, stop words removed",
    "default": "**leaven's defaults**",
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
Row = dict[str, Any]


@cache
def read(name: str) -> dict[str, Any]:
    """Results of a study; a missing file ends the program with one sentence."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        sys.exit(f"studies/results/{name}.json is missing; run: python -m studies {name}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def stale_results() -> list[str]:
    """A sentence for each study whose numbers are shown and whose code has changed since."""
    names = ("few_labels", "random_split", "sentence_vectors", "figure_3_1", "figure_3_4")
    notes = {name: staleness(read(name).get("made_with")) for name in names}
    return [f"studies/results/{name}.json was {stale}" for name, stale in notes.items() if stale]


def few_labels_setting(to_root: str = "") -> str:
    """What the table of few labels shows; ``to_root`` leads from the page to the project."""
    cells = read("few_labels")["cells"]
    corpora = list(dict.fromkeys(cell["corpus"] for cell in cells))
    names = ", ".join(CORPORA.get(name, name) for name in corpora)
    budgets = _budgets()
    draws = _span(cell["draws"] for cell in cells if cell["method"] in METHODS)
    return _paragraph(
        f"{_word(len(corpora)).capitalize()} corpora ({names}), {budgets[0]} to {budgets[-1]} "
        f"labels per class, all other training documents unlabeled, {draws} draws. Mean accuracy "
        "on held-out test documents in %, by number of labels per class (`python -m "
        f"studies.few_labels`; {_made_with('few_labels')}; "
        f"[all tables]({to_root}studies/results/few_labels.md)):"
    )


def few_labels_table() -> str:
    """Accuracy by method and labels per class."""
    budgets = _budgets()
    rows = []
    for method, name in METHODS.items():
        row = _overall(method)
        means = [_percent(row[f"accuracy_{n}"]) for n in budgets]
        error = "–" if row["ece"] is None else f"{row['ece']:.3f}"
        rows.append([name, *means, _percent(row["accuracy"]), error, f"{row['seconds']:.1f}"])
    return markdown_table(
        ["method", *map(str, budgets), "mean", "calibration error", "CPU seconds"], rows
    )


def few_labels_every_method() -> str:
    """Accuracy of every method, the costly ones too, in the draws that all have."""
    results, budgets = read("few_labels"), _budgets()
    rows = [
        [
            EVERY_METHOD[row["method"]],
            *("–" if (value := row[f"accuracy_{n}"]) is None else _percent(value) for n in budgets),
            _percent(row["accuracy"]),
            f"{row['seconds']:.2f}",
        ]
        for row in sorted(results["every"], key=lambda row: -row["accuracy"])
        if row["method"] in EVERY_METHOD
    ]
    table = markdown_table(["method", *map(str, budgets), "mean", "CPU seconds"], rows)
    return f"{table}\n\n(`python -m studies.few_labels`; {_made_with('few_labels')}.)"


def few_labels_summary() -> str:
    """The README's paragraph below the table."""
    budgets, errors = _budgets(), _by_budget("auto", "ece_mean")
    covered, _, _, _ = _coverage()
    return _paragraph(
        f"{_against_best()} The 90 % interval that it reports for its own accuracy contained the "
        f"accuracy on the test documents in {covered} % of the fits with more than one label per "
        "class; with one it reports that the accuracy is unknown, and a range of other corpora, "
        f"which contained it in {_covered_alone()[0]} %. Its calibration error is "
        f"{_listed(f'{error:.2f}' for error in errors)} with {_listed(budgets)} labels per class; "
        "with one or two labels per class there are too few to calibrate on. Uncalibrated, `em` "
        f"has a calibration error of {_overall('em_raw')['ece']:.2f} on average."
    )


def few_labels_findings() -> str:
    """The list in docs/methods/auto.md below the table."""
    budgets = _budgets()
    errors = _listed(f"{error:.2f}" for error in _by_budget("auto", "ece_mean"))
    covered, n_fits, shares, widths = _coverage()
    points = [
        _best_means(),
        _against_best(),
        _newsgroups(),
        _where_em_is_ahead(),
        f"Calibration error of `auto` by labels per class ({_listed(budgets)}): {errors}, on "
        f"average {_overall('auto')['ece']:.3f}; that of uncalibrated EM is "
        f"{_overall('em_raw')['ece']:.2f}.",
        f"The interval contained the accuracy on test documents in {covered} % of {n_fits} fits "
        f"with {_listed(budgets[1:])} labels per class ({_listed(shares)} %); its width is "
        f"{_listed(widths)} points. With one label per class, the range that is reported instead "
        f"contained it in {_covered_alone()[0]} %; it is {_covered_alone()[1]} points wide.",
    ]
    return "\n".join(_paragraph(point, item=True) for point in points)


def newsgroups_table() -> str:
    """Figure 3.1: naive Bayes and EM on 20 Newsgroups by the number of labels."""
    results = read("figure_3_1")
    sizes = results["sizes"]
    paper = results["paper"]
    of_paper = ", ".join(
        f"{name} {_listed(f'{100 * value:.0f}' for value in paper[name].values())}"
        for name in ("NB", "EM")
    )
    rows = [
        [f"{name}, {title}", *(_percent(fmean(by_size[str(size)])) for size in sizes)]
        for view, title in VIEWS.items()
        for name, by_size in _found(results["accuracy"], view).items()
    ]
    head = (
        "20 Newsgroups with 10,000 unlabeled messages, tested on later ones "
        f"(`python -m studies figure_3_1`; {_made_with('figure_3_1')}; mean of "
        f"{_word(results['draws'])} draws, %; the paper, which uses plain word counts, reports "
        f"{of_paper} at {_listed(paper['NB'])} labels):"
    )
    columns = ["labels", *(f"{size:,}" for size in sizes)]
    return f"{_paragraph(head)}\n\n{markdown_table(columns, rows)}"


def annealing_table() -> str:
    """Figure 3.4: EM and annealing by labels per class, in all words."""
    accuracy = _found(read("figure_3_4")["accuracy"], "all words")
    rows = [
        [title, *(_percent(fmean(by_way[way])) for by_way in accuracy.values())]
        for way, title in (("EM", "EM"), ("labels", "annealed"))
    ]
    head = (
        "Annealing, on the five comp.* groups of 20 Newsgroups with 3,000 unlabeled messages "
        f"(`python -m studies figure_3_4`; {_made_with('figure_3_4')}; mean of "
        f"{_span(len(by_way['EM']) for by_way in accuracy.values())} draws, %; "
        "leaven's weighting):"
    )
    return f"{_paragraph(head)}\n\n{markdown_table(['labels per class', *accuracy], rows)}"


def new_corpora_table(to_root: str = "") -> str:
    """Accuracy on corpora that took no part in choosing the defaults."""
    results = read("new_corpora")
    budgets, accuracy = results["budgets"], results["accuracy"]
    below = _listed(
        f"{cell['corpus']} with {_labels(cell['per_class'])}, {100 * cell['auto']:.0f} against "
        f"{100 * cell['best']:.0f} %"
        for cell in results["auto_below_best_supervised"]
    )
    n_cells = len(results["corpora"]) * len(budgets)
    head = (
        f"{_word(len(results['corpora'])).capitalize()} public corpora "
        f"({', '.join(results['corpora'])}) were kept apart during development and measured once: "
        f"a quarter of the documents for test, {_listed(budgets)} labels per class, the rest "
        f"unlabeled, {_word(results['draws'])} draws; mean accuracy in %. These corpora are not in "
        "the repository, so `python -m studies` cannot reproduce this table "
        f"([numbers]({to_root}studies/results/new_corpora.json))."
    )
    note = (
        "MiniLM is the sentence encoder all-MiniLM-L6-v2, tested on "
        f"{results['encoder_test_documents']} test documents per draw. `auto` is less accurate "
        "than the better supervised baseline (LinearSVC or MultinomialNB) in "
        f"{_word(len(results['auto_below_best_supervised']))} of {n_cells} combinations of corpus "
        f"and labels per class: {below}."
    )
    rows = [
        [str(n), *(_percent(accuracy[method][str(n)]) for method in ON_NEW_CORPORA)]
        for n in (*budgets, "mean")
    ]
    shown = markdown_table(["labels per class", *ON_NEW_CORPORA.values()], rows)
    return f"{_paragraph(head)}\n\n{shown}\n\n{_paragraph(note)}"


def sentence_vectors_table(methods: Iterable[str] = WITH_VECTORS, *, spread: bool = False) -> str:
    """A sentence encoder alone, leaven alone, and both; ``spread`` adds standard deviations."""
    results = read("sentence_vectors")
    budgets = [str(n) for n in results["budgets"]]
    rows = [
        [
            WITH_VECTORS[name],
            *(
                _percent(fmean(accuracy[n]))
                + (f" ± {_percent(stdev(accuracy[n]))}" if spread else "")
                for n in budgets
            ),
        ]
        for name in methods
        for accuracy in [_found(results["accuracy"], name)]
    ]
    n_draws = len(results["accuracy"]["auto"][budgets[0]])
    head = (
        "20 Newsgroups with 10,000 unlabeled messages, tested on later ones, against the sentence "
        "encoder all-MiniLM-L6-v2 (`python -m studies.sentence_vectors`; "
        f"{_made_with('sentence_vectors')}; mean{' ± standard deviation' if spread else ''} of "
        f"{_word(n_draws)} draws, %):"
    )
    return f"{_paragraph(head)}\n\n{markdown_table(['labels per class', *budgets], rows)}"


def _best_means() -> str:
    """Where another method has a better mean than auto."""
    rows = [row for row in read("few_labels")["overall"] if row["method"] != "em_raw"]
    behind = []
    for n in _budgets():
        best = max(rows, key=lambda row: row[f"accuracy_{n}"])
        lead = 100 * (best[f"accuracy_{n}"] - _overall("auto")[f"accuracy_{n}"])
        if lead > 0:
            name = _names.METHODS[best["method"]].removeprefix("leaven ")
            behind.append(f"with {n}, where `{name}` is {lead:.1f} points ahead")
    if not behind:
        return "`auto` has the best mean at every number of labels per class."
    return f"`auto` has the best mean at every number of labels per class except {_listed(behind)}."


def _against_best() -> str:
    """Auto against the best supervised method of each cell."""
    cells = read("few_labels")["auto_against_best"]["cells"]
    behind = [cell for cell in cells if cell["difference"] < 0]
    clear = [
        cell["difference"]
        for cell in cells
        if cell["p_value"] < SURE and abs(cell["difference"]) > WORTH_COUNTING
    ]
    n_ahead, n_behind = (sum(sign * difference > 0 for difference in clear) for sign in (1, -1))
    below = _listed(
        f"{CORPORA.get(cell['corpus'], cell['corpus'])} with {_labels(cell['per_class'])} by "
        f"{-100 * cell['difference']:.1f} points (p = {cell['p_value']:.2g})"
        for cell in behind
    )
    return (
        f"In {len(cells) - len(behind)} of {len(cells)} combinations of corpus and labels per "
        "class, `auto` is more accurate than the best supervised method, even if that one is "
        "chosen by its test accuracy"
        + (f"; it is less accurate on {below}. " if behind else ". ")
        + f"It is ahead by more than {100 * WORTH_COUNTING:.0f} points with p < {SURE} in "
        f"{n_ahead or 'none'} of them, and behind by as much in {n_behind or 'none'}."
    )


def _newsgroups() -> str:
    """Auto on 20 Newsgroups, by date and split at random."""
    cells = [cell for cell in _cells("auto") if cell["corpus"] == "20news"]
    scores = (
        f"{100 * cell['accuracy_mean']:.1f} ± {100 * cell['accuracy_std']:.1f}" for cell in cells
    )
    random = read("random_split")["accuracy"]["auto"]
    at_random = {int(n): _percent(fmean(values)) for n, values in random.items()}
    return (
        f"20 Newsgroups, tested on later messages, with {_listed(_budgets())} labels per class: "
        f"{', '.join(scores)} (mean ± standard deviation over draws). Split at random, with "
        f"{_listed(at_random)} labels: {', '.join(at_random.values())} (`python -m studies "
        f"random_split`; {_made_with('random_split')})."
    )


def _where_em_is_ahead() -> str:
    """The cells in which naive Bayes with EM does better than auto, by corpus."""
    cells = list(zip(_cells("auto"), _cells("em"), strict=True))
    ahead: dict[str, list[tuple[Row, Row]]] = {}
    for auto, em in cells:
        if em["accuracy_mean"] > auto["accuracy_mean"]:
            ahead.setdefault(auto["corpus"], []).append((auto, em))
    if not ahead:
        return f"`auto` is ahead of `em` in all {len(cells)} combinations."
    shown = []
    for corpus, pairs in ahead.items():
        budgets = _listed(auto["per_class"] for auto, _ in pairs)
        ours, theirs = (
            _listed(_percent(pair[place]["accuracy_mean"]) for pair in pairs) for place in (0, 1)
        )
        shown.append(f"{CORPORA.get(corpus, corpus)} with {budgets} ({theirs} against {ours})")
    why = " The classes of WebKB differ in common words, to which the vectors give little weight."
    return (
        f"`em`, naive Bayes with EM, is ahead of `auto` in {sum(map(len, ahead.values()))} of "
        f"{len(cells)} combinations, by labels per class: {_listed(shown)}."
        + (why if "webkb4" in ahead else "")
    )


def _coverage() -> tuple[str, int, list[str], list[str]]:
    """Of auto's intervals: how many hold the truth, of how many; shares and widths by labels."""
    rows = [
        row
        for row in read("few_labels")["coverage"]
        if row["method"] == "auto" and row["per_class"] > 1  # with one label a range is stated
    ]
    n_fits = sum(row["draws"] for row in rows)
    covered = sum(row["covered"] * row["draws"] for row in rows) / n_fits
    widths = [f"{100 * row['width']:.0f}" for row in rows]
    return _short(covered), n_fits, [_short(row["covered"]) for row in rows], widths


def _covered_alone() -> tuple[str, str]:
    """Of auto's ranges with one label per class: how many hold the truth, and the width."""
    (row,) = [
        row
        for row in read("few_labels")["coverage"]
        if (row["method"], row["per_class"]) == ("auto", 1)
    ]
    return _short(row["covered"]), f"{100 * row['width']:.0f}"


def _overall(method: str) -> Row:
    found: Row = _found({row["method"]: row for row in read("few_labels")["overall"]}, method)
    return found


def _cells(method: str) -> list[Row]:
    return [cell for cell in read("few_labels")["cells"] if cell["method"] == method]


def _by_budget(method: str, measure: str) -> list[float]:
    """Means over corpora, by labels per class."""
    return [
        fmean(cell[measure] for cell in _cells(method) if cell["per_class"] == n)
        for n in _budgets()
    ]


def _budgets() -> list[int]:
    return sorted({cell["per_class"] for cell in read("few_labels")["cells"]})


def _found(rows: dict[str, Any], name: str) -> Any:
    if name not in rows:
        sys.exit(f"the results have nothing on {name!r}, only on {', '.join(rows)}; run all of it")
    return rows[name]


def _made_with(name: str) -> str:
    return described(read(name).get("made_with"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _short(share: float) -> str:
    """In percent, with a decimal only if it is not zero."""
    return f"{100 * share:.1f}".removesuffix(".0")


def _word(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def _span(numbers: Iterable[int]) -> str:
    """The only number, or the least and the largest."""
    distinct = sorted(set(numbers))
    return _word(distinct[0]) if len(distinct) == 1 else f"{distinct[0]} to {distinct[-1]}"


def _labels(number: int) -> str:
    return f"{_word(number)} label{'' if number == 1 else 's'} per class"


def _listed(items: Iterable[Any]) -> str:
    """``1, 2 and 3``."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def _paragraph(text: str, *, item: bool = False) -> str:
    first, next_lines = ("- ", "  ") if item else ("", "")
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=next_lines,
        break_long_words=False,
        break_on_hyphens=False,
    )

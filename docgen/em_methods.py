"""Sections of the pages about methods of EM: results of the studies of two papers."""

from collections import Counter
from statistics import fmean
from typing import Any

from studies._common import mean_sd, signed
from studies._provenance import described, staleness
from studies.diagnosis import EVEN

from docgen import studies as of_studies
from docgen.sections import Section
from docgen.studies import read
from docgen.tables import markdown_table

STUDIES = ("figure_3_3", "figure_3_5", "table_3_2", "clark_figure_2", "diagnosis")
MEASURES = {
    "accuracy": "accuracy",
    "f1": "F1 of the positive class",
    "average_precision": "average precision",
}
PAPER_COLUMNS = ("NB1", "EM1", "NB*", "EM*", "EM*CV")  # of table 3.2, in the order of its numbers
LIGHT_COLUMNS = ("NB1", "NB*", "EM*", "EM*CV", "EMλ*", "EMλ*CV")  # with unlabeled weight 0.1
CORRESPONDENCES = {
    "EM": "EM",
    "as is": "`as-is`",
    "labels": "`labels`",
    "to EM": "`em`",
    "perfect": "perfect",
}
VIEWS = {  # of figure 3.4
    "short": "counts, length 50, oracle vocabulary",
    "weighted": "leaven's weighting, oracle vocabulary",
    "all words": "leaven's weighting, all words",
}
OF_PAPER = {"EM": "EM", "as is": "as is", "labels": "majority", "perfect": "perfect"}
VERDICTS = ("helps", "unclear", "hurts")
RANDOM_SPLIT = {
    "svm": "LinearSVC, tf-idf",
    "em": "leaven `em`",
    "two-view": "leaven `two-view`",
    "auto": "leaven `auto`",
}


def stale_results() -> list[str]:
    """A sentence for each study whose code has changed since it ran."""
    told = {name: staleness(read(name).get("made_with")) for name in STUDIES}
    return [f"studies/results/{name}.json was {stale}" for name, stale in told.items() if stale]


def collapse_of_broad_class() -> str:
    """Figure 3.3: what EM does with one component for a broad class, and with ten."""
    panels = read("figure_3_3")["panels"]
    one, ten = panels["1"], panels["10"]
    return (
        "On Reuters, category acq against the rest, accuracy falls from "
        f"{_percent(one['start_accuracy'])} % at the start to {_percent(one['end_accuracy'])} % "
        "after EM with one component for the rest "
        "([figure 3.3](../../studies/results/figure_3_3.png)). With ten it rises from "
        f"{_percent(ten['start_accuracy'])} to {_percent(ten['end_accuracy'])} % "
        f"(`python -m studies figure_3_3`; {_made_with('figure_3_3')})."
    )


def components_table() -> str:
    """Table 3.2: means over the categories of Reuters."""
    found = read("table_3_2")
    categories = found["categories"]
    trials = {name: row["trials"] for name, row in categories.items()}
    n_trials = sum(map(len, trials.values()))
    of_paper = [fmean(row[place] for row in found["paper"].values()) for place in range(5)]
    rows = [["accuracy, paper", *(f"{value:.1f}" for value in of_paper)]]
    rows += [
        [title, *(_mean_over(trials, column, measure) for column in PAPER_COLUMNS)]
        for measure, title in MEASURES.items()
    ]
    always_no = {name: row["always_no"] for name, row in categories.items()}
    rarest = max(always_no, key=always_no.__getitem__)
    gains = {
        name: _mean(own, "EM*", "average_precision") - _mean(own, "NB1", "average_precision")
        for name, own in trials.items()
    }
    ordered = sorted(gains, key=gains.__getitem__)
    head = (
        f"Means over the ten categories and {n_trials} trials, % (`python -m studies table_3_2`; "
        f"{_made_with('table_3_2')}):"
    )
    note = (
        f"Always answering “no” would be right in {_percent(fmean(always_no.values()))} % of the "
        f"documents on average ({_percent(always_no[rarest])} % on {rarest}). By average "
        f"precision, EM\\* gains most on {_points(gains, ordered[-1])} and "
        f"{_points(gains, ordered[-2])}, and loses most on {_points(gains, ordered[0])} and "
        f"{_points(gains, ordered[1])}."
    )
    return f"{head}\n\n{markdown_table(['', *_starred(PAPER_COLUMNS)], rows)}\n\n{note}"


def light_components_table() -> str:
    """The same with a lower weight of unlabeled documents, in the first trials."""
    trials = {
        name: [trial for trial in row["trials"] if "EMλ*" in trial]
        for name, row in read("table_3_2")["categories"].items()
    }
    rows = [
        [title, *(_mean_over(trials, column, measure) for column in LIGHT_COLUMNS)]
        for measure, title in MEASURES.items()
    ]
    return markdown_table(["", *_starred(LIGHT_COLUMNS)], rows)


def correspondence_table() -> str:
    """Figure 3.4: ways to assign components to classes, with two labels per class."""
    found = read("figure_3_4")
    of_paper = [
        f"{100 * found['paper'][OF_PAPER[way]]:.0f}" if way in OF_PAPER else ""
        for way in CORRESPONDENCES
    ]
    rows = [["paper", *of_paper]]
    rows += [
        [title, *(_percent(fmean(found["accuracy"][view]["2"][way])) for way in CORRESPONDENCES)]
        for view, title in VIEWS.items()
    ]
    n_draws = len(found["accuracy"]["short"]["2"]["EM"])
    table = markdown_table(["", *CORRESPONDENCES.values()], rows)
    return (
        f"Two labels per class, mean of {n_draws} draws, % (`python -m studies figure_3_4`; "
        f"{_made_with('figure_3_4')}):\n\n{table}"
    )


def more_probable() -> str:
    """Figure 3.5: how often annealing finds the more probable model."""
    found = read("figure_3_5")
    parts = found["summary"]["weighted"]["more_probable"]
    n_trials = found["draws"] * len(parts)
    return (
        f"Annealing found the more probable model in {sum(parts.values())} of {n_trials} trials "
        "([figure 3.5](../../studies/results/figure_3_5.png), `python -m studies figure_3_5`; "
        f"{_made_with('figure_3_5')})."
    )


def frequency_estimate_table() -> str:
    """Figure 2 of Clark and Clark, and differences of the methods in pairs."""
    found = read("clark_figure_2")
    sizes = [str(size) for size in found["sizes"]]
    rows = [
        [view, method, *(mean_sd(by_size[size]).strip() for size in sizes)]
        for view, by_method in found["accuracy"].items()
        for method, by_size in by_method.items()
    ]
    columns = [f"{size:,}" for size in found["sizes"]]
    differences = [
        f"- {view}, {name}: "
        + "; ".join(f"{int(size):,}: {signed(by_size[size]).strip()}" for size in sizes)
        for view, pairs in found["differences"].items()
        for name, by_size in pairs.items()
    ]
    head = (
        f"Mean ± standard deviation of {found['draws']} draws in %, by labeled documents "
        f"(`python -m studies clark_figure_2`; {_made_with('clark_figure_2')}):"
    )
    table = markdown_table(["documents", "method", *columns], rows)
    pairs = "Differences in points, paired over draws:\n\n" + "\n".join(differences)
    return f"{head}\n\n{table}\n\n{pairs}"


def verdicts_table() -> str:
    """Verdicts of the diagnosis against the truth, and what its recommendations reach."""
    cells = read("diagnosis")["cells"]
    counts = Counter((_truth(cell["truth"]), cell["verdict"]) for cell in cells)
    rows = [
        [truth, *(counts[truth, verdict] for verdict in VERDICTS)]
        for truth in ("helps", "even", "hurts")
    ]
    table = markdown_table(["truth", *(f"“{verdict}”" for verdict in VERDICTS)], rows)
    n_hurts = sum(counts[truth, "hurts"] for truth in ("helps", "even", "hurts"))
    many = max(cell["n_labels"] for cell in cells)
    harmful = [c for c in cells if c["n_labels"] == many and _truth(c["truth"]) == "hurts"]
    n_found = sum(cell["verdict"] == "hurts" for cell in harmful)
    tried = [cell for cell in cells if cell["recommended"]]
    means = {
        way: _percent(fmean(cell["accuracy"][way] for cell in tried))
        for way in ("supervised", "plain EM", "5 components per class")
    }
    chosen = _percent(fmean(cell["accuracy"][cell["recommended"]] for cell in tried))
    best = _percent(fmean(max(cell["accuracy"].values()) for cell in tried))
    note = (
        f"“Hurts” is right in {counts['hurts', 'hurts']} of {n_hurts} cases. With {many} labels "
        f"{n_found} of {len(harmful)} harmful cases are detected. In {len(tried)} cases the "
        f"recommended method (`auto` was not among the candidates then) reached {chosen} % on "
        f"average, supervised training {means['supervised']} %, plain EM {means['plain EM']} %, "
        f"five components per class {means['5 components per class']} %, and the best method in "
        f"hindsight {best} %."
    )
    made = f"(`python -m studies diagnosis`; {_made_with('diagnosis')}.)"
    return f"{table}\n\n{note} {made}"


def random_split_table() -> str:
    """20 Newsgroups split at random."""
    found = read("random_split")
    rows = [
        [title, *(_percent(fmean(values)) for values in found["accuracy"][name].values())]
        for name, title in RANDOM_SPLIT.items()
    ]
    table = markdown_table(["labels per class", *found["budgets"]], rows)
    return f"{table}\n\n(`python -m studies random_split`; {_made_with('random_split')}.)"


def _truth(gain: float) -> str:
    return "even" if abs(gain) <= EVEN else "helps" if gain > 0 else "hurts"


def _mean(trials: list[Any], method: str, measure: str) -> float:
    return fmean(trial[method][measure] for trial in trials)


def _mean_over(trials: dict[str, list[Any]], method: str, measure: str) -> str:
    return _percent(fmean(_mean(own, method, measure) for own in trials.values()))


def _points(gains: dict[str, float], name: str) -> str:
    return f"{name} ({100 * gains[name]:+.0f} points)"


def _starred(columns: tuple[str, ...]) -> list[str]:
    return [column.replace("*", "\\*") for column in columns]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _made_with(name: str) -> str:
    return described(read(name).get("made_with"))


SECTIONS = [
    Section("docs/methods/components.md", "figure_3_3", collapse_of_broad_class),
    Section("docs/methods/components.md", "table_3_2", components_table),
    Section("docs/methods/components.md", "table_3_2: lower weight", light_components_table),
    Section("docs/methods/annealing.md", "figure_3_4: two labels", correspondence_table),
    Section("docs/methods/annealing.md", "figure_3_4: all words", of_studies.annealing_table),
    Section("docs/methods/annealing.md", "figure_3_5", more_probable),
    Section("docs/methods/frequency-estimate.md", "clark_figure_2", frequency_estimate_table),
    Section("docs/methods/diagnosis.md", "diagnosis", verdicts_table),
    Section("docs/methods/two-view.md", "random_split", random_split_table),
    Section("docs/methods/naive-bayes-em.md", "figure_3_1", of_studies.newsgroups_table),
]

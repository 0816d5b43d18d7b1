"""Results of methods on the same held-out labels, in numbers and in words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from leaven._base.html import bar, bold, document, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.tables import TextTable
from leaven._base.validation import check_choice
from leaven.methods._registry import METHODS
from leaven.significance import McNemar, holm, mcnemar

__all__ = ["Comparison", "MethodResult"]

BEYOND_CHANCE = 0.05  # p-value, adjusted, below which a difference is significant
DEFAULT = next(iter(METHODS))
ABOUT_EQUAL = 0.03  # difference of accuracies that speed can make up for
NOT_IN_JSON = {"right", "held_out"}


@dataclass(frozen=True)
class MethodResult:
    """Result of a method on the held-out documents; numbers are None where it failed.

    Attributes
    ----------
    method : str
        Name of the method.
    accuracy : float or None
        Share of correct predictions; of sets of labels, the share that is exactly right.
    low, high : float or None
        90 % confidence interval of the accuracy, by Wilson's method.
    macro_f1 : float or None
        Mean F1 of the classes.
    seconds : float or None
        Time of a fit, median of the folds.
    memory : float or None
        MiB that a fit adds at its peak; None where it cannot be measured.
    error : str or None
        Why the method could not be fitted.
    right : tuple of bool
        Which held-out documents are predicted correctly, in the order of ``held_out``.
    micro_f1 : float or None
        F1 over all labels, where documents can have several.
    """

    method: str
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    macro_f1: float | None = None
    seconds: float | None = field(default=None, compare=False)
    memory: float | None = field(default=None, compare=False)
    error: str | None = None
    right: tuple[bool, ...] = field(default=(), repr=False)
    micro_f1: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Methods on the same held-out labels, the best first and those that failed last.

    ``print(comparison)`` is for people, ``comparison.to_json()`` for machines; a notebook shows a
    table.

    Attributes
    ----------
    results : list of MethodResult
        One entry per method.
    n_labeled, n_unlabeled : int
        Documents with and without a label.
    n_splits : int
        Folds in which labels were held out.
    left_out : list of str
        Methods that would have been slow.
    held_out : tuple of int
        Positions of the held-out documents.
    has_sets : bool
        Whether documents can have several labels.

    References
    ----------
    [Dietterich (1998)][dietterich1998], on McNemar's test; [Holm (1979)][holm1979], on several
    tests; [Wilson (1927)][wilson1927], on the interval.

    Examples
    --------
    >>> from leaven import compare
    >>> texts = ["dough and yeast", "bread and dough", "yeast bread dough",
    ...          "stars and planets", "planets orbit stars", "an orbit of stars"]
    >>> labels = ["baking", "baking", None, "space", "space", None]
    >>> comparison = compare(texts, labels, methods=["nb", "em"])
    >>> comparison.winner is None, comparison.n_held_out
    (True, 4)
    """

    results: list[MethodResult]
    n_labeled: int
    n_unlabeled: int
    n_splits: int
    left_out: list[str] = field(default_factory=list)
    held_out: tuple[int, ...] = field(default=(), repr=False)
    has_sets: bool = False

    @property
    def best(self) -> str:
        """The method with the highest accuracy on held-out labels, even if by chance."""
        return self.results[0].method

    @property
    def measure(self) -> str:
        """What the accuracy of a method is called: "exact match" for sets of labels."""
        return "exact match" if self.has_sets else "accuracy"

    @property
    def labels_held_out(self) -> str:
        """How many labels were held out, in words."""
        noun = "label set" if self.has_sets else "label"
        return f"{self.n_held_out:,} held-out {noun}{'s' * (self.n_held_out != 1)}"

    @property
    def winner(self) -> str | None:
        """The method that is significantly better than every other; None if there is none."""
        return None if self.indistinguishable else self.best

    @property
    def indistinguishable(self) -> list[str]:
        """Methods that do not differ significantly from the best, which is first; none if it wins.

        By McNemar's exact test of the best against each other method, adjusted for the number
        of methods by Holm's procedure.
        """
        first, *others = (result.method for result in self.scored)
        adjusted = holm([self.paired(first, other).p_value for other in others])
        alike = [other for other, p in zip(others, adjusted, strict=True) if not p < BEYOND_CHANCE]
        return [first, *alike] if alike else []

    @property
    def n_held_out(self) -> int:
        """Number of labels that were held out."""
        return len(self.held_out)

    @property
    def scored(self) -> list[MethodResult]:
        """Results of the methods that did not fail, the best first."""
        return [result for result in self.results if result.error is None]

    def paired(self, a: str, b: str) -> McNemar:
        """Compare two methods on the held-out documents by McNemar's exact test.

        Parameters
        ----------
        a, b : str
            Names of methods that were compared.

        Returns
        -------
        McNemar
            The difference of their accuracies and its p-value.
        """
        right = {result.method: result.right for result in self.scored}
        for name in (a, b):
            check_choice("method", name, right)
        return mcnemar([True] * self.n_held_out, right[a], right[b])

    @property
    def sentence(self) -> str:
        """Which method is significantly better than the others, or which ones may be."""
        first, *others = self.scored
        labels = self.labels_held_out
        if not others:
            return f"{first.method}: {_percent(first)} {self.measure} on {labels}."
        alike = self.indistinguishable
        if alike:
            shares = {result.method: _percent(result) for result in self.scored}
            listed = _listed([f"{name} ({shares[name]})" for name in alike])
            return f"No clear winner: {listed} do not differ significantly on {labels}."
        test = self.paired(first.method, others[0].method)
        lead = f"{_points(test.difference)} more than {others[0].method} ({_chance(test)})"
        return f"{first.method} is best: {_percent(first)} {self.measure} on {labels}, {lead}."

    @property
    def advice(self) -> str | None:
        """What to choose where there is no winner; None where there is one."""
        alike = self.indistinguishable
        if not alike:
            return None
        seconds = {result.method: result.seconds or 0.0 for result in self.scored}
        accuracy = {result.method: result.accuracy or 0.0 for result in self.scored}
        # Speed decides only between methods that are about as accurate as the best.
        least = max(accuracy[name] for name in alike) - ABOUT_EQUAL
        fastest = min((n for n in alike if accuracy[n] >= least), key=seconds.__getitem__)
        is_fastest = f"the fastest of them ({seconds[fastest]:,.2f} s per fit)"
        if DEFAULT in alike and fastest != DEFAULT:
            choice = f"{DEFAULT}, the default, or {fastest}, {is_fastest}"
        else:
            choice = f"{fastest}, {is_fastest}"
        return f"Until there are more labels, choose {choice}."

    @property
    def warning(self) -> str | None:
        """Which methods are significantly worse than without unlabeled text, if any."""
        names = [result.method for result in self.scored]
        baselines = {name: METHODS[name].supervised for name in names}
        tests = {
            name: self.paired(name, baseline)
            for name, baseline in baselines.items()
            if baseline in names
        }
        hurt = {
            name: f"({_points(test.difference, '+')}, {_chance(test)})"
            for name, test in tests.items()
            if test.difference < 0 and test.p_value < BEYOND_CHANCE
        }
        if len(hurt) == 1:
            ((name, by),) = hurt.items()
            return f"Unlabeled text hurts {name} here {by}."
        listed = ", ".join(f"{name} {by}" for name, by in hurt.items())
        return f"Unlabeled text hurts several methods here: {listed}." if hurt else None

    @property
    def notes(self) -> list[str]:
        """Notes on methods that failed and methods left out."""
        failed = [
            f"{result.method} failed: {result.error}" for result in self.results if result.error
        ]
        left_out = [
            f"{name} was left out: it is slow with this many documents and classes; add it to "
            "the methods to include it"
            for name in self.left_out
        ]
        return failed + left_out

    @property
    def basis(self) -> str:
        """What the numbers are based on, in words."""
        return (
            f"{self.n_held_out:,} of {self.n_labeled:,} labels were held out in {self.n_splits} "
            f"folds, {self.n_unlabeled:,} documents are unlabeled; seconds and memory are for one "
            "fit"
        )

    def table(self) -> TextTable:
        """One row per method, the best first."""
        micro = ("micro F1",) if self.has_sets else ()
        numbers = (self.measure, "90 % interval", *micro, "macro F1", "seconds", "memory")
        rows: list[Sequence[str]] = []
        for result in self.results:
            if result.low is None or result.high is None:
                rows.append((result.method, *"–" * len(numbers)))
                continue
            cells = (
                percent(result.accuracy or 0.0, 1),
                f"{percent(result.low)} to {percent(result.high)}",
                *(percent(result.micro_f1 or 0.0, 1) for _ in micro),
                percent(result.macro_f1 or 0.0, 1),
                f"{result.seconds:,.2f}",
                "–" if result.memory is None else f"{result.memory:,.0f} MiB",
            )
            rows.append((result.method, *cells))
        return TextTable(("method", *numbers), rows, numbers)

    def _repr_html_(self) -> str:
        content = self.table()
        rows = [
            (row[0], bar(result.accuracy or 0.0), *row[1:])
            for result, row in zip(self.results, content.rows, strict=True)
        ]
        titles = (content.titles[0], "", *content.titles[1:])
        words = [text for text in (self.advice, self.warning) if text is not None]
        return document(
            paragraph(bold(self.sentence)),
            *map(paragraph, words),
            table(TextTable(titles, list(rows), content.numeric)),
            *(paragraph(muted(text)) for text in (self.basis, *self.notes)),
        )

    def to_json(self) -> dict[str, Any]:
        """All numbers and sentences, as JSON can hold them.

        Returns
        -------
        dict
            Numbers, text, lists and dicts.
        """
        return {
            "best": self.best,
            "winner": self.winner,
            "indistinguishable": self.indistinguishable,
            "sentence": self.sentence,
            "advice": self.advice,
            "warning": self.warning,
            "measure": self.measure,
            "results": [_without(asdict(result)) for result in self.results],
            "n_labeled": self.n_labeled,
            "n_held_out": self.n_held_out,
            "n_unlabeled": self.n_unlabeled,
            "n_splits": self.n_splits,
            "left_out": self.left_out,
        }

    def __str__(self) -> str:
        width = max(len(result.method) for result in self.results)
        rows = [
            f"  {result.method:<{width}}  {percent(result.accuracy or 0.0, 1):>7} "
            f"({100 * result.low:.0f}–{100 * result.high:.0f})  "
            + ("" if result.micro_f1 is None else f"micro F1 {percent(result.micro_f1, 1):>7}  ")
            + "macro F1 "
            f"{percent(result.macro_f1 or 0.0, 1):>7}  {result.seconds:7.2f} s"
            + ("" if result.memory is None else f"  {result.memory:6,.0f} MiB")
            for result in self.scored
            if result.low is not None and result.high is not None
        ]
        words = [text for text in (self.advice, self.warning) if text is not None]
        return "\n".join([self.sentence, *words, *rows, *self.notes])


def _without(row: dict[str, Any]) -> dict[str, Any]:
    hidden = NOT_IN_JSON | ({"micro_f1"} if row["micro_f1"] is None else set())
    return {key: value for key, value in row.items() if key not in hidden}


def _listed(items: Sequence[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def _percent(result: MethodResult) -> str:
    return percent(result.accuracy or 0.0)


def _points(difference: float, sign: str = "") -> str:
    points = 100 * difference
    digits = 0 if abs(points) >= 1 else 1
    noun = "point" if f"{abs(points):.{digits}f}" == "1" else "points"
    return f"{points:{sign}.{digits}f} {noun}"


def _chance(test: McNemar) -> str:
    if test.p_value < 0.001:
        return "p < 0.001"
    return f"p = {test.p_value:.{2 if test.p_value >= 0.01 else 3}f}"

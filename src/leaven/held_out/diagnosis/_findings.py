"""Findings of a diagnosis: points, statistics over starts, the verdict and its sentences."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from leaven._base.html import bold, document, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.tables import TextTable
from leaven._base.typing import FloatArray

__all__ = [
    "NAIVE_BAYES",
    "Alternative",
    "Diagnosis",
    "Difference",
    "Point",
    "Spelling",
    "judge",
    "paired_difference",
]

ONE_SIDED_95 = 1.645  # standard errors by which a gain must differ from zero
N_RESAMPLED = 500  # bootstrap samples
INTERVAL = (0.05, 0.95)  # quantiles of the resampled correlations
CONSTANT = 1e-12  # relative variance below which values are all the same, up to rounding
NOTICEABLE = 0.05  # a smaller difference in accuracy makes little difference


class Spelling(NamedTuple):
    """How users ask for each way to train the model that is diagnosed."""

    supervised: str
    plain: str
    light: str  # unlabeled documents at a tenth of their weight
    components: str  # five per class
    annealed: str

    @classmethod
    def of(cls, method: str) -> "Spelling":
        """By options of a method whose model is its own."""
        options = (
            ", unlabeled_weight 0",
            "",
            ", unlabeled_weight 0.1",
            ", components 5",
            ", beta_start 0.02, correspondence labels",
        )
        return cls(*(f"(method {method}{option})" for option in options))


NAIVE_BAYES = Spelling(
    "(method nb)",
    "(method em)",
    "(method em, unlabeled_weight 0.1)",
    "(method mixture, components 5)",
    "(method annealed)",
)


@dataclass(frozen=True)
class Point:
    """A model on its way from a supervised start to the end of EM.

    Attributes
    ----------
    start, iteration : int
        Number of the start, and of the EM iteration.
    log_probability : float
        Of the unlabeled documents and the parameters, per document.
    accuracy : float
        On the labeled documents that were held out.
    n_held_out : int
        Number of these.
    """

    start: int
    iteration: int
    log_probability: float
    accuracy: float
    n_held_out: int


@dataclass(frozen=True)
class Difference:
    """A difference in accuracy, mean over starts, and its standard error.

    Attributes
    ----------
    mean, error : float
        From 0 to 1, not in percent.
    """

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{100 * self.mean:+.1f} ± {100 * self.error:.1f}"


@dataclass(frozen=True)
class Alternative:
    """A way to train, scored on the labeled documents that were held out.

    Attributes
    ----------
    name : str
        Its name.
    advice : str
        How to train in this way.
    accuracy : float
        Mean over starts.
    versus_em, versus_supervised : Difference
        Difference in accuracy from plain EM, and from the labeled documents alone.
    """

    name: str
    advice: str
    accuracy: float
    versus_em: Difference
    versus_supervised: Difference


@dataclass(frozen=True)
class Diagnosis:
    """Whether unlabeled text helps, and the evidence.

    ``print(diagnosis)`` is for people, ``diagnosis.to_json()`` for machines; a notebook shows a
    table.

    Attributes
    ----------
    verdict : {"helps", "hurts", "unclear"}
        Whether unlabeled text helps.
    sentence, recommendation : str
        The verdict and its evidence, and what to do, in words.
    gain : Difference
        Accuracy after EM minus that of the supervised start.
    correlation : float or None
        Of log probability and accuracy over all points; None where accuracy is always the same.
    correlation_interval : (float, float) or None
        Its 90 % confidence interval.
    n_labeled, n_unlabeled : int
        Documents with and without a label.
    n_held_out : int
        Different documents that some start was scored on.
    points : list of Point
        The models whose probability and accuracy were compared.
    alternatives : list of Alternative
        Other ways to train, the simplest first, if they were tried.
    recommended : str
        Name of the best of these.

    Examples
    --------
    >>> from leaven import diagnose
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> diagnosis = diagnose(texts, ["baking", "space", None, None])
    >>> diagnosis.verdict, diagnosis.n_unlabeled
    ('unclear', 2)
    """

    verdict: str
    sentence: str
    recommendation: str
    gain: Difference
    correlation: float | None
    correlation_interval: tuple[float, float] | None
    n_labeled: int
    n_held_out: int
    n_unlabeled: int
    points: list[Point] = field(default_factory=list)
    alternatives: list[Alternative] = field(default_factory=list)
    recommended: str = ""

    def to_json(self) -> dict[str, Any]:
        """All numbers and sentences, as JSON can hold them.

        Returns
        -------
        dict
            Numbers, text, lists and dicts.
        """
        return asdict(self)

    @property
    def basis(self) -> str:
        """What the numbers of the alternatives are based on, in words."""
        return (
            f"differences in percentage points ± standard error; {self.n_held_out:,} of "
            f"{self.n_labeled:,} labels were held out at least once, {self.n_unlabeled:,} "
            "documents are unlabeled"
        )

    def table(self) -> TextTable:
        """One row per alternative."""
        rows: list[Sequence[str]] = []
        for way in self.alternatives:
            differences = [
                str(difference) if difference.error else "·"
                for difference in (way.versus_em, way.versus_supervised)
            ]
            mark = "  ← recommended" if way.name == self.recommended else ""
            rows.append((way.name + mark, percent(way.accuracy, 1), *differences))
        numbers = ("held-out accuracy", "vs. plain EM", "vs. supervised")
        return TextTable(("method", *numbers), rows, numbers)

    def _repr_html_(self) -> str:
        parts = [paragraph(bold(self.sentence)), paragraph(self.recommendation)]
        if self.alternatives:
            parts += [table(self.table()), paragraph(muted(self.basis))]
        return document(*parts)

    def __str__(self) -> str:
        width = max((len(way.name) for way in self.alternatives), default=0)
        tried = [
            f"  {way.name:<{width}}  {percent(way.accuracy, 1):>7}  {way.versus_em!s:>12} points "
            f"vs. plain EM, {way.versus_supervised!s:>12} vs. supervised"
            for way in self.alternatives
        ]
        return "\n".join([self.sentence, self.recommendation, *tried])


def judge(
    points: Sequence[Point],
    gains: FloatArray,
    rng: np.random.Generator,
    n_labeled: int,
    n_unlabeled: int,
    spelling: Spelling = NAIVE_BAYES,
) -> Diagnosis:
    """Verdict from the points, and from what EM gained on each held-out document.

    Both the gain and the correlation must be on the same side of zero beyond doubt.

    Parameters
    ----------
    points : list of Point
        In the order of starts and iterations.
    gains : array of shape (n_starts, n_labeled)
        1 where EM made a wrong answer right, -1 the other way round, NaN where not held out.
    spelling : Spelling
        How to ask for each way to train.
    """
    if not points:
        sentence, advice = _nothing_to_judge(n_unlabeled, spelling)
        nothing = Difference(0.0, 0.0)
        return Diagnosis(
            "unclear", sentence, advice, nothing, None, None, n_labeled, 0, n_unlabeled
        )
    gain = paired_difference(gains, rng)
    correlation, interval = pooled_correlation(points, rng)
    least, most = gain.mean - ONE_SIDED_95 * gain.error, gain.mean + ONE_SIDED_95 * gain.error
    verdict = "unclear"
    if interval is not None and least > 0 and interval[0] > 0:
        verdict = "helps"
    elif interval is not None and most < 0 and interval[1] < 0:
        verdict = "hurts"
    n_held_out = int((~np.isnan(gains)).any(axis=0).sum())
    sentence, advice = _words(verdict, gain, correlation, n_held_out, spelling)
    return Diagnosis(
        verdict,
        sentence,
        advice,
        gain,
        correlation,
        interval,
        n_labeled,
        n_held_out,
        n_unlabeled,
        list(points),
    )


def paired_difference(differences: FloatArray, rng: np.random.Generator) -> Difference:
    """Mean over starts, and its error for other starts and other documents.

    ``differences`` has a row per start, a column per labeled document, NaN where the document
    was not held out. Starts share documents, and a document's answers from several starts are
    alike, so both are resampled: resampling either alone underestimates the error.
    """
    differences = differences[:, ~np.isnan(differences).all(axis=0)]
    n_starts, n_documents = differences.shape
    is_held, values = ~np.isnan(differences), np.nan_to_num(differences)
    starts = _resampled(rng, n_starts)
    documents = _resampled(rng, n_documents)
    n_held = is_held.astype(np.float64) @ documents.T  # (n_starts, N_RESAMPLED)
    of_start = values @ documents.T / np.maximum(n_held, 1.0)
    weight = starts.T * (n_held > 0)
    total = weight.sum(axis=0)
    means = (of_start * weight).sum(axis=0)[total > 0] / total[total > 0]
    # No error is below one document's worth: few documents may agree by chance.
    error = max(float(means.std()), 1.0 / n_documents)
    return Difference(float(np.nanmean(differences, axis=1).mean()), error)


def pooled_correlation(
    points: Sequence[Point], rng: np.random.Generator
) -> tuple[float | None, tuple[float, float] | None]:
    """Correlation over all points, and its 90 % interval by resampling whole starts.

    The points of a start depend on each other, so there are as many observations as starts.
    None where accuracy is always the same.
    """
    x = np.array([point.log_probability for point in points])
    y = np.array([point.accuracy for point in points])
    start = np.array([point.start for point in points])
    x, y = x - x.mean(), y - y.mean()
    # One column per start: the sums that a correlation is made of.
    sums = np.stack(
        [np.bincount(start, term) for term in (np.ones(len(x)), x, y, x * x, y * y, x * y)]
    )
    whole = float(_correlations(sums.sum(axis=1)[:, None])[0])
    if np.isnan(whole):
        return None, None
    resampled = _correlations(sums @ _resampled(rng, sums.shape[1]).T)
    low, high = np.nanquantile(resampled, INTERVAL)
    return whole, (float(low), float(high))


def _correlations(sums: FloatArray) -> FloatArray:
    """Correlation from the sums of 1, x, y, x², y² and xy, each column for itself."""
    n, x, y, xx, yy, xy = sums
    variance_x, variance_y = n * xx - x * x, n * yy - y * y
    varies = (variance_x > CONSTANT * n * xx) & (variance_y > CONSTANT * n * yy)
    product = np.where(varies, variance_x * variance_y, np.nan)
    r: FloatArray = (n * xy - x * y) / np.sqrt(product)
    return r


def _resampled(rng: np.random.Generator, n: int) -> FloatArray:
    """How often each of ``n`` is drawn, with replacement; a row per bootstrap sample."""
    return rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLED).astype(np.float64)


def _nothing_to_judge(n_unlabeled: int, spelling: Spelling) -> tuple[str, str]:
    if not n_unlabeled:
        return (
            "There is no unlabeled text.",
            f"Train on the labeled documents alone {spelling.supervised}.",
        )
    return (
        "Whether unlabeled text helps cannot be determined: no class has two labeled documents, "
        "so none can be held out.",
        "Label at least two documents of each class, then diagnose again.",
    )


def _words(
    verdict: str,
    gain: Difference,
    correlation: float | None,
    n_held_out: int,
    spelling: Spelling,
) -> tuple[str, str]:
    """The sentence and the recommendation."""
    on_labels = f"on {n_held_out:,} held-out label{'s' * (n_held_out != 1)}"
    points = f"{round(100 * gain.mean):+d} points {on_labels}"
    if verdict != "unclear":
        better = "better" if verdict == "helps" else "worse"
        sentence = (
            f"Unlabeled text {verdict} here: the more probable the model, the {better} it "
            f"classifies held-out labels (r = {correlation:.2f}, {points})."
        )
        if verdict == "helps":
            return sentence, "Train with the unlabeled text."
        return sentence, (
            f"Train without the unlabeled text {spelling.supervised}, or let leaven diagnose try "
            "the default method, more components per class, annealing and a lower unlabeled weight."
        )
    if abs(gain.mean) + ONE_SIDED_95 * gain.error < NOTICEABLE:
        sentence = f"Unlabeled text makes little difference here: {gain} points {on_labels}."
    else:
        sentence = (
            f"It is unclear whether unlabeled text helps: {gain} points {on_labels} may be due to "
            "chance."
        )
    if gain.mean > 0:
        return sentence, "Train with the unlabeled text, which more likely helps than not."
    return (
        sentence,
        f"Train without the unlabeled text {spelling.supervised} until there are more labels.",
    )

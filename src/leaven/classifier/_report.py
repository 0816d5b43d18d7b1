"""The report of a fit, as text and as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from leaven._base.html import bar, bold, document, folded, muted, paragraph, table
from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven._base.tables import TextTable

__all__ = ["FitReport"]

MOST_CLASSES_OPEN = 12  # in a notebook; more are shown after a click
MOST_CLASSES_SHOWN = 100  # those with most labels; all are in class_counts
NOTEWORTHY = 0.01  # share of characters in scripts without spaces that is reported


@dataclass(frozen=True)
class FitReport:
    """What was fitted, why this method, how it went.

    ``print(report)`` is for people, ``report.to_json()`` for machines; a notebook shows tables.
    What only some methods report, such as the objective of each EM iteration, is in ``facts``; it
    can also be read as an attribute (``report.objective``), and stands beside the rest in JSON.

    Attributes
    ----------
    method : str
        Name of the method.
    reason : str
        Why this method, in a sentence.
    n_documents, n_labeled : int
        Documents, and those of them with a label.
    class_counts : dict of str to int
        Labeled documents of each class.
    n_words : int
        Size of the vocabulary.
    n_subwords : int
        Subwords that are counted beside words.
    scripts : dict of str to float
        Shares of the characters of words in scripts without spaces.
    lines : list of str
        The facts of the method in words.
    class_lines : dict of str to str
        Facts about each class in words.
    size_choices : list of dict
        Accuracy by size of the vocabulary, where it was chosen.
    diagnosis : dict
        Whether unlabeled text helps, if asked for; see [`leaven.diagnose`][].
    candidates : list of dict
        The models that method "auto" compared: name, accuracy, interval and share of the weight.
    expected_accuracy : dict
        ``accuracy`` on new documents with its 90 % interval from ``low`` to ``high``, and
        ``n_held_out``; the first three are None where no label was held out. Where audits are
        known, also ``n_audited``, ``n_audits_needed`` and ``n_right``.
    labeled_texts : dict of str to int
        Numbers of labeled documents that are empty, repeated or contradictory.
    label_sets : dict of str to float
        ``n_sets``, ``labels_per_document`` and ``n_without_label``; empty where a document has one
        label.
    warnings : list of str
        What to look at.
    seconds : dict of str to float
        Time of each phase.
    options : dict of str to dict
        Options of text, method and training, as used.
    data : dict
        How files were read: columns, encoding.
    facts : dict
        What only this method reports.

    Examples
    --------
    >>> from leaven import TextClassifier
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> report = TextClassifier("em").fit(texts, ["baking", "space", None, None]).report_
    >>> report.n_documents, report.n_labeled, report.class_counts
    (4, 2, {'baking': 1, 'space': 1})
    """

    method: str
    reason: str
    n_documents: int
    n_labeled: int
    class_counts: dict[str, int]
    n_words: int
    n_subwords: int = 0
    scripts: dict[str, float] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    class_lines: dict[str, str] = field(default_factory=dict)
    size_choices: list[dict[str, Any]] = field(default_factory=list)
    diagnosis: dict[str, Any] = field(default_factory=dict)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    expected_accuracy: dict[str, float | None] = field(default_factory=dict)
    labeled_texts: dict[str, int] = field(default_factory=dict)
    label_sets: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {each.name for each in fields(self)} | set(dir(type(self)))
        taken = sorted(names & set(self.facts))
        if taken:
            raise ValueError(f"every report has {taken[0]!r}; give that fact another name")

    def __getattr__(self, name: str) -> Any:
        # Called for names that are not fields; facts are missing while an object is copied.
        facts = self.__dict__.get("facts", {})
        if name in facts:
            return facts[name]
        raise AttributeError(f"method {self.__dict__.get('method')!r} reports no {name!r}")

    @property
    def n_unlabeled(self) -> int:
        """Documents without a label."""
        return self.n_documents - self.n_labeled

    @property
    def n_iter(self) -> int:
        """Number of EM iterations; 0 for methods without EM."""
        return max(len(self.facts.get("objective", [])) - 1, 0)

    @property
    def expectation(self) -> str:
        """Expected accuracy in words; of sets, the share that is predicted exactly."""
        found = self.expected_accuracy
        # Models trained earlier state an accuracy even where no label was held out.
        n_held_out = found["n_held_out"]
        if not n_held_out:
            return f"expected {self._measure} unknown: {self._why_unknown}"
        span = f"{_percent(found['low'])}–{_percent(found['high'])}"
        n_audited = found.get("n_audited")
        expected = f"expected {self._measure} {_percent(found['accuracy'])} %"
        if self.label_sets:
            held_out = f"from {int(n_held_out):,} held-out documents"
            if n_audited is not None:
                held_out = f"estimated from {int(n_audited):,} audited documents"
            meaning = "the share of documents whose whole label set is correct"
            return f"{expected} ({span}; {held_out}): {meaning}"
        if n_audited is not None:
            return f"{expected} ({span}; estimated from {int(n_audited):,} audited labels)"
        held_out = f"from {int(n_held_out):,} held-out labels"
        n_single = sum(count == 1 for count in self.class_counts.values())
        if n_single:
            held_out += f", without {_classes(n_single)} with one label"
        return f"{expected} ({span}; {held_out})"

    @property
    def _splits_scripts(self) -> bool:
        """Whether characters of scripts without spaces are counted, not whole clauses."""
        return self.options.get("text", {}).get("tokens") == "scripts"

    @property
    def _measure(self) -> str:
        """What accuracy is called."""
        return "exact match" if self.label_sets else "accuracy"

    @property
    def _why_unknown(self) -> str:
        n_needed = self.expected_accuracy.get("n_audits_needed")
        if n_needed:
            n_audited, n_more = int(self.expected_accuracy["n_audited"] or 0), int(n_needed)
            return (
                "an estimate would rest on chosen labels and is not to be trusted; label "
                f"{_documents(n_more)} drawn at random ({n_audited:,} audited, "
                f"{n_audited + n_more:,} needed)"
            )
        if max(self.class_counts.values(), default=0) > 1:
            return "no label was held out"
        why = "with one label per class none can be held out; label a second document of each class"
        study = self.expected_accuracy
        if study.get("n_study_corpora") is None or self.label_sets:
            return why
        low, high = study.get("study_low", study["low"]), study.get("study_high", study["high"])
        span = f"{_percent(low)}–{_percent(high)} %"
        return (
            f"{why} (other corpora with as many classes and words suggest {span} for method auto)"
        )

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON can hold it, the facts of the method beside the fields.

        Returns
        -------
        dict
            Numbers, text, lists and dicts.
        """
        common = asdict(self)
        return {**common.pop("facts"), **common}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The report that ``to_json`` wrote.

        Parameters
        ----------
        values : dict
            What it returned.

        Returns
        -------
        FitReport
            The same report.
        """
        known = {each.name for each in fields(cls)} - {"facts"}
        common = {name: value for name, value in values.items() if name in known}
        facts = {name: value for name, value in values.items() if name not in known}
        return cls(**common, facts=facts)

    def __str__(self) -> str:
        lines = [f"method {self.method}: {self.reason}", *self._described]
        if self.candidates:
            lines += _compared(self.candidates, self._measure)
        if self.expected_accuracy:
            lines.append(self.expectation)
        if self.diagnosis:
            lines.append(f"{self.diagnosis['sentence']}")
        lines.append(self._took)
        shown_counts = self._shown_counts
        width = max((len(printable(name)) for name in shown_counts), default=0)
        for name, count in shown_counts.items():
            more, shown = self.class_lines.get(name, ""), printable(name)
            lines.append(f"  {shown:<{width}}  {count:>6,} labeled{', ' + more if more else ''}")
        if self._n_hidden:
            lines.append(f"  and {self._n_hidden:,} more classes")
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        parts = [paragraph(bold(self.method), f": {self.reason}")]
        if self.expected_accuracy:
            parts.append(paragraph(bold(self.expectation)))
        if self.diagnosis:
            parts.append(paragraph(f"{self.diagnosis['sentence']}"))
        parts += [paragraph("warning: ", text) for text in self.warnings]
        parts += map(paragraph, self._described)
        if self.candidates:
            parts.append(table(_candidate_table(self.candidates, self._measure)))
        classes = table(self._class_table())
        if len(self.class_counts) > MOST_CLASSES_OPEN:
            classes = folded(f"{len(self.class_counts):,} classes", classes)
        return document(*parts, classes, paragraph(muted(self._took)))

    @property
    def _described(self) -> list[str]:
        """What was fitted, in lines."""
        lines = [
            f"{self.n_documents:,} documents, {self.n_labeled:,} labeled in "
            f"{len(self.class_counts):,} classes, {self.n_words:,} words"
            + (f", {self.n_subwords:,} subwords" if self.n_subwords else ""),
        ]
        if sum(self.scripts.values()) >= NOTEWORTHY and self._splits_scripts:
            lines.append(_unspaced(self.scripts))
        if self.label_sets:
            lines.append(_sets_found(self.label_sets))
        if "described" in self.data:
            lines.append(str(self.data["described"]))
        if self.size_choices:
            lines.append(_sizes_tried(self.size_choices))
        return lines + self.lines

    @property
    def _took(self) -> str:
        phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()):.2f} s ({phases})"

    @property
    def _shown_counts(self) -> dict[str, int]:
        """Labels of the classes that are shown, in the order of all."""
        counts = self.class_counts
        if len(counts) <= MOST_CLASSES_SHOWN:
            return counts
        largest = set(sorted(counts, key=lambda name: -counts[name])[:MOST_CLASSES_SHOWN])
        return {name: count for name, count in counts.items() if name in largest}

    @property
    def _n_hidden(self) -> int:
        return max(len(self.class_counts) - MOST_CLASSES_SHOWN, 0)

    def _class_table(self) -> TextTable:
        most = max(self.class_counts.values(), default=0) or 1
        rows = [
            (name, bar(count / most), f"{count:,}", self.class_lines.get(name, ""))
            for name, count in self._shown_counts.items()
        ]
        if self._n_hidden:
            rows.append((f"and {self._n_hidden:,} more classes", bar(0.0), "", ""))
        return TextTable(("class", "", "labeled", ""), list(rows), ("labeled",))


def _unspaced(scripts: dict[str, float]) -> str:
    large = [(name, share) for name, share in scripts.items() if share >= NOTEWORTHY / 2][:3]
    shown = ", ".join(f"{name} {percent(share)}" for name, share in large)
    return (
        f"{percent(sum(scripts.values()))} of the letters are in scripts without spaces ({shown}), "
        "counted as runs of 1 to 3 characters"
    )


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.0f}"


def _documents(number: int) -> str:
    return "one more document" if number == 1 else f"{number:,} more documents"


def _classes(number: int) -> str:
    return "the class" if number == 1 else f"the {number:,} classes"


def _sets_found(facts: dict[str, float]) -> str:
    n_sets, n_without = int(facts["n_sets"]), int(facts["n_without_label"])
    mean = f"{facts['labels_per_document']:.2f} labels per labeled document"
    none = f", {n_without:,} of these documents have no label" if n_without else ""
    return f"{mean}, {n_sets:,} different label sets{none}"


def _sizes_tried(choices: list[dict[str, Any]]) -> str:
    tried = ", ".join(f"{choice['n_words']:,}: {percent(choice['accuracy'])}" for choice in choices)
    scored = choices[0]["n_scored"]
    return f"accuracy on {scored:,} held-out labeled documents by number of words: {tried}"


def _compared(candidates: list[dict[str, Any]], measure: str) -> list[str]:
    width = max(len(each["name"]) for each in candidates)
    lines = []
    for each in candidates:
        if each["accuracy"] is None:
            scored = "not compared"
        else:
            span = f"{100 * each['low']:.0f}–{100 * each['high']:.0f}"
            scored = f"{percent(each['accuracy']):>5} ({span}) {measure} on held-out labels"
        lines.append(f"  {each['name']:<{width}}  {scored}, weight {percent(each['share'])}")
    return lines


def _candidate_table(candidates: list[dict[str, Any]], measure: str) -> TextTable:
    rows: list[tuple[str, ...]] = []
    for each in candidates:
        scored = ("not compared", "")
        if each["accuracy"] is not None:
            span = f"{100 * each['low']:.0f}–{100 * each['high']:.0f}"
            scored = (percent(each["accuracy"]), span)
        rows.append((each["name"], *scored, bar(each["share"]), percent(each["share"])))
    held_out = f"{measure} on held-out labels"
    numbers = (held_out, "90 % interval", "weight")
    return TextTable(("model", held_out, "90 % interval", "", "weight"), list(rows), numbers)

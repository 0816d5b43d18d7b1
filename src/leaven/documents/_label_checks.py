"""Checks of labels: those that nothing can be learned from, and those worth a note."""

import shlex
from collections import Counter
from typing import Any

from leaven._base.typing import FloatArray, IntArray
from leaven.documents._label_rules import one_spelling
from leaven.documents._label_sets import shown_label
from leaven.documents._labels import EncodedLabels, Labels

__all__ = [
    "check_label_weights",
    "check_labels",
    "check_lengths",
    "doubtful_labels",
    "one_class_message",
    "refuse_label_sets",
]

# More distinct labels than this, each used once, indicate a column of identifiers.
MOST_SINGLE_CLASSES = 100
# Labels that people and programs write for a missing label.
MISSING_NAMES = {
    "nan", "na", "n/a", "n.a.", "#n/a", "<na>", "null", "none", "missing", "unlabeled",
    "unlabelled", "not labeled", "not labelled", "no label", "unknown", "undefined", "unassigned",
    "unclassified", "todo", "to do", "tbd", "tba", "tbc", "xxx",
}  # fmt: skip
FILLERS = set("?.-_–—/ ")  # a label of these alone holds the place of one
SHOWN = 5  # names in a message
SEPARATORS = ";|,"  # that people write between several labels


def check_lengths(labels: EncodedLabels, n_documents: int) -> None:
    """Refuse texts and labels of different lengths."""
    if len(labels.codes) != n_documents:
        raise ValueError(
            f"texts and labels must have the same length, got {n_documents} texts and "
            f"{len(labels.codes)} labels"
        )


def one_class_message(labels: Labels) -> str:
    """The message for labels that are all the same, or all missing."""
    if not labels.n_codes:
        return (
            "y must label at least one document of two or more classes, and no document is "
            "labeled: every label is missing (-1, None or empty); in cross-validation use "
            "cv=LabeledFold(), which keeps unlabeled documents in training"
        )
    if labels.has_sets:
        return (
            "a classifier needs documents with different labels, and all labeled documents have "
            f"the same, {shown_label(labels.keys[0])!r}; label documents with others too"
        )
    return (
        f"a classifier needs at least 2 classes, and all labeled documents are of one class, "
        f"{labels.classes.tolist()[0]!r}; label documents of another class too"
    )


def refuse_label_sets(labels: Labels, what: str) -> None:
    """Refuse labels of documents that can have several, for ``what`` cannot use them."""
    if labels.has_sets:
        raise ValueError(
            f"{what} needs one label per document, but the documents have sets of labels "
            "(multi-label); give one label per document"
        )


def check_label_weights(weights: FloatArray, labels: Labels) -> None:
    """Refuse fewer than two classes, and a class without labeled documents, by their weights.

    Classes of sets may have none, but two different sets must have some.
    """
    if labels.n_codes < 2:
        raise ValueError(one_class_message(labels))
    if labels.has_sets:
        if (weights > 0).sum() < 2:
            raise ValueError(
                "labeled documents of positive weight must have different labels, but "
                f"{'all have the same' if weights.any() else 'none has a positive weight'}; raise "
                "the weights of some"
            )
    elif not (weights > 0).all():
        empty = labels.classes.tolist()[int(weights.argmin())]
        raise ValueError(
            f"every class needs a labeled document of positive weight, class {empty!r} has none"
        )


def check_labels(labels: Labels, counts: IntArray, n_documents: int) -> list[str]:
    """Refuse labels that nothing can be learned from; returns notes on questionable ones."""
    if labels.n_codes < 2:
        raise ValueError(one_class_message(labels))
    names = labels.classes.tolist()
    n_labeled = int(counts.sum())
    counts = labels.per_class(counts)
    n_unlabeled = n_documents - n_labeled
    if (
        counts.max(initial=0) == 1
        and len(names) >= n_labeled  # labels of sets may be rare, and most sets empty
        and n_labeled > n_unlabeled
        and (n_labeled > MOST_SINGLE_CLASSES or (n_labeled > 2 and not n_unlabeled))
    ):
        raise ValueError(
            f"the {n_labeled} labels are all different ({names[0]!r}, "
            f"{names[1]!r}, …): this looks like a column of identifiers; choose the "
            "label column with --label, or give at least two documents the same label"
            + "".join(f"; {doubt}" for doubt in _warn_of_joined(labels))
        )
    return _note_single_documents(names, counts)


def doubtful_labels(labels: Labels, counts: IntArray) -> list[str]:
    """Warnings about classes that look like several spellings of one, or like missing labels."""
    found = {
        name: count
        for name, count in zip(
            labels.classes.tolist(), labels.per_class(counts).tolist(), strict=True
        )
        if isinstance(name, str)
    }
    return [*_warn_of_spellings(found), *_warn_of_missing(found), *_warn_of_joined(labels)]


def _warn_of_joined(labels: Labels) -> list[str]:
    """Warn of classes that look like several labels with a separator between them."""
    names = [] if labels.has_sets else [n for n in labels.classes.tolist() if isinstance(n, str)]
    for separator in SEPARATORS:
        parts = {name: {part.strip() for part in name.split(separator)} for name in names}
        joined = [name for name in names if len(parts[name]) > 1]
        n_names = Counter(part for name in names for part in parts[name])
        recurring = [name for name in joined if all(n_names[part] > 1 for part in parts[name])]
        # The parts of "yes, surely" and "no, surely" recur too, but none is a label by itself.
        has_single = any(part in parts for name in recurring for part in parts[name])
        if has_single and 2 * len(recurring) > len(joined) > 1:
            return [
                f"{len(joined):,} classes look like several labels with {separator!r} between them "
                f"({', '.join(map(repr, joined[:2]))}, …); --label-separator '{separator}' "
                "reads a set of labels for each document (in Python, give lists of labels, or "
                f"fit_files(label_separator={separator!r}))"
            ]
    return []


def _warn_of_spellings(found: dict[str, int]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for name in found:
        groups.setdefault(one_spelling(name), []).append(name)
    spellings = [name for group in groups.values() if len(group) > 1 for name in group]
    if not spellings:
        return []
    return [
        f"{len(spellings)} classes differ from another only in case or white space: "
        f"{_with_counts(spellings, found)}; --ignore-case (ignore_case=True in Python) makes one "
        "class of each such group"
    ]


def _warn_of_missing(found: dict[str, int]) -> list[str]:
    missing = [name for name in found if _looks_missing(name, found)]
    if not missing:
        return []
    verb = (
        "1 class looks like a missing label"
        if len(missing) == 1
        else (f"{len(missing)} classes look like missing labels")
    )
    options = " ".join(f"--unlabeled {shlex.quote(name)}" for name in missing[:SHOWN])
    return [
        f"{verb}: {_with_counts(missing, found)}; if so, use {options} "
        f"(unlabeled={missing[:SHOWN]!r} in Python)"
    ]


def _looks_missing(name: str, found: dict[str, int]) -> bool:
    if set(name) <= FILLERS:
        return not (name.strip() in "-–—" and "+" in map(str.strip, found))  # plus and minus
    return one_spelling(name) in MISSING_NAMES


def _with_counts(names: list[str], found: dict[str, int]) -> str:
    """Names with their numbers of documents, the most frequent first."""
    names = sorted(names, key=lambda name: (-found[name], name))
    shown = [f"{name!r} ({found[name]:,})" for name in names[:SHOWN]]
    return ", ".join([*shown, *(["…"] if len(names) > SHOWN else [])])


def _note_single_documents(names: list[Any], counts: IntArray) -> list[str]:
    single = [name for name, count in zip(names, counts.tolist(), strict=True) if count == 1]
    if not single:
        return []
    shown = ", ".join(repr(name) for name in single[:5]) + (", …" if len(single) > 5 else "")
    if len(single) == len(names):
        return ["every class has a single labeled document; a few more each would help most"]
    noun = "class has" if len(single) == 1 else "classes have"
    return [f"{len(single)} {noun} a single labeled document ({shown}); a few more would help most"]

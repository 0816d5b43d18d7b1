"""Labeled documents that contribute little: empty ones, copies, contradictions."""

from dataclasses import dataclass

from leaven.corpora import MOST_LABELED, Counted, TrainingSet, near_copies
from leaven.text._labeled_texts import START, LabeledTexts

__all__ = ["LabelQuality", "label_quality"]

# Fewer copies than this, of the labeled documents, change an expected accuracy hardly at all.
SHARE_OF_COPIES = 0.05
SHOWN = 5  # labels of one text


@dataclass(frozen=True)
class LabelQuality:
    """Numbers of labeled documents that are empty, contradict others or repeat them."""

    numbers: dict[str, int]
    notes: list[str]


def label_quality(
    counted: Counted, training: TrainingSet, *, has_vectors: bool, is_held_out: bool
) -> LabelQuality:
    """What is wrong with the labeled documents; near-copies matter where labels are held out.

    Documents with vectors of the user's contribute even without words.
    """
    labeled = counted.labeled
    n_empty, copies = labeled.n_blank, labeled.copies
    n_wordless = counted.n_wordless - n_empty
    numbers = {
        "blank": n_empty,
        "without_words": n_wordless,
        "conflicting": copies.n_conflicting,
        "copies": copies.n_copies,
    }
    notes = []
    if n_empty and not has_vectors:
        notes.append(_count(n_empty, "has no text and contributes", "have no text and contribute"))
    if n_wordless and not has_vectors:
        singular = "contains no word of the vocabulary and contributes"
        notes.append(
            _count(n_wordless, singular, "contain no word of the vocabulary and contribute")
        )
    if copies.n_conflicting:
        notes.append(_conflicts(labeled))
    if copies.n_copies > SHARE_OF_COPIES * len(labeled.kept):
        notes.append(
            f"{copies.n_copies:,} of {_sampled(len(labeled.kept), labeled)} labeled documents "
            "repeat the text of another with the same label; where labels are held out, each "
            "text counts once"
        )
    if is_held_out:
        is_near = near_copies(training.labeled)
        numbers["near_copies"] = n_near = int(is_near.sum())
        if n_near > SHARE_OF_COPIES * len(is_near):
            notes.append(
                f"{n_near:,} of {_sampled(len(is_near), labeled)} different "
                "labeled documents are near-duplicates of another one with the same label; the "
                "expected accuracy is optimistic unless new documents are near-duplicates too"
            )
    return LabelQuality(numbers, notes)


def _count(number: int, singular: str, plural: str) -> str:
    if number == 1:
        return f"1 labeled document {singular} nothing"
    return f"{number:,} labeled documents {plural} nothing"


def _sampled(number: int, labeled: LabeledTexts) -> str:
    """The number of documents looked at, which may be a sample."""
    is_sample = number >= MOST_LABELED and number < labeled.n_texts
    return f"{number:,} sampled" if is_sample else f"{number:,}"


def _conflicts(labeled: LabeledTexts) -> str:
    copies = labeled.copies
    start = " ".join(copies.start.split())
    start = f"{start[:START].rstrip()}…" if len(copies.start) > START else start
    *others, last = map(repr, copies.labels[:SHOWN])
    noun = "text occurs" if copies.n_conflicting == 1 else "texts occur"
    return (
        f"{copies.n_conflicting:,} {noun} with different labels (the first: {start!r} as "
        f"{', '.join(others)} and {last}); correct or remove their labels"
    )

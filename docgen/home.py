"""Sections of the home page."""

from docgen.sections import Section
from docgen.studies import read

PER_CLASS = "5"  # labels


def new_corpora_sentence() -> str:
    """Accuracy on corpora that took no part in choosing the defaults, in a sentence."""
    found = read("new_corpora")
    of_auto, of_svm, of_encoder = (
        f"{100 * found['accuracy'][method][PER_CLASS]:.0f} %"
        for method in ("auto", "svm", "minilm")
    )
    return (
        f"On {len(found['corpora'])} public corpora that were kept apart while leaven was "
        f"developed, with {PER_CLASS} labels per class, leaven classifies {of_auto} of new "
        f"documents correctly. A linear SVM on tf-idf, which learns from labels alone, reaches "
        f"{of_svm}; logistic regression on the vectors of a sentence encoder, {of_encoder} "
        "([how accurate, how fast](accuracy.md))."
    )


SECTIONS = [Section("docs/index.md", "new_corpora: sentence", new_corpora_sentence)]

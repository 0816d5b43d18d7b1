"""Sections of the page about two-view EM."""

from docgen import studies as of_studies
from docgen.sections import Section

SECTIONS = [
    Section(
        "docs/methods/two-view.md",
        "sentence_vectors: accuracy table",
        lambda: of_studies.sentence_vectors_table(spread=True),
    ),
]

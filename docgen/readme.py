"""Sections of the README."""

from docgen import code as of_code
from docgen import studies as of_studies
from docgen.sections import Section

PAGE = "README.md"
SECTIONS = [
    Section(PAGE, "methods", of_code.methods_table),
    Section(PAGE, "few_labels: setting", of_studies.few_labels_setting),
    Section(PAGE, "few_labels: accuracy table", of_studies.few_labels_table),
    Section(PAGE, "new_corpora: accuracy table", of_studies.new_corpora_table),
]

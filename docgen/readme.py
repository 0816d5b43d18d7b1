"""Sections of the README."""

from docgen import benchmarks as of_benchmarks
from docgen import code as of_code
from docgen import studies as of_studies
from docgen.sections import Section

SECTIONS = [
    Section("README.md", "methods", of_code.methods_table),
    Section("README.md", "few_labels: setting", of_studies.few_labels_setting),
    Section("README.md", "few_labels: accuracy table", of_studies.few_labels_table),
    Section("README.md", "few_labels: findings", of_studies.few_labels_summary),
    Section("README.md", "new_corpora: accuracy table", of_studies.new_corpora_table),
    Section(
        "README.md",
        "sentence_vectors: accuracy table",
        lambda: of_studies.sentence_vectors_table(("logreg", "auto", "auto + vectors")),
    ),
    Section("README.md", "benchmarks: speed table", of_benchmarks.speed_table),
    Section("README.md", "figure_3_1: accuracy table", of_studies.newsgroups_table),
    Section("README.md", "figure_3_4: accuracy table", of_studies.annealing_table),
]

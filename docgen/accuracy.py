"""Sections of the page about accuracy and speed."""

from docgen import benchmarks as of_benchmarks
from docgen import studies as of_studies
from docgen.sections import Section

PAGE = "docs/accuracy.md"
TO_ROOT = "../"
SECTIONS = [
    Section(PAGE, "new_corpora: accuracy table", lambda: of_studies.new_corpora_table(TO_ROOT)),
    Section(PAGE, "few_labels: setting", lambda: of_studies.few_labels_setting(TO_ROOT)),
    Section(PAGE, "few_labels: accuracy table", of_studies.few_labels_table),
    Section(PAGE, "few_labels: findings", of_studies.few_labels_summary),
    Section(
        PAGE,
        "sentence_vectors: accuracy table",
        lambda: of_studies.sentence_vectors_table(("logreg", "auto", "auto + vectors")),
    ),
    Section(PAGE, "figure_3_1: accuracy table", of_studies.newsgroups_table),
    Section(PAGE, "figure_3_4: accuracy table", of_studies.annealing_table),
    Section(PAGE, "benchmarks: speed table", of_benchmarks.speed_table),
    Section(PAGE, "benchmarks: cost table", of_benchmarks.cost_table),
]

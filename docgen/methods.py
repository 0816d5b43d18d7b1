"""Markdown about all methods side by side, from the results of studies."""

from studies import all_methods
from studies._provenance import described, staleness

from docgen import code as of_code
from docgen.sections import Section
from docgen.studies import few_labels_every_method, read

PAGE = "docs/methods/index.md"

STUDY = "all_methods"
PAGES = {  # that explain methods
    "auto.md": ("auto",),
    "naive-bayes-em.md": ("nb", "em"),
    "two-view.md": ("two-view",),
    "components.md": ("mixture",),
    "annealing.md": ("annealed",),
    "frequency-estimate.md": ("sfe",),
    "neighbors.md": ("knn", "ss-cknn"),
    "support-vector-machines.md": ("svm", "tsvm"),
    "hybrids.md": ("maxent", "mcl", "pcp"),
    "fisher.md": ("fisher",),
    "multilabel.md": ("multilabel",),
}


def stale_results() -> list[str]:
    """A sentence if the code has changed since the study ran."""
    told = staleness(read(STUDY).get("made_with"))
    return [f"studies/results/{STUDY}.json was {told}"] if told else []


def one_corpus_table() -> str:
    """Accuracy, seconds, memory and places of every method on one corpus."""
    found = read(STUDY)
    _, _, table = all_methods.markdown(found).partition("\n\n")
    for page, methods in PAGES.items():
        for name in methods:
            table = table.replace(f"| `{name}` |", f"| [`{name}`]({page}) |")
    return f"{table.strip()}\n\n(`python -m studies {STUDY}`; {described(found['made_with'])}.)"


def all_corpora_table() -> str:
    """Accuracy of every method on all corpora of the study of few labels."""
    return few_labels_every_method()


SECTIONS = [
    Section(PAGE, "methods", of_code.methods_table),
    Section(PAGE, "all_methods", one_corpus_table),
    Section(PAGE, "few_labels: every method", all_corpora_table),
]

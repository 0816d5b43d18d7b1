"""Markdown about ``auto``: what was tried for it, and how good its expected accuracy is."""

from studies import audited_labels, auto_members
from studies._provenance import described, staleness

from docgen import studies as of_studies
from docgen.sections import Section
from docgen.studies import read

STUDY = "auto_members"
AUDITS = "audited_labels"


def stale_results() -> list[str]:
    """A sentence for each study whose code has changed since it ran."""
    told = {name: staleness(read(name).get("made_with")) for name in (STUDY, AUDITS)}
    return [f"studies/results/{name}.json was {stale}" for name, stale in told.items() if stale]


def members_table() -> str:
    """Accuracy of blends with further members."""
    return _with_origin(STUDY, auto_members.markdown(read(STUDY)))


def audits_table() -> str:
    """Intervals from chosen labels, and from audits."""
    return _with_origin(AUDITS, audited_labels.markdown(read(AUDITS)))


def _with_origin(study: str, shown: str) -> str:
    """A sentence and a table, with what the results were made with."""
    head, _, table = shown.partition("\n\n")
    about = head.rstrip(":").strip()
    made = f"`python -m studies {study}`; {described(read(study)['made_with'])}"
    return f"{about} ({made}):\n\n{table.strip()}"


SECTIONS = [
    Section(
        "docs/methods/auto.md",
        "few_labels: setting",
        lambda: of_studies.few_labels_setting(to_root="../../"),
    ),
    Section("docs/methods/auto.md", "few_labels: accuracy table", of_studies.few_labels_table),
    Section("docs/methods/auto.md", "few_labels: findings", of_studies.few_labels_findings),
    Section("docs/methods/auto.md", "auto_members", members_table),
    Section("docs/methods/auto.md", "audited_labels", audits_table),
]

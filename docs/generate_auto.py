"""Markdown about what was tried for ``auto``, from the results of a study."""

from generate_studies import read
from studies import auto_members
from studies._provenance import described, staleness

STUDY = "auto_members"


def stale_results() -> list[str]:
    """A sentence if the code has changed since the study ran."""
    told = staleness(read(STUDY).get("made_with"))
    return [f"studies/results/{STUDY}.json was {told}"] if told else []


def members_table() -> str:
    """Accuracy of blends with further members."""
    found = read(STUDY)
    head, _, table = auto_members.markdown(found).partition("\n\n")
    about = head.rstrip(":").strip()
    made = f"`python -m studies {STUDY}`; {described(found['made_with'])}"
    return f"{about} ({made}):\n\n{table.strip()}"

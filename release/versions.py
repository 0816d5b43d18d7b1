"""The version and its date, in each of the places that say them."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from release.commands import Failure

__all__ = ["HEADING", "Released", "citation", "faults_of_versions", "newest", "package_version"]

HEADING = re.compile(
    r"^## (?P<version>\d+\.\d+\.\d+\S*) – (?P<date>\d{4}-\d{2}-\d{2})$", re.MULTILINE
)


@dataclass(frozen=True)
class Released:
    """A version and the day of its release."""

    version: str
    date: str


def package_version(root: Path) -> str:
    """``leaven._version.__version__``, read without importing an installed leaven."""
    tree = ast.parse((root / "src" / "leaven" / "_version.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            return str(ast.literal_eval(node.value))
    raise Failure("src/leaven/_version.py must assign a string to __version__, but does not.")


def newest(root: Path) -> Released:
    """The newest version in the changelog that has a date."""
    found = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if found is None:
        raise Failure(
            "CHANGELOG.md must have a heading such as '## 1.2.3 – 2030-12-31', found none."
        )
    return Released(found["version"], found["date"])


def citation(root: Path) -> Released:
    """What CITATION.cff says."""
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    found = {}
    for field in ("version", "date-released"):
        value = re.search(rf"^{field}: *[\"']?([^\"'\n]+)", text, re.MULTILINE)
        if value is None:
            raise Failure(f"CITATION.cff must have the field {field}, but lacks it.")
        found[field] = value[1].strip()
    return Released(found["version"], found["date-released"])


def faults_of_versions(root: Path) -> list[str]:
    """Sentences about places that disagree."""
    version, changelog, cited = package_version(root), newest(root), citation(root)
    return [
        f"{place} must say {wanted}, as {authority}, but says {found}"
        for place, found, wanted, authority in (
            ("CHANGELOG.md", changelog.version, version, "leaven._version"),
            ("CITATION.cff", cited.version, version, "leaven._version"),
            ("date-released in CITATION.cff", cited.date, changelog.date, "CHANGELOG.md"),
        )
        if found != wanted
    ]

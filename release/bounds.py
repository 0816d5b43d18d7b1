"""``constraints-minimum.txt``: every requirement in pyproject.toml at its lower bound."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from release.commands import Failure

__all__ = ["FILE", "behind", "lower_bounds", "minimum_text", "pins"]

FILE = "constraints-minimum.txt"
HEAD = """\
# The oldest versions that leaven supports: the lower bounds of pyproject.toml, for
# python -m release minimum. Written by python -m release bounds.
"""


def lower_bounds(root: Path) -> dict[str, str]:
    """Oldest supported version of each direct requirement, of all extras too, by name."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    bounds: dict[str, str] = {}
    for line in (line for group in groups for line in group):
        requirement = Requirement(line)
        if requirement.name == project["name"]:  # extras of its own
            continue
        found = [each.version for each in requirement.specifier if each.operator in (">=", "==")]
        if len(found) != 1:
            raise Failure(
                "A requirement in pyproject.toml must have one lower bound, such as "
                f"{requirement.name}>=1.2, but there is {line!r}."
            )
        if bounds.setdefault(requirement.name, found[0]) != found[0]:
            raise Failure(f"{requirement.name} must have the same lower bound in all extras.")
    return bounds


def minimum_text(root: Path) -> str:
    """The file as it should be."""
    bounds = sorted(lower_bounds(root).items(), key=lambda pair: pair[0].lower())
    return HEAD + "".join(f"{name}=={version}\n" for name, version in bounds)


def pins(constraints: str) -> dict[str, str]:
    """Versions in a file of constraints, by normalized name."""
    lines = re.findall(r"^([\w.-]+)==(\S+)", constraints, re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in lines}


def behind(constraints: str, installed: dict[str, str]) -> list[str]:
    """Pins for which another version was installed where nothing was pinned."""
    return [
        f"{name} {version} → {installed[name]}"
        for name, version in sorted(pins(constraints).items())
        if installed.get(name, version) != version
    ]

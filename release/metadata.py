"""Check what package indexes will say about the release."""

import json
import re
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

from release.building import Archives, install_tools
from release.checkout import ROOT
from release.commands import Failure, output_of, run
from release.environments import scratch
from release.versions import faults_of_versions, package_version

__all__ = ["check_metadata", "faults_of_metadata"]

RENDERING = Path(__file__).parent / "rendering.py"


def check_metadata(archives: Archives, log: Path) -> str:
    """Compare the metadata with the checkout, and have twine and cffconvert check them."""
    with zipfile.ZipFile(archives.wheel) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(wheel.read(name).decode("utf-8"))
    faults = [*faults_of_versions(ROOT), *faults_of_metadata(metadata, ROOT)]
    with scratch() as folder:
        tools = install_tools(folder / "tools", log)
        python = tools.command("python")
        # Warnings count as well: descriptions that cannot be rendered, for example.
        both = (archives.sdist, archives.wheel)
        run([python, "-m", "twine", "check", "--strict", *both], log, folder=folder)
        cff = ROOT / "CITATION.cff"
        run([tools.command("cffconvert"), "--validate", "-i", cff], log, folder=folder)
        description = folder / "description.md"
        description.write_text(str(metadata.get_payload()), encoding="utf-8")
        wanted = json.dumps(metadata.get_all("Classifier", []))
        found = json.loads(output_of([python, RENDERING, description, wanted], log, folder=folder))
    faults += [f"the long description links to {each}, a file" for each in found["relative"]]
    faults += [f"{each!r} is no classifier that indexes know" for each in found["unknown"]]
    if faults:
        raise Failure("The metadata are not right:\n  " + "\n  ".join(faults))
    fields = (metadata["Name"], metadata["Version"], metadata["License-Expression"])
    return f"{' '.join(fields)}; twine and cffconvert found no fault"


def faults_of_metadata(metadata: Message, root: Path) -> list[str]:
    """Sentences about fields that differ from what pyproject.toml and the package say."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [re.sub(r"[-_.]+", "-", name) for name in project["optional-dependencies"]]
    expected = {
        "Name": [project["name"]],
        "Version": [package_version(root)],
        "Summary": [project["description"]],
        "Requires-Python": [project["requires-python"]],
        "License-Expression": [project["license"]],
        "License-File": project["license-files"],
        "Classifier": project["classifiers"],
        "Provides-Extra": extras,
        "Description-Content-Type": ["text/markdown"],
    }
    return [
        f"{field} must be {wanted}, but it is {metadata.get_all(field)}"
        for field, wanted in expected.items()
        if sorted(metadata.get_all(field) or []) != sorted(wanted)
    ]

"""What the archives must and must not contain."""

import re
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from release.checkout import files
from release.commands import Failure

__all__ = ["check_contents", "data_files", "faults_of_sdist", "faults_of_wheel"]

MEGABYTE = 1_000_000
LARGEST_SDIST, LARGEST_WHEEL = 12 * MEGABYTE, 2 * MEGABYTE
NEVER = re.compile(
    r"(^|/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.venv|\.git)(/|$)"
    r"|\.(py[co]|nbc|nbi|leaven|log|sqlite|orig|rej)$|~$"
)
# setuptools writes these into a source distribution.
GENERATED = re.compile(r"PKG-INFO|setup\.cfg|src/leaven\.egg-info/.*")
NOT_NEEDED = {".gitignore"}  # by users of a source distribution
LICENCE = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE)([-._][^/]*)?$", re.IGNORECASE)
VENDORED = re.compile(r"(^|/)_?vendor(ed)?/")


def data_files(names: Iterable[str]) -> list[str]:
    """Of the checkout's files, those of the package that are not Python; relative to ``src``."""
    inside = (name.removeprefix("src/") for name in names if name.startswith("src/leaven/"))
    return sorted(name for name in inside if not name.endswith(".py"))


def check_contents(sdist: Path, wheel: Path) -> str:
    """Compare the archives with the checkout; Failure that lists all faults."""
    ours = [path.as_posix() for path in files()]
    with tarfile.open(sdist) as archive:
        in_sdist = [name.partition("/")[2] for name in archive.getnames()]
    with zipfile.ZipFile(wheel) as zipped:
        in_wheel = zipped.namelist()
    faults = [*faults_of_sdist(in_sdist, ours), *faults_of_wheel(in_wheel, ours)]
    for path, largest in ((sdist, LARGEST_SDIST), (wheel, LARGEST_WHEEL)):
        if path.stat().st_size > largest:
            faults.append(
                f"{path.name} must have at most {largest / MEGABYTE:.0f} MB, "
                f"but it has {_size(path)}"
            )
    if faults:
        raise Failure("The archives do not contain what they should:\n  " + "\n  ".join(faults))
    return (
        f"sdist {_size(sdist)} with {len(in_sdist)} files, "
        f"wheel {_size(wheel)} with {len(in_wheel)}"
    )


def faults_of_sdist(names: Iterable[str], checkout: Iterable[str]) -> list[str]:
    """Sentences about files that a source distribution lacks or should not have."""
    names, tracked = set(names), set(checkout)
    lost = sorted(tracked - NOT_NEEDED - names)
    extra = sorted(name for name in names - tracked if not GENERATED.fullmatch(name))
    return [
        *(f"the sdist lacks {name}; see MANIFEST.in" for name in lost),
        *(f"the sdist has {name}, which git does not track" for name in extra),
    ]


def faults_of_wheel(names: Iterable[str], checkout: Iterable[str]) -> list[str]:
    """Sentences about files that a wheel lacks or should not have."""
    names, checkout = set(names), list(checkout)
    package = {name.removeprefix("src/") for name in checkout if name.startswith("src/leaven/")}
    faults = [
        f"the wheel lacks {name}; see [tool.setuptools.package-data] in pyproject.toml"
        for name in sorted(package - names)
    ]
    metadata = re.compile(r"leaven-[^/]+\.dist-info/")
    extra = sorted(name for name in names - package if not metadata.match(name))
    faults += [f"the wheel has {name}, which is not in src/leaven" for name in extra]
    faults += [f"the wheel has {name}, a cache or a result" for name in names if NEVER.search(name)]
    licences = [name for name in names if ".dist-info/licenses/" in name]
    wanted = [name for name in checkout if LICENCE.search(name) and _is_published(name)]
    faults += [
        f"the wheel lacks the licence {name}; see license-files in pyproject.toml"
        for name in wanted
        if not any(each.endswith(f"/licenses/{name}") for each in licences)
    ]
    folders = {name[: found.end()] for name in package if (found := VENDORED.search(name))}
    faults += [
        f"the wheel has code of others in {folder} without their licence beside it"
        for folder in sorted(folders)
        if not any(name.startswith(folder) and LICENCE.search(name) for name in package)
    ]
    return faults


def _is_published(licence: str) -> bool:
    return "/" not in licence or licence.startswith("src/leaven/")


def _size(path: Path) -> str:
    return f"{path.stat().st_size / MEGABYTE:.1f} MB"

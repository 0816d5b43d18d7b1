"""Install the wheel into empty environments and run the tests there."""

import re
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

from leaven.datasets import data_folder
from release.bounds import FILE, behind, lower_bounds
from release.building import Archives
from release.checkout import ROOT
from release.commands import Failure, output_of, run
from release.environments import Environment, new_environment, scratch
from release.versions import package_version

__all__ = ["Suite", "check_latest", "check_minimum", "check_wheel"]

EXTRAS = "[dev,vectors]"
PUBLIC_NAMES = Path(__file__).parent / "public_names.py"


@dataclass(frozen=True)
class Suite:
    """How much of the test suite to run, and how."""

    quick: bool
    workers: int
    # Of third parties, in old versions: pytest's filters, each for one message.
    ignored_warnings: tuple[str, ...] = field(default=())

    def options(self) -> list[str]:
        """Arguments of pytest."""
        filters = "\n".join(["error", *self.ignored_warnings])
        return [
            *("-p", "release.installed_only", "-p", "no:cacheprovider", "-c", "pyproject.toml"),
            *("--rootdir", ".", "-o", f"filterwarnings={filters}", "-rfE", "--tb=short"),
            *(["-n", str(self.workers), "--dist", "worksteal"] if self.workers > 1 else []),
            *(["-m", "not slow"] if self.quick else []),
        ]


# matplotlib 3.10.0 calls functions of pyparsing by names that pyparsing 3.3 deprecates.
OLD_WARNINGS = (r"ignore:'\w+' deprecated - use '\w+':DeprecationWarning",)


def check_wheel(archives: Archives, suite: Suite, log: Path) -> str:
    """Install the wheel alone, use it, then install its extras and run the tests."""
    with scratch() as folder:
        place = new_environment(folder / "environment", log)
        place.install("-c", ROOT / "constraints.txt", archives.wheel)
        names = _use(place, folder, log)
        place.install("-c", ROOT / "constraints.txt", f"{archives.wheel}{EXTRAS}")
        _use(place, folder, log)
        tests = _test(place, archives, suite, folder, log)
    return f"{names.partition(';')[0]}; {tests}"


def check_minimum(archives: Archives, suite: Suite, log: Path) -> str:
    """Run the tests with the oldest versions that pyproject.toml allows."""
    with scratch() as folder:
        place = new_environment(folder / "environment", log)
        place.install("-c", ROOT / FILE, f"{archives.wheel}{EXTRAS}")
        _check_versions(place)
        old = Suite(suite.quick, suite.workers, OLD_WARNINGS)
        tests = _test(place, archives, old, folder, log)
    return f"{len(lower_bounds(ROOT))} requirements at their lower bounds; {tests}"


def check_latest(archives: Archives, suite: Suite, log: Path) -> str:
    """Run the tests with the newest versions of everything, and compare the pins."""
    with scratch() as folder:
        place = new_environment(folder / "environment", log)
        place.install(f"{archives.wheel}{EXTRAS}")
        tests = _test(place, archives, suite, folder, log)
        old = behind((ROOT / "constraints.txt").read_text(encoding="utf-8"), place.versions())
    return f"{tests}; constraints.txt is behind in {', '.join(old) if old else 'nothing'}"


def _use(place: Environment, folder: Path, log: Path) -> str:
    """Import everything and run some commands; returns what was imported."""
    python, leaven = place.command("python"), place.command("leaven")
    names = output_of([python, PUBLIC_NAMES], log, folder=folder)
    said = output_of([leaven, "--version"], log, folder=folder).split()
    if package_version(ROOT) not in said:
        raise Failure(f"leaven --version must say {package_version(ROOT)}, but says {said}.")
    run([leaven, "label", "--help"], log, folder=folder)
    run([leaven, "demo", "--draws", "1", "--force"], log, folder=folder)
    run([python, "-m", "pip", "check"], log, folder=folder)
    return names.strip()


def _check_versions(place: Environment) -> None:
    from packaging.version import Version

    installed = place.versions()
    wrong = [
        f"{name} {installed.get(name.lower())} instead of {bound}"
        for name, bound in lower_bounds(ROOT).items()
        if name.lower() in installed and Version(installed[name.lower()]) != Version(bound)
    ]
    if wrong:
        raise Failure(f"The oldest versions must be installed exactly, but there is {wrong}.")


def _test(place: Environment, archives: Archives, suite: Suite, folder: Path, log: Path) -> str:
    """Run the tests of the source distribution, and the doctests of the installed package."""
    with tarfile.open(archives.sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = (each for each in folder.iterdir() if (each / "PKG-INFO").exists())
    package = output_of(
        [place.command("python"), "-c", "import leaven; print(leaven.__path__[0])"],
        log,
        folder=source,
    ).strip()
    pytest: list[str | Path] = [place.command("python"), "-m", "pytest", *suite.options()]
    data = data_folder()
    environment = {"LEAVEN_DATA": str(data)} if data else {}
    run([*pytest, "tests", package], log, folder=source, environment=environment)
    said = log.read_text(encoding="utf-8")
    counts: list[str] = re.findall(r"^=* ?(\d+ passed.*?)(?: =*)?$", said, re.MULTILINE)
    if not counts:
        raise Failure(f"pytest must say how many tests passed, but did not (log: {log}).")
    return ("quick tests: " if suite.quick else "all tests: ") + counts[-1]

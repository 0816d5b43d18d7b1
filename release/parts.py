"""The parts of a check, in their order, and what the outcome of each depends on."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from release.building import DIST, Archives, build, built
from release.checkout import digest, files
from release.commands import Failure
from release.installed import Suite, check_latest, check_minimum, check_wheel
from release.metadata import check_metadata

__all__ = ["PARTS", "Options", "Part", "archives"]

FOREVER, DAY = float("inf"), 86_400.0
PROSE = {".md", ".cff"}


@dataclass(frozen=True)
class Options:
    """What can be chosen on the command line."""

    parts: tuple[str, ...]  # all, if empty
    quick: bool
    full: bool
    workers: int
    again: bool

    def has(self, part: str) -> bool:
        """Whether a part was asked for."""
        return not self.parts or part in self.parts

    def suite(self, part: str) -> Suite:
        """By default all tests run once, in the part ``wheel``; others leave slow ones out."""
        return Suite(self.quick or (part != "wheel" and not self.full), self.workers)


@dataclass(frozen=True)
class Part:
    """One check."""

    name: str
    title: str
    run: Callable[[Options, Path], str]  # also given a log; returns what it found
    inputs: Callable[[Options], str]  # a hash of all that the outcome depends on
    left: Callable[[], str] = str  # a hash of files that it leaves for other parts
    lasts: float = FOREVER  # seconds until an outcome is too old


def archives() -> Archives:
    """What the part ``build`` made."""
    found = built(DIST)
    if found is None:
        raise Failure("dist must hold one .tar.gz and one .whl; run python -m release build.")
    return found


def _hashes() -> str:
    found = built(DIST)
    return " ".join(found.hashes().values()) if found else ""


def _all_files(_: Options) -> str:
    return digest(files())


def _tests(
    name: str, title: str, check: Callable[[Archives, Suite, Path], str], lasts: float = FOREVER
) -> Part:
    def run(options: Options, log: Path) -> str:
        return check(archives(), options.suite(name), log)

    def inputs(options: Options) -> str:
        # `make test` checks prose: a corrected word must not cost another long run.
        code = digest(path for path in files() if path.suffix not in PROSE)
        how = f"{code} {options.suite(name).quick} {sys.version}"
        return hashlib.sha256(how.encode()).hexdigest()

    return Part(name, title, run, inputs, lasts=lasts)


PARTS = (
    Part("build", "build twice and compare", lambda _, log: build(log), _all_files, _hashes),
    Part(
        "metadata",
        "check the metadata",
        lambda _, log: check_metadata(archives(), log),
        _all_files,
    ),
    _tests("wheel", "install the wheel and test it", check_wheel),
    _tests("minimum", "test with the oldest versions", check_minimum),
    _tests("latest", "test with the newest versions", check_latest, lasts=DAY),
)

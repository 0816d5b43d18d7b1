"""Build the source distribution and the wheel twice, under different conditions, and compare."""

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from release.checkout import ROOT, commit_time, copy, digest, files
from release.commands import Failure, run
from release.contents import check_contents
from release.environments import Environment, new_environment, scratch

__all__ = ["DIST", "Archives", "build", "built", "install_tools"]

DIST = ROOT / "dist"
TOOLS = Path(__file__).parent / "tools.txt"


@dataclass(frozen=True)
class Archives:
    """What is published."""

    sdist: Path
    wheel: Path

    def hashes(self) -> dict[str, str]:
        """SHA-256 of both, by file name."""
        both = (self.sdist, self.wheel)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in both}


@dataclass(frozen=True)
class Conditions:
    """What a build must not depend on."""

    umask: int
    time: int  # of the files
    environment: dict[str, str]
    arguments: tuple[str, ...]  # of ``python -m build``


# The first builds the wheel from the source distribution, as is usual, the second from the files.
FIRST = Conditions(0o022, 1_000_000_000, {"TZ": "UTC", "PYTHONHASHSEED": "1"}, ())
SECOND = Conditions(
    0o077,
    1_600_000_001,
    {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONHASHSEED": "2",
    },
    ("--sdist", "--wheel"),
)


def install_tools(folder: Path, log: Path) -> Environment:
    """An environment with the tools that build and check archives."""
    tools = new_environment(folder, log)
    tools.install("-r", TOOLS)
    return tools


def built(folder: Path) -> Archives | None:
    """The archives in a folder, if it has one of each kind."""
    sdists, wheels = list(folder.glob("*.tar.gz")), list(folder.glob("*.whl"))
    return Archives(sdists[0], wheels[0]) if len(sdists) == len(wheels) == 1 else None


def build(log: Path) -> str:
    """Build twice, compare, check what is inside, and put the archives into ``dist``."""
    with scratch() as folder:
        tools, before = install_tools(folder / "tools", log), digest(files())
        first = _build(tools, FIRST, folder / "first", log)
        second = _build(tools, SECOND, folder / "a" / "folder with another name", log)
        if digest(files()) != before:
            raise Failure("Files must not change while they are built, but some did; try again.")
        _compare(first, second)
        facts = check_contents(first.sdist, first.wheel)
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for path in (first.sdist, first.wheel):
            shutil.copyfile(path, DIST / path.name)
    return f"two builds are the same bytes; {facts}"


def _build(tools: Environment, conditions: Conditions, folder: Path, log: Path) -> Archives:
    source, output = folder / "source", folder / "dist"
    source.mkdir(parents=True)
    copy(source, umask=conditions.umask, time=conditions.time)
    command: list[str | Path] = [
        tools.command("python"),
        "-m",
        "build",
        "--no-isolation",
        *conditions.arguments,
    ]
    time = {"SOURCE_DATE_EPOCH": str(commit_time())}
    run(
        [*command, *conditions.arguments, "--outdir", output, source],
        log,
        folder=folder,
        environment={**conditions.environment, **time},
        umask=conditions.umask,
    )
    archives = built(output)
    if archives is None:
        names = sorted(os.listdir(output))
        raise Failure(f"A build must give one .tar.gz and one .whl, but it gave {names}.")
    return archives


def _compare(first: Archives, second: Archives) -> None:
    ours, theirs = first.hashes(), second.hashes()
    different = sorted({name for name, _ in ours.items() ^ theirs.items()})
    if different:
        raise Failure(
            "Two builds of the same files must give the same bytes, but these differ: "
            f"{', '.join(different)}. Compare them with diffoscope."
        )

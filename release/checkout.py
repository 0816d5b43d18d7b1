"""The files that a release is made of: what git tracks, or would track."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from release.commands import Failure

__all__ = ["ROOT", "changes", "commit_time", "copy", "digest", "files"]

ROOT = Path(__file__).parents[1]


def files() -> list[Path]:
    """Files of the checkout, relative to it, new ones included and ignored ones not."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [Path(name) for name in sorted(set(listed)) if name and (ROOT / name).is_file()]


def changes() -> int:
    """Number of files that differ from the last commit."""
    return len(_git("status", "--porcelain").splitlines())


def commit_time() -> int:
    """When the last commit was made, in seconds since 1970."""
    return int(_git("log", "-1", "--format=%ct"))


def digest(paths: Iterable[Path]) -> str:
    """A hash of files' names, contents and permission to execute."""
    total = hashlib.sha256()
    for path in paths:
        content = hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
        total.update(f"{path}\0{content}\0{_is_executable(path)}\n".encode())
    return total.hexdigest()


def copy(folder: Path, *, umask: int, time: int) -> None:
    """Copy the files to a folder, as if checked out with this umask at this time."""
    for path in files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        target.chmod((0o777 if _is_executable(path) else 0o666) & ~umask)
        os.utime(target, (time, time))


def _is_executable(path: Path) -> bool:
    return os.access(ROOT / path, os.X_OK)


def _git(*arguments: str) -> str:
    command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise Failure("Releases are made with git, which was not found; install it.") from None
    except subprocess.CalledProcessError as error:
        raise Failure(
            "Releases are made from a git checkout with at least one commit, but git says: "
            f"{error.stderr.strip()}"
        ) from None
    return run.stdout

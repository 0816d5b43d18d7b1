"""Virtual environments outside the checkout that live as long as a check."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from release.commands import output_of, run

__all__ = ["Environment", "new_environment", "scratch"]


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed in the end, also after Ctrl-C."""
    with TemporaryDirectory(prefix="leaven-release-") as folder:
        yield Path(folder).resolve()


@dataclass(frozen=True)
class Environment:
    """A Python with packages of its own."""

    home: Path
    log: Path

    def command(self, name: str) -> Path:
        """A command of this environment, such as ``python``."""
        return self.home / ("Scripts" if os.name == "nt" else "bin") / name

    def install(self, *arguments: str | Path) -> None:
        """Install packages with pip; leaven itself is given as a file, never by its name."""
        pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        run([self.command("python"), *pip, *arguments], self.log, folder=self.home)

    def versions(self) -> dict[str, str]:
        """Versions of the installed packages, by normalized name."""
        code = (
            "import importlib.metadata as m\n"
            "for d in m.distributions(): print(d.metadata['Name'], d.version)"
        )
        lines = output_of([self.command("python"), "-c", code], self.log, folder=self.home)
        pairs = (line.split() for line in lines.splitlines())
        return {name.lower().replace("_", "-"): version for name, version in pairs}


def new_environment(home: Path, log: Path) -> Environment:
    """Make an environment with nothing but pip in it."""
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    return Environment(home, log)

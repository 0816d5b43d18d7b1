"""Commands run for a check, their output kept, and all their processes ended with this one."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

__all__ = ["Failure", "output_of", "run"]

SHOWN_LINES = 40  # of the output of a command that failed
SECONDS_TO_END = 10.0


class Failure(Exception):
    """A check that did not pass; its text says why."""


def run(
    command: Sequence[str | Path],
    log: Path,
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    umask: int = -1,
) -> int:
    """Run a command, Failure unless it ends with 0; returns where in the log its output begins."""
    words = [str(word) for word in command]
    with log.open("a", encoding="utf-8") as output:
        output.write(f"$ {' '.join(words)}\n")
        output.flush()
        start = output.tell()
        status = _status(words, output, folder, {**_ENVIRONMENT, **(environment or {})}, umask)
    if status:
        with log.open(encoding="utf-8", errors="replace") as output:
            output.seek(start)
            end = output.read().splitlines()[-SHOWN_LINES:]
        shown = "\n".join(f"    {line}" for line in end)
        raise Failure(f"{' '.join(words)} ended with exit code {status} (log: {log}):\n{shown}")
    return start


def output_of(command: Sequence[str | Path], log: Path, *, folder: Path) -> str:
    """Run a command and return what it prints."""
    start = run(command, log, folder=folder)
    with log.open(encoding="utf-8") as output:
        output.seek(start)
        return output.read()


# What would let a command find the checkout instead of what is installed.
_HIDDEN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "SOURCE_DATE_EPOCH")
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in _HIDDEN}


def _status(
    words: list[str], output: IO[str], folder: Path, environment: Mapping[str, str], umask: int
) -> int:
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        umask=umask,
        start_new_session=True,
    )
    try:
        return process.wait()
    except BaseException:  # Ctrl-C or SIGTERM: a test run has processes of its own, end them too
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise

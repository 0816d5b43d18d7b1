"""Processor time of another process: in all, and until it first says something."""

import os
import resource
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ProcessorTime:
    """Processor seconds of a process, in user mode."""

    total: float
    until_line: float  # until its first line of output


def timed_process(
    command: Sequence[str], environment: dict[str, str], besides: str
) -> ProcessorTime:
    """Run a command; lines that begin with ``besides`` are not its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    until_line = None
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if until_line is None and line.strip() and not line.startswith(besides):
                until_line = _so_far(process.pid)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    total = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return ProcessorTime(total, total if until_line is None else until_line)


def _so_far(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")  # utime is the 14th field, after the name

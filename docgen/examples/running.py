"""Running the examples of a page, in one folder and one namespace."""

import contextlib
import doctest
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from docgen.examples.comparing import agrees
from docgen.examples.pages import Block, Command, Page, commands
from leaven.cli import app

SHELL = re.compile(r"[|<>&;$*\n`\\]|^(?!leaven )")  # what needs a shell, or is another program
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COMPILING = re.compile(r"\(?compiling (numeric kernels|took)")  # what only a first run prints
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
PATIENCE = 60  # seconds, for a server to say that it is ready, and for a command


class ExampleError(AssertionError):
    """An example does not do what its page shows."""


class DifferentError(ExampleError):
    """An example prints something else."""

    def __init__(self, command: str, expected: list[str], printed: list[str]) -> None:
        shown, wanted = "\n".join(printed), "\n".join(expected)
        super().__init__(f"{command}\nprinted\n{shown}\ninstead of\n{wanted}")
        self.expected, self.printed = expected, printed


class Runner:
    """Runs the examples of a page."""

    def __init__(self, folder: Path, namespace: dict[str, Any]) -> None:
        self.folder = folder
        self.namespace = {"__name__": "__main__", **namespace}
        self.background: list[subprocess.Popen[str]] = []

    def run(self, page: Page) -> None:
        """Run all examples; the first that is wrong ends it."""
        try:
            for block in page.examples:
                try:
                    self.run_block(block)
                except ExampleError as error:
                    raise ExampleError(f"{page.name}, line {block.line}: {error}") from None
        finally:
            self.end_background()

    def run_block(self, block: Block) -> None:
        """Run one example."""
        {"console": self.console, "python": self.python, "pycon": self.pycon}[block.language](block)

    def console(self, block: Block) -> None:
        for command in commands(block.text):
            if command.is_background:
                self.start(command)
                continue
            printed, code = self.output(command.line)
            must_fail = any(line.startswith(("error:", "Error")) for line in command.expected)
            if bool(code) != must_fail:
                raise ExampleError(f"$ {command.line}\nended with exit code {code}:\n{printed}")
            self.check(command, printed)

    def check(self, command: Command, printed: str) -> None:
        """Compare what a command printed with what the page shows."""
        expected = without_blank_end(command.expected)
        found = without_blank_end(lines_of(printed))
        if not agrees(expected, found):
            raise DifferentError(command.line, expected, found)

    def output(self, line: str) -> tuple[str, int]:
        """What a command prints, and its exit code."""
        if not SHELL.search(without_quoted(line)):
            result = CliRunner().invoke(app, shlex.split(line)[1:], env=ENVIRONMENT)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                told = "".join(traceback.format_exception(result.exception))
                return f"{result.output}{told}", 1
            return result.output, result.exit_code
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        return done.stdout, done.returncode

    def start(self, command: Command) -> None:
        """Start a command that goes on, and wait for what the page shows of it."""
        path = self.folder / f"background {len(self.background)}.txt"
        with path.open("w") as file:
            started = subprocess.Popen(
                ["bash", "-c", f"exec {command.line.removesuffix('&')}"],
                cwd=self.folder,
                env=environment(),
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.background.append(started)
        end = time.monotonic() + PATIENCE
        expected = [*without_blank_end(command.expected), "…"]
        while not agrees(expected, lines_of(path.read_text())):
            if started.poll() is not None or time.monotonic() > end:
                raise ExampleError(f"$ {command.line}\nprinted\n{path.read_text()}")
            time.sleep(0.05)

    def end_background(self) -> None:
        for process in reversed(self.background):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def python(self, block: Block) -> None:
        self.execute(block.text, "exec")

    def pycon(self, block: Block) -> None:
        for example in doctest.DocTestParser().get_examples(block.text):
            printed = self.execute(example.source, "single")
            source = example.source.rstrip()
            self.check(Command(source, example.want.rstrip("\n").splitlines()), printed)

    def execute(self, source: str, mode: str) -> str:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, "<example>", mode), self.namespace)
        except Exception:
            raise ExampleError(f"{source.strip()}\n{traceback.format_exc()}") from None
        return printed.getvalue()


def lines_of(printed: str) -> list[str]:
    """Lines as a terminal would end up with them: after a carriage return, the last part."""
    text = ESCAPES.sub("", printed)
    lines = (line.rstrip().rpartition("\r")[2] for line in text.split("\n"))
    return [line for line in lines if not COMPILING.match(line)]


def without_blank_end(lines: list[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def without_quoted(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)


def environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **ENVIRONMENT, "PATH": path}

"""Signals at random moments: of commands in processes of their own, and of fits in Python.

A command that is interrupted ends soon, says so in a line at most, leaves the old output as it was
or the new one complete, and leaves no process and no temporary file behind.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzzing import _interrupts
from fuzzing._cases import PREFIX, Fault
from leaven import load

__all__ = ["run_signals"]

LEAVEN = (sys.executable, "-m", "leaven")
OLD = b"what was there before"
LONGEST = 120.0  # seconds that a command may take to end after a signal
GRACE = 5.0  # seconds in which its other processes may follow
START = 2.0  # seconds until Python has started and leaven handles signals, on a busy machine
LATEST = 1.5  # times the usual duration: several commands at once take longer than one alone
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
EVERY = 4  # of the documents one in so many, so that a command takes a second or two


@dataclass(frozen=True)
class Command:
    """A command of leaven's and the file that it writes."""

    name: str
    arguments: tuple[str, ...]  # DATA, MORE and MODEL stand for the files
    output: str


TRAIN = ("DATA", "--method", "em", "--force")
COMMANDS = (
    Command("train", ("train", *TRAIN), "out.leaven"),
    Command("train --stream", ("train", *TRAIN, "--stream"), "out.leaven"),
    Command(
        "train --dask local",
        ("train", *TRAIN, "--dask", "local", "--threads", "2"),
        "out.leaven",
    ),
    Command("predict -o", ("predict", "MODEL", "MORE", "MORE", "MORE", "--force"), "out.csv"),
)


def write_data(path: Path, every: int) -> None:
    """SciPy's docstrings as CSV, a fifth of them with their labels."""
    import pyarrow as pa

    from leaven.datasets import load_docstrings
    from leaven.documents._writers import write_table

    texts, labels, _ = load_docstrings()
    some = [label if i % 5 == 0 else None for i, label in enumerate(labels)]
    write_table(pa.table({"text": texts[::every], "label": some[::every]}), path)


@dataclass(frozen=True)
class Bench:
    """Where commands run, and what they do undisturbed."""

    folder: Path
    written: dict[str, bytes] = field(default_factory=dict)  # by name of the command

    def seconds(self, command: Command) -> float:
        """Usual duration; what the command writes is kept to compare with."""
        begun = time.monotonic()
        result = self.run(command, None, 0.0)
        if result != "finished":
            raise RuntimeError(f"{command.name} must run without a signal, got {result}")
        return time.monotonic() - begun

    def run(self, command: Command, sent: signal.Signals | None, moment: float) -> str:
        """Run a command and send it a signal after so many seconds; how it ended."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        (place / "out").mkdir()
        (place / "tmp").mkdir()
        output = place / "out" / command.output
        output.write_bytes(OLD)
        files = {"DATA": "data.csv", "MORE": "more.csv", "MODEL": "model.leaven"}
        arguments = [str(self.folder / files[a]) if a in files else a for a in command.arguments]
        process = subprocess.Popen(
            [*LEAVEN, *arguments, "-o", output],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": str(place / "tmp")},
            start_new_session=True,
        )
        try:
            if sent is not None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(moment)
                _send(process, sent)
            _, errors = process.communicate(timeout=LONGEST)
            is_new = self._is_new(output, command)
            result = _ending(process.returncode, sent, errors, moment < START, is_new)
            _check_left(place)
            _check_orphans(process.pid)
            return result
        except subprocess.TimeoutExpired:
            raise Fault(f"still runs {LONGEST:.0f} seconds after the signal") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            shutil.rmtree(place, ignore_errors=True)

    def _is_new(self, output: Path, command: Command) -> bool:
        """Whether the command replaced its output, which must be complete then."""
        content = output.read_bytes()
        if content == OLD:
            return False
        if output.suffix == ".leaven":  # which differs in the seconds that training took
            load(output)
        elif content != self.written.setdefault(command.name, content):
            raise Fault("the output is incomplete", f"{len(content):,} bytes")
        return True


def _send(process: subprocess.Popen[str], sent: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)  # as a terminal does
        else:
            process.send_signal(sent)


def _ending(
    code: int, sent: signal.Signals | None, errors: str, is_early: bool, is_new: bool
) -> str:
    lines = errors.splitlines()
    if "Traceback (most recent call last):" in errors:
        # The imports before a function of leaven's runs, the first of which handles signals.
        ours = [line for line in lines if "/leaven/" in line and not line.endswith("in <module>")]
        if is_early and not ours and sent == signal.SIGINT and code != CODES[sent]:
            return "ended while Python starts"
        error = next((line for line in reversed(lines) if line[:1].isupper()), "")
        raise Fault(f"traceback, {error[:60]}", " | ".join(map(str.strip, lines))[-1500:])
    if "Exception ignored" in errors or "leaked" in errors:
        raise Fault("exception ignored", " | ".join(lines)[-1500:])
    if any(len(line) > 600 for line in lines):
        raise Fault("a line over 600 characters on stderr", errors[:300])
    if code == 0 and is_new:
        return "finished"
    if sent is not None and code == CODES[sent]:
        return "interrupted, new output" if is_new else "interrupted"
    if sent is not None and code == -sent and (is_early or is_new):
        return "ended while Python ends" if is_new else "ended while Python starts"
    raise Fault(f"exit code {code}, {'new' if is_new else 'old'} output", " | ".join(lines)[-300:])


def _check_left(place: Path) -> None:
    expected = {"out", "tmp", "out/out.leaven", "out/out.csv"}
    left = {path.relative_to(place).as_posix() for path in place.rglob("*")} - expected
    if left:
        raise Fault("files left", str(sorted(left))[:300])


def _check_orphans(group: int) -> None:
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise Fault("a process is left", f"group {group}")


def run_signals(n_inputs: int, seed: int, n_workers: int, seconds: float) -> int:
    """Interrupt commands and fits; print counts by outcome; 1 if anything unexpected happened."""
    begun = time.monotonic()
    # A shell starts what runs in its background so that it ignores SIGINT, and so would commands.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    outcomes: Counter[tuple[str, str]] = Counter()
    faults: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        bench = Bench(Path(folder))
        write_data(bench.folder / "data.csv", EVERY)
        write_data(bench.folder / "more.csv", 1)
        model = str(bench.folder / "model.leaven")
        train = ["train", str(bench.folder / "data.csv"), "--method", "nb", "-o", model]
        subprocess.run([*LEAVEN, *train], check=True, capture_output=True)
        usual = {command.name: bench.seconds(command) for command in COMMANDS * 2}  # once warm
        for name, duration in usual.items():
            print(f"{name}: {duration:.1f} s undisturbed", flush=True)

        def one(number: int) -> None:
            if seconds and time.monotonic() - begun > seconds:
                return
            rng = Random(f"signals {seed} {number}")
            command = COMMANDS[number % len(COMMANDS)]
            sent = rng.choice((signal.SIGINT, signal.SIGTERM))
            moment = rng.uniform(0, LATEST * usual[command.name])
            group = f"{command.name}, {sent.name}"
            try:
                outcomes[group, bench.run(command, sent, moment)] += 1
            except Fault as fault:
                outcomes[group, fault.kind] += 1
                faults.setdefault(
                    (group, fault.kind), f"number {number} after {moment:.3f} s: {fault.detail}"
                )

        _in_threads(one, range(n_inputs), n_workers)
    for kind, count in _interrupts.in_child(n_inputs, seed).items():
        outcomes["fit in Python, SIGINT", kind] += count
        if kind not in _interrupts.EXPECTED:
            faults["fit in Python, SIGINT", kind] = f"seed {seed}"
    for (group, kind), count in sorted(outcomes.items()):
        mark = "  UNEXPECTED " + faults[group, kind] if (group, kind) in faults else ""
        print(f"{count:>6,}  {group}: {kind}{mark}")
    print(f"{sum(outcomes.values()):,} signals in {time.monotonic() - begun:,.0f} s")
    return int(bool(faults))


def _in_threads(one: Callable[[int], None], numbers: Iterable[int], n_workers: int) -> None:
    with ThreadPoolExecutor(n_workers) as pool:
        for _ in pool.map(one, numbers):
            pass

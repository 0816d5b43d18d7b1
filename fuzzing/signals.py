"""Signals at random moments: of commands in processes of their own, and of fits in Python.

A command that is interrupted ends at once, says so in a line, leaves the old output as it was, and
leaves no process and no temporary file behind.
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
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzzing import _interrupts
from fuzzing._cases import PREFIX, Fault

__all__ = ["run_signals"]

LEAVEN = str(Path(sys.executable).with_name("leaven"))
OLD = b"what was there before"
LONGEST = 120.0  # seconds that a command may take to end after a signal
GRACE = 5.0  # seconds in which its other processes may follow
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
EVERY = 4  # of the documents one in so many, so that a command takes a second or two


@dataclass(frozen=True)
class Command:
    """A command of leaven's and the file that it writes."""

    name: str
    arguments: tuple[str, ...]  # DATA, MORE and MODEL stand for the files
    output: str


COMMANDS = (
    Command("train", ("train", "DATA", "--method", "em"), "out.leaven"),
    Command("train --stream", ("train", "DATA", "--stream", "--method", "em"), "out.leaven"),
    Command(
        "train --dask local",
        ("train", "DATA", "--dask", "local", "--threads", "2", "--method", "em"),
        "out.leaven",
    ),
    Command("predict -o", ("predict", "MODEL", "MORE", "MORE", "MORE"), "out.csv"),
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
    """Where commands run, and how long each takes undisturbed."""

    folder: Path

    def seconds(self, command: Command) -> float:
        """Usual duration."""
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
            [LEAVEN, *arguments, "-o", output],
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
            result = _ending(process.returncode, sent, errors)
            _check_output(output, result)
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


def _send(process: subprocess.Popen[str], sent: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)  # as a terminal does
        else:
            process.send_signal(sent)


def _ending(code: int, sent: signal.Signals | None, errors: str) -> str:
    lines = errors.splitlines()
    if "Traceback (most recent call last):" in errors:
        ours = [line.strip() for line in lines if "/leaven/" in line and "File" in line]
        if not ours and sent == signal.SIGINT:
            return "interrupted before leaven ran"
        error = next((line for line in reversed(lines) if line[:1].isupper()), "")
        raise Fault(f"traceback, {error[:60]}", " | ".join(map(str.strip, lines))[-1500:])
    if "Exception ignored" in errors or "leaked" in errors:
        raise Fault("exception ignored", " | ".join(lines)[-300:])
    if code == 0:
        return "finished"
    if sent is None or code not in (CODES[sent], -sent):
        raise Fault(f"exit code {code}", " | ".join(lines)[-300:])
    if any(len(line) > 600 for line in lines):
        raise Fault("a line over 600 characters on stderr", errors[:300])
    return "interrupted"


def _check_output(output: Path, result: str) -> None:
    others = [path.name for path in output.parent.iterdir() if path != output]
    if others:
        raise Fault("a file left beside the output", str(others)[:200])
    is_old = output.read_bytes() == OLD
    if is_old and result == "finished":
        raise Fault("finished, but the output is old")
    if not is_old and result != "finished":
        raise Fault("interrupted, but the output is new", f"{output.stat().st_size:,} bytes")


def _check_left(place: Path) -> None:
    left = [str(path.relative_to(place)) for path in (place / "tmp").rglob("*")]
    if left:
        raise Fault("temporary files left", str(left)[:200])


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
        subprocess.run([LEAVEN, *train], check=True, capture_output=True)
        usual = {command.name: bench.seconds(command) for command in COMMANDS}
        for name, duration in usual.items():
            print(f"{name}: {duration:.1f} s undisturbed", flush=True)

        def one(number: int) -> None:
            if seconds and time.monotonic() - begun > seconds:
                return
            rng = Random(f"signals {seed} {number}")
            command = COMMANDS[number % len(COMMANDS)]
            sent = rng.choice((signal.SIGINT, signal.SIGTERM))
            moment = rng.uniform(0, usual[command.name])
            group = f"{command.name}, {sent.name}"
            try:
                outcomes[group, bench.run(command, sent, moment)] += 1
            except Fault as fault:
                outcomes[group, fault.kind] += 1
                faults.setdefault((group, fault.kind), f"after {moment:.3f} s: {fault.detail}")

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

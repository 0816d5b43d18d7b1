import io
import sys
import warnings

import numba
import pytest
import typer

from leaven._base import compile as compiling
from leaven._base.bars import Bars, readable_size
from leaven._base.compile import Kernel
from leaven.cli._common import Talk


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def new_kernel():
    """Kernels of the package that no cache holds yet."""

    def make(step):
        def add(x):
            return x + step

        add.__module__ = "leaven.own_kernels"
        return Kernel(numba.njit(add))

    return make


def test_compiling_is_announced_once_on_standard_error(capsys, new_kernel):
    with Talk():
        for step in (1, 2):
            assert new_kernel(step)(1) == 1 + step
    captured = capsys.readouterr()
    assert captured.err.count("compiling numeric kernels, once per installation") == 1
    assert captured.err.endswith("s of this run)\n")
    assert captured.out == ""


def test_where_nothing_can_be_kept_the_notice_names_the_variable(capsys, new_kernel, monkeypatch):
    monkeypatch.setattr(compiling._announcer, "is_kept", False)
    with Talk():
        new_kernel(3)(1)
    said = capsys.readouterr().err
    assert "in every process" in said
    assert "NUMBA_CACHE_DIR" in said


def test_in_python_the_notice_is_logged(caplog, new_kernel, monkeypatch):
    monkeypatch.setattr(compiling.NOTICE, "is_said", False)
    new_kernel(4)(1)
    new_kernel(5)(1)
    (record,) = caplog.records
    assert record.name == "leaven"
    assert "compiling numeric kernels" in record.getMessage()


def test_nothing_is_announced_when_nothing_compiles(capsys):
    with Talk():
        pass
    assert capsys.readouterr().err == ""


def test_a_warning_is_shown_once_in_one_line(capsys):
    with Talk() as talk:
        for _ in range(2):
            warnings.warn("first line\nsecond line", UserWarning, stacklevel=1)
    assert talk.warnings == ["first line second line"]
    assert capsys.readouterr().err == "warning: first line second line\n"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ValueError("two\nlines"), 1, "error: two lines"),
        (PermissionError(13, "Permission denied", "a.csv"), 1, "error: Permission denied: 'a.csv'"),
        (MemoryError(), 1, "error: not enough memory"),
        (KeyError("k"), 1, "error: KeyError: 'k' (unexpected; LEAVEN_DEBUG=1 shows where)"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_an_exception_becomes_one_line_and_an_exit_code(capsys, error, code, line):
    with pytest.raises(typer.Exit) as caught, Talk():
        raise error
    assert caught.value.exit_code == code
    shown = capsys.readouterr().err
    assert shown.startswith(line)
    assert shown.count("\n") == 1


def test_a_usage_error_is_left_to_the_parser():
    with pytest.raises(typer.BadParameter), Talk():
        raise typer.BadParameter("no")


def test_a_bar_appears_only_when_a_phase_is_slow(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    clock = iter([0.0, 0.5, 2.0, 2.1])
    monkeypatch.setattr("leaven._base.bars.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("leaven._base.bars._progress_display", FakeDisplay)
    bars = Bars()
    bars("counting", 0, 4_000_000)
    bars("counting", 1_000_000, 4_000_000)
    assert bars._display is None
    bars("counting", 2_000_000, 4_000_000)
    bars("counting", 3_000_000, 4_000_000)
    assert bars._display.shown == ["2.0 MB of 4.0 MB", "3.0 MB of 4.0 MB"]
    bars.stop()
    assert bars._display is None


class FakeDisplay:
    def __init__(self):
        self.shown = []

    def start(self):
        pass

    stop = start

    def add_task(self, *args, **fields):
        return 0

    def update(self, task, *, amount, **fields):
        self.shown.append(amount)


def test_the_real_display_draws_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("leaven._base.bars.PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    bars = Bars()
    bars("EM", 3, 100)
    bars.stop()
    assert "iteration 3 of at most 100" in terminal.getvalue()


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (2_340_000, "2.3 MB"),
        (5_000_000_000, "5.0 GB"),
    ],
)
def test_sizes_are_readable(n_bytes, shown):
    assert readable_size(n_bytes) == shown

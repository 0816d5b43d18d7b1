"""What only a process of its own can show: imports, signals, pipes, the entry point."""

import os
import signal
import subprocess
import sys
import time

import pytest

from leaven import __version__

SLOW = pytest.mark.slow
RUN = [sys.executable, "-m", "leaven"]

LOADED = """
import sys
from leaven.cli import app
for verb in {verbs!r}:
    try:
        app(verb, standalone_mode=False)
    except SystemExit as end:
        assert not end.code, verb
print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)
"""


@SLOW
def test_predicting_loads_no_scikit_learn(model, held_out):
    verbs = [
        ["predict", str(model), str(held_out)],
        ["predict", str(model), str(held_out), "--stream"],
        ["evaluate", str(model), str(held_out)],
        ["explain", str(model)],
        ["explain", str(model), "dough"],
        ["info", str(model)],
    ]
    code = LOADED.format(verbs=verbs, heavy={"sklearn", "matplotlib", "dask"})
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


NOT_TO_PREDICT = {
    "dask", "fastapi", "matplotlib", "rich", "sklearn", "uvicorn",
    "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.stats",
    "numba.np.arrayobj", "numba.np.linalg", "numba.typed.typeddict",  # for compiling only
    "leaven.estimators", "leaven.held_out", "leaven.labeling", "leaven.learners", "leaven.serving",
}  # fmt: skip


def test_predicting_one_document_imports_only_what_it_needs(model, tmp_path):
    document = tmp_path / "one.txt"
    document.write_text("dough")
    code = LOADED.format(verbs=[["predict", str(model), str(document)]], heavy=NOT_TO_PREDICT)
    for _ in range(2):  # the first may have to compile
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert done.stderr.splitlines()[-1] == "[]"


@SLOW
def test_a_model_with_english_stop_words_predicts_without_scikit_learn(run, data, held_out):
    run("train", data, "-o", "stop.leaven", "--stop-words", "english")
    code = LOADED.format(verbs=[["predict", "stop.leaven", str(held_out)]], heavy={"sklearn"})
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_help_loads_nothing_heavy():
    code = "import sys, leaven.cli; print({'numpy', 'numba', 'pyarrow', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_entry_point_prints_the_version():
    done = subprocess.run([*RUN, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"leaven {__version__}\n"


def test_without_a_command_there_is_help():
    done = subprocess.run(RUN, capture_output=True, text=True)
    assert "Usage: leaven" in done.stdout + done.stderr


@SLOW
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interrupt_ends_with_130_one_line_and_no_files(tmp_path):
    with subprocess.Popen(
        [*RUN, "train", "-", "-o", "out.leaven"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("text,label\nsome words,a\n")
        process.stdin.flush()
        _wait_for(lambda: any(tmp_path.iterdir()))  # the copy of standard input
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=30)
    assert process.returncode == 130
    assert talk == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


SWALLOWED = """
import os, signal
from leaven._base.interrupts import interruptible
from leaven.cli._common import Talk
with interruptible(), Talk():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except SystemExit:
        raise ValueError("what other code makes of it")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interrupt_that_other_code_turns_into_an_error_is_reported_as_one():
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "interrupted\n")


@SLOW
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_a_cluster_starts_leaves_nothing_behind(data, tmp_path, sent):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*RUN, "train", str(data), "-o", str(tmp_path / "out.leaven"), "--dask", "local"],
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
        text=True,
        start_new_session=True,
    )
    try:
        _wait_for(lambda: any(temporary.glob("leaven-dask-*/*")))
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)  # as a terminal does
        else:
            process.send_signal(sent)
        _, talk = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, talk) == (128 + sent, "interrupted\n")
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "out.leaven").exists()
    _wait_for(lambda: not _is_running(process.pid))


@SLOW
@pytest.mark.skipif(os.name == "nt", reason="pipes are POSIX's")
def test_a_reader_that_goes_away_is_no_error(model, held_out):
    with subprocess.Popen(
        [*RUN, "predict", str(model), str(held_out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        talk = process.stderr.read()
    assert process.returncode == 141
    assert [line for line in talk.splitlines() if not line.startswith("compiling")] == []


def _wait_for(condition, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def _is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True

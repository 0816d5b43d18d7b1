"""Kernels are compiled once and kept, until any file with kernels changes."""

import gc
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import caching
from numba.core.errors import TypingError

import leaven
from leaven._base import compile as compiling
from leaven._base import compile_cache
from leaven._base.compile import kernel, kernel_inline, kernel_part
from leaven._base.compile_cache import SOURCES

PACKAGE = Path(leaven.__file__).parent
STEP = """
import numpy as np
from leaven._base.compile import kernel

@kernel
def step(x):
    return np.full(2, x + 1)[0]
"""
TWICE = """
from leaven._base.compile import kernel
from own_step_kernels import step

@kernel
def twice(x):
    return 2 * step(x)
"""


def test_without_a_place_for_compiled_code_kernels_still_work(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(compiling._announcer, "is_kept", True)

    @kernel
    def twice(x):
        return 2 * x

    assert twice(21) == 42
    assert not compiling._announcer.is_kept


@pytest.mark.parametrize("as_part", [kernel_part, kernel_inline])
def test_a_part_is_compiled_into_the_kernels_that_call_it_and_python_cannot_call_it(as_part):
    @as_part
    def half(x):
        return x[0] / 2

    @kernel
    def halves(x):
        return half(x), half(2 * x)

    assert halves(np.array([3.0])) == (1.5, 3.0)
    assert not callable(half)


def test_a_part_may_create_an_array():
    @kernel_part
    def half(x):
        return np.full(2, x / 2)

    @kernel
    def halves(x):
        return half(x), half(2 * x)

    first, second = halves(3.0)
    assert (first.tolist(), second.tolist()) == ([1.5, 1.5], [3.0, 3.0])


def test_an_inlined_part_must_not_return_an_array():
    @kernel_inline
    def same(x):
        return x

    @kernel
    def total(x):
        return same(x).sum()

    with pytest.raises(TypeError, match=r"same must return no arrays.*make it a kernel_part"):
        total(np.ones(2))


def test_an_error_in_a_part_reaches_python():
    @kernel_part
    def fail(x):
        if x > 2:
            raise ValueError("too large")
        return x

    @kernel
    def failing(x):
        return fail(x) + 1

    assert failing(1) == 2
    with pytest.raises(ValueError, match="too large"):
        failing(3)


def test_garbage_is_collected_again_after_compiling(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(compiling._announcer, "is_kept", True)  # restored afterwards
    seen = []
    end = compiling.NOTICE.end

    def noted_end():
        seen.append(gc.isenabled())
        end()

    monkeypatch.setattr(compiling.NOTICE, "end", noted_end)

    @kernel_part
    def inner(x):
        return x + 1

    def fails(x):
        return inner(x).nothing

    fails.__module__ = "leaven.own_kernels"
    fails = kernel(fails)
    assert gc.isenabled()
    with pytest.raises(TypingError):
        fails(1)
    assert seen
    assert not any(seen)
    assert gc.isenabled()


def test_kernels_run_without_the_gil(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])  # code from disk shows nothing
    monkeypatch.setattr(compiling._announcer, "is_kept", True)  # restored afterwards

    @kernel
    def same(x):
        return x

    same(1)
    (code,) = same.dispatcher.inspect_llvm().values()
    assert "PyEval_SaveThread" in code


def test_loading_compiled_code_imports_no_part_of_numba_that_compiles(tmp_path):
    (tmp_path / "own_kernels.py").write_text(STEP)
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from own_kernels import step\n"
        "assert step(1) == 2\n"
        "print('numba.np.arrayobj' in sys.modules)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert printed == ["True", "False"]


@pytest.fixture
def start_anew(tmp_path, monkeypatch):
    """Import two small files of kernels as a new process would; returns the second's kernel."""
    monkeypatch.setattr(compile_cache, "PACKAGE", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # told by seconds, if files changed
    (tmp_path / "own_step_kernels.py").write_text(STEP)
    (tmp_path / "own_twice_kernels.py").write_text(TWICE)

    digest = compile_cache.digest

    def forget():
        for name in ("own_step_kernels", "own_twice_kernels"):
            sys.modules.pop(name, None)
        digest.cache_clear()
        importlib.invalidate_caches()

    def start():
        forget()
        return importlib.import_module("own_twice_kernels").twice

    yield start
    forget()


def was_compiled(twice):
    """Whether the one signature that was asked for was compiled and not found on disk."""
    stats = twice.dispatcher.stats
    assert sum(stats.cache_hits.values()) + sum(stats.cache_misses.values()) == 1
    return bool(stats.cache_misses)


def test_compiled_code_is_found_again_if_no_kernel_changed(start_anew, tmp_path):
    twice = start_anew()
    assert twice(3) == 8
    assert was_compiled(twice)
    (tmp_path / "other.py").write_text("no_kernel = 1")
    again = start_anew()
    assert again is not twice
    assert again(3) == 8
    assert not was_compiled(again)


def test_a_change_in_another_kernel_file_is_noticed(start_anew, tmp_path):
    assert start_anew()(3) == 8
    (tmp_path / "own_step_kernels.py").write_text(STEP.replace("x + 1", "x + 10"))
    twice = start_anew()
    assert twice(3) == 26
    assert was_compiled(twice)


def test_numba_alone_would_not_notice(start_anew, tmp_path, monkeypatch):
    """So that the test before can fail."""
    monkeypatch.setattr(compile_cache, "digest", lambda: "always the same")
    assert start_anew()(3) == 8
    (tmp_path / "own_step_kernels.py").write_text(STEP.replace("x + 1", "x + 10"))
    twice = start_anew()
    assert twice(3) == 8
    assert not was_compiled(twice)


def test_every_file_that_compiles_is_among_those_that_are_looked_at():
    uses = re.compile(r"^from leaven\._base\.compile import |\bnjit\(|@jit\b", re.MULTILINE)
    compilers = {path for path in PACKAGE.rglob("*.py") if uses.search(path.read_text())}
    assert len(compilers) > 5
    assert compilers - set(PACKAGE.rglob(SOURCES)) == {PACKAGE / "_base" / "compile.py"}

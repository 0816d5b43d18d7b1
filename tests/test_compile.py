import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import caching

import leaven
from leaven._base.compile import kernel

PACKAGE = Path(leaven.__file__).parent
COUNT = "from leaven.text import TextVectorizer as T; print(sorted(T().fit(['ab c']).vocabulary_))"


def test_without_a_place_for_compiled_code_kernels_still_work(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])

    @kernel
    def twice(x):
        return 2 * x

    assert twice(21) == 42


@pytest.mark.slow
def test_a_change_in_another_kernel_file_is_noticed(tmp_path):
    copy = tmp_path / "leaven"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def words():
        command = [sys.executable, "-c", COUNT]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert words() == "['ab']"
    tokenizers = copy / "text" / "_token_kernels.py"
    source = tokenizers.read_text()
    changed = source.replace("if length >= min_length:", "if length >= 1:")
    assert changed != source
    tokenizers.write_text(changed)
    assert words() == "['ab', 'c']"

"""What the README shows must run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
GIVEN = """
texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"] * 3
labels = ["baking", "space", None, None] * 3
codes = [0, 1, -1, -1] * 3
new_texts = ["bread dough", "an orbit"]
"""


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_readmes_python_runs(block, tmp_path):
    command = [sys.executable, "-W", "error", "-c", GIVEN + block]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_readme_has_python_to_run():
    assert len(BLOCKS) == 3


def test_the_readmes_links_exist():
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (README.parent / target).exists(), target

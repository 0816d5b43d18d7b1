import runpy
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_about_the_command_line_is_current():
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    if f"typer=={version('typer')}" not in pinned:
        pytest.skip("other versions of typer lay out help differently")
    wanted = runpy.run_path(str(ROOT / "docs" / "generate.py"))["page"]()
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == wanted, "run: python docs/generate.py"

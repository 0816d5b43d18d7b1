from importlib.metadata import version
from pathlib import Path

import pytest
from docgen import command_line

ROOT = Path(__file__).parents[2]


def test_the_page_about_the_command_line_is_current():
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    if f"typer=={version('typer')}" not in pinned:
        pytest.skip("other versions of typer lay out help differently")
    written = (ROOT / command_line.PAGE).read_text(encoding="utf-8")
    assert written == command_line.page(), "run: python -m docgen"

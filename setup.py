"""The one thing that pyproject.toml cannot say: README without links into the checkout."""

from pathlib import Path

from release.long_description import long_description
from setuptools import setup

README = Path(__file__).parent / "README.md"

setup(
    long_description=long_description(README.read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)

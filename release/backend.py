"""Build backend: setuptools, whose archives are then written again reproducibly.

It is named in ``pyproject.toml``, so that ``pip wheel``, ``python -m build`` and package managers
all build the same bytes from the same files.
"""

from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  (the other hooks, unchanged)

from release.archives import build_time, rewrite_sdist, rewrite_wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build the source distribution."""
    name: str = build_meta.build_sdist(sdist_directory, config_settings)
    rewrite_sdist(Path(sdist_directory, name), build_time())
    return name


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel."""
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    rewrite_wheel(Path(wheel_directory, name), build_time())
    return name

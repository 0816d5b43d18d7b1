"""A plugin for pytest: tests run against an installed leaven, never the source beside them."""

from pathlib import Path

import pytest

__all__ = ["pytest_configure"]


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run where ``import leaven`` finds anything but an installed wheel."""
    import leaven

    place = Path(leaven.__file__).resolve()
    if "site-packages" not in place.parts or config.rootpath.resolve() in place.parents:
        raise pytest.UsageError(f"leaven must be imported from site-packages, but it is in {place}")

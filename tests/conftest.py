"""Fixtures of all tests."""

import pytest
from hypothesis import settings

from leaven.datasets import data_folder

# Time is measured by benchmarks: on a busy machine any test can be slow.
settings.register_profile("leaven", deadline=None)
settings.load_profile("leaven")


@pytest.fixture(scope="session")
def real_data():
    """Folder of the real corpora, or a skip."""
    folder = data_folder()
    if folder is None:
        pytest.skip("real corpora are absent; set LEAVEN_DATA to the folder that holds them")
    return folder

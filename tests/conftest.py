"""Fixtures of all tests."""

import pytest

from leaven.datasets import data_folder


@pytest.fixture(scope="session")
def real_data():
    """Folder of the real corpora, or a skip."""
    folder = data_folder()
    if folder is None:
        pytest.skip("real corpora are absent; set LEAVEN_DATA to the folder that holds them")
    return folder

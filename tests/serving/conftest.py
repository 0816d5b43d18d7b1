"""Models, and servers of them in a thread or in a process of their own."""

import pytest

pytest.importorskip("fastapi")

from prediction_server import Served, make_texts, save_models


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Paths of small models by name: one label, several labels, whole numbers, neighbors."""
    return save_models(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def texts():
    return make_texts(60, seed=1)


@pytest.fixture
def serve():
    """Start servers, each in a thread; they end with the test."""
    started = []

    def start(*models, **limits):
        started.append(Served([str(each) for each in models], **limits))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture(scope="module")
def served(models):
    """A server of all models."""
    found = Served([f"{name}={path}" for name, path in models.items()])
    yield found
    found.close()

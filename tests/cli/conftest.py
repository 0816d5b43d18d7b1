import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from leaven.cli import app

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}
COMMON = ["the", "and", "with", "about", "some", "very", "one", "other"]


def make_rows(n: int, n_labeled: int, seed: int = 0) -> list[dict[str, str]]:
    """Documents of three classes; the first ``n_labeled`` of each class are labeled."""
    random_words = random.Random(seed)
    rows = []
    for i in range(n):
        name = list(WORDS)[i % len(WORDS)]
        words = random_words.choices(WORDS[name], k=5) + random_words.choices(COMMON, k=4)
        label = name if i // len(WORDS) < n_labeled else ""
        rows.append({"id": str(i), "text": " ".join(words), "label": label})
    return rows


def write_csv(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def invoke(*args: str | Path, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, [str(arg) for arg in args], input=input)

    return invoke


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Sixty documents, four of each class labeled."""
    return write_csv(tmp_path / "data.csv", make_rows(60, 4))


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    """Thirty labeled documents."""
    return write_csv(tmp_path / "held.csv", make_rows(30, 30, seed=1))


def train_model(folder: Path, *options: str) -> Path:
    path = folder / "three.leaven"
    rows = write_csv(folder / "data.csv", make_rows(60, 4))
    result = CliRunner().invoke(app, ["train", str(rows), "-o", str(path), *options])
    assert result.exit_code == 0, result.stderr
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the three classes."""
    return train_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def em_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the three classes that is a mixture and nothing else."""
    return train_model(tmp_path_factory.mktemp("em_model"), "--method", "em")


@pytest.fixture
def make_csv(tmp_path: Path) -> Callable[..., Path]:
    """Write a CSV file of given rows."""
    return lambda rows, name="made.csv": write_csv(tmp_path / name, rows)


@pytest.fixture
def rows() -> Callable[..., list[dict[str, str]]]:
    """Make rows of documents."""
    return make_rows

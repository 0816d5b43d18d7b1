"""Documents with several labels on the command line: how they are read, compared, refused."""

import numpy as np
import pytest

from leaven.cli.train import train
from leaven.documents._reading import Reading

WORDS = {"corn": "maize ear kernel husk", "oil": "barrel crude opec pump", "gold": "ounce mine"}


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    found = []
    for i in range(60):
        names = sorted(rng.choice(list(WORDS), rng.choice([0, 1, 1, 2]), replace=False).tolist())
        words = [word for name in names for word in rng.choice(WORDS[name].split(), 4)]
        others = rng.choice(["time", "week", "people", "year", "world", "day"], 5)
        found.append((" ".join([*words, *others]), None if i % 4 == 0 else names))
    return found


@pytest.fixture
def data(tmp_path, rows):
    path = tmp_path / "data.csv"
    cells = ["" if names is None else "|".join(names) or "|" for _, names in rows]
    lines = [f"{text},{cell}\n" for (text, _), cell in zip(rows, cells, strict=True)]
    path.write_text("text,label\n" + "".join(lines))
    return path


@pytest.mark.parametrize("stream", [False, True])
def test_a_separator_gives_sets_of_labels(data, rows, stream):
    fitted = train([str(data)], Reading(label_separator="|"), method="svm", stream=stream)
    assert fitted.classes.tolist() == sorted(WORDS)
    assert fitted.report.n_labeled == sum(names is not None for _, names in rows)
    assert fitted.reading.label_separator == "|"
    assert fitted.labels.allows_empty
    reading = Reading(label_separator="|")
    fitted = train([str(data)], reading, method="svm", stream=stream, allow_empty=False)
    assert not fitted.labels.allows_empty


def test_compare_reads_sets_and_says_exact_match(run, data):
    result = run("compare", data, "--label-separator", "|", "--methods", "svm", "--folds", "2")
    assert "exact match" in result.stdout
    assert "micro F1" in result.stdout
    assert "held-out label sets" in result.stdout


@pytest.mark.parametrize("command", ["diagnose", "errors"])
def test_commands_for_one_label_refuse_sets(run, data, command):
    result = run(command, data, "--label-separator", "|")
    assert result.exit_code != 0
    assert "needs one label per document, but the documents have sets of labels" in " ".join(
        result.stderr.split()
    )

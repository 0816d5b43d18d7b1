"""Files on a disk without space: named, explained, and nothing is left behind."""

import errno
import os
import resource
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest

from leaven import TextClassifier
from leaven._base.atomic_files import replacing, write_atomically
from leaven.documents._writers import write_tables
from leaven.exceptions import DataError

LABELED = '{"text": "aa w1", "label": "x"}\n{"text": "bb w2", "label": "y"}\n'
TABLE = pa.table({"text": [f"some words {i * 7919}" for i in range(20_000)]})


@pytest.fixture
def full_disk(tmp_path):
    """A folder with room for 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True
    )
    if made.returncode:
        pytest.skip("only the superuser can make a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def largest_file(n_bytes):
    """Files that the system refuses to let grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def refused(call, path, number, *parts):
    with pytest.raises(OSError, match="could not be written") as caught:
        call()
    assert caught.value.errno == number
    message = str(caught.value)
    assert "\n" not in message
    assert "Errno" not in message
    assert message.startswith(repr(str(path)))
    for part in parts:
        assert part in message


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet", "out.csv.gz"])
def test_a_table_on_a_full_disk(full_disk, name):
    path = full_disk / name
    expected = ("No space left on device", "no file was left behind", "free some space")
    refused(lambda: write_tables([TABLE] * 3, path), path, errno.ENOSPC, *expected)
    assert not os.listdir(full_disk)


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.parquet", "out.csv.gz"])
def test_a_table_beyond_the_largest_file(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"earlier")
    with largest_file(10_000):
        expected = ("File too large", "the earlier file is unchanged", "ulimit -f")
        refused(lambda: write_tables([TABLE], path), path, errno.EFBIG, *expected)
    assert os.listdir(tmp_path) == [name]
    assert path.read_bytes() == b"earlier"


def test_a_model_on_a_full_disk(full_disk):
    words = [f"word{i}" for i in range(20_000)]
    model = TextClassifier("nb", calibrate=False)
    model.fit([" ".join(words[:10_000]), " ".join(words[10_000:])], ["a", "b"])
    path = full_disk / "model.leaven"
    path.write_bytes(b"earlier")
    expected = ("No space left on device", "the earlier file is unchanged", "free some space")
    refused(lambda: model.save(path), path, errno.ENOSPC, *expected)
    assert os.listdir(full_disk) == ["model.leaven"]
    assert path.read_bytes() == b"earlier"


def test_a_plot_on_a_full_disk(full_disk):
    from matplotlib.figure import Figure

    from leaven.cli._plots import _save

    figure = Figure(figsize=(8, 8))
    axes = figure.add_subplot()
    axes.imshow(np.random.default_rng(0).random((400, 400)))
    path = full_disk / "plot.png"
    refused(lambda: _save(figure, path), path, errno.ENOSPC, "no file was left behind")
    assert not os.listdir(full_disk)


def test_counts_on_a_full_disk(full_disk, tmp_path):
    lines = [f'{{"text": "{" ".join(f"w{i * j}" for j in range(40))}"}}\n' for i in range(2000)]
    (tmp_path / "x.jsonl").write_text(LABELED + "".join(lines))
    with pytest.raises(DataError, match="No space left on device; choose a folder") as caught:
        TextClassifier("nb").fit_files(tmp_path / "x.jsonl", cache=full_disk)
    assert f"counts cannot be kept in {str(full_disk)!r}" in str(caught.value)
    assert not os.listdir(full_disk)


def test_a_disk_that_is_read_only(full_disk):
    subprocess.run(["mount", "-o", "remount,ro", full_disk], check=True)
    path = full_disk / "out"
    expected = ("Read-only file system", "no file was left behind", "that can be written to")
    refused(lambda: write_atomically(path, b"x"), path, errno.EROFS, *expected)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_one_may_not_write_to(tmp_path):
    tmp_path.chmod(0o500)
    path = tmp_path / "out"
    refused(lambda: write_atomically(path, b"x"), path, errno.EACCES, "change its permissions")


def test_a_device_without_space():
    expected = ("No space left on device", "incomplete")
    refused(write_to_full, "/dev/full", errno.ENOSPC, *expected)


def write_to_full():
    with replacing("/dev/full") as file:
        file.write(b"x")


def test_what_goes_wrong_with_another_file_is_not_blamed_on_this_one(tmp_path):
    def copy_what_is_missing():
        with replacing(tmp_path / "out"):
            raise PermissionError(errno.EACCES, "Permission denied", "source.csv")

    with pytest.raises(PermissionError, match=r"Permission denied: 'source\.csv'"):
        copy_what_is_missing()


@pytest.mark.parametrize("command", ["info", "explain"])
def test_standard_output_without_space_is_an_error_of_one_line(tmp_path, command):
    path = tmp_path / "m.leaven"
    TextClassifier("nb", calibrate=False).fit(["dough", "star"], ["a", "b"]).save(path)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from leaven.cli import main; main()", command, path],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        "error: standard output could not be written: No space left on device; free some space "
        "there, or write to another disk\n"
    )

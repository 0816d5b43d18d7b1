"""What a release consists of: versions agree, archives are complete and reproducible."""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest
import yaml
from packaging.version import Version
from release.__main__ import check, main
from release.archives import EARLIEST, build_time, rewrite_sdist, rewrite_wheel
from release.bounds import FILE, behind, lower_bounds, minimum_text, pins
from release.commands import Failure, output_of, run
from release.contents import data_files, faults_of_sdist, faults_of_wheel
from release.long_description import NOTE, long_description
from release.metadata import faults_of_metadata
from release.parts import Options, Part
from release.records import Record, Records
from release.rendering import relative_links
from release.versions import HEADING, faults_of_versions, newest, package_version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SAYING_VERSIONS = ("src/leaven/_version.py", "CHANGELOG.md", "CITATION.cff")


# Versions


def test_all_places_say_the_same_version_and_date():
    assert faults_of_versions(ROOT) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("src/leaven/_version.py", '"{version}"', '"9.9.9"', ["CHANGELOG.md", "CITATION.cff"]),
        ("CHANGELOG.md", "## {version} – ", "## 9.9.9 – ", ["CHANGELOG.md"]),
        ("CHANGELOG.md", " – {date}", " – 1999-01-01", ["date-released"]),
        ("CITATION.cff", "\nversion: {version}", "\nversion: 9.9.9", ["CITATION.cff"]),
        ("CITATION.cff", "{date}", "1999-01-01", ["date-released"]),
    ],
)
def test_a_place_with_another_version_or_date_is_named(file, old, new, named, tmp_path):
    for each in SAYING_VERSIONS:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, tmp_path / each)
    released = newest(ROOT)
    old = old.format(version=released.version, date=released.date)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    faults = faults_of_versions(tmp_path)
    assert len(faults) == len(named)
    for fault, name in zip(faults, named, strict=True):
        assert fault.startswith(name)


def test_the_changelog_has_versions_with_dates_newest_first():
    headings = re.findall(r"^## .*$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "## Unreleased"
    released = [HEADING.fullmatch(heading) for heading in headings[1:]]
    assert released
    assert all(released), headings
    dates = [each["date"] for each in released]
    assert dates == sorted(dates, reverse=True)
    versions = [Version(each["version"]) for each in released]
    assert versions == sorted(set(versions), reverse=True)


def test_the_changelog_has_the_usual_kinds_of_changes_and_a_summary_of_each_version():
    kinds = set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    _, *versions = HEADING.split(CHANGELOG)
    summaries = [text.strip().partition("\n")[0] for text in versions[2::3]]
    assert summaries
    assert all(len(line) > 40 and line[0] not in "#-" for line in summaries), summaries


# Requirements


def test_the_minimum_constraints_are_the_lower_bounds():
    found = (ROOT / FILE).read_text(encoding="utf-8")
    assert found == minimum_text(ROOT), "run: python -m release bounds"


def test_every_requirement_has_a_lower_bound_that_its_pin_respects():
    bounds = lower_bounds(ROOT)
    pinned = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    compared = [name for name in bounds if name.lower() in pinned]
    assert {"numpy", "scipy", "scikit-learn", "typer", "pytest"} <= set(compared)
    for name in compared:
        assert Version(pinned[name.lower()]) >= Version(bounds[name]), name


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2,==2.1"])
def test_a_requirement_without_one_lower_bound_is_refused(requirement, tmp_path):
    lines = [
        "[project]",
        'name = "leaven"',
        f'dependencies = ["{requirement}"]',
        "optional-dependencies = {}",
    ]
    (tmp_path / "pyproject.toml").write_text("\n".join(lines))
    with pytest.raises(Failure, match="must have one lower bound, such as numpy>="):
        lower_bounds(tmp_path)


def test_pins_that_are_behind_are_listed():
    constraints = "# pins\nscipy-stubs==1.0\nJinja2==3.1.6\nabsent==1\n"
    installed = {"scipy-stubs": "1.1", "jinja2": "3.1.6"}
    assert behind(constraints, installed) == ["scipy-stubs 1.0 → 1.1"]


# Citation


def test_the_citation_names_the_five_papers_and_the_licence():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["authors"]
    first_authors = [each["authors"][0]["family-names"] for each in CITATION["references"]]
    assert {"Nigam", "Clark", "McCallum", "Druck", "Takamura"} <= set(first_authors)
    for reference in CITATION["references"]:
        assert reference["title"]
        assert reference["type"] in {"generic", "report", "conference-paper", "article", "book"}
        assert all(author["given-names"] for author in reference["authors"])


# Contents of the archives


def test_package_data_are_declared_for_every_file_that_is_not_python():
    source = ROOT / "src"
    names = [path.relative_to(ROOT).as_posix() for path in source.rglob("*") if path.is_file()]
    found = set(data_files(name for name in names if "__pycache__" not in name))
    assert {"leaven/py.typed", "leaven/labeling/templates/page.html"} <= found
    declared = {
        path.relative_to(source).as_posix()
        for package, patterns in PROJECT["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in (source / package.replace(".", "/")).glob(pattern)
    }
    assert found <= declared


CHECKOUT = ["LICENSE", ".gitignore", "tests/test_a.py", "src/leaven/a.py", "src/leaven/py.typed"]
IN_WHEEL = ["leaven/a.py", "leaven/py.typed", "leaven-1.dist-info/licenses/LICENSE"]


def test_archives_with_all_files_have_no_faults():
    in_sdist = [*CHECKOUT, "PKG-INFO", "setup.cfg", "src/leaven.egg-info/SOURCES.txt"]
    assert faults_of_sdist(set(in_sdist) - {".gitignore"}, CHECKOUT) == []
    assert faults_of_wheel([*IN_WHEEL, "leaven-1.dist-info/RECORD"], CHECKOUT) == []


@pytest.mark.parametrize("lost", [name for name in CHECKOUT if name != ".gitignore"])
def test_a_file_that_the_sdist_lacks_is_named(lost):
    (fault,) = faults_of_sdist(set(CHECKOUT) - {lost}, CHECKOUT)
    assert f"lacks {lost}" in fault


@pytest.mark.parametrize("extra", ["tests/__pycache__/a.pyc", "src/leaven/a.nbi", ".hypothesis/x"])
def test_a_file_that_the_sdist_should_not_have_is_named(extra):
    (fault,) = faults_of_sdist([*CHECKOUT, extra], CHECKOUT)
    assert f"has {extra}" in fault


@pytest.mark.parametrize("lost", IN_WHEEL)
def test_a_file_that_the_wheel_lacks_is_named(lost):
    (fault,) = faults_of_wheel(set(IN_WHEEL) - {lost}, CHECKOUT)
    assert f"lacks {lost}" in fault or "lacks the licence LICENSE" in fault


@pytest.mark.parametrize("extra", ["tests/test_a.py", "leaven/__pycache__/a.nbc", "release/a.py"])
def test_a_file_that_the_wheel_should_not_have_is_named(extra):
    faults = faults_of_wheel([*IN_WHEEL, extra], CHECKOUT)
    assert any(f"has {extra}" in fault for fault in faults)


def test_code_of_others_needs_their_licence():
    code, licence = "leaven/web/vendor/chart.js", "leaven/web/vendor/LICENSE-chart.txt"
    (fault,) = faults_of_wheel([*IN_WHEEL, code], [*CHECKOUT, f"src/{code}"])
    assert "code of others in leaven/web/vendor/ without their licence" in fault
    checkout = [*CHECKOUT, f"src/{code}", f"src/{licence}"]
    (fault,) = faults_of_wheel([*IN_WHEEL, code, licence], checkout)
    assert f"lacks the licence src/{licence}" in fault
    stored = f"leaven-1.dist-info/licenses/src/{licence}"
    assert faults_of_wheel([*IN_WHEEL, code, licence, stored], checkout) == []


# Reproducible archives

FILES = {"leaven-1/b.py": b"b = 1\n", "leaven-1/a.py": b"", "leaven-1/é/run": b"#!/bin/sh\n"}


def write_tar(path, *, names, time, owner, umask):
    with tarfile.open(path, "w:gz") as archive:
        folder = tarfile.TarInfo("leaven-1")
        folder.type, folder.mtime = tarfile.DIRTYPE, time
        archive.addfile(folder)
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.uname, entry.uid = (
                len(FILES[name]),
                time,
                owner,
                time % 9,
            )
            entry.mode = (0o777 if name.endswith("run") else 0o666) & ~umask
            archive.addfile(entry, io.BytesIO(FILES[name]))


def write_zip(path, *, names, time, umask, compression):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, time)
            entry.external_attr = ((0o777 if name.endswith("run") else 0o666) & ~umask) << 16
            archive.writestr(entry, FILES[name])


def test_sdists_of_the_same_files_become_the_same_bytes(tmp_path):
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    write_tar(first, names=list(FILES), time=1e9, owner="a", umask=0o022)
    write_tar(second, names=sorted(FILES), time=1.5e9, owner="b", umask=0o077)
    assert first.read_bytes() != second.read_bytes()
    for path in (first, second):
        rewrite_sdist(path, 1_700_000_000)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        members = archive.getmembers()
        assert {each.name: archive.extractfile(each).read() for each in members} == FILES
        assert [each.name for each in members] == sorted(FILES)
        assert {each.mtime for each in members} == {1_700_000_000}
        assert [each.mode for each in members] == [0o644, 0o644, 0o755]
    assert sorted(os.listdir(tmp_path)) == ["first.tar.gz", "second.tar.gz"]


def test_wheels_of_the_same_files_become_the_same_bytes(tmp_path):
    first, second = tmp_path / "first.whl", tmp_path / "second.whl"
    early, late = (1999, 1, 1, 0, 0, 0), (2020, 2, 2, 2, 2, 2)
    write_zip(first, names=list(FILES), time=early, umask=0o022, compression=zipfile.ZIP_STORED)
    write_zip(second, names=sorted(FILES), time=late, umask=0o077, compression=zipfile.ZIP_DEFLATED)
    assert first.read_bytes() != second.read_bytes()
    for path in (first, second):
        rewrite_wheel(path, 1_700_000_000)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        modes = [each.external_attr >> 16 & 0o777 for each in archive.infolist()]
        assert modes == [0o644, 0o644, 0o755]


def test_a_link_is_not_published(tmp_path):
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("leaven-1/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="leaven-1/link must be a regular file to be published"):
        rewrite_sdist(path, EARLIEST)
    assert path.read_bytes() == before


def test_the_time_in_archives_is_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert build_time() == 1_700_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # zip files begin in 1980
    assert build_time() == EARLIEST
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert build_time() == EARLIEST


# Metadata


def metadata_of_the_project():
    project, message = PROJECT["project"], Message()
    message["Name"], message["Version"] = project["name"], package_version(ROOT)
    message["Summary"], message["Requires-Python"] = project["description"], ">=3.11"
    message["License-Expression"], message["License-File"] = "BSD-3-Clause", "LICENSE"
    message["Description-Content-Type"] = "text/markdown"
    for classifier in project["classifiers"]:
        message["Classifier"] = classifier
    for extra in project["optional-dependencies"]:
        message["Provides-Extra"] = extra
    return message


def test_metadata_as_in_the_project_have_no_faults():
    assert faults_of_metadata(metadata_of_the_project(), ROOT) == []


@pytest.mark.parametrize("field", ["Version", "Requires-Python", "License-File", "Provides-Extra"])
def test_metadata_that_differ_are_named(field):
    metadata = metadata_of_the_project()
    del metadata[field]
    metadata[field] = "other"
    (fault,) = faults_of_metadata(metadata, ROOT)
    assert fault.startswith(f"{field} must be ")


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[pages](docs/a.md) and [more](docs/b.md#c)", "pages and more"),
        ("[web](https://example.org) [mail](mailto:a@b.c)", None),
        ("[`leaven train`](docs/a.md)", "`leaven train`"),
        ("a\n\n![a figure](docs/a.png)\n\nb", "a\n\nb"),
        ("<!-- table -->\n\nrow\n\n<!-- end -->", "row"),
        ("`a[0](b)` and ``c[0](d)``", None),
        ("```python\nf = g[0](x)\n```", None),
        ("text\n\n## More\n\n[a](b.md)\n", "text"),
    ],
)
def test_only_links_into_the_checkout_leave_the_long_description(markdown, shown):
    assert long_description(markdown) == f"{markdown if shown is None else shown}\n\n{NOTE}\n"


def test_the_readmes_long_description_has_its_sections_and_no_links_to_files():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = long_description(readme)
    assert "](docs/" in readme
    assert "](docs/" not in text
    assert text.count("\n```") == readme.count("\n```")
    headings = re.findall(r"^##.*$", readme, re.MULTILINE)
    assert [each for each in headings if each not in text] == ["## More"]


def test_links_that_lead_nowhere_on_an_index_are_found():
    html = (
        '<a href="https://a.b">x</a> <img src="docs/a.png"> <a href="#b">y</a> <a href="c.md">z</a>'
    )
    assert relative_links(html) == ["c.md", "docs/a.png"]


# Running the checks


def toy(name, run):
    return Part(name, f"try {name}", run, lambda options: f"{name} {options.quick}")


def options(*parts, quick=False, again=False):
    return Options(parts, quick, False, 1, again)


def test_a_part_that_passed_is_repeated_only_for_other_inputs_or_by_request(tmp_path, capsys):
    runs = []
    part = toy("one", lambda _, log: runs.append(log) or "it works")
    records = Records(tmp_path)
    for asked in (options(), options(), options(quick=True), options(quick=True, again=True)):
        assert check([part], asked, records) == 0
    assert len(runs) == 3
    assert "one       passed before     0 s  it works" in capsys.readouterr().out


def test_the_first_failure_ends_the_check_and_is_tried_again(tmp_path, capsys):
    runs = []

    def fail(_, log):
        runs.append("two")
        raise Failure("It must work, but it does not.")

    parts = [
        toy("one", lambda *_: runs.append("one") or "fine"),
        toy("two", fail),
        toy("three", fail),
    ]
    for _ in range(2):
        assert check(parts, options(), Records(tmp_path)) == 1
    assert runs == ["one", "two", "two"]
    shown = capsys.readouterr()
    assert "two       FAILED" in shown.out
    assert "three" not in shown.out
    assert shown.err.strip().splitlines()[-1] == "It must work, but it does not."


def test_records_are_of_the_same_files_and_not_too_old(tmp_path):
    records = Records(tmp_path)
    records.keep("one", Record("inputs", "left", "fine", 1.0, time.time() - 100))
    assert records.find("one", "inputs", "left", 200).detail == "fine"
    assert records.find("one", "inputs", "left", 50) is None
    assert records.find("one", "others", "left", 200) is None
    assert records.find("one", "inputs", "gone", 200) is None
    assert records.find("two", "inputs", "left", 200) is None
    (tmp_path / "one.json").write_text("{")
    assert records.find("one", "inputs", "left", 200) is None


def test_an_unknown_part_is_refused(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["wheels"])
    assert caught.value.code == 2
    assert "PART must be one of build, metadata, wheel" in capsys.readouterr().err


def test_a_command_that_fails_is_shown_with_the_end_of_its_output(tmp_path):
    log = tmp_path / "log"
    script = "print('before')\nfor i in range(99): print('line', i)\nraise SystemExit(3)"
    hello = "print('hello')\nprint('there')"
    assert output_of([sys.executable, "-c", hello], log, folder=tmp_path) == "hello\nthere\n"
    with pytest.raises(Failure) as caught:
        run([sys.executable, "-c", script], log, folder=tmp_path)
    text = str(caught.value)
    assert "ended with exit code 3" in text
    assert text.endswith("    line 98")
    assert "before" not in text.partition("):\n")[2]
    assert "hello" in log.read_text()


INTERRUPTED = """
import sys
from pathlib import Path
from release.commands import run
from release.environments import scratch

child = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
grandchild = "import os, time; print('process', os.getpid(), flush=True); time.sleep(60)"
with scratch() as folder:
    print(folder, flush=True)
    run([sys.executable, "-c", child, grandchild], Path(sys.argv[1]), folder=folder)
"""


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_an_interrupted_check_leaves_no_folder_and_no_process(tmp_path):
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, "-c", INTERRUPTED, str(log)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        folder = Path(process.stdout.readline().strip())
        deadline = time.monotonic() + 30
        while not (found := re.search(r"^process (\d+)$", log.read_text(), re.MULTILINE)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert folder.is_dir()
        assert is_running(found[1])
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert not folder.exists()
    while is_running(found[1]):
        assert time.monotonic() < deadline
        time.sleep(0.02)


# Shell completion


def completed(shell, words):
    """What a shell would be told when Tab is pressed after some words."""
    asked = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    environment = {**os.environ, "_LEAVEN_COMPLETE": f"complete_{shell}", **asked[shell]}
    return subprocess.run(LEAVEN, env=environment, capture_output=True, text=True).stdout


LEAVEN = [str(Path(sys.executable).with_name("leaven"))]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_methods(shell):
    assert "train" in completed(shell, "leaven tr")
    methods = completed(shell, "leaven train --method two")
    assert "two-view" in methods
    assert "maxent" not in methods


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shells_completion_is_printed(shell):
    environment = {**os.environ, "_LEAVEN_COMPLETE": f"source_{shell}"}
    found = subprocess.run(LEAVEN, env=environment, capture_output=True, text=True)
    assert found.returncode == 0
    assert f"complete_{shell}" in found.stdout
    assert "leaven" in found.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_command_prints_the_script_for_the_shell_it_is_run_from():
    command = ["bash", "-c", f"'{LEAVEN[0]}' --show-completion; exit $?"]  # bash stays the parent
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "complete_bash" in found.stdout

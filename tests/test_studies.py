"""Studies say what they were made with, and can be listed."""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "studies"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studies import _provenance  # noqa: E402


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    # Inside a hook, GIT_DIR names the repository of the project, which is not to be changed.
    environment = {name: own for name, own in os.environ.items() if not name.startswith("GIT_")}
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return found.stdout.strip()


@pytest.fixture
def library(tmp_path):
    """A library of one module in a repository with one commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "src" / "leaven"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("ANSWER = 1\n")
    git(tmp_path, "init", "--quiet")
    return commit(folder)


def commit(library):
    git(library, "add", ".")
    git(library, "commit", "--quiet", "--message", "a change")
    _provenance.code.cache_clear()
    return library


def change(library, answer):
    (library / "__init__.py").write_text(f"ANSWER = {answer}\n")


@pytest.mark.parametrize("made_with", [None, {}, {"commit": None}, {"from": "table_3_2"}])
def test_results_without_a_version_say_so(made_with):
    sentence = "made before results recorded their version"
    assert _provenance.staleness(made_with) == sentence
    assert _provenance.described(made_with) == sentence


def test_results_of_the_last_commit_are_current(library):
    made_with = _provenance.made_now(seed=3, library=library)
    assert made_with["commit"] == git(library, "rev-parse", "--short", "HEAD")
    assert made_with["seed"] == 3
    assert "dirty" not in made_with
    assert _provenance.staleness(made_with, library) is None
    only_commit = {"commit": made_with["commit"], "date": made_with["date"]}
    assert _provenance.staleness(only_commit, library) is None


def test_results_of_an_old_commit_are_stale(library):
    made_with = _provenance.made_now(library=library)
    for answer, told in ((2, "1 commit"), (3, "2 commits")):
        change(library, answer)
        commit(library)
        assert _provenance.staleness(made_with, library) == (
            f"made with {made_with['commit']} of {made_with['date']}; "
            f"src/leaven has changed in {told} since"
        )


def test_commits_that_leave_the_library_alone_make_nothing_stale(library):
    made_with = _provenance.made_now(library=library)
    (library.parents[1] / "README.md").write_text("read me\n")
    git(library.parents[1], "add", "README.md")
    git(library.parents[1], "commit", "--quiet", "--message", "only words")
    assert git(library, "rev-parse", "--short", "HEAD") != made_with["commit"]
    assert _provenance.staleness(made_with, library) is None


def test_results_are_current_after_the_code_that_made_them_is_committed(library):
    change(library, 2)
    made_with = _provenance.made_now(library=library)
    assert made_with["dirty"] is True
    assert _provenance.staleness(made_with, library) is None
    commit(library)
    assert _provenance.staleness(made_with, library) is None
    change(library, 3)
    assert "uncommitted changes" in _provenance.staleness(made_with, library)


def test_changes_that_are_not_committed_make_results_stale(library):
    made_with = _provenance.made_now(library=library)
    change(library, 2)
    assert _provenance.staleness(made_with, library).endswith("src/leaven is different now")


def test_a_commit_that_git_does_not_know_is_told(library):
    sentence = _provenance.staleness({"commit": "abcdef0", "date": "2020-01-01"}, library)
    assert sentence == "made with abcdef0 of 2020-01-01, a commit that git does not know here"


def test_without_git_the_source_tells(tmp_path):
    (tmp_path / "__init__.py").write_text("ANSWER = 1\n")
    made_with = _provenance.made_now(library=tmp_path)
    assert made_with["commit"] is None
    assert _provenance.staleness(made_with, tmp_path) is None
    change(tmp_path, 2)
    assert _provenance.staleness(made_with, tmp_path).endswith("src/leaven is different now")


def test_rows_of_one_version_have_that_version(library):
    rows = [{"accuracy": 0.5, **_provenance.code(library)}] * 3
    made_with = _provenance.made_of_rows(rows, seed=range(3))
    assert made_with == _provenance.made_now(range(3), library)


def test_rows_of_several_versions_are_told_apart(library):
    new = {"accuracy": 0.5, **_provenance.code(library)}
    made_with = _provenance.made_of_rows([{"accuracy": 0.5}, {"accuracy": 0.4}, new])
    assert made_with["commit"] is None
    assert _provenance.staleness(made_with, library) == (
        "2 of 3 rows were made before results recorded their version"
    )
    assert "; 1 row made with leaven" in _provenance.described(made_with)


def run(*arguments, **variables):
    environment = {**os.environ, **variables}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def has_main(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


def test_the_list_has_every_study(tmp_path):
    names = {path.stem for path in STUDIES.glob("*.py") if has_main(path)} - {"__main__"}
    assert {"few_labels", "diagnosis", "random_split", "sentence_vectors", "table_3_2"} <= names
    found = json.loads(run("studies", "--json", LEAVEN_DATA=str(tmp_path)).stdout)
    assert {each["name"] for each in found["studies"]} == names
    assert all(each["title"] for each in found["studies"])
    assert found["data_folder"] == str(tmp_path)


def test_the_list_says_what_is_stale_and_how_to_run(tmp_path):
    found = run("studies", LEAVEN_DATA=str(tmp_path))
    assert found.returncode == 0, found.stderr
    shown = found.stdout
    first = ast.get_docstring(ast.parse((STUDIES / "few_labels.py").read_text(encoding="utf-8")))
    assert first.splitlines()[0] in shown
    made_with = json.loads((STUDIES / "results" / "few_labels.json").read_text()).get("made_with")
    stale = _provenance.staleness(made_with)
    assert f"few_labels.json; {f'stale: {stale}' if stale else 'made '}" in shown
    assert f"Corpora: {tmp_path}" in shown
    assert "python -m studies NAME" in shown
    assert "--all" in shown


@pytest.mark.parametrize("arguments", [[], ["--all"], ["figure_3_1"]])
def test_a_wrong_folder_of_corpora_is_told_in_one_sentence(arguments, tmp_path):
    found = run("studies", *arguments, LEAVEN_DATA=str(tmp_path / "nowhere"))
    assert found.returncode == 1
    assert found.stderr.count("\n") == 1
    assert found.stderr.startswith("error: LEAVEN_DATA")


@pytest.mark.slow
def test_a_missing_corpus_is_told_in_one_sentence(tmp_path):
    found = run("studies", "table_3_4", LEAVEN_DATA=str(tmp_path))
    assert found.returncode == 1
    assert found.stderr.count("\n") == 1
    assert "20news_19997" in found.stderr


def test_an_unknown_study_is_told_with_the_choices():
    found = run("studies", "figure_9_9")
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "'figure_9_9'" in found.stderr
    assert "few_labels" in found.stderr
    assert found.stdout == ""


def test_results_are_stored_with_what_they_were_made_with(tmp_path, monkeypatch, capsys):
    from studies import _common

    monkeypatch.setattr(_common, "RESULTS", tmp_path)
    path = _common.write_results("a_study", {"accuracy": 0.5}, seed=range(4))
    stored = json.loads(path.read_text())
    assert stored["accuracy"] == 0.5
    assert stored["made_with"]["seed"] == [0, 1, 2, 3]
    assert stored["made_with"]["version"]
    assert "seeds 0 to 3" in capsys.readouterr().out


@pytest.fixture
def few_labels(tmp_path, monkeypatch):
    """The study of few labels with draws that cost nothing and an old row in its cache."""
    from studies import few_labels

    def run_draw(work):
        corpus, per_class, draw, methods = work
        key = {"corpus": corpus, "per_class": per_class, "draw": draw}
        return [{**key, "method": name, "accuracy": 0.5, "seconds": 0.0} for name in methods]

    monkeypatch.setattr(few_labels, "run_draw", run_draw)
    monkeypatch.setattr(few_labels, "CACHE", tmp_path / "rows.jsonl")
    monkeypatch.setattr(few_labels, "FRESH", tmp_path / "fresh.jsonl")
    old = {"corpus": "20news", "per_class": 1, "draw": 0, "method": "nb", "accuracy": 0.1}
    few_labels.CACHE.write_text(few_labels.as_lines([old]))
    return few_labels


WANTED = argparse.Namespace(
    corpora=["20news"], budgets=(1,), methods=["nb", "auto"], draws=2, processes=1
)


@pytest.mark.slow
def test_a_fresh_run_of_few_labels_keeps_no_old_row(few_labels):
    stale = {**json.loads(few_labels.CACHE.read_text()), "source": "of other code"}
    few_labels.FRESH.write_text(few_labels.as_lines([stale]))
    few_labels.compute_fresh(WANTED)
    rows = few_labels.read_cache(few_labels.CACHE)
    assert len(rows) == 4
    assert {row["accuracy"] for row in rows} == {0.5}
    for name in ("version", "commit", "date", "source"):
        assert {row[name] for row in rows} == {_provenance.code()[name]}
    assert not few_labels.FRESH.exists()


@pytest.mark.slow
def test_few_labels_tells_old_rows_from_new_ones(few_labels):
    few_labels.compute(WANTED, few_labels.CACHE)
    made_with = _provenance.made_of_rows(few_labels.read_cache(few_labels.CACHE))
    assert made_with["commit"] is None
    assert [part["rows"] for part in made_with["parts"]] == [1, 3]
    assert _provenance.staleness(made_with).startswith("1 of 4 rows")


def test_figures_are_drawn_again_from_stored_results(tmp_path, monkeypatch, capsys):
    from studies import __main__ as command
    from studies import _common

    shutil.copy(STUDIES / "results" / "sentence_vectors.json", tmp_path)
    monkeypatch.setattr(_common, "RESULTS", tmp_path)
    command.redraw(["sentence_vectors", "random_split"])  # the second has no figure
    assert [path.name for path in tmp_path.glob("*.png")] == ["sentence_vectors.png"]
    assert capsys.readouterr().out == "wrote sentence_vectors.png\n"


def test_stored_results_have_numbers_as_keys_again(tmp_path, monkeypatch):
    from studies import _common

    monkeypatch.setattr(_common, "RESULTS", tmp_path)
    _common.write_results("a_study", {"accuracy": {20: [0.5], "EM": {300: 0.6}}})
    assert _common.read_results("a_study")["accuracy"] == {20: [0.5], "EM": {300: 0.6}}
    with pytest.raises(FileNotFoundError, match="run: python -m studies another"):
        _common.read_results("another")


def test_figures_name_every_corpus_and_method_of_few_labels():
    from studies import _names, few_labels

    assert list(_names.CORPORA) == list(few_labels.CORPORA)
    assert list(_names.METHODS) == list(few_labels.METHODS)
    assert set(few_labels.LOOKS) <= set(few_labels.METHODS)


def test_few_labels_has_a_row_for_every_method():
    from studies import _names

    from leaven.methods import METHODS

    named = {name.removeprefix("leaven ") for name in _names.METHODS.values()}
    assert set(METHODS) <= named


def test_rows_of_a_study_are_known_again_by_their_settings(tmp_path):
    from studies._rows import RowFile

    rows = RowFile(tmp_path / "results" / "rows.jsonl", ("settings", "draw"))
    row = {"settings": {"k": 5, "α": 0.9, "sizes": (1, 2)}, "draw": 0, "accuracy": 0.5}
    assert rows.known() == set()
    rows.add(row)
    same = {"settings": {"sizes": (1, 2), "α": 0.9, "k": 5}, "draw": 0}
    assert rows.known() == {rows.identity(same)}
    assert rows.identity({"settings": {"k": 15}, "draw": 0}) not in rows.known()
    assert rows.read()[0]["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("headers", "subject"),
    [
        ("From: a\nSubject: Re: the moon \nLines: 2\n", "Re: the moon"),
        ("SUBJECT:\nSummary: b\n", ""),
        ("From: a\n", ""),
    ],
)
def test_the_subject_is_found_among_headers(headers, subject):
    from studies import _clark

    assert _clark.subject(headers) == subject

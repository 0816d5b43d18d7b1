"""Every example of the documentation runs, and prints what the page shows."""

import shutil

import pytest
from docgen.examples.comparing import agrees, matches, updated
from docgen.examples.files import FILES, GIVEN, CorporaAbsentError
from docgen.examples.pages import LANGUAGES, PAGES, Page, commands
from docgen.examples.running import ExampleError, Runner, lines_of

from leaven._base.compile_notice import ONCE

READ = [Page.read(path) for path in PAGES]
WITH_EXAMPLES = [page for page in READ if page.examples]


@pytest.fixture(scope="session")
def example_files(tmp_path_factory):
    """Folders of files, each written once."""
    folders = {}

    def folder_of(name):
        if name not in folders:
            folder = tmp_path_factory.mktemp(name)
            FILES[name](folder)
            folders[name] = folder
        return folders[name]

    return folder_of


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_the_examples_of_a_page_do_what_it_shows(page, example_files, tmp_path, monkeypatch):
    for name in page.files:
        try:
            shutil.copytree(example_files(name), tmp_path, dirs_exist_ok=True)
        except CorporaAbsentError as error:
            pytest.skip(str(error))
    given = {key: value for name in page.given for key, value in GIVEN[name]().items()}
    monkeypatch.chdir(tmp_path)
    Runner(tmp_path, given).run(page)


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_blocks_have_a_language_that_says_whether_they_run(page):
    assert {block.language for block in page.blocks} <= LANGUAGES


def test_most_pages_have_examples():
    assert len(WITH_EXAMPLES) > 20


def page_of(tmp_path, text):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return Page(path, Page.read(path).blocks, [], [])


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ leaven trian x.csv\n```\n",
        "```console\n$ leaven --version\nleaven 9.9.9\n```\n",
        "```console\n$ echo 3.50\n4.60\n```\n",
        "```console\n$ echo accuracy 71 %\naccuracy 84 %\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ exit 3 &\nready\n```\n",
        "```python\nimport leaven\nleaven.trian\n```\n",
        "```pycon\n>>> 1 + 1\n3000\n```\n",
        "```pycon\n>>> print('a')\nb\n```\n",
        "```python\nx = 1\n```\n\n```pycon\n>>> x == 2\nTrue\n```\n",
    ],
)
def test_an_example_that_is_wrong_is_found(text, tmp_path, monkeypatch):
    page = page_of(tmp_path, text)
    monkeypatch.setattr("docgen.examples.pages.ROOT", tmp_path)
    with pytest.raises(ExampleError, match=r"page\.md, line 1|page\.md, line 5"):
        Runner(tmp_path, {}).run(page)


@pytest.mark.parametrize(
    ("expected", "printed", "is_same"),
    [
        ("accuracy  71.1 %", "accuracy 71.2 %", True),
        ("accuracy  71.1 %", "accuracy 82.5 %", False),
        ("3,985 documents", "3,985 documents", True),
        ("a … c", "a b c", True),
        ("a … c", "a b d", False),
        ("word │████ +1.5", "word   │██████ +1.5", True),
        ("read a.csv in … s", "read a.csv in 0.21 s", True),
    ],
)
def test_lines_are_compared(expected, printed, is_same):
    assert agrees([expected], [printed]) is is_same


def test_a_line_of_dots_stands_for_any_lines():
    assert agrees(["a", "…", "d"], ["a", "b", "c", "d"])
    assert agrees(["a", "…", "d"], ["a", "d"])
    assert not agrees(["a", "…", "d"], ["a", "b"])


def test_commands_can_have_several_lines():
    found = commands("$ leaven train \\\n>   a.csv\nread\n$ ls\n")
    assert [each.line for each in found] == ["leaven train \\\n  a.csv", "ls"]
    assert found[0].expected == ["read"]


def test_numbers_are_brought_up_to_date():
    expected = ["accuracy 71.1 %", "…", "took … s, 3 labels"]
    assert updated(expected, ["accuracy 65.0 %", "x", "took 0.2 s, 4 labels"]) == [
        "accuracy 65.0 %",
        "…",
        "took … s, 4 labels",
    ]
    assert updated(expected, ["precision 71.1 %", "took 0.2 s, 4 labels"]) is None


def test_what_only_a_first_run_prints_is_left_out():
    printed = f"{ONCE}\nmethod nb\n(compiling took 29 s of this run)\n"
    assert lines_of(printed) == ["method nb", ""]


def test_with_the_versions_of_the_constraints_numbers_may_differ_by_two_in_the_last_digit():
    assert matches(["accuracy 71.1 %"], ["accuracy 71.3 %"], 0.005) is not None
    assert matches(["accuracy 71.1 %"], ["accuracy 72.5 %"], 0.005) is None
    assert matches(["67 % combined"], ["71 % combined"], 0.005) is None

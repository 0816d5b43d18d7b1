"""What users can meet is documented: names, methods, options, commands, errors, links."""

import inspect
import re

import pytest
from docgen.examples.pages import PAGES, ROOT
from docgen.methods import PAGES as PAGES_OF_METHODS
from docgen.site import targets
from typer.main import get_command

import leaven
from leaven import exceptions
from leaven.cli import app
from leaven.methods import METHODS

REFERENCE = ROOT / "docs" / "reference" / "python"
DIRECTIVES = {
    name
    for path in REFERENCE.glob("*.md")
    for name in re.findall(r"^::: (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
PUBLIC_MODULES = ("query", "significance", "datasets", "exceptions", "posteriors")
COMMANDS = get_command(app).commands
ALL_TEXT = {path: path.read_text(encoding="utf-8") for path in PAGES}


def test_every_public_name_is_in_the_reference():
    names = {f"leaven.{name}" for name in leaven.__all__ if not name.startswith("__")}
    names |= {f"leaven.{module}" for module in PUBLIC_MODULES}
    assert sorted(names - DIRECTIVES) == []


@pytest.mark.parametrize("name", sorted(DIRECTIVES))
def test_every_entry_of_the_reference_exists(name):
    module, _, rest = name.partition(".")
    value = __import__(module)
    for part in rest.split("."):
        if not hasattr(value, part):
            __import__(f"{value.__name__}.{part}")
        value = getattr(value, part)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page_that_shows_how_to_call_it(method):
    page = next(page for page, methods in PAGES_OF_METHODS.items() if method in methods)
    text = (ROOT / "docs" / "methods" / page).read_text(encoding="utf-8")
    assert re.search(rf"--method[ =]{method}\b|\"{method}\"|`{method}`", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_in_the_reference(command):
    text = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    _, _, rest = text.partition(f"\n## leaven {command}\n")
    own = rest.partition("\n## ")[0]
    for option in COMMANDS[command].params:
        for flag in option.opts if option.param_type_name == "option" else ():
            assert flag in own, f"leaven {command} {flag}"


@pytest.mark.parametrize("command", [each for each in COMMANDS if each != "demo"])  # make demo
def test_every_command_is_used_in_an_example(command):
    used = re.compile(rf"^\$ leaven {command}\b", re.MULTILINE)
    assert any(used.search(text) for text in ALL_TEXT.values())


@pytest.mark.parametrize(
    "name", [name for name, value in vars(exceptions).items() if inspect.isclass(value)]
)
def test_every_error_and_warning_is_explained(name):
    assert name in exceptions.__all__
    text = (ROOT / "docs" / "how-to" / "errors.md").read_text(encoding="utf-8")
    assert f"`{name}`" in text


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"],
                         ids=lambda path: str(path.relative_to(ROOT)))  # fmt: skip
def test_links_lead_to_files(path):
    text = path.read_text(encoding="utf-8")
    for target in targets(str(path.relative_to(ROOT)), text):
        assert (ROOT / target).is_file(), target


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert [str(page) for page in pages if str(page) not in navigation] == []

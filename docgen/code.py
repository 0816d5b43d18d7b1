"""Markdown from the code itself: the tree of packages, the table of methods, the example."""

import ast
import tomllib
from functools import cache
from pathlib import Path

from docgen.sections import Section
from leaven.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "leaven"
WIDTH = 17  # of names in the tree
NOT_LAYERS = ("datasets", "__init__")  # modules that any layer's users may use
FAMILY = ROOT / "tests" / "test_toy_family.py"


@cache
def tree() -> str:
    """The packages in the order in which they may import from each other, lowest first."""
    lines = ["```", "src/leaven/"]
    for name in [*_layers(), "datasets"]:
        is_package = (PACKAGE / name).is_dir()
        shown = f"{name}/" if is_package else f"{name}.py"
        path = PACKAGE / name / "__init__.py" if is_package else PACKAGE / f"{name}.py"
        lines.append(f"  {shown:<{WIDTH}} {_first_line(path)}")
        lines += [f"    {each}" for each in _modules(PACKAGE / name)] if is_package else []
    return "\n".join([*lines, "```"])


def _layers() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers: list[str] = settings["tool"]["leaven"]["layers"]
    return layers


def _modules(folder: Path) -> list[str]:
    """The modules of a package, each with what its docstring says first."""
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name.strip("_")):
        if path.is_dir() and (path / "__init__.py").exists():
            found.append(f"{path.name + '/':<24} {_first_line(path / '__init__.py')}")
        elif path.suffix == ".py" and path.name != "__init__.py":
            found.append(f"{path.name:<24} {_first_line(path)}")
    return found


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert text is not None, path
    return text.splitlines()[0]


def methods_table() -> str:
    """Every method, how it learns and when to choose it."""
    rows = [
        f"| `{name}` | {method.summary} | {method.choose_when} |"
        for name, method in METHODS.items()
    ]
    return "\n".join(["| method | how it learns | choose it when |", "|---|---|---|", *rows])


def toy_family() -> str:
    """The example of a family of methods, as its test has it."""
    text = FAMILY.read_text(encoding="utf-8")
    _, _, rest = text.partition("# begin: the family\n")
    family, _, _ = rest.partition("# end: the family")
    return f"```python\nimport numpy as np\n{family.strip()}\n\nregister(CENTROID)\n```"


SECTIONS = [
    Section("docs/architecture.md", "tree", tree),
    Section("CONTRIBUTING.md", "toy family", toy_family),
]


if __name__ == "__main__":
    print(tree())

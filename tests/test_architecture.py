"""The shape of the code: which way imports go, one loop, light imports, short modules."""

import ast
import fnmatch
import re
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from leaven._base.compile_cache import SOURCES

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leaven"
MODULES = sorted(SOURCE.rglob("*.py"))

# Lowest first. A module may import from its own package and from lower ones.
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["leaven"]["layers"]
RANK = {name: rank for rank, name in enumerate(LAYERS)}
HEAVY = ["sklearn", "numba", "pyarrow", "scipy", "dask", "fastapi", "typer", "matplotlib"]


def name_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported(path):
    """Full names of all that a module imports, wherever in it, type checking included."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            assert node.module is not None
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def layers_used(path):
    """Top-level modules of leaven that a module imports from."""
    own = [name.split(".") for name in imported(path) if name.split(".")[0] == "leaven"]
    return {parts[1] for parts in own if len(parts) > 1}


def shown(path):
    return str(path.relative_to(SOURCE))


every_module = pytest.mark.parametrize("path", MODULES, ids=shown)


def test_every_module_has_its_layer():
    known = {*RANK, "datasets", "__init__"}
    assert {name_of(path) for path in MODULES} <= known
    assert set(RANK) <= {name_of(path) for path in MODULES}


@pytest.mark.parametrize("path", [p for p in MODULES if name_of(p) in RANK], ids=shown)
def test_a_module_imports_from_its_own_layer_and_lower_ones(path):
    allowed = {name for name, rank in RANK.items() if rank <= RANK[name_of(path)]}
    if name_of(path) == "cli":
        # The commands are the one user of the public names and of the built-in corpus.
        allowed |= {"datasets", "__version__", *public_names()}
    assert layers_used(path) <= allowed


def public_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    (names,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    return ast.literal_eval(names)


def test_datasets_needs_only_arrow_and_the_standard_library():
    tops = {name.split(".")[0] for name in imported(SOURCE / "datasets.py")}
    assert tops - {"pyarrow"} <= sys.stdlib_module_names


def test_nothing_but_the_command_line_imports_its_packages():
    for path in MODULES:
        tops = {name.split(".")[0] for name in imported(path)}
        if name_of(path) != "cli":
            # Bars on terminals are drawn for Python's users too.
            drawn = {"rich"} if shown(path) == "_base/bars.py" else set()
            assert not tops & {"typer", "rich", "matplotlib", "click"} - drawn, path


def test_compiled_code_is_in_files_whose_names_say_so():
    for path in MODULES:
        names = ("kernel", "kernel_inline", "kernel_part")
        compilers = {f"leaven._base.compile.{name}" for name in names}
        compilers.add("numba.extending.intrinsic")
        uses = not compilers.isdisjoint(imported(path))
        assert uses == (fnmatch.fnmatch(path.name, SOURCES)), path


def test_there_is_one_em_loop():
    loops = [p for p in MODULES if re.search(r"range\(.*max_iter", p.read_text(encoding="utf-8"))]
    assert [shown(path) for path in loops] == ["learning/_em.py"]
    asks = [p for p in MODULES if re.search(r"(?<!super\(\))\.maximize\(", p.read_text("utf-8"))]
    # The supervised starts are one M-step each, no loop.
    starts = {"learning/_climbs.py", "learners/_label_sets.py"}
    assert {shown(path) for path in asks} <= {"learning/_em.py", *starts}


def classes_by_package():
    """Which package of leaven each class is defined in."""
    found = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name] = name_of(path)
    return found


def test_nothing_asks_for_the_type_of_another_packages_object():
    homes = classes_by_package()
    asked = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "isinstance",
                "issubclass",
            ):
                names = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
                asked += [
                    f"{shown(path)}: {name}"
                    for name in names
                    if homes.get(name, name_of(path)) != name_of(path)
                ]
    assert asked == []


def loaded_by(code):
    """Top-level packages in memory after running some code in a new Python."""
    code += "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_leaven_stays_light():
    loaded = loaded_by("import leaven; dir(leaven); leaven.__version__")
    assert not loaded & {*HEAVY, "numpy", "pandas", "rich"}


@pytest.mark.parametrize("method", ["nb", "auto"])
def test_reading_a_model_and_classifying_loads_no_scikit_learn(method, tmp_path):
    from leaven import TextClassifier

    path = tmp_path / "model.leaven"
    texts, labels = ["raw dough", "far star", "dough", "star"], ["a", "b", None, None]
    TextClassifier(method).fit(texts, labels).save(path)
    loaded = loaded_by(
        "from leaven.classifier._model_file import load_model\n"
        f"model = load_model({str(path)!r})\n"
        "model.predict_proba(['dough']); model.explain('dough'); model.top_words(1)"
    )
    assert not loaded & {"sklearn", "matplotlib", "typer"}


@pytest.mark.parametrize(
    "module", ["leaven.text", "leaven.corpora", "leaven.learning", "leaven.models"]
)
def test_what_lies_below_the_estimators_needs_no_scikit_learn(module):
    assert "sklearn" not in loaded_by(f"import {module}")


# Not the constraints, which also pin what scikit-learn brings along.
SET_UP = ["pyproject.toml", "Makefile", "setup.py", "setup.cfg", ".ci/run"]
EXECUTES = r"pickle|joblib|marshal|shelve|\bdill\b|\beval\(|\bexec\(|allow_pickle|__reduce"


def test_nothing_in_the_project_executes_what_it_reads():
    folders = ("src", "benchmarks", "studies", "fuzzing")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    files += [ROOT / name for name in SET_UP if (ROOT / name).exists()]
    assert len(files) > 40
    for path in files:
        found = re.search(EXECUTES, path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} says {found}"


@every_module
def test_every_module_begins_with_a_docstring(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert text
    assert text.splitlines()[0].strip()


def test_modules_are_short():
    lengths = {shown(p): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES}
    assert 80 <= statistics.median(lengths.values()) <= 220
    assert {name: length for name, length in lengths.items() if length > 400} == {}

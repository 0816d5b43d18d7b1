"""Tables of the constants in the code that are no options, with what the code says of them."""

import ast
import io
import tokenize
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from docgen.sections import Section
from docgen.tables import markdown_table

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "leaven"
LAYERS = (  # whose constants decide what a model predicts, or what it costs
    "text", "posteriors", "models", "learning", "neighbors", "experts", "learners", "held_out",
    "query", "methods",
)  # fmt: skip
PAGES = {  # of docs/methods, and the modules whose constants they list
    "auto": (
        "methods._auto", "learners._linear", "learners._frequent_words",
        "held_out._held_out", "held_out._weights", "held_out._shares", "held_out._expectation",
        "held_out._combination", "experts._decisions", "experts._explanations",
        "methods._training", "_base.folds", "corpora._parts", "corpora._sample", "significance",
    ),
    "naive-bayes-em": (
        "learners._naive_bayes", "learners._collapse", "models._mixture",
        "models._mixture_kernels", "models._expected_counts", "experts._mixture",
    ),
    "two-view": ("learners._two_view", "learning._latent", "learning._views"),
    "components": ("learners._components",),
    "annealing": ("learning._correspondence", "learning._climbs"),
    "diagnosis": (
        "held_out.diagnosis._findings", "held_out.diagnosis._trials",
        "held_out.diagnosis._corpus",
    ),
    "neighbors": (
        "neighbors._votes", "neighbors._search", "neighbors._neighbor_kernels",
        "experts._neighbors", "learners._neighbors",
    ),
    "hybrids": (
        "learners._log_linear", "models._log_linear", "learning._hybrids", "learning._gradient",
        "learners._tuning", "learners._collapse",
    ),
    "support-vector-machines": (
        "learners._svm", "learners._transductive", "learning._transductive", "models._ramp",
    ),
    "fisher": ("learners._fisher", "models._fisher", "experts._fisher", "learners._svm"),
    "multilabel": (
        "learners._label_sets", "models._label_sets", "models._label_set_kernels",
        "models._known_sets", "models._set_search", "models._word_information",
        "experts._label_sets", "held_out._set_combination", "held_out._set_weights",
    ),
    "questions": (
        "query", "methods._suggest", "methods._repeated_fits", "methods._label_lists",
        "labeling._planner", "labeling._advice",
    ),
    "subwords": ("learners._subwords", "methods._options", "classifier._fitted"),
    "comparison": (
        "methods._compare", "methods._method_results", "methods._label_errors",
        "held_out._disputes",
    ),
    "text": (
        "text._counter", "text._stop_words", "text._vocabulary_size", "text._script_kernels",
        "text._unspaced", "text._unicode", "text._options", "text._html", "text._looks",
        "text._survey", "text._labeled_texts", "text._counting", "text._embeddings",
        "text._hash_table_kernels", "text._ascii_kernels", "text._number_kernels",
        "text._order_kernels", "text._row_kernels", "methods._method", "methods._registry",
        "methods._label_quality", "methods._text_quality", "corpora._near_copies",
    ),
}  # fmt: skip


class Constant(NamedTuple):
    """A number, or some, that a module gives a name."""

    module: str  # below leaven
    name: str
    value: Any
    line: int
    meaning: str  # the comment beside it, or above
    written: str = ""  # in the code, where that is in hexadecimal digits


@cache
def constants_of(module: str) -> list[Constant]:
    """The constants of a module, in the order in which it has them."""
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    beside, above = _comments(text)
    loaded = import_module(f"leaven.{module}")
    found = []
    for statement in ast.parse(text).body:
        names = _names(statement)
        told = beside.get(statement.end_lineno or 0) or above.get(statement.lineno, "")
        written = ast.get_source_segment(text, statement) or ""
        _, _, given = written.partition("= ")
        written = given if "0x" in given else ""
        found += [
            Constant(module, name, value, statement.lineno, told, written)
            for name in names
            if _is_number(value := getattr(loaded, name))
        ]
    return found


def modules() -> list[str]:
    """All modules of the layers, packages within them too."""
    paths = [path for layer in LAYERS for path in sorted(PACKAGE.glob(f"{layer}.py"))]
    paths += [path for layer in LAYERS for path in sorted(PACKAGE.glob(f"{layer}/**/*.py"))]
    relative = (path.relative_to(PACKAGE).with_suffix("") for path in paths)
    return [".".join(path.parts) for path in relative if path.name != "__init__"]


def constants_table(*of_modules: str) -> str:
    """The constants of some modules."""
    rows = []
    for module in of_modules:
        for (_, told), group in groupby(
            constants_of(module), key=lambda each: (each.line, each.meaning)
        ):
            own = list(group)
            names = ", ".join(f"`{each.name}`" for each in own)
            values = "; ".join(each.written or _shown(each.value) for each in own)
            rows.append([names, values, _escaped(told), f"`{module}`"])
    return markdown_table(["constant", "value", "meaning", "module"], rows)


def _names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return []
    names = [node.id for target in targets for node in ast.walk(target) if _is_name(node)]
    return [name for name in names if name.isupper()]


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or holds some."""
    if isinstance(value, dict):
        return any(map(_is_number, value.values()))
    if isinstance(value, tuple):
        return any(map(_is_number, value))
    return type(value) in (int, float)


def _comments(text: str) -> tuple[dict[int, str], dict[int, str]]:
    """Comments by the line that they are on, and by the line that they are above."""
    beside: dict[int, str] = {}
    above: dict[int, str] = {}
    block: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        told = token.string.lstrip("# ").strip()
        if token.line.lstrip().startswith("#"):
            block = [*block, told] if above.pop(token.start[0], None) is not None else [told]
            above[token.start[0] + 1] = " ".join(block)
        elif not told.startswith(("noqa", "type:", "fmt:")):
            beside[token.start[0]] = told
    return beside, above


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_shown(each)}" for name, each in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(_shown, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _escaped(text: str) -> str:
    """A comment as text of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _section(page: str, of_modules: tuple[str, ...]) -> Section:
    return Section(f"docs/methods/{page}.md", "constants", lambda: constants_table(*of_modules))


SECTIONS = [_section(page, of_modules) for page, of_modules in PAGES.items()]

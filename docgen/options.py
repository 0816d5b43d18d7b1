"""Tables of the options of methods: defaults from the registry, meanings from docstrings."""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import leaven
from docgen.sections import Section
from docgen.tables import markdown_table
from leaven import TextVectorizer
from leaven.methods import METHODS
from leaven.methods._options import make_learner, merged_text_options
from leaven.text._options import TextOptions

# Pages of docs/methods: the methods whose options they list, the estimator whose docstring
# explains these, and the options that the page is about, or all of them.
EM_OPTIONS = ("alpha", "class_alpha", "unlabeled_weight", "max_iter", "tol")
PAGES: dict[str, tuple[Sequence[str], str, Sequence[str]]] = {
    "naive-bayes-em": (("nb", "em"), "NaiveBayesEM", EM_OPTIONS),
    "two-view": (("two-view",), "TwoViewEM", ("concentration", "n_dims", *EM_OPTIONS)),
    "components": (("mixture",), "NaiveBayesEM", ("n_components", "n_init", "n_splits")),
    "annealing": (
        ("annealed",),
        "NaiveBayesEM",
        ("beta_start", "beta_factor", "beta_iter", "correspondence", "max_iter", "tol"),
    ),
    "frequency-estimate": (("sfe",), "FrequencyEstimateNB", ()),
}
TEXT_COLUMNS = ("log_tf", "idf", "length", "numbers")


def options_table(names: Sequence[str], estimator: str, chosen: Sequence[str] = ()) -> str:
    """The options of methods that have the same ones, with each method's defaults."""
    meanings = parameters_of(getattr(leaven, estimator))
    learners = [make_learner(METHODS[name], None) for name in names]
    known = [each.name for each in fields(learners[0]) if each.name in meanings]  # type: ignore[arg-type]
    wanted = [name for name in chosen if name in known] if chosen else known
    rows = [
        [f"`{name}`", *(_shown(getattr(each, name)) for each in learners), meanings[name]]
        for name in wanted
    ]
    heads = [f"`{name}`" for name in names] if len(names) > 1 else ["default"]
    return markdown_table(["option", *heads, "meaning"], rows)


def explained_options(example: object) -> str:
    """The options that the docstring of an object's own class explains, with its values."""
    meanings = _listed(inspect.getdoc(type(example)))
    rows = [
        [f"`{name}`", _shown(getattr(example, name)), meaning]
        for name, meaning in meanings.items()
        if hasattr(example, name)
    ]
    return markdown_table(["option", "default", "meaning"], rows)


def text_options_table() -> str:
    """The options of text, with the defaults of the vectorizer."""
    meanings = parameters_of(TextVectorizer)
    rows = [
        [f"`{each.name}`", _shown(each.default), meanings[each.name]]
        for each in fields(TextOptions)
    ]
    return markdown_table(["option", "default of `TextVectorizer`", "meaning"], rows)


def methods_text_table() -> str:
    """How each method sees text where nothing else is said."""
    rows = []
    for name, method in METHODS.items():
        options = merged_text_options(method, None, 1)
        cells = [_shown(getattr(options, column)) for column in TEXT_COLUMNS]
        rows.append([f"`{name}`", *cells, _by_size(method.min_df)])
    heads = [*(f"`{column}`" for column in TEXT_COLUMNS), "`min_df`"]
    return markdown_table(["method", *heads], rows)


def parameters_of(estimator: type) -> dict[str, str]:
    """What the docstrings of an estimator and its bases say of each parameter."""
    found: dict[str, str] = {}
    for each in estimator.__mro__:
        for name, meaning in _listed(inspect.getdoc(each) if each.__doc__ else "").items():
            if not found.get(name) or found[name].startswith("As in "):
                found[name] = meaning
    return found


def _listed(docstring: str | None) -> dict[str, str]:
    """Names in the section "Parameters" of a docstring, with their descriptions."""
    _, _, rest = (docstring or "").partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w[\w ]*\n-+\n", rest, maxsplit=1)[0]
    found = {}
    for entry in re.split(r"\n(?=\S)", section):
        head, _, body = entry.partition("\n")
        meaning = _as_markdown(" ".join(body.split()))
        for name in head.partition(" : ")[0].replace("\\", "").split(","):
            found[name.strip()] = meaning
    return found


def _as_markdown(text: str) -> str:
    text = text.replace("``", "`").replace("|", "\\|").replace("\\\\", "\\")
    return re.sub(r"\[`([\w.]+)`\]\[\]", r"`\1`", text)


def _by_size(min_df: Mapping[int, int]) -> str:
    parts = [f"{fewest} (from {least:,} documents on)" for least, fewest in min_df.items() if least]
    return ", ".join([*parts, f"{min_df[0]}"])


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _section(page: str) -> Section:
    return Section(f"docs/methods/{page}.md", "options", lambda: options_table(*PAGES[page]))


SECTIONS = [
    *(_section(page) for page in PAGES),
    Section("docs/methods/text.md", "text options", text_options_table),
    Section("docs/methods/text.md", "text options of methods", methods_text_table),
]

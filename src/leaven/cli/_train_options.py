"""Options of ``leaven train``: their choices, defaults and how values are parsed."""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from leaven.cli._help import ADVANCED, METHOD, OUTPUT, TEXT
from leaven.cli._methods import (
    default_of_option,
    default_of_text_option,
    fewest_documents_default,
    read_method,
)
from leaven.methods import METHODS

__all__ = [
    "MethodOption",
    "read_options",
    "ModelOutput",
    "MethodName",
    "Alpha",
    "UnlabeledWeight",
    "MaxIter",
    "Tolerance",
    "Components",
    "Restarts",
    "BetaStart",
    "BetaFactor",
    "CorrespondenceOption",
    "Seed",
    "Subwords",
    "MinDf",
    "MaxDf",
    "Ngrams",
    "VocabularySize",
    "RankBy",
    "NumbersAsOne",
    "Length",
    "AllowEmpty",
    "Calibrate",
    "Check",
    "USUAL",
    "Correspondence",
    "Ranking",
    "read_components",
    "read_share",
    "read_whole",
]


# Defaults of learners' options where no method overrides them; a test compares both.
USUAL: dict[str, Any] = {
    "alpha": 1.0,
    "unlabeled_weight": 1.0,
    "max_iter": 100,
    "tol": 1e-06,
    "n_components": 1,
    "n_init": 3,
    "beta_start": 1.0,
    "beta_factor": 1.01,
    "correspondence": "as-is",
}


class Ranking(StrEnum):
    """How words of a limited vocabulary are chosen."""

    frequency = "frequency"
    mutual_information = "mutual_information"


class Correspondence(StrEnum):
    """Which class each component has after annealing; a test compares it with the library's."""

    as_is = "as-is"
    labels = "labels"
    em = "em"


ModelOutput = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL",
        help="Model file to write; - is stdout.",
        rich_help_panel=OUTPUT,
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        parser=read_method,
        autocompletion=lambda: list(METHODS),
        help="Learning method, see Methods below.",
        rich_help_panel=METHOD,
    ),
]
Components = Annotated[
    list[str] | None,
    typer.Option(
        "--components",
        "--n-components",
        metavar="N",
        help="Components per class: sub-topics that EM finds, each with word probabilities of its "
        "own. A number, candidates as in 1,5,10 (the most accurate on held-out labels is used), "
        "or auto; CLASS=N for one class (repeatable).",
        show_default=default_of_option("n_components", USUAL["n_components"]),
        rich_help_panel=METHOD,
    ),
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate/--no-calibrate",
        help="Hold out labels to calibrate probabilities and to estimate the accuracy on "
        "new documents. Always on for method auto.",
        rich_help_panel=METHOD,
    ),
]
AllowEmpty = Annotated[
    bool | None,
    typer.Option(
        "--allow-empty/--no-allow-empty",
        help="Whether documents that can have several labels may be predicted to have none.",
        show_default="if a labeled document has none",
        rich_help_panel=METHOD,
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check/--no-check",
        "--diagnose/--no-diagnose",
        help="Check on held-out labels whether unlabeled documents help, and warn if not. No "
        "effect for method auto, which uses held-out labels to weight its models.",
        rich_help_panel=METHOD,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        "--random-state",
        metavar="N",
        help="Random seed of starts and folds.",
        rich_help_panel=METHOD,
    ),
]
Subwords = Annotated[
    bool | None,
    typer.Option(
        "--subwords/--no-subwords",
        help="Count the character n-grams inside words, which say something about words that occur "
        "once: method auto adds models of them, other methods count them instead of words.",
        show_default="for method auto, if texts are short",
        rich_help_panel=TEXT,
    ),
]
MinDf = Annotated[
    str | None,
    typer.Option(
        metavar="N|SHARE",
        help="Ignore words that occur in fewer than N documents, or in less than a share of them "
        "such as 0.01.",
        show_default=fewest_documents_default(),
        rich_help_panel=TEXT,
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        metavar="N|SHARE",
        help="Ignore words that occur in more than N documents, or in more than a share of them "
        "such as 0.5.",
        show_default="1.0",
        rich_help_panel=TEXT,
    ),
]
Ngrams = Annotated[
    int | None,
    typer.Option(
        "--ngrams",
        "--ngram-range",
        metavar="N",
        min=1,
        help="Also count sequences of up to N words.",
        show_default="1",
        rich_help_panel=TEXT,
    ),
]
VocabularySize = Annotated[
    str | None,
    typer.Option(
        "--vocabulary-size",
        "--max-features",
        metavar="N|auto",
        help="Keep only N words; auto: the number with the highest accuracy on held-out labels.",
        show_default="all",
        rich_help_panel=TEXT,
    ),
]
RankBy = Annotated[
    Ranking | None,
    typer.Option(
        metavar="MEASURE",
        help="Which words --vocabulary-size keeps: the most frequent (frequency) or the most "
        "informative about the class (mutual_information).",
        show_default="frequency; mutual_information with auto",
        rich_help_panel=TEXT,
    ),
]
NumbersAsOne = Annotated[
    bool,
    typer.Option(
        "--numbers-as-one", help="Count all numbers as the same word.", rich_help_panel=TEXT
    ),
]
Length = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0,
        help="Scale the word counts of every document to this sum, so that long documents do not "
        "dominate; no text is cut off. 0: do not scale.",
        show_default=default_of_text_option("length"),
        rich_help_panel=TEXT,
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Smoothing: pseudo-count added to every word count. Try smaller values if one class "
        "is predicted far too often. For method mcl: weight of the likelihood of labels; for pcp: "
        "how freely its two sets of parameters may differ, from 0 to 1.",
        show_default=default_of_option("alpha", USUAL["alpha"]),
        rich_help_panel=ADVANCED,
    ),
]
UnlabeledWeight = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Weight of an unlabeled document relative to a labeled one, from 0 to 1; lower it "
        "where unlabeled documents hurt.",
        show_default=default_of_option("unlabeled_weight", USUAL["unlabeled_weight"]),
        rich_help_panel=ADVANCED,
    ),
]
MaxIter = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Maximum number of iterations.",
        show_default=default_of_option("max_iter", USUAL["max_iter"]),
        rich_help_panel=ADVANCED,
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Training stops once an iteration improves the objective by no more than this "
        "fraction; larger values stop earlier.",
        show_default=default_of_option("tol", USUAL["tol"]),
        rich_help_panel=ADVANCED,
    ),
]
Restarts = Annotated[
    int | None,
    typer.Option(
        "--restarts",
        "--n-init",
        metavar="N",
        help="Random initializations for classes with several components; the most probable model "
        "is kept.",
        show_default=default_of_option("n_init", USUAL["n_init"]),
        rich_help_panel=ADVANCED,
    ),
]
BetaStart = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="For method annealed: inverse temperature at which annealing starts; 1: no annealing.",
        show_default=default_of_option("beta_start", USUAL["beta_start"]),
        rich_help_panel=ADVANCED,
    ),
]
BetaFactor = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="For method annealed: factor by which the inverse temperature grows in each "
        "iteration.",
        show_default=default_of_option("beta_factor", USUAL["beta_factor"]),
        rich_help_panel=ADVANCED,
    ),
]
CorrespondenceOption = Annotated[
    Correspondence | None,
    typer.Option(
        metavar="RULE",
        help="For method annealed: class of each component after annealing: as-is, unchanged; "
        "labels, that of its labeled documents; em, that of the most similar component of plain "
        "EM.",
        show_default=default_of_option("correspondence", USUAL["correspondence"]),
        rich_help_panel=ADVANCED,
    ),
]
MethodOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="Any other option of the method, named as in Python, such as shrinkage=0.3 for "
        "sfe (repeatable).",
        show_default="none",
        rich_help_panel=ADVANCED,
    ),
]


def read_options(given: Sequence[str]) -> dict[str, Any]:
    """``shrinkage=0.3`` and the like; what is not JSON is text."""
    found: dict[str, Any] = {}
    for entry in given:
        name, equals, value = entry.partition("=")
        if not (name and equals):
            raise typer.BadParameter(
                f"--option must be NAME=VALUE, such as shrinkage=0.3, got {entry!r}"
            )
        if name in found:
            raise typer.BadParameter(f"--option {name} is given twice; give it once")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def read_share(option: str, value: str) -> float:
    """A number of documents (whole) or a share of them (with a decimal point)."""
    try:
        return float(value) if "." in value or "e" in value.lower() else int(value)
    except ValueError:
        raise typer.BadParameter(f"{option} must be a number, got {value!r}") from None


def read_whole(option: str, value: str) -> int:
    """A whole number, or an error that names the option."""
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(f"{option} must be a whole number, got {value!r}") from None


def read_components(given: Sequence[str]) -> Any:
    """``5``, ``auto``, ``1,5,10`` (candidates) or, repeated, ``CLASS=5``."""
    if any("=" in entry for entry in given):
        # A class may be called anything, so the last = counts.
        parts = [entry.rpartition("=") for entry in given]
        if not all(name and found for name, found, _ in parts):
            raise typer.BadParameter(
                "--components must be CLASS=N for each class, or one entry without =; got "
                f"{' and '.join(map(repr, given))}"
            )
        return {name: read_whole("--components", size) for name, _, size in parts}
    if len(given) > 1:
        raise typer.BadParameter(
            "--components may be repeated as CLASS=N only; list candidates as in 1,5,10"
        )
    if given[0] == "auto":
        return "auto"
    numbers = [read_whole("--components", number) for number in given[0].split(",")]
    return numbers[0] if len(numbers) == 1 else numbers

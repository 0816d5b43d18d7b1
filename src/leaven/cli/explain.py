"""``leaven explain``: the words behind a model and behind one prediction."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven.cli._common import (
    AsJson,
    Model,
    Quiet,
    Talk,
    plain_table,
    print_json,
    read_model,
    render,
)

if TYPE_CHECKING:
    from leaven.experts import ComponentWords, Explanation

__all__ = [
    "components",
    "components_table",
    "explain",
    "explain_command",
    "explanation_table",
    "top_words",
    "words_table",
]

BAR = 16  # characters of a full bar to one side
SHOWN_CLASSES = 5
WORTH_SHOWING = 0.0005  # a probability that does not round to 0.0 %


def top_words(model: str, how_many: int = 10) -> dict[str, list[str]]:
    """Most characteristic words of each class."""
    found = read_model(model).top_words(how_many)
    return {str(name): words for name, words in found.items()}


def components(model: str, how_many: int = 10) -> "list[ComponentWords]":
    """Every component of a model and its most characteristic words."""
    return read_model(model).components(how_many)


def explain(model: str, text: str, how_many: int = 10) -> "Explanation":
    """The prediction for one text, and how much each word contributes to it."""
    return read_model(model).explain(text, how_many)


def explain_command(
    model: Model,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="Text whose prediction is explained; - is stdin. Without it, the most "
            "characteristic words of each class are shown.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[int, typer.Option(metavar="N", min=1, help="How many words to show.")] = 10,
    by_component: Annotated[
        bool, typer.Option("--components", help="Show the words of each component instead.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show the words of each class, or what each word of TEXT contributes.

    With TEXT, prints the prediction and how much each word of TEXT contributes to it.

    Example: leaven explain reviews.leaven "the plot was thin but the cast was superb"
    """
    if model == text == "-":
        raise typer.BadParameter("only one of MODEL and TEXT can be - (standard input)")
    if by_component and text is not None:
        raise typer.BadParameter("--components shows the model's words; leave out TEXT")
    with Talk(quiet) as talk:
        if by_component:
            parts = components(model, words)
            if as_json:
                print_json(
                    {"components": list(map(component_json, parts)), "warnings": talk.warnings}
                )
            else:
                render(components_table(parts))
            return
        if text is None:
            found = top_words(model, words)
            if as_json:
                print_json({"top_words": found, "warnings": talk.warnings})
            else:
                render(words_table(found))
            return
        if text == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
        explanation = explain(model, text, words)
        if not explanation.words:
            talk.warn(
                "no word of this text is in the model's vocabulary; the prediction is not "
                "meaningful"
            )
        if as_json:
            print_json({**explanation_json(explanation), "warnings": talk.warnings})
        else:
            render(*explanation_table(explanation))


def explanation_json(explanation: "Explanation") -> dict[str, Any]:
    """Explanation as JSON; classes are strings, as in every key."""
    return {
        "predicted": str(explanation.label),
        "note": _note(explanation),
        "probability": {str(name): p for name, p in explanation.probability.items()},
        "words": [
            {
                "word": entry.word,
                "weight": entry.weight,
                "pull": {str(name): pull for name, pull in entry.pull.items()},
            }
            for entry in explanation.words
        ],
        "unknown_words": explanation.unknown_words,
    }


def _note(explanation: "Explanation") -> str | None:
    from leaven.classifier._predictions import NO_KNOWN_WORD

    return None if explanation.words else NO_KNOWN_WORD


def words_table(found: dict[str, list[str]]) -> Any:
    """One row of words per class."""
    table = plain_table("class", "most characteristic words")
    for name, words in found.items():
        table.add_row(name, " ".join(words))
    return table


def component_json(component: "ComponentWords") -> dict[str, Any]:
    """Component as JSON."""
    return {
        "number": component.number,
        "class": str(component.label),
        "share": component.share,
        "words": component.words,
    }


def components_table(parts: "list[ComponentWords]") -> Any:
    """One row of words per component."""
    numeric = ("number", "share")
    table = plain_table("number", "class", "share", "most characteristic words", numeric=numeric)
    for component in parts:
        table.add_row(
            str(component.number),
            str(component.label),
            f"{percent(component.share, 1)}",
            " ".join(component.words),
        )
    return table


def explanation_table(explanation: "Explanation") -> list[Any]:
    """The prediction, the probabilities, and each word's pull as a bar to one of two sides."""
    from rich.text import Text

    ranked = sorted(explanation.probability.items(), key=lambda item: -item[1])
    lines = Text()
    lines.append(printable(f"{explanation.label}"), style="bold")
    lines.append(f" {percent(ranked[0][1], 1)}")
    shown = [(name, p) for name, p in ranked[1:SHOWN_CLASSES] if p >= WORTH_SHOWING]
    lines.append("".join(f"   {printable(str(name))} {percent(p, 1)}" for name, p in shown))
    n_others = len(ranked) - 1 - len(shown)
    if n_others:
        rest = sum(p for _, p in ranked[1 + len(shown) :])
        noun = "other" if n_others == 1 else "others"
        lines.append(f"   {n_others} {noun} {percent(rest, 1)}")
    if explanation.unknown_words:
        noun = "word" if explanation.unknown_words == 1 else "words"
        lines.append(
            f"\n{explanation.unknown_words} {noun} not in the model's vocabulary", style="dim"
        )
    if not explanation.words:
        lines.append("\nno known word")
        return [lines]
    (first, _), (second, _) = ranked[:2]
    sides = f"{printable(f'{second} ←'):>{BAR}} → {first}"
    table = plain_table("word", sides, "log odds", "strongest class", numeric=("log odds",))
    pulls = [(entry.pull[first] - entry.pull[second], entry) for entry in explanation.words]
    pulls.sort(key=lambda pull: -pull[0])
    longest = max(abs(lead) for lead, _ in pulls) or 1.0
    for lead, entry in pulls:
        towards = max(entry.pull, key=entry.pull.__getitem__)
        table.add_row(entry.word, _bar(lead / longest), f"{lead:+.1f}", str(towards))
    return [lines, table]


def _bar(share: float) -> Any:
    from rich.text import Text

    bar = "█" * max(round(abs(share) * BAR), 1) if share else ""
    if share < 0:
        return Text(f"{bar:>{BAR}}│", style="red")
    return Text(f"{'':{BAR}}│{bar}", style="green")

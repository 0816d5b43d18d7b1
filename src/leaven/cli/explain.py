"""``leaven explain``: the words behind a model, and words and documents behind a prediction."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven.cli._changed_words import (
    Against,
    changed_words,
    changed_words_json,
    changed_words_tables,
)
from leaven.cli._common import (
    AsJson,
    Model,
    Quiet,
    Talk,
    drawn,
    plain_table,
    print_json,
    read_model,
    render,
    stdout_width,
    vector_of,
)
from leaven.cli._generated import generated_json, generated_table

if TYPE_CHECKING:
    from leaven.experts import Components, ComponentWords, Explanation, Neighbor

__all__ = [
    "components",
    "components_table",
    "explain",
    "explain_command",
    "explanation_table",
    "neighbors_table",
    "top_words",
    "words_table",
]

BAR = 16  # characters of a full bar to one side
DEFAULT_NEIGHBORS = 5
OTHERS, NARROWEST = 56, 24  # characters of the columns beside class and text, and of a text
WHERE_TO_FIND = (
    "documents are numbered in the order in which they were read in training; leaven train "
    "--keep-excerpts N lets models show their first N characters"
)


def top_words(model: str, how_many: int = 10) -> dict[str, list[str]]:
    """Most characteristic words of each class."""
    found = read_model(model).top_words(how_many)
    return {str(name): words for name, words in found.items()}


def components(model: str, how_many: int = 10) -> "Components":
    """Every component of a model and its most characteristic words."""
    return read_model(model).components(how_many)


def explain(
    model: str, text: str, how_many: int = 10, n_neighbors: int | None = None
) -> "Explanation":
    """The prediction for one text, how much each word contributes, and the nearest documents.

    ``n_neighbors`` None is 5 for models whose predictions come from documents, else 0.
    """
    fitted = read_model(model)
    return fitted.explain(text, how_many, vector_of(fitted, text), n_neighbors)


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
    against: Against = None,
    neighbors: Annotated[
        bool | None,
        typer.Option(
            "--neighbors/--no-neighbors",
            help="Also show the training documents that are most similar to TEXT, or that voted.",
            show_default="only for nearest-neighbor methods, whose predictions come from them",
        ),
    ] = None,
    n_neighbors: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How many documents to show.", show_default="5"),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show the words of each class, or what each word of TEXT contributes.

    With TEXT, prints the prediction and how much each word of TEXT contributes to it. For
    nearest-neighbor methods, or with --neighbors, also training documents: for these methods those
    that voted, largest share first, for others the labeled documents most similar to TEXT.

    If MODEL models which of several labels each word comes from, TEXT is shown with each word in
    the color of the label that most probably generated it, and the words of each label.

    With --against, prints for each class the words whose probability of the class rose and fell
    most from OTHER to MODEL. The probability is that of a document which consists of the word
    alone. If OTHER was trained without unlabeled documents, it shows what these contributed.

    Example: leaven explain reviews.leaven "the plot was thin but the cast was superb"

    Example: leaven explain reviews.leaven --against supervised.leaven
    """
    if against is not None and (text is not None or by_component or neighbors or n_neighbors):
        raise typer.BadParameter(
            "--against compares the words of two models; leave out TEXT, --components and "
            "--neighbors"
        )
    if model == against == "-":
        raise typer.BadParameter("only one of MODEL and --against can be - (standard input)")
    if model == text == "-":
        raise typer.BadParameter("only one of MODEL and TEXT can be - (standard input)")
    if by_component and text is not None:
        raise typer.BadParameter("--components shows the model's words; leave out TEXT")
    asked = n_neighbors
    if text is None and (neighbors or asked):
        raise typer.BadParameter("--neighbors shows documents that are similar to TEXT; add TEXT")
    if neighbors is False and asked:
        raise typer.BadParameter("--n-neighbors and --no-neighbors exclude each other; drop one")
    if neighbors is not None:
        asked = (asked or DEFAULT_NEIGHBORS) if neighbors else 0
    with Talk(quiet) as talk:
        if against is not None:
            changed = changed_words(model, against, words)
            if as_json:
                listed = changed_words_json(changed)
                print_json({"changed_words": listed, "warnings": talk.warnings})
            else:
                render(*changed_words_tables(changed))
            return
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
        explanation = explain(model, text, words, asked)
        if not (explanation.words or explanation.is_hashed):
            talk.warn(
                "no word of this text is in the model's vocabulary; the prediction is not "
                "meaningful"
            )
        if as_json:
            print_json({**explanation_json(explanation), "warnings": talk.warnings})
        else:
            render(
                *explanation_table(explanation),
                *generated_table(explanation.generated, words),
                *neighbors_table(explanation.neighbors),
            )
            if asked and not explanation.neighbors:
                from leaven.experts import NO_NEIGHBOR

                render(NO_NEIGHBOR)


def explanation_json(explanation: "Explanation") -> dict[str, Any]:
    """Explanation as JSON; classes are strings, as in every key."""
    return {
        "predicted": _label_json(explanation.label),
        "confidence": explanation.confidence,
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
        "neighbors": [
            {
                "document": each.number + 1,
                "class": _label_json(each.label),
                "similarity": each.similarity,
                "share": each.share,
                "is_labeled": each.is_labeled,
                "text": each.excerpt,
            }
            for each in explanation.neighbors
        ],
        **_origins(explanation),
    }


def _origins(explanation: "Explanation") -> dict[str, Any]:
    found = explanation.generated
    return {} if found is None else {"generated": generated_json(found)}


def _label_json(label: Any) -> str | list[str]:
    return [str(name) for name in label] if isinstance(label, tuple) else str(label)


def _note(explanation: "Explanation") -> str | None:
    from leaven.classifier._predictions import NO_KNOWN_WORD

    return None if explanation.words or explanation.is_hashed else NO_KNOWN_WORD


def words_table(found: dict[str, list[str]]) -> Any:
    """One row of words per class."""
    from leaven.experts import TopWords

    return drawn(TopWords(found).table())


def component_json(component: "ComponentWords") -> dict[str, Any]:
    """Component as JSON."""
    return {
        "number": component.number,
        "class": str(component.label),
        "share": component.share,
        "words": component.words,
    }


def components_table(parts: "Components") -> Any:
    """One row of words per component."""
    return drawn(parts.table())


def explanation_table(explanation: "Explanation") -> list[Any]:
    """The prediction, the probabilities, and each word's pull as a bar to one of two sides."""
    from rich.text import Text

    if explanation.has_sets:
        return set_explanation_table(explanation)
    lines = Text()
    lines.append(printable(f"{explanation.label}"), style="bold")
    lines.append(f" {percent(explanation.confidence, 1)}")
    lines.append("".join(f"   {printable(shown)}" for shown in explanation.other_classes))
    _add_notes(lines, explanation)
    if not explanation.words:
        return [lines]
    first, second = explanation.ranked[:2]
    sides = f"{printable(f'{second} ←'):>{BAR}} → {first}"
    table = plain_table("word", sides, "log odds", "strongest class", numeric=("log odds",))
    longest = max(abs(lead) for lead, _ in explanation.leads) or 1.0
    for lead, entry in explanation.leads:
        table.add_row(entry.word, _bar(lead / longest), f"{lead:+.1f}", str(entry.towards))
    return [lines, table]


def _add_notes(lines: Any, explanation: "Explanation") -> None:
    """Add what to know about the words."""
    for note in explanation.notes:
        lines.append(f"\n{note}", style="dim")


def set_explanation_table(explanation: "Explanation") -> list[Any]:
    """The predicted labels, the probabilities, and each word's effect on the log odds of labels."""
    from rich.text import Text

    from leaven.documents._label_sets import readable_label

    lines = Text()
    lines.append(printable(readable_label(explanation.label)), style="bold")
    lines.append(f" {percent(explanation.confidence, 1)} (probability of exactly this)\n")
    lines.append("   ".join(map(printable, explanation.other_classes)))
    _add_notes(lines, explanation)
    if not explanation.words:
        return [lines]
    columns = explanation.explained_labels
    titles = [str(name) for name in columns]
    table = plain_table("word", *titles, "strongest label", numeric=titles)
    for entry in explanation.words:
        cells = [_signed(entry.pull[name]) for name in columns]
        table.add_row(entry.word, *cells, "" if entry.strongest is None else str(entry.strongest))
    return [lines, Text("effect of each word on the log odds of a label:", style="dim"), table]


def _signed(pull: float) -> Any:
    from rich.text import Text

    from leaven.experts import SMALLEST_PULL

    if abs(pull) < SMALLEST_PULL:
        return Text("·", style="dim")
    return Text(f"{pull:+.2f}", style="red" if pull < 0 else "green")


def neighbors_table(neighbors: "list[Neighbor]") -> list[Any]:
    """One row per document, and where to find it if its text is not shown."""
    from rich.text import Text

    from leaven.documents._label_sets import readable_label
    from leaven.experts import neighbors_table as table_of

    if not neighbors:
        return []
    width = max(
        stdout_width() - max(len(readable_label(each.label)) for each in neighbors) - OTHERS,
        NARROWEST,
    )
    cut = [
        each if each.excerpt is None else replace(each, excerpt=_cut(each.excerpt, width))
        for each in neighbors
    ]
    content = table_of(cut)
    if "text" in content.titles:
        return ["", drawn(content)]
    return ["", drawn(content), Text(WHERE_TO_FIND, style="dim")]


def _cut(text: str, width: int) -> str:
    """Text that fits in one line."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _bar(share: float) -> Any:
    from rich.text import Text

    bar = "█" * max(round(abs(share) * BAR), 1) if share else ""
    if share < 0:
        return Text(f"{bar:>{BAR}}│", style="red")
    return Text(f"{'':{BAR}}│{bar}", style="green")

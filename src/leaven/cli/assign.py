"""``leaven assign``: give components to classes by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaven.cli._common import AsJson, Model, Talk, check_folder, print_json, read_model, render
from leaven.cli.explain import components_table

if TYPE_CHECKING:
    from leaven.fitted import FittedClassifier

__all__ = ["assign", "assign_command"]


def assign(model: str, mapping: Mapping[int, str]) -> "FittedClassifier":
    """The model with components given to the classes of these names."""
    fitted = read_model(model)
    named = {str(name): name for name in fitted.classes.tolist()}
    return fitted.assigned({number: named.get(name, name) for number, name in mapping.items()})


def assign_command(
    model: Model,
    components: Annotated[
        list[str],
        typer.Argument(metavar="NUMBER=CLASS…", help="Component and the class to give it to."),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="MODEL", help="File to write."),
    ] = "model.leaven",
    as_json: AsJson = False,
) -> None:
    """Give components of MODEL to other classes, and save the result.

    After annealing with few labels a component can sit with the wrong class. Its words tell:
    leaven explain MODEL --components

    Example: leaven assign news.leaven 3=comp.graphics 0=comp.windows.x -o news.leaven
    """
    mapping = {}
    for entry in components:
        number, found, name = entry.partition("=")
        if not (found and number.isdecimal()):
            raise typer.BadParameter(
                f"components are assigned as NUMBER=CLASS, got {entry!r}; the numbers are shown "
                "by leaven explain MODEL --components"
            )
        mapping[int(number)] = name
    with Talk() as talk:
        from leaven.io import save_model

        check_folder(output)
        fitted = assign(model, mapping)
        save_model(fitted, Path(output))
        found_now = fitted.components()
        if as_json:
            print_json(
                {
                    "model": output,
                    "components": [
                        {"number": own.number, "class": str(own.label)} for own in found_now
                    ],
                    "warnings": talk.warnings,
                }
            )
            return
        render(components_table(found_now))
        talk.say(f"\nsaved {output}")

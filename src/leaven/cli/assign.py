"""``leaven assign``: assign components to classes by hand."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from leaven.cli._common import AsJson, Model, Quiet, Talk, print_json, read_model, save
from leaven.cli._outputs import Force, check_model
from leaven.cli._train_options import ModelOutput

if TYPE_CHECKING:
    from leaven.classifier import FittedClassifier

__all__ = ["assign", "assign_command"]


def assign(model: str, mapping: Mapping[int, str]) -> "FittedClassifier":
    """The model with components assigned to the classes of these names."""
    fitted = read_model(model)
    named = {str(name): name for name in fitted.classes.tolist()}
    return fitted.assigned({number: named.get(name, name) for number, name in mapping.items()})


def assign_command(
    model: Model,
    components: Annotated[
        list[str],
        typer.Argument(metavar="NUMBER=CLASS", help="Component and its new class."),
    ],
    output: ModelOutput,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Assign components of MODEL to other classes, and save it.

    After annealing with few labels, a component can belong to the wrong class. To see the words of
    each component: leaven explain MODEL --components

    Example: leaven assign news.leaven 3=comp.graphics 0=comp.windows.x -o news.leaven
    """
    mapping: dict[int, str] = {}
    for entry in components:
        number, found, name = entry.partition("=")
        if not (found and number.isdecimal()):
            raise typer.BadParameter(
                f"components are assigned as NUMBER=CLASS, got {entry!r}; the numbers are shown "
                "by leaven explain MODEL --components"
            )
        if int(number) in mapping:
            raise typer.BadParameter(f"component {int(number)} is assigned twice; name it once")
        mapping[int(number)] = name
    if as_json and output == "-":
        raise typer.BadParameter("--json and -o - both write to standard output; choose one")
    with Talk(quiet) as talk:
        check_model(output, [model], force=force)
        fitted = assign(model, mapping)
        names = fitted.classes.tolist()
        mixture = fitted.mixture
        assert mixture is not None
        now = [str(names[code]) for code in mixture.model.component_class.tolist()]
        save(fitted, output)
        if as_json:
            entries = [{"number": number, "class": name} for number, name in enumerate(now)]
            print_json({"model": output, "components": entries, "warnings": talk.warnings})
            return
        for component, name in mapping.items():
            talk.note(f"component {component} now belongs to {name}")
        if output != "-":
            talk.note(f"saved {output}")

"""Commands to run next, printed after training; each works as it is printed."""

import dataclasses
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from leaven.documents._reading import Reading

__all__ = ["label_commands", "next_commands"]

SHOWN = 3  # files; of more, only the first is shown


def next_commands(
    data: Sequence[str],
    reading: Reading,
    model: str,
    where: Mapping[str, Any],
    held_out: str = "held-out.csv",
) -> list[str]:
    """What to do with a new model, with the user's own files and options.

    ``where`` are the options of ``leaven train`` for where to run, which predicting needs too;
    ``held_out`` stands for labeled documents.
    """
    usual, given_here = dataclasses.asdict(Reading()), dataclasses.asdict(reading)
    # A model remembers the others, such as its columns; what it prefers is no option.
    remembered = {*reading.to_json(), "likely_text", "likely_label"}
    again = _options(
        {
            name: value
            for name, value in given_here.items()
            if name not in remembered and value != usual[name]
        }
    )
    of_csv = [option for option in again if not option.startswith("--format ")]
    given = list(data) if len(data) <= SHOWN else list(data[:1])
    files = ["new.csv"] if "-" in data else given
    return [
        _command("explain", [model], []),
        _command(
            "predict",
            [model, *files],
            [*(of_csv if "-" in data else again), *_options(where), f"-o {_unused(given)}"],
        ),
        _command("evaluate", [model, held_out], of_csv),
    ]


def label_commands(
    data: Sequence[str], reading: Reading, model: str, given: Mapping[str, Any]
) -> tuple[str, str]:
    """How to go on labeling, and how to predict with the model, with the user's own options.

    ``given`` are options of ``leaven label``, those of reading left out; None: by default.
    """
    usual, own = dataclasses.asdict(Reading()), dataclasses.asdict(reading)
    changed = {name: value for name, value in own.items() if value != usual[name]}
    again = _command("label", data, [*_options(changed), *_options(given)])
    return again, next_commands(data, reading, model, {})[1]


def _command(name: str, arguments: Sequence[str], options: Sequence[str]) -> str:
    return " ".join(["leaven", name, *map(_quoted, arguments), *options])


def _quoted(argument: str) -> str:
    # A name that begins with a dash would be taken for an option.
    return shlex.quote(f"./{argument}" if argument.startswith("-") else argument)


def _options(values: Mapping[str, Any]) -> list[str]:
    """Options as they are typed; those that are None or switched off by default are left out."""
    found = []
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is None or (value is False and name in ("skip-bad-files", "stream")):
            continue
        if isinstance(value, bool):
            found.append(option if value else option.replace("--", "--no-", 1))
        else:
            found += [f"{option} {shlex.quote(str(each))}" for each in _listed(value)]
    return found


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def _unused(data: Sequence[str]) -> str:
    """A name for predictions that is not the name of an input."""
    taken = {os.path.abspath(path) for path in data}
    names = ["predicted.csv", *(f"predicted_{number}.csv" for number in range(2, len(taken) + 3))]
    return next(name for name in names if os.path.abspath(name) not in taken)

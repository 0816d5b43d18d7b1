"""Markdown about hybrids and transductive SVMs, from the results of the benchmarks."""

from typing import Any

import generate_benchmarks as of_benchmarks
from studies._provenance import described

HYBRIDS = "hybrids"  # with which the rows of their benchmark begin
GIVEN, CHOSEN = "settings given", "settings chosen"


def speed_table() -> str:
    """What the benchmark of hybrids measured, if it was run: fits, growth and memory."""
    found = of_benchmarks.read()
    own = [row for row in found["rows"] if row["what"].startswith(f"{HYBRIDS}: ")]
    if not own:
        return "Not measured yet (`python -m benchmarks`)."
    about = (
        f"{found['machine']['processors']} cores (`python -m benchmarks`; "
        f"{described(found['made_with'])}):"
    )
    timed = [row for row in own if row["unit"] == "s"]
    fits = [
        _fits([row for row in timed if row["corpus"] == corpus])
        for corpus in dict.fromkeys(row["corpus"] for row in timed)
    ]
    growth = [row for row in own if "grows" in row]
    memory = [_memory(row) for row in own if "n_arrays" in row]
    return "\n\n".join([about, *fits, *_growth(growth), *memory])


def _fits(rows: list[dict[str, Any]]) -> str:
    """Seconds with settings given and chosen, beside a peer's, on one corpus."""
    by_task: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        kind = row["what"].rpartition(", ")[2]
        by_task.setdefault(row["method"], {})[kind] = row
    lines = []
    for method, kinds in by_task.items():
        given, chosen = kinds[GIVEN], kinds.get(CHOSEN)
        cells = [f"`{method}`", _timed(given["seconds"], given["accuracy"])]
        cells.append("" if chosen is None else _timed(chosen["seconds"], chosen["accuracy"]))
        peer = _timed(given["peer_seconds"], given["peer_accuracy"])
        lines.append([*cells, f"{given['peer']} {peer}", f"{given['ratio']:.2g}×"])
    about = (
        "{corpus}: {n_labeled:,} labeled and {n_unlabeled:,} unlabeled documents, {n_words:,} "
        "words, {n_classes} classes; seconds of a fit, and accuracy on the unlabeled documents:"
    ).format_map(rows[0])
    head = ["method", GIVEN, CHOSEN, "compared with", "ratio"]
    return f"{about[0].upper()}{about[1:]}\n\n{_table(head, lines)}"


def _timed(seconds: float, accuracy: float) -> str:
    return f"{_digits(seconds)} s, {100 * accuracy:.1f} %"


def _growth(rows: list[dict[str, Any]]) -> list[str]:
    """A table for each thing that grows: milliseconds per evaluation."""
    tables = []
    for grows in dict.fromkeys(row["grows"] for row in rows):
        own = [row for row in rows if row["grows"] == grows]
        head = [f"milliseconds per evaluation, by {grows}", *map(_whole, own[0]["by_size"])]
        lines = [
            [
                f"`{row['method']}`",
                *(
                    _digits(1000 * each["seconds_per_evaluation"])
                    for each in row["by_size"].values()
                ),
            ]
            for row in own
        ]
        tables.append(_table(head, lines))
    return tables


def _memory(row: dict[str, Any]) -> str:
    most = row["by_classes"][str(row["n_classes"])]
    peak, array = (f"{most[name] / 1e6:,.0f} MB" for name in ("peak_bytes", "array_bytes"))
    return (
        f"Memory of a fit of `{row['method']}`: {row['n_arrays']:.0f} arrays of the parameters, "
        f"{row['n_remembered']} of which L-BFGS remembers; with {row['n_classes']} classes, "
        f"{row['n_words']:,} words and {row['n_labeled'] + row['n_unlabeled']:,} documents "
        f"it took {peak}, where an array has {array}."
    )


def _digits(number: float) -> str:
    """At least two digits, no more than three behind the point."""
    return f"{number:.3f}" if number < 0.1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def _whole(number: str) -> str:
    return f"{int(number):,}"


def _table(head: list[str], rows: list[list[Any]]) -> str:
    lines = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])

"""What a run found, as tables of counts and a list of faults."""

from collections import Counter

from fuzzing._running import Tally

__all__ = ["counts_table", "fault_lines"]


def counts_table(tally: Tally, part: str) -> list[str]:
    """One line per reader or kind of mutation: how many inputs had which outcome."""
    groups: dict[str, Counter[str]] = {}
    faults = {(group, result) for of, group, result in tally.faults if of == part}
    for (of, group, result), count in tally.counts.items():
        if of == part:
            column = "unexpected" if (group, result) in faults else result
            groups.setdefault(group, Counter())[column] += count
    columns = sorted({column for counts in groups.values() for column in counts} | {"unexpected"})
    columns.sort(key=lambda column: column == "unexpected")
    width = max([len(part), 5, *map(len, groups)])
    lines = [f"{part:<{width}}" + "".join(f"  {column:>10}" for column in columns)]
    for group, counts in sorted(groups.items()):
        cells = "".join(f"  {counts[column]:>{max(10, len(column))},}" for column in columns)
        lines.append(f"{group:<{width}}{cells}")
    total = sum(groups.values(), Counter())
    cells = "".join(f"  {total[column]:>{max(10, len(column))},}" for column in columns)
    return [*lines, f"{'total':<{width}}{cells}"]


def fault_lines(tally: Tally) -> list[str]:
    """One line per kind of fault, the most frequent first."""
    found = sorted(tally.faults.items(), key=lambda item: -tally.counts[item[0]])
    return [
        f"{tally.counts[key]:>8,}  {key[1]}: {key[2]}  [{key[0]} {number}] {outcome.detail}"
        for key, (number, outcome) in found
    ]

"""Which labels are audits, given to documents drawn at random: as arrays, or columns of files."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.typing import BoolArray
from leaven._base.validation import checked_flags
from leaven.documents._columns import REMEDY, as_strings, shown_name, shown_names
from leaven.exceptions import DataError

__all__ = ["audited_rows", "audits_given", "check_audited"]

TRUE = {"true", "1", "1.0", "yes", "audit"}
# A labeling page writes "chosen" and "file" of other labels; pandas writes 0.0 beside empty cells.
FALSE = {"false", "0", "0.0", "no", "", "chosen", "file"}
VALUES = "true or false, 1 or 0, yes or no, or audit where it is one"


def audits_given(audited: Any, n_documents: int) -> BoolArray | None:
    """Which labels are audits, as users give it in Python; None where they say nothing."""
    return None if audited is None else checked_flags("audited", audited, n_documents)


def check_audited(names: Iterable[str], name: str, source: str) -> None:
    """Refuse a column that no file has."""
    listed = sorted(names)
    if not isinstance(name, str) or name not in listed:
        raise DataError(
            f"{source} has no column {name!r} that says which labels are audits (columns found: "
            f"{shown_names(listed)}); {REMEDY['audit']}"
        )


def audited_rows(
    table: pa.Table | None, labels: pa.LargeStringArray | None, name: str, source: str
) -> BoolArray:
    """Which documents have a label that is an audit; documents without a label are not looked at.

    A missing value is false, and so is every value of a file without the column.
    """
    n_documents = 0 if labels is None else len(labels)
    found = np.zeros(n_documents, bool)
    if labels is None or table is None or name not in table.column_names:
        return found
    rows = np.flatnonzero(labels.is_valid().to_numpy(zero_copy_only=False))
    if table.column_names.count(name) > 1:
        raise DataError(f"{source} has several columns {shown_name(name)}; rename all but one")
    cells = as_strings(table.column(name).take(pa.array(rows)), name, source, "audit")
    values = [cell.strip().lower() for cell in cells.fill_null("").to_pylist()]
    unknown = next((value for value in values if value not in TRUE | FALSE), None)
    if unknown is not None:
        raise DataError(
            f"column {shown_name(name)} of {source} must say whether a label is an audit, by "
            f"{VALUES}, got {shown_name(unknown)}; repair it, or {REMEDY['audit']}"
        )
    found[rows] = [value in TRUE for value in values]
    return found

"""Labels as the cells of a file hold them: one as text, several joined, or a list."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._columns import as_strings, is_list_type, nested_value, shown_name
from leaven.documents._json_values import as_text, parsed_list
from leaven.documents._label_rules import AS_WRITTEN, LabelRules
from leaven.documents._label_sets import SEPARATOR, key_of
from leaven.exceptions import DataError

__all__ = ["check_separator", "label_array"]


def check_separator(separator: str | None) -> None:
    """Refuse a separator that cannot be meant."""
    if separator is None or (isinstance(separator, str) and separator):
        return
    raise TypeError(
        "label_separator must be the text between the labels of a document, such as ';', or None "
        f"where a document has one label, got {separator!r}"
    )


def label_array(
    column: pa.ChunkedArray,
    name: str,
    source: str,
    rules: LabelRules = AS_WRITTEN,
    separator: str | None = None,
) -> pa.LargeStringArray:
    """The labels of a column; null where the cell is null, empty or blank, or by the rules.

    White space around a label is stripped: files written as "text, label" have it by accident.
    A list is a set of labels, given as a key (see ``SEPARATOR``); so is text that is a JSON
    list, as lists are written where columns have no types, and all text if there is a
    ``separator``. Blank elements of a list are left out; one of blank elements alone is
    unlabeled, and the empty list is the empty set, as is a cell of separators alone.
    """
    if is_list_type(column.type):
        return _sets_in_lists(column, name, source, rules)
    strings = pc.utf8_trim_whitespace(as_strings(column, name, source, "label"))
    labels = pc.if_else(pc.equal(strings, ""), pa.scalar(None, pa.large_string()), strings)
    has_lists = pc.any(pc.starts_with(labels, "["), min_count=0).as_py()
    if separator is None and not has_lists:
        return rules.applied(labels)
    encoded = labels.dictionary_encode()
    found = [
        _label_in_text(cell, name, source, rules, separator)
        for cell in encoded.dictionary.to_pylist()
    ]
    return pa.array(found, pa.large_string()).take(encoded.indices)


def _label_in_text(
    cell: str, name: str, source: str, rules: LabelRules, separator: str | None
) -> str | None:
    """The label, or the key of the labels, in a cell of text; None if it means unlabeled."""
    elements = parsed_list(cell)
    if elements is not None:
        texts = [as_text(element) or "" for element in elements]
        _refuse_separator(texts, name, source)
        return _key(texts, rules) if texts else key_of([])
    if separator is None:
        return rules.name(cell)
    parts = cell.split(separator)
    _refuse_separator(parts, name, source)
    return _key(parts, rules) if any(map(str.strip, parts)) else key_of([])


def _sets_in_lists(
    column: pa.ChunkedArray, name: str, source: str, rules: LabelRules
) -> pa.LargeStringArray:
    if pa.types.is_nested(column.type.value_type):
        raise nested_value(source, name, "label", "nested value")
    lists = column.cast(pa.large_list(column.type.value_type)).combine_chunks()
    elements = as_strings(pa.chunked_array([lists.flatten()]), name, source, "label")
    elements = pc.utf8_trim_whitespace(elements).fill_null("")
    if pc.any(pc.match_substring(elements, SEPARATOR), min_count=0).as_py():
        raise _holds_separator(name, source)
    lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    joined = pc.binary_join(
        pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), elements),
        pa.scalar(SEPARATOR, pa.large_string()),
    )
    encoded = joined.dictionary_encode()
    keys = [_key(each.split(SEPARATOR), rules) for each in encoded.dictionary.to_pylist()]
    sets = pa.array(keys, pa.large_string()).take(encoded.indices)
    empty = pa.scalar(key_of([]), pa.large_string())
    known = pc.if_else(pa.array(lengths == 0), empty, sets)
    return pc.if_else(lists.is_null(), pa.scalar(None, pa.large_string()), known)


def _key(names: Iterable[str], rules: LabelRules) -> str | None:
    """The key of labels; None if there is none, or one of them means unlabeled."""
    found = {rules.name(name.strip()) for name in names if name.strip()}
    known = [name for name in found if name is not None]
    return key_of(sorted(known)) if known and len(known) == len(found) else None


def _refuse_separator(names: Iterable[str], name: str, source: str) -> None:
    # Around a label the character is white space, which is stripped.
    if any(SEPARATOR in each.strip() for each in names):
        raise _holds_separator(name, source)


def _holds_separator(name: str, source: str) -> DataError:
    return DataError(
        f"column {shown_name(name)} of {source} must not hold the control character "
        f"{SEPARATOR!r} within a label; remove it"
    )

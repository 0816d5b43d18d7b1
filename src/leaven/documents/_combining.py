"""Tables of several batches or files combined into one."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._columns import shown_name
from leaven.documents._json_values import EXACT, as_text, is_json_type, type_of
from leaven.documents._writers import flat
from leaven.exceptions import DataError

__all__ = ["united"]


def united(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables; columns of incompatible types become strings.

    Columns of JSON get the type and the values that they would have if they had been read at once.
    """
    if all(table.schema.equals(tables[0].schema) for table in tables):
        return pa.concat_tables(tables)
    types: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for name in table.schema.names:
            if table.schema.names.count(name) > 1:
                raise DataError(
                    "columns must have different names to combine several files, but "
                    f"{shown_name(name)} occurs twice in one; rename it"
                )
            types.setdefault(name, set()).add(table.schema.field(name).type)
    for name in types:
        kinds = types[name] - {pa.null()}
        if len(kinds) > 1:
            convert = _conversion(
                kinds, [table.column(name) for table in tables if name in table.schema.names]
            )
            tables = [_converted(table, name, convert) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


Conversion = Callable[[pa.ChunkedArray], pa.ChunkedArray]


def _conversion(kinds: set[pa.DataType], columns: Sequence[pa.ChunkedArray]) -> Conversion:
    """What makes columns of different types compatible."""
    if not all(map(is_json_type, kinds)):
        try:
            # With the values: a whole number may be too large to be a float.
            own = [pa.table({"": column}) for column in columns]
            pa.concat_tables(own, promote_options="permissive")
        except pa.ArrowException:
            return _as_strings
        return lambda column: column
    if kinds == {pa.int64(), pa.float64()}:
        is_exact = all(map(_is_exact, columns))
        return (lambda column: column.cast(pa.float64())) if is_exact else _as_strings
    if not all(map(pa.types.is_nested, kinds)):
        return _as_strings
    kind = type_of([value for column in columns for value in column.to_pylist()])
    if kind is None:
        return _as_strings
    return lambda column: pa.chunked_array([pa.array(column.to_pylist(), kind)])


def _is_exact(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_integer(column.type):
        return True
    is_small = pc.and_(pc.less(column, EXACT), pc.greater(column, -EXACT))
    return bool(pc.all(is_small, min_count=0).as_py())


def _as_strings(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if is_json_type(column.type) and pa.types.is_nested(column.type):
        texts = [as_text(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.large_string())])
    return flat(pa.table({"": column})).column(0).cast(pa.large_string())


def _converted(table: pa.Table, name: str, convert: Conversion) -> pa.Table:
    if name not in table.schema.names:
        return table
    place = table.schema.get_field_index(name)
    return table.set_column(place, name, convert(table.column(name)))

"""Tables of several batches or files combined into one."""

import pyarrow as pa

from leaven.documents._writers import flat
from leaven.exceptions import DataError

__all__ = ["united"]


def united(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables; columns of incompatible types become strings."""
    if all(table.schema.equals(tables[0].schema) for table in tables):
        return pa.concat_tables(tables)
    types: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for name in table.schema.names:
            if table.schema.names.count(name) > 1:
                raise DataError(
                    f"columns must have different names to combine several files, but {name!r} "
                    "occurs twice in one; rename it"
                )
            types.setdefault(name, set()).add(table.schema.field(name).type)
    for name in [name for name, kinds in types.items() if len(kinds) > 1]:
        try:
            # With the values: a whole number may be too large to be a float.
            own = [table.select([name]) for table in tables if name in table.schema.names]
            pa.concat_tables(own, promote_options="permissive")
        except pa.ArrowException:
            tables = [_with_strings(table, name) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


def _with_strings(table: pa.Table, name: str) -> pa.Table:
    if name not in table.schema.names:
        return table
    strings = flat(table.select([name])).column(0).cast(pa.large_string())
    return table.set_column(table.schema.get_field_index(name), name, strings)

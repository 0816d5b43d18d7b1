"""Texts as one Arrow array: offsets and UTF-8 bytes, which the kernels read in place."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import pyarrow as pa

from leaven.documents._missing import is_missing_value

__all__ = ["as_text_array", "plain_array"]


def as_text_array(texts: Any, what: str = "texts") -> pa.LargeStringArray:
    """Convert a column of strings to one large-string array without nulls.

    Parameters
    ----------
    texts : list, tuple, iterator, ndarray, pandas or polars Series, Arrow array
        One string per document.
    what : str
        Name of the argument in error messages.

    Returns
    -------
    pyarrow.LargeStringArray
        One contiguous array at offset 0; it shares the memory of an Arrow input
        wherever the type allows it.
    """
    if isinstance(texts, (str, bytes)):
        raise ValueError(
            "Iterable over raw text documents expected, string object received. Pass a list: "
            f"[{what}] classifies one document."
        )
    shape = getattr(texts, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise ValueError(
            f"{what} must be one column of strings, got {len(shape)} dimensions (shape "
            f"{shape}); pass one column, such as table['text'] or array.ravel()"
        )
    if isinstance(texts, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(texts, what)
    if type(texts).__module__.partition(".")[0] == "pandas":
        # pandas' stream export refuses object columns with a message about Arrow's internals.
        column = texts.array
        if hasattr(column, "__arrow_array__"):
            return _from_arrow(pa.array(column), what)
        return _from_list(np.asarray(texts, dtype=object).tolist(), what)
    if hasattr(texts, "__arrow_c_stream__"):
        return _from_arrow(pa.chunked_array(texts), what)
    if hasattr(texts, "__arrow_c_array__"):
        return _from_arrow(pa.array(texts), what)
    if isinstance(texts, np.ndarray):
        # Through a list, because Arrow cuts NumPy's fixed-width strings at their first NUL.
        return _from_list(texts.tolist(), what)
    if isinstance(texts, (Mapping, Set)) or not hasattr(texts, "__iter__"):
        raise TypeError(
            f"{what} must be a sequence of strings, got {type(texts).__name__!r}; pass a list"
        )
    return _from_list(texts if isinstance(texts, Sequence) else list(texts), what)


def plain_array(array: pa.LargeStringArray) -> pa.LargeStringArray:
    """Move a slice to offset 0 without copying, so that buffers can be read directly."""
    if array.offset == 0:
        return array
    if len(array) == 0:
        return pa.array([], pa.large_string())
    _, offsets, data = array.buffers()
    return pa.LargeStringArray.from_buffers(len(array), offsets.slice(8 * array.offset), data)


def _from_arrow(column: pa.Array | pa.ChunkedArray, what: str) -> pa.LargeStringArray:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if column.null_count < len(column) and not any(test(kind) for test in is_text):
        raise TypeError(
            f"{what} must be strings, got an Arrow column of type {column.type}; "
            "cast or decode it to strings"
        )
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    chunks = [_as_large_strings(chunk) for chunk in chunks]
    array = chunks[0] if len(chunks) == 1 else pa.chunked_array(chunks, pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count:
        mask = array.is_null().to_numpy(zero_copy_only=False)
        raise _missing(what, int(mask.sum()), int(mask.argmax()))
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"{what} must be valid UTF-8, but the Arrow column is not ({error}); decode the "
            "bytes with the encoding they were written in"
        ) from None
    return plain_array(array)


def _as_large_strings(chunk: pa.Array) -> pa.LargeStringArray:
    if pa.types.is_dictionary(chunk.type):
        # The dictionary is cast first: Arrow cannot look up values in string views.
        values = chunk.dictionary.cast(pa.large_string())
        chunk = pa.DictionaryArray.from_arrays(chunk.indices, values)
    return chunk if pa.types.is_large_string(chunk.type) else chunk.cast(pa.large_string())


def _from_list(texts: Sequence[Any], what: str) -> pa.LargeStringArray:
    # Arrow would accept bytes as text, so the types are checked first, at C speed.
    if not all(issubclass(kind, str) for kind in set(map(type, texts))):
        raise _odd_one_out(texts, what)
    try:
        return pa.array(texts, type=pa.large_string())
    except UnicodeEncodeError:
        position = next(i for i, text in enumerate(texts) if _has_surrogate(text))
        raise ValueError(
            f"{what} must be valid Unicode, but {what}[{position}] has a lone surrogate (half "
            'of a character); repair it with text.encode("utf-8", "replace").decode()'
        ) from None


def _odd_one_out(texts: Sequence[Any], what: str) -> Exception:
    missing = [i for i, text in enumerate(texts) if is_missing_value(text)]
    for i, text in enumerate(texts):
        if not isinstance(text, str) and not is_missing_value(text):
            return TypeError(
                f"{what} must be strings, but {what}[{i}] is of type {type(text).__name__!r}; "
                "convert it to str or drop it"
            )
    return _missing(what, len(missing), missing[0])


def _missing(what: str, count: int, first: int) -> ValueError:
    return ValueError(
        f"{what} must hold a string for every document, but {count} "
        f"{'is' if count == 1 else 'are'} missing (None or NaN), the first at position {first}; "
        'fill them with "" or drop them'
    )


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False

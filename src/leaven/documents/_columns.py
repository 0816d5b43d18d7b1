"""Choice of a file's text and label columns, and their values as strings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._arrow import plain_array
from leaven.documents._reading import Columns
from leaven.exceptions import DataError

__all__ = [
    "Header",
    "Wanted",
    "as_strings",
    "choose_label",
    "choose_text",
    "guess",
    "is_list_type",
    "nested_value",
    "parts_of",
    "shown_name",
    "shown_names",
    "text_array",
]

TEXT_NAMES = (
    "text", "body", "content", "document", "message", "description", "review", "comment",
    "title", "summary", "question", "tweet", "sentence", "texts", "documents", "raw_text",
    "full_text", "review_text", "utterance", "query", "post", "abstract", "article", "headline",
    "subject", "email", "sms", "note", "notes",
)  # fmt: skip
LABEL_NAMES = (
    "label", "class", "category", "target", "topic", "tag", "y", "sentiment", "intent",
    "label_text", "label_name", "class_name", "gold_label", "polarity", "section",
)  # fmt: skip
# Names that suggest several labels per document are used only if labels are required.
PLURAL_LABEL_NAMES = ("labels", "classes", "categories", "topics", "tags")

REMEDY = {
    "text": "name the text column with --text (text= in Python)",
    "label": "name the label column with --label (label= in Python)",
    "audit": "name the column of audits with --audited (audited= in Python)",
}
WANTED = {
    "text": "one string",
    "label": "one label or a list of labels",
    "audit": "true or false",
}
NO_HEADER = "if the first row is a document already, pass --no-header (header=False in Python)"
# What a message shows of the names in a file: characters of one, how many, characters of all.
LONGEST, MOST_LISTED, LONGEST_LIST = 40, 20, 300
JOINT = "\n\n"  # between the columns of one document


def shown_name(name: str) -> str:
    """A name that is in a file, for a message."""
    return repr(name if len(name) <= LONGEST else name[: LONGEST - 3] + "...")


def shown_names(names: Sequence[str]) -> str:
    """Names that are in a file, for a message."""
    shown: list[str] = []
    for name in map(shown_name, names[:MOST_LISTED]):
        if sum(map(len, shown)) + len(name) > LONGEST_LIST:
            break
        shown.append(name)
    others = [] if len(shown) == len(names) else [f"and {len(names) - len(shown)} more"]
    return ", ".join([*shown, *others])


@dataclass(frozen=True)
class Wanted:
    """Which columns to read."""

    text: tuple[str, ...]  # joined if there are several
    label: str | None
    keeps_all: bool  # whether the other columns are read too

    @property
    def names(self) -> list[str]:
        return [*self.text, *([] if self.label is None else [self.label])]


@dataclass(frozen=True)
class Header:
    """The columns of a file, as far as its first rows show."""

    names: tuple[str, ...]
    strings: frozenset[str]  # columns that hold text
    lists: frozenset[str] = frozenset()  # columns that hold a list per document
    looks_like_data: bool = False  # the names seem to be a document, not names

    def remedy(self, kind: str) -> str:
        """What to do if the column of the text or the label is not found."""
        return f"{REMEDY[kind]}; {NO_HEADER}" if self.looks_like_data else REMEDY[kind]

    def __str__(self) -> str:
        return f"columns found: {shown_names(self.names)}" if self.names else "no columns found"


def guess(names: Sequence[str], candidates: Iterable[str]) -> str | None:
    """Find the first candidate among ``names``, exactly or ignoring case."""
    lowered = [name.strip().lower() for name in names]
    for candidate in candidates:
        if candidate in names:
            return candidate
        if candidate in lowered:
            return names[lowered.index(candidate)]
    return None


def parts_of(columns: Columns, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that are meant: "a,b" is one column if it is called so, otherwise two."""
    if isinstance(columns, str):
        if columns in names or "," not in columns:
            return (columns,)
        columns = tuple(part.strip() for part in columns.split(","))
    return tuple(dict.fromkeys(columns))


def choose_text(
    header: Header, given: Columns | None, source: str, likely: Columns | None = None
) -> tuple[str, ...]:
    """Choose the text columns of a file, or raise an error that lists its columns."""
    if given is None and likely is not None:
        parts = parts_of(likely, header.names)
        given = parts if set(parts) <= set(header.names) else None
    if given is not None:
        return tuple(
            _checked(header, name, source, "text") for name in parts_of(given, header.names)
        )
    name = guess(header.names, TEXT_NAMES)
    if name is None:
        label = guess(header.names, LABEL_NAMES)
        only = [name for name in header.names if name in header.strings and name != label]
        if len(only) != 1 or header.looks_like_data:
            raise DataError(
                f"{source} has no column that is clearly the text ({header}); "
                f"{header.remedy('text')}"
            )
        name = only[0]
    return (_checked(header, name, source, "text"),)


def choose_label(
    header: Header,
    given: str | None,
    text: Sequence[str],
    needed: bool,
    source: str,
    likely: str | None = None,
) -> str | None:
    """Choose the label column of a file; None if it has no such column."""
    if given is None and likely in header.names and likely not in text:
        given = likely
    if given is not None:
        return _checked(header, given, source, "label") if given in header.names else None
    open_names = [
        name for name in header.names if name not in text and (needed or name not in header.lists)
    ]
    name = guess(open_names, (*LABEL_NAMES, *PLURAL_LABEL_NAMES) if needed else LABEL_NAMES)
    if name is None or (not needed and header.names.count(name) > 1):
        return None
    return _checked(header, name, source, "label")


def _checked(header: Header, name: str, source: str, kind: str) -> str:
    count = header.names.count(name)
    if count == 0:
        lowered = {other.lower(): other for other in header.names}
        similar = get_close_matches(name.lower(), lowered, n=1)
        hint = f"; did you mean {shown_name(lowered[similar[0]])}?" if similar else ""
        raise DataError(
            f"{source} has no column {shown_name(name)} ({header}){hint or '; '}"
            f"{'' if hint else header.remedy(kind)}"
        )
    if count > 1:
        raise DataError(
            f"{source} has {count} columns named {shown_name(name)}, so which of them is the "
            f"{kind} is unclear; rename them, or {REMEDY[kind]}"
        )
    return name


def text_array(table: pa.Table, names: Sequence[str], source: str) -> pa.LargeStringArray:
    """The documents of a column, or of several joined by a blank line; a null is empty.

    Cells that are null or empty are left out of what is joined.
    """
    first, *others = (
        as_strings(table.column(name), name, source, "text").fill_null("") for name in names
    )
    joint, nothing = (pa.scalar(each, pa.large_string()) for each in (JOINT, ""))
    for other in others:
        # Not with nulls to be skipped: Arrow then drops rows in which every cell is null.
        is_between = pc.and_(pc.not_equal(first, ""), pc.not_equal(other, ""))
        first = pc.binary_join_element_wise(first, other, pc.if_else(is_between, joint, nothing))
    return plain_array(first)


def is_list_type(kind: pa.DataType) -> bool:
    """Whether a column of this type holds a list per document."""
    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_list,
            pa.types.is_large_list,
            pa.types.is_fixed_size_list,
            pa.types.is_list_view,
            pa.types.is_large_list_view,
        )
    )


def as_strings(column: pa.ChunkedArray, name: str, source: str, kind: str) -> pa.LargeStringArray:
    """The values of a column as text; lists and other nested values are refused."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_list_type(column.type):
        raise nested_value(source, name, kind, "list")
    if pa.types.is_nested(column.type):
        raise nested_value(source, name, kind, "nested value")
    if pa.types.is_floating(column.type):
        # Whole numbers print without ".0", so an integer column that pandas made float to
        # hold missing values keeps its labels.
        column = pc.if_else(pc.is_nan(column), None, column)
    strings = column.cast(pa.large_string()).combine_chunks()
    strings.validate(full=True)
    return strings


def nested_value(source: str, name: str, kind: str, found: str) -> DataError:
    """The error for a column that holds lists or objects where one string is needed."""
    return DataError(
        f"column {shown_name(name)} of {source} must hold {WANTED[kind]} per document as its "
        f"{kind}, but holds a {found}; {REMEDY[kind]}"
    )

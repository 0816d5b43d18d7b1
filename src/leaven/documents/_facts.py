"""What was read and how, for reports."""

from collections.abc import Sequence
from typing import Any

from leaven.documents._formats import Source
from leaven.documents._settling import Settled

__all__ = ["described", "facts"]

SHOWN = 3  # formats in a sentence


def facts(sources: Sequence[Source], settled: Settled) -> dict[str, Any]:
    """Columns, delimiter, encoding and format; those of the first file, where files differ."""
    first = sources[0]
    has_header = any(source in settled.with_header for source in sources)
    text: Any = settled.text[0] if len(settled.text) == 1 else list(settled.text)
    return {
        "text": text if has_header else None,
        "label": settled.label,
        "detected": has_header and (settled.is_text_detected or settled.is_label_detected),
        "delimiter": getattr(first, "delimiter", None),
        "encoding": first.encoding,
        "format": first.format,
        "n_files": sum(source.n_files for source in sources),
    }


def described(name: str, sources: Sequence[Source], settled: Settled) -> str:
    """The same in one sentence."""
    formats = list(dict.fromkeys(source.described for source in sources))
    shown = " and ".join(formats[:SHOWN]) + (" and others" if len(formats) > SHOWN else "")
    columns = []
    if any(source in settled.with_header for source in sources):
        found = " (detected from column names)"
        are_both = settled.is_text_detected and settled.is_label_detected
        of_text = found if settled.is_text_detected and not are_both else ""
        columns.append("text " + " + ".join(map(repr, settled.text)) + of_text)
        if settled.label is not None:
            columns.append(f"label {settled.label!r}" + found * settled.is_label_detected)
    elif settled.label is not None:
        columns.append("labels from the names of folders")
    start = f"read {name}: "
    return start + "; ".join([", ".join(columns), shown] if columns else [shown])

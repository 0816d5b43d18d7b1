"""How documents are read from files: columns, format, what counts as a label."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from leaven.documents._readers import DocumentFiles

__all__ = ["Columns", "Reading"]

Columns = str | tuple[str, ...]  # one column, or several joined; a str may list them: "a,b"


@dataclass(frozen=True)
class Reading:
    """How to find documents and labels in files; the fields are options of DocumentFiles.

    A model remembers the columns it was trained on as likely ones: where other files have
    them too, they are used; otherwise columns are detected from their names.
    """

    text: Columns | None = None  # several are joined
    label: str | None = None
    vectors: str | None = None  # column of the user's vectors
    format: str | None = None
    encoding: str | None = None  # None: UTF-8, or UTF-16 where a file is marked so
    header: bool = True  # whether the first row of CSV and TSV files names the columns
    unlabeled: tuple[str, ...] = ()  # labels that mean unlabeled
    ignore_case: bool = False  # of labels
    label_separator: str | None = None  # between the labels of a document in a text column
    likely_text: Columns | None = None
    likely_label: str | None = None
    embed: str | None = None  # name of the embedding of texts, instead of a column of vectors

    def files(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        needs_labels: bool = False,
        keep_columns: bool = False,
        skip_bad: bool = False,
    ) -> "DocumentFiles":
        """The files read this way; with vectors, all columns are kept."""
        from leaven.documents._readers import DocumentFiles

        return DocumentFiles(
            paths,
            text=self.text,
            label=self.label,
            likely_text=self.likely_text,
            likely_label=self.likely_label,
            unlabeled=self.unlabeled,
            ignore_case=self.ignore_case,
            label_separator=self.label_separator,
            format=self.format,
            encoding=self.encoding,
            header=self.header,
            needs_labels=needs_labels,
            keep_columns=keep_columns or self.vectors is not None,
            skip_bad=skip_bad,
        )

    def after(self, trained: "Reading | None") -> "Reading":
        """This reading, completed by that of the files a model was trained on."""
        if trained is None:
            return self
        return replace(
            self,
            vectors=self.vectors or trained.vectors,
            embed=self.embed or trained.embed,
            likely_text=trained.text,
            likely_label=trained.label,
            unlabeled=tuple(dict.fromkeys((*trained.unlabeled, *self.unlabeled))),
            ignore_case=self.ignore_case or trained.ignore_case,
            label_separator=self.label_separator or trained.label_separator,
        )

    @property
    def text_names(self) -> str:
        """The text columns as the command line takes them."""
        return ",".join([self.text or ""] if not isinstance(self.text, tuple) else self.text)

    @property
    def options(self) -> dict[str, Any]:
        """The fields as keyword arguments of TextClassifier.fit_files."""
        others = {"likely_text", "likely_label", "embed", *self.label_rules}
        fields = asdict(self)
        return {name: value for name, value in fields.items() if name not in others}

    @property
    def label_rules(self) -> dict[str, Any]:
        """The fields that are parameters of TextClassifier: how labels are understood."""
        return {"unlabeled": self.unlabeled, "ignore_case": self.ignore_case}

    def to_json(self) -> dict[str, Any]:
        """What a model file remembers."""
        columns = {
            "text": list(self.text) if isinstance(self.text, tuple) else self.text,
            "label": self.label,
            "vectors": self.vectors,
        }
        return {
            **columns,
            "unlabeled": list(self.unlabeled),
            "ignore_case": self.ignore_case,
            "label_separator": self.label_separator,
            **({} if self.embed is None else {"embed": self.embed}),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote; values of another kind raise a TypeError."""
        columns: dict[str, Any] = {name: values.get(name) for name in ("text", "label", "vectors")}
        text = columns["text"]
        if isinstance(text, list) and text and all(isinstance(each, str) for each in text):
            columns["text"] = tuple(text)
        for name, value in columns.items():
            is_list = name == "text" and isinstance(value, tuple)
            if not is_list and not isinstance(value, str | None):
                raise TypeError(f"its {name} column is {value!r}")
        unlabeled, ignore_case = values.get("unlabeled", []), values.get("ignore_case", False)
        if not isinstance(unlabeled, list) or not all(isinstance(v, str) for v in unlabeled):
            raise TypeError(f"its unlabeled values are {unlabeled!r}")
        if not isinstance(ignore_case, bool):
            raise TypeError(f"its ignore_case is {ignore_case!r}")
        separator, embed = values.get("label_separator"), values.get("embed")
        if not isinstance(embed, str | None):
            raise TypeError(f"its embedding is {embed!r}")
        if not isinstance(separator, str | None) or separator == "":
            raise TypeError(f"its label_separator is {separator!r}")
        return cls(
            **columns,
            unlabeled=tuple(unlabeled),
            ignore_case=ignore_case,
            label_separator=separator,
            embed=embed,
        )

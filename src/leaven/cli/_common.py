"""What the commands share: options, messages on stderr, progress bars, errors in one line."""

import contextlib
import errno
import json
import os
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self, TextIO

import typer

from leaven._base.bars import Bars
from leaven._base.compile_notice import Notice, notices_to
from leaven._base.interrupts import pending, uninterrupted
from leaven._base.printing import printable, printable_json, printable_lines
from leaven._base.progress import Listener, Progress
from leaven.cli._help import OUTPUT, WHERE

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leaven._base.tables import TextTable
    from leaven.classifier import FittedClassifier
    from leaven.documents import DocumentFiles, Documents
    from leaven.documents._reading import Reading

INTERRUPTED = 130  # what a shell reports for a program that SIGINT ended
INTERRUPTIONS = (KeyboardInterrupt, SystemExit)
BROKEN_PIPE = 141  # the same for SIGPIPE
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
COLORS = {"warning:": "33;1", "error:": "31;1"}  # bold yellow and red, as terminals number them
WIDTH_IN_FILES = 200  # tables are as wide as they need to be if no terminal limits them


Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file that leaven train wrote; - is stdin.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "--n-jobs",
        metavar="N",
        min=1,
        help="Threads to use.",
        show_default="one per processor",
        rich_help_panel=WHERE,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print no progress and no summary; warnings and errors stay.",
        rich_help_panel=OUTPUT,
    ),
]


class Talk:
    """Everything a command prints besides its result, on stderr.

    Inside ``with Talk() as talk`` warnings become lines that begin with ``warning:`` and are
    collected in ``talk.warnings``; an exception becomes one line that begins with ``error:``
    and exit code 1. Compiling is announced, and ``talk.progress`` draws bars. A quiet one
    leaves out bars and what is passed to ``note``.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.warnings: list[str] = []
        self.progress = Bars(is_shown=not quiet)
        self._undo = contextlib.ExitStack()

    def say(self, *lines: str) -> None:
        """Print lines; what would control a terminal, line ends included, is shown escaped."""
        with contextlib.suppress(OSError):
            sys.stdout.flush()  # so that both streams read in order on one terminal
        print(*map(printable, lines), sep="\n", file=sys.stderr, flush=True)

    def note(self, *lines: str) -> None:
        """Say what ``--quiet`` leaves out."""
        if not self.quiet:
            self.say(*lines)

    def warn(self, message: str) -> None:
        """Show a warning once."""
        message = _one_line(message)
        if message not in self.warnings:
            self.warnings.append(message)
            self._say_marked("warning:", message)

    def _say_marked(self, mark: str, text: str) -> None:
        """Say a warning or an error, its first word coloured on a terminal."""
        if not has_colors(sys.stderr):
            self.say(f"{mark} {text}")
            return
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        # Written on its own, because what is said has no control characters.
        sys.stderr.write(f"\x1b[{COLORS[mark]}m{mark}\x1b[0m ")
        self.say(text)

    def _say_compiled(self, notice: Notice) -> None:
        if notice.n_kernels:
            self.note(f"(compiling took {notice.seconds:.0f} s of this run)")

    def __enter__(self) -> Self:
        self._undo.enter_context(warnings.catch_warnings())
        # Deprecations in other packages stay hidden, as Python hides them by default.
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_args, **_more: self.warn(str(message))
        notice = self._undo.enter_context(notices_to(self.note, self.progress))
        self._undo.callback(self._say_compiled, notice)
        self._undo.callback(self.progress.stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with uninterrupted():
                self._undo.close()
            if error is None:
                sys.stdout.flush()
        except (OSError, *INTERRUPTIONS) as later:
            error = error or later
        error = pending() or error  # other code may turn an interrupt into an error of its own
        if error is None or isinstance(error, (typer.Exit, typer.Abort, typer.BadParameter)):
            return
        if isinstance(error, BrokenPipeError):
            _forget_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        if isinstance(error, INTERRUPTIONS):
            self.say("interrupted")
            raise typer.Exit(getattr(error, "code", INTERRUPTED)) from None
        if isinstance(error, Exception) and os.environ.get("LEAVEN_DEBUG", "0") in ("", "0"):
            self._say_marked("error:", _message(error))
            raise typer.Exit(1) from None


def has_colors(stream: TextIO) -> bool:
    """Whether to write colours: to terminals that have any, or as the environment says."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _message(error: Exception) -> str:
    """One line that says what went wrong."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.strerror}: {str(error.filename)!r}"
    if isinstance(error, OSError) and error.strerror and error.errno in NO_ROOM:
        _forget_stdout()  # files are named, so it is this one; it would fail again at the end
        return (
            f"standard output could not be written: {error.strerror}; free some space there, or "
            "write to another disk"
        )
    if isinstance(error, MemoryError):
        return _one_line(
            f"not enough memory {error}; train on fewer documents, or limit the vocabulary with "
            "--min-df or --vocabulary-size"
        )
    text = _one_line(str(error))
    from leaven.exceptions import ClusterError

    plain = (ValueError, TypeError, OSError, ImportError, ClusterError)
    if isinstance(error, plain) and text:
        return text
    return f"{type(error).__name__}: {text} (unexpected; LEAVEN_DEBUG=1 shows where)"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _forget_stdout() -> None:
    """Let the interpreter flush to nowhere: the reader of the output is gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_model(path: str) -> "FittedClassifier":
    """Load a model file, or standard input for ``"-"``."""
    from leaven.classifier._model_file import load_model, parse_model

    return (
        parse_model(sys.stdin.buffer.read(), "standard input") if path == "-" else load_model(path)
    )


def read_labeled_files(
    paths: Sequence[str], reading: "Reading", on_progress: Listener | None = None
) -> "Documents":
    """Documents of files of which some must be labeled."""
    from leaven.documents._readers import no_labels_message
    from leaven.exceptions import DataError

    files = reading.files(paths, needs_labels=True)
    documents = read_files(files, on_progress)
    assert documents.labels is not None
    if documents.labels.null_count == len(documents.labels):
        raise DataError(no_labels_message(files))
    return documents


def vectors_in(
    documents: "Documents", reading: "Reading", text_options: Mapping[str, Any] | None = None
) -> Any:
    """Vectors of documents that are not learned: of a column or an embedding; None without."""
    if reading.vectors is None and reading.embed is None:
        return None
    from leaven.text._embeddings import vector_source, vectors_of

    html = bool((text_options or {}).get("html"))
    return vectors_of(documents, vector_source(reading, html))


def vector_of(fitted: "FittedClassifier", text: str) -> Any:
    """Vector of a text by the embedding of a model; None where it has none."""
    if fitted.reading is None or fitted.reading.embed is None:
        return None
    from leaven.documents._arrow import as_text_array
    from leaven.text._embeddings import Embedding

    embed = Embedding(fitted.reading.embed, fitted.counter.options.html)
    return embed(as_text_array([text]))[0]


def read_files(files: "DocumentFiles", on_progress: Listener | None) -> "Documents":
    """Read all documents, reporting bytes."""
    files.report_to(Progress(on_progress).phase("reading"))
    return files.read()


def save(fitted: "FittedClassifier", output: str) -> int:
    """Write a model to a file or to standard output; returns the number of bytes."""
    from leaven._base.atomic_files import write_atomically
    from leaven.classifier._model_file import dump_model

    content = dump_model(fitted)
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        write_atomically(Path(output), content)
    return len(content)


def check_one_stdin(model: str, data: Sequence[str]) -> None:
    """Refuse to read two things from standard input."""
    if [model, *data].count("-") > 1:
        raise typer.BadParameter("only one of MODEL and DATA can be - (standard input)")


def print_json(data: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(printable_json(json.dumps(data, ensure_ascii=False)))


def stdout_width() -> int:
    """Characters that fit in a line of output."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_IN_FILES


def render(*results: "RenderableType") -> None:
    """Print tables and text on stdout."""
    from rich.console import Console

    # Text is taken literally, square brackets included.
    console = Console(
        file=sys.stdout, width=stdout_width(), markup=False, highlight=False, emoji=False
    )
    # Captured first, because rich exits by itself when a pipe breaks.
    with console.capture() as captured:
        for result in results:
            console.print(printable_lines(result) if isinstance(result, str) else result)
    text = captured.get()
    if not sys.stdout.isatty():
        text = "".join(line.rstrip() + "\n" for line in text.splitlines())
    sys.stdout.write(text)


def drawn(content: "TextTable") -> Any:
    """A table of a result."""
    table = plain_table(*content.titles, numeric=content.numeric)
    for row in content.rows:
        table.add_row(*row)
    return table


def plain_table(*headers: str, numeric: Sequence[str] = ()) -> Any:
    """Table without vertical lines, numbers to the right."""
    from leaven.cli._tables import PlainTable

    table = PlainTable()
    for header in headers:
        table.add_column(header, justify="right" if header in numeric else "left")
    return table

"""``leaven train``: from files to a saved model."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven.cli._bars import readable_size
from leaven.cli._common import (
    AsJson,
    Data,
    Encoding,
    Format,
    LabelColumn,
    OnProgress,
    Talk,
    TextColumn,
    Threads,
    VectorColumn,
    check_folder,
    print_json,
    read_labeled_files,
    save,
    vectors_in,
)
from leaven.cli._train_options import (
    Correspondence,
    MethodName,
    Ranking,
    read_components,
    read_share,
    read_stop_words,
    read_whole,
)
from leaven.cli._where import (
    Cache,
    DaskAddress,
    SkipBadFiles,
    Stream,
    check_where,
    connected,
    terminating,
)

if TYPE_CHECKING:
    from leaven.classifier._fitted import FittedClassifier

__all__ = ["train", "train_command"]


def train(
    paths: Sequence[str],
    *,
    text: str | None = None,
    label: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    method: str = "auto",
    text_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    n_threads: int | None = None,
    random_state: int = 0,
    vectors: str | None = None,
    calibrate: bool = True,
    diagnose: bool = True,
    skip_bad_files: bool = False,
    stream: bool = False,
    cache: str | None = None,
    client: Any = None,
    on_progress: OnProgress | None = None,
) -> "FittedClassifier":
    """Train a classifier on the documents in files: in memory, streamed, or on a cluster."""
    from leaven import TextClassifier
    from leaven.text._options import TextOptions

    TextOptions(**(text_options or {}))  # refuses bad values before anything is read
    classifier = TextClassifier(
        method,
        text_options=text_options,
        options=options,
        calibrate=calibrate,
        diagnose=diagnose,
        n_threads=n_threads,
        random_state=random_state,
    )
    columns: dict[str, Any] = {"text": text, "label": label}
    columns |= {"format": format, "encoding": encoding}
    if stream or client is not None:
        classifier.fit_files(
            paths,
            **columns,
            vectors=vectors,
            skip_bad_files=skip_bad_files,
            cache=cache,
            client=client,
            on_progress=on_progress,
        )
        return classifier.fitted
    notes: list[str] = []
    documents = read_labeled_files(
        paths,
        on_progress,
        notes,
        **columns,
        keep_columns=vectors is not None,
        skip_bad=skip_bad_files,
    )
    classifier.fit(
        documents.texts,
        documents.labels,
        vectors=vectors_in(documents, vectors),
        on_progress=on_progress,
    )
    classifier.fitted.report.warnings[:0] = notes
    return classifier.fitted


def train_command(
    data: Data,
    text: TextColumn = None,
    label: LabelColumn = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="File to write; - is stdout.")
    ] = "model.leaven",
    method: Annotated[
        MethodName,
        typer.Option(
            metavar="|".join(MethodName),
            help="How to learn: auto compares and blends; nb uses labeled documents only, em the "
            "unlabeled ones too; mixture gives classes several components; annealed cools slowly; "
            "sfe takes word frequencies from all documents, in one pass; "
            "two-view looks at words and vectors, for very few labels.",
        ),
    ] = MethodName.auto,
    vectors: VectorColumn = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Pseudo-count added to every word count.",
            show_default="1.0; 0.05 for auto and two-view",
        ),
    ] = None,
    unlabeled_weight: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="How much an unlabeled document counts, from 0 to 1.",
            show_default="1.0; 0.0 for nb, 0.1 for sfe",
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Most EM iterations.",
            show_default="100; 10 for auto and two-view",
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="EM stops once an iteration gains no more than this share of the objective.",
            show_default="1e-06",
        ),
    ] = None,
    components: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|N,N,…|auto|CLASS=N",
            help="Components of every class, or of one class (repeatable); of several numbers "
            "the one that classifies held-out labeled documents best is taken.",
            show_default="1; auto for mixture",
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Random starts of classes with several components; the most probable is kept.",
            show_default="3",
        ),
    ] = None,
    beta_start: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Inverse temperature at which annealing starts; 1 is no annealing.",
            show_default="1.0; 0.02 for annealed",
        ),
    ] = None,
    beta_factor: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="What the inverse temperature is multiplied by after each iteration.",
            show_default="1.01",
        ),
    ] = None,
    correspondence: Annotated[
        Correspondence | None,
        typer.Option(
            metavar="|".join(Correspondence),
            help="Which class each component has after annealing: its own, that of the labeled "
            "documents it takes, or that of the most similar component of plain EM.",
            show_default="as-is; labels for annealed",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of random starts and folds.")] = 0,
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="english|FILE",
            help="Words to leave out: a list of English ones, or a file of them.",
            show_default="none",
        ),
    ] = None,
    min_df: Annotated[
        str | None,
        typer.Option(
            metavar="N|SHARE",
            help="Leave out words in fewer documents than this number, or share such as 0.01.",
            show_default="1 to 5, more for more documents; 1 or 2 for auto, sfe and two-view",
        ),
    ] = None,
    max_df: Annotated[
        str | None,
        typer.Option(
            metavar="N|SHARE",
            help="Leave out words in more documents than this number, or share such as 0.5.",
            show_default="1.0",
        ),
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Also count runs of up to N words.", show_default="1"
        ),
    ] = None,
    vocabulary_size: Annotated[
        str | None,
        typer.Option(
            metavar="N|auto",
            help="Keep only N words; auto: as many as classify left-out labeled documents best.",
            show_default="all",
        ),
    ] = None,
    rank_by: Annotated[
        Ranking | None,
        typer.Option(
            metavar="|".join(Ranking),
            help="Which words --vocabulary-size keeps.",
            show_default="frequency; mutual_information with auto",
        ),
    ] = None,
    numbers_as_one: Annotated[
        bool, typer.Option("--numbers-as-one", help="Count all numbers as one word.")
    ] = False,
    length: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="Scale every document to this many words; 0 leaves lengths as they are.",
            show_default="150; 10 for auto, sfe and two-view",
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Hold labels out, so that probabilities are honest and the accuracy to expect "
            "is known; auto does anyway.",
        ),
    ] = True,
    check: Annotated[
        bool,
        typer.Option(
            "--check/--no-check",
            help="Check on held-out labels whether unlabeled documents help, and warn if not; auto "
            "acts on it instead.",
        ),
    ] = True,
    skip_bad_files: SkipBadFiles = False,
    stream: Stream = False,
    cache: Cache = None,
    dask: DaskAddress = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Train a classifier on the documents in DATA and save it.

    Documents with an empty label are the unlabeled ones; they help too, as far as held-out
    labels say so.

    Example: leaven train reviews.csv --text body --label stars -o reviews.leaven

    Larger than memory: leaven train 'big/*.parquet' --stream
    """
    if as_json and output == "-":
        raise typer.BadParameter("--json and -o - both want standard output; choose one")
    if rank_by is not None and vocabulary_size is None:
        raise typer.BadParameter(
            f"--rank-by {rank_by.value} needs --vocabulary-size, the number of words to keep; add "
            "it or leave out --rank-by"
        )
    check_where(stream, dask, data, cache)
    text_options: dict[str, Any] = {}
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if value is not None:
            text_options[name] = read_share(f"--{name.replace('_', '-')}", value)
    if vocabulary_size is not None:
        is_auto = vocabulary_size == "auto"
        size = vocabulary_size if is_auto else read_whole("--vocabulary-size", vocabulary_size)
        ranking = rank_by or (Ranking.mutual_information if is_auto else Ranking.frequency)
        text_options |= {"max_features": size, "rank_by": ranking.value}
    given = {
        "alpha": alpha,
        "unlabeled_weight": unlabeled_weight,
        "components": None if components is None else read_components(components),
        "n_init": restarts,
        "beta_start": beta_start,
        "beta_factor": beta_factor,
        "correspondence": None if correspondence is None else correspondence.value,
        "max_iter": max_iter,
        "tol": tol,
    }
    with Talk() as talk, terminating(), connected(dask, threads) as client:
        check_folder(output)
        if stop_words is not None:
            text_options["stop_words"] = read_stop_words(stop_words)
        if ngrams is not None:
            text_options["ngram_range"] = (1, ngrams)
        if numbers_as_one:
            text_options["numbers"] = "one"
        if length is not None:
            text_options["length"] = length or None
        fitted = train(
            data,
            text=text,
            label=label,
            format=None if format is None else format.value,
            encoding=encoding,
            method=method.value,
            text_options=text_options,
            options={name: value for name, value in given.items() if value is not None},
            n_threads=threads,
            random_state=seed,
            vectors=vectors,
            calibrate=calibrate,
            diagnose=check,
            skip_bad_files=skip_bad_files,
            stream=stream,
            cache=cache,
            client=client,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        n_bytes = save(fitted, output)
        report = fitted.report
        for warning in report.warnings:
            talk.warn(warning)
        if as_json:
            print_json(
                {"model": output, "bytes": n_bytes, **report.to_json(), "warnings": talk.warnings}
            )
            return
        summary = str(dataclasses.replace(report, warnings=[]))
        if output == "-":
            talk.say(summary)
            return
        typer.echo(summary)
        talk.say(f"\nsaved {output} ({readable_size(n_bytes)}). Next:")
        for command in _next_commands(data, text, vectors, output):
            talk.say(f"  {command}")


def _next_commands(
    data: Sequence[str], text: str | None, vectors: str | None, output: str
) -> list[str]:
    """What to do with the new model, with the user's own file names."""
    model = shlex.quote(output)
    column = f" --text {shlex.quote(text)}" if text else ""
    column += f" --vectors {shlex.quote(vectors)}" if vectors else ""
    name = "new.csv" if data[0] == "-" or Path(data[0]).is_dir() else data[0]
    return [
        f"leaven explain {model}",
        f"leaven predict {model} {shlex.quote(name)}{column} -o predicted.csv",
        f"leaven evaluate {model} held-out.csv{column}",
    ]

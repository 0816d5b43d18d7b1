"""``leaven train``: from files to a saved model."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from leaven._base.bars import readable_size
from leaven._base.progress import Listener
from leaven.cli._common import (
    AsJson,
    Quiet,
    Talk,
    Threads,
    print_json,
    save,
)
from leaven.cli._data_options import Audited, Data, reads_documents
from leaven.cli._methods import DEFAULT_METHOD
from leaven.cli._next import next_commands
from leaven.cli._outputs import Force, KeepDocuments, KeepExcerpts, check_model
from leaven.cli._text_options import (
    Html,
    StopWords,
    TokensOption,
    html_option,
    read_stop_words,
)
from leaven.cli._train_options import (
    AllowEmpty,
    Alpha,
    BetaFactor,
    BetaStart,
    Calibrate,
    Check,
    Components,
    CorrespondenceOption,
    Length,
    MaxDf,
    MaxIter,
    MethodName,
    MethodOption,
    MinDf,
    ModelOutput,
    Ngrams,
    NumbersAsOne,
    RankBy,
    Ranking,
    Restarts,
    Seed,
    Subwords,
    Tolerance,
    UnlabeledWeight,
    VocabularySize,
    read_components,
    read_options,
    read_share,
    read_whole,
)
from leaven.cli._where import (
    Cache,
    DaskAddress,
    SkipBadFiles,
    Stream,
    check_where,
    connected,
)
from leaven.documents._reading import Reading
from leaven.methods import METHODS

if TYPE_CHECKING:
    from leaven.classifier import FittedClassifier

__all__ = ["train", "train_command"]

SEE_WARNING = "see the warning above"


def train(
    paths: Sequence[str],
    reading: Reading,
    *,
    method: str = DEFAULT_METHOD,
    text_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    subwords: bool | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    calibrate: bool = True,
    diagnose: bool = True,
    keep_documents: bool = True,
    keep_excerpts: int = 0,
    allow_empty: bool | None = None,
    audited: str | None = None,
    skip_bad_files: bool = False,
    stream: bool = False,
    cache: str | None = None,
    client: Any = None,
    on_progress: Listener | None = None,
) -> "FittedClassifier":
    """Train a classifier on the documents in files: in memory, streamed, or on a cluster."""
    from leaven import TextClassifier

    classifier = TextClassifier(
        method,
        text_options=text_options,
        options=options,
        embed=reading.embed,
        subwords=subwords,
        calibrate=calibrate,
        diagnose=diagnose,
        keep_documents=keep_documents,
        keep_excerpts=keep_excerpts,
        allow_empty=allow_empty,
        n_jobs=n_jobs,
        random_state=random_state,
        **reading.label_rules,
    )
    classifier.fit_files(
        paths,
        **reading.options,
        audited=audited,
        skip_bad_files=skip_bad_files,
        stream=stream,
        cache=cache,
        client=client,
        on_progress=on_progress,
    )
    return classifier.fitted


@reads_documents()
def train_command(
    data: Data,
    reading: Reading,
    output: ModelOutput = "model.leaven",
    method: MethodName = DEFAULT_METHOD,
    alpha: Alpha = None,
    unlabeled_weight: UnlabeledWeight = None,
    max_iter: MaxIter = None,
    tol: Tolerance = None,
    components: Components = None,
    restarts: Restarts = None,
    beta_start: BetaStart = None,
    beta_factor: BetaFactor = None,
    correspondence: CorrespondenceOption = None,
    option: MethodOption = None,
    seed: Seed = 0,
    html: Html = False,
    tokens: TokensOption = None,
    subwords: Subwords = None,
    stop_words: StopWords = None,
    min_df: MinDf = None,
    max_df: MaxDf = None,
    ngrams: Ngrams = None,
    vocabulary_size: VocabularySize = None,
    rank_by: RankBy = None,
    numbers_as_one: NumbersAsOne = False,
    length: Length = None,
    calibrate: Calibrate = True,
    check: Check = True,
    keep_documents: KeepDocuments = True,
    keep_excerpts: KeepExcerpts = 0,
    allow_empty: AllowEmpty = None,
    audited: Audited = None,
    skip_bad_files: SkipBadFiles = False,
    stream: Stream = False,
    cache: Cache = None,
    dask: DaskAddress = None,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train a classifier on the documents in DATA and save it.

    A document with an empty label is unlabeled. By default,
    held-out labels decide how much weight the unlabeled documents get.

    Example: leaven train reviews.csv --text body --label stars -o reviews.leaven

    Larger than memory: leaven train 'big/*.parquet' --stream

    Chosen labels with audits: leaven train labeled.csv --audited label_chosen
    """
    if as_json and output == "-":
        raise typer.BadParameter("--json and -o - both write to standard output; choose one")
    if rank_by is not None and vocabulary_size is None:
        raise typer.BadParameter(
            f"--rank-by {rank_by.value} needs --vocabulary-size, the number of words to keep; add "
            "it or leave out --rank-by"
        )
    if keep_excerpts and not keep_documents:
        raise typer.BadParameter(
            "--keep-excerpts needs the documents that --no-keep-documents leaves out; drop one"
        )
    check_where(stream, dask, data, cache)
    text_options = html_option(html)
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
        "n_components": None if components is None else read_components(components),
        "n_init": restarts,
        "beta_start": beta_start,
        "beta_factor": beta_factor,
        "correspondence": None if correspondence is None else correspondence.value,
        "max_iter": max_iter,
        "tol": tol,
    }
    options = {name: value for name, value in given.items() if value is not None}
    more = read_options(option or [])
    for name in sorted(set(options) & set(more)):
        raise typer.BadParameter(
            f"--option {name} is also set by its own command-line option; keep one"
        )
    with Talk():  # before a cluster is started
        METHODS[method].check_place("dask" if dask else "stream" if stream else "memory")
        check_model(output, data, force=force)
    with Talk(quiet) as talk, connected(dask, threads) as client:
        if stop_words is not None:
            text_options["stop_words"] = read_stop_words(stop_words)
        if ngrams is not None:
            text_options["ngram_range"] = (1, ngrams)
        if tokens is not None:
            text_options["tokens"] = tokens.value
        if numbers_as_one:
            text_options["numbers"] = "one"
        if length is not None:
            text_options["length"] = length or None
        fitted = train(
            data,
            reading,
            method=method,
            text_options=text_options,
            options=options | more,
            subwords=subwords,
            n_jobs=threads,
            random_state=seed,
            calibrate=calibrate,
            diagnose=check and METHODS[method].is_diagnosed,
            keep_documents=keep_documents,
            keep_excerpts=keep_excerpts,
            allow_empty=allow_empty,
            audited=audited,
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
            file = {"model": output, "bytes": n_bytes}
            print_json({**file, **report.to_json(), **file, "warnings": talk.warnings})
            return
        summary = str(dataclasses.replace(report, warnings=[]))
        if output == "-":
            talk.note(*summary.split("\n"))
            return
        if not quiet:
            typer.echo(summary)
        talk.note("", f"saved {output} ({readable_size(n_bytes)}). Next:")
        where = {"skip-bad-files": skip_bad_files, "stream": stream, "dask": dask}
        # CSV holds lists of labels only with a separator.
        is_list = fitted.labels.has_sets and reading.label_separator is None
        held_out = "held-out.jsonl" if is_list else "held-out.csv"
        for command in next_commands(data, reading, output, where, held_out):
            talk.note(f"  {command}")
        talk.note(f"{held_out} stands for labeled documents that were not used in training")
        if talk.warnings:
            n_warnings = len(talk.warnings)
            talk.note(f"see the {n_warnings} warnings above" if n_warnings > 1 else SEE_WARNING)

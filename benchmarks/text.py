"""Text to counts against CountVectorizer: same matrix, same machine, one and two threads."""

from sklearn.feature_extraction.text import CountVectorizer

from benchmarks._common import Row, best_seconds, newsgroups
from leaven.text import TextVectorizer


def run() -> list[Row]:
    texts, _ = newsgroups()
    best = best_seconds(
        {
            "peer": lambda: CountVectorizer().fit_transform(texts),
            "one": lambda: TextVectorizer(n_jobs=1).fit_transform(texts),
            "two": lambda: TextVectorizer(n_jobs=2).fit_transform(texts),
        }
    )
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    peer = "CountVectorizer"
    return [
        Row(
            f"text → counts, {name} thread{'s' if name == 'two' else ''}",
            best[name],
            peer,
            best["peer"],
            target,
            {"megabytes_per_second": megabytes / best[name]},
        )
        for name, target in (("one", 12.0), ("two", 20.0))
    ]

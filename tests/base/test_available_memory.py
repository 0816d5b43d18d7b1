"""What needs more memory than there is, is refused before it starts."""

import pytest

from leaven import TextClassifier
from leaven._base import available_memory
from leaven._base.available_memory import available_bytes, check_memory

TEXTS = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
LABELS = ["baking", "space", None, None]


def test_work_is_refused_only_if_it_is_large_and_does_not_fit(monkeypatch):
    monkeypatch.setattr(available_memory, "available_bytes", lambda: 3 * 10**9)
    check_memory(2.9e9, "it", "do less")
    with pytest.raises(ValueError, match=r"^it needs 5\.0 GB of memory, but 3\.0 GB are available"):
        check_memory(5e9, "it", "do less")
    monkeypatch.setattr(available_memory, "available_bytes", lambda: 0)
    check_memory(1e9, "it", "do less")  # such small sizes are not worth asking


def test_nothing_is_refused_where_the_memory_is_not_known(monkeypatch):
    monkeypatch.setattr(available_memory, "available_bytes", lambda: None)
    check_memory(1e18, "it", "do less")


def test_the_least_of_system_container_and_process_is_available(monkeypatch, tmp_path):
    meminfo, limit, used = (tmp_path / name for name in ("meminfo", "limit", "used"))
    monkeypatch.setattr(available_memory, "MEMINFO", meminfo)
    monkeypatch.setattr(available_memory, "CONTROL_GROUPS", ((limit, used),))
    monkeypatch.setattr(available_memory, "_of_process", lambda: None)
    assert available_bytes() is None
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable:   4000 kB\n")
    assert available_bytes() == 4000 * 1024
    limit.write_text("max\n")
    used.write_text("700\n")
    assert available_bytes() == 4000 * 1024
    limit.write_text("1000\n")
    assert available_bytes() == 300
    (tmp_path / "memory.stat").write_text("anon 600\ninactive_file 80\nactive_file 20\n")
    assert available_bytes() == 380
    monkeypatch.setattr(available_memory, "_of_process", lambda: -5)
    assert available_bytes() == 0


@pytest.mark.parametrize(
    ("method", "n_tables"), [("nb", 4), ("em", 4), ("auto", 7), ("svm", 2), ("maxent", 32)]
)
def test_a_fit_says_what_it_needs_and_what_to_do(monkeypatch, method, n_tables):
    monkeypatch.setattr(available_memory, "SMALLEST_CHECKED", 0)
    monkeypatch.setattr(available_memory, "available_bytes", lambda: 0)
    clf = TextClassifier(method, n_jobs=1)
    with pytest.raises(ValueError, match="limit the words with max_features") as caught:
        clf.fit(TEXTS, LABELS)
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(available_memory, "available_bytes", lambda: 10**9)
    n_words = clf.fit(TEXTS, LABELS).report_.n_words
    assert f"method {method} of 2 classes and {n_words:,} words needs" in str(caught.value)
    monkeypatch.setattr(available_memory, "available_bytes", lambda: n_tables * 2 * n_words * 4)
    clf.fit(TEXTS, LABELS)
    monkeypatch.setattr(available_memory, "available_bytes", lambda: n_tables * 2 * n_words * 4 - 1)
    with pytest.raises(ValueError, match="of memory, but"):
        clf.fit(TEXTS, LABELS)


def test_neighbors_need_no_parameters(monkeypatch):
    monkeypatch.setattr(available_memory, "SMALLEST_CHECKED", 0)
    monkeypatch.setattr(available_memory, "available_bytes", lambda: 0)
    TextClassifier("knn").fit(TEXTS, LABELS)

"""Reports of very many classes stay short."""

from leaven.classifier import FitReport


def report_of(n_classes):
    counts = {f"class{i:05}": 1 + (i >= n_classes - 3) for i in range(n_classes)}
    return FitReport("em", "because", 2 * n_classes, n_classes, counts, 10)


def test_of_very_many_classes_those_with_most_labels_are_shown():
    report = report_of(5000)
    shown = str(report)
    assert len(shown.splitlines()) < 120
    assert "  and 4,900 more classes" in shown
    assert "class04999" in shown
    assert "class00096" in shown
    assert "class00097" not in shown
    assert "and 4,900 more classes" in report._repr_html_()
    assert "class00097" not in report._repr_html_()
    assert len(report.to_json()["class_counts"]) == 5000


def test_a_hundred_classes_are_all_shown():
    shown = str(report_of(100))
    assert all(f"class{i:05}" in shown for i in range(100))
    assert "more classes" not in shown

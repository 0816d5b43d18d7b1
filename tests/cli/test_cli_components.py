"""Components on the command line: how many, annealed, shown, assigned."""

import json

import pytest

from leaven.classifier._model_file import load_model
from leaven.cli._train_options import Correspondence
from leaven.learning._climbs import CORRESPONDENCES


def test_correspondences_are_the_librarys():
    assert tuple(Correspondence) == CORRESPONDENCES


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        (["--components", "2"], [2, 2, 2]),
        (["--components", "space=3", "--components", "sport=2"], [1, 3, 2]),
        (["--method", "mixture", "--components", "3"], [3, 3, 3]),
        (["--method", "em", "--components", "space=2"], [1, 2, 1]),
        (["--components", "1"], [1, 1, 1]),
    ],
)
def test_train_takes_components_per_class(run, data, tmp_path, given, sizes):
    result = run("train", data, "-o", "out.leaven", "--restarts", "2", *given)
    assert result.exit_code == 0, result.stderr
    fitted = load_model(tmp_path / "out.leaven")
    assert fitted.mixture.model.component_class.tolist() == [
        code for code, size in enumerate(sizes) for _ in range(size)
    ]
    assert list(fitted.report.components.values()) == sizes
    if max(sizes) > 1:
        assert f"{max(sizes)} components" in result.stdout


def test_train_chooses_components_on_held_out_documents(run, data):
    result = run("train", data, "--method", "mixture", "--components", "1,2", "--json")
    report = json.loads(result.stdout)
    assert [choice["components"] for choice in report["choices"]] == [1, 2]
    assert all(choice["n_scored"] == 12 for choice in report["choices"])
    shown = run("train", data, "--method", "mixture", "--components", "1,2").stdout
    assert "accuracy on 12 held-out labeled documents by components per class: 1: " in shown


def test_train_anneals(run, data, tmp_path):
    result = run(
        "train", data, "-o", "out.leaven", "--method", "annealed", "--beta-start", "0.1",
        "--beta-factor", "1.5", "--correspondence", "em", "--seed", "3",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "6 iterations of annealing, then " in result.stdout
    options = load_model(tmp_path / "out.leaven").report.options["method"]
    assert options["correspondence"] == "em"
    assert options["random_state"] == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--components", "many"], "--components must be a whole number, got 'many'"),
        (["--components", "2", "--components", "3"], "may be repeated as CLASS=N only"),
        (
            ["--components", "5", "--components", "space=3"],
            "--components must be CLASS=N for each class",
        ),
        (["--components", "=5"], "--components must be CLASS=N for each class"),
        (["--components", "0"], r"components must be in [1, inf), got 0"),
        (["--components", "art=2"], "components names 'art', which is not a class"),
        (["--vocabulary-size", "big"], "--vocabulary-size must be a whole number, got 'big'"),
        (["--vocabulary-size", "0"], "max_features must be in [1, inf), got 0"),
    ],
)
def test_bad_numbers_are_refused(run, data, given, message):
    result = run("train", data, *given)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())


def test_train_chooses_the_vocabulary(run, data, tmp_path):
    result = run("train", data, "-o", "out.leaven", "--vocabulary-size", "auto")
    assert result.exit_code == 0, result.stderr
    assert "accuracy on 12 held-out labeled documents by number of words: " in result.stdout
    options = load_model(tmp_path / "out.leaven").counter.options
    assert options.rank_by == "mutual_information"
    assert isinstance(options.max_features, int)


def test_explain_shows_every_component(run, data):
    trained = run("train", data, "-o", "m.leaven", "--method", "em", "--components", "space=2")
    assert trained.exit_code == 0, trained.stderr
    table = run("explain", "m.leaven", "--components", "--words", "3").stdout
    rows = [line.split() for line in table.splitlines()[2:]]
    assert [row[:2] for row in rows] == [
        ["0", "baking"], ["1", "space"], ["2", "space"], ["3", "sport"],
    ]  # fmt: skip
    found = json.loads(run("explain", "m.leaven", "--components", "--json").stdout)["components"]
    assert sum(own["share"] for own in found) == pytest.approx(1.0)
    assert set(found[0]) == {"number", "class", "share", "words"}


def test_explain_takes_a_text_or_the_components(run, model):
    result = run("explain", model, "some text", "--components")
    assert result.exit_code == 2
    assert "leave out TEXT" in " ".join(result.stderr.split())


def test_a_blend_shows_its_components_but_assigns_none(run, model, tmp_path):
    shown = run("explain", model, "--components")
    assert shown.exit_code == 0, shown.stderr
    result = run("assign", model, "0=space", "1=baking", "-o", "out.leaven")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: assign needs a model that consists of components only")
    assert "this one combines several models; train with method em, mixture" in result.stderr
    assert not (tmp_path / "out.leaven").exists()


def test_assign_swaps_classes(run, em_model, held_out, tmp_path):
    before = json.loads(run("evaluate", em_model, held_out, "--json").stdout)["accuracy"]
    result = run("assign", em_model, "0=space", "1=baking", "-o", "swapped.leaven")
    assert result.exit_code == 0, result.stderr
    swapped = load_model(tmp_path / "swapped.leaven").mixture
    assert swapped.model.component_class.tolist() == [1, 0, 2]
    after = json.loads(run("evaluate", "swapped.leaven", held_out, "--json").stdout)["accuracy"]
    assert before > 0.9
    assert after < 0.5
    back = run("assign", "swapped.leaven", "1=space", "0=baking", "-o", "back.leaven", "--json")
    assert [own["class"] for own in json.loads(back.stdout)["components"]] == [
        "baking", "space", "sport",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["0=art"], "'art' is not a class of this model; choose from 'baking'"),
        (["7=space"], "components are numbered from 0 to 2, got 7"),
        (["0=space"], "every class needs a component, and 'baking' is left without"),
        (["space"], "components are assigned as NUMBER=CLASS, got 'space'"),
        (["-1=space"], "No such option"),
        (["0=space", "0=sport"], "component 0 is assigned twice"),
    ],
)
def test_assign_refuses_in_a_sentence(run, em_model, tmp_path, given, message):
    result = run("assign", em_model, *given, "-o", "out.leaven")
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out.leaven").exists()


def test_assign_says_what_is_true_now(run, em_model, tmp_path):
    assert load_model(em_model).report.expected_accuracy != {}
    result = run("assign", em_model, "0=space", "1=baking", "-o", "swapped.leaven")
    assert "component 0 now belongs to space" in result.stderr
    report = load_model(tmp_path / "swapped.leaven").report
    assert report.unlabeled_shares == {}
    assert report.diagnosis == {}
    assert report.expected_accuracy == {}
    assert report.warnings == ["components assigned by hand: 0, 1"]


def test_assign_writes_to_standard_output(run, em_model, tmp_path):
    result = run("assign", em_model, "0=space", "1=baking", "-o", "-")
    (tmp_path / "piped.leaven").write_bytes(result.stdout_bytes)
    piped = load_model(tmp_path / "piped.leaven").mixture
    assert piped.model.component_class.tolist() == [1, 0, 2]
    assert not (tmp_path / "-").exists()


def test_assign_needs_a_file_to_write(run, em_model):
    assert run("assign", em_model, "0=space", "1=baking").exit_code == 2


def test_one_label_per_class_gives_nothing_to_choose_by(run, make_csv, rows):
    data = make_csv(rows(30, 1))
    for given in (["--method", "mixture"], ["--vocabulary-size", "auto"]):
        result = run("train", data, *given)
        assert result.exit_code == 1
        assert "set the number, or label a few more" in result.stderr


def test_words_chosen_by_labels_are_not_checked_on_them(run, data):
    by_labels = ("--vocabulary-size", "20", "--rank-by", "mutual_information")
    blend, alone = run("train", data, *by_labels), run("train", data, *by_labels, "--method", "em")
    for result in (blend, alone):
        assert "the expected accuracy is optimistic: the words were selected" in result.stderr
    assert "was not checked: the words were selected by the labels" in alone.stderr
    assert "was not checked" not in blend.stderr  # nothing else is to be checked
    plain = run("train", data, *by_labels[:2])
    assert "optimistic" not in plain.stderr
    both = run("train", data, "--vocabulary-size", "auto", "--components", "1,2")
    assert "the accuracies by which settings were chosen are optimistic" in both.stderr

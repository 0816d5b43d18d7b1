import dataclasses
import json
import re

import pytest

from leaven._base.bars import Bars
from leaven.classifier import load_model
from leaven.cli._methods import (
    default_of_option,
    default_of_text_option,
    fewest_documents_default,
    read_method,
)
from leaven.cli._train_options import USUAL
from leaven.methods import METHODS
from leaven.text._options import TextOptions

FLAGS = {"n_init": "--restarts"}  # of options that the command line calls otherwise


def error_of(result):
    """The one line that an error must be."""
    assert result.exit_code == 1, result.output
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("compiling")]
    assert line.startswith("error: ")
    assert "Traceback" not in result.output
    return line


def test_train_saves_a_model_and_prints_the_report(run, data, tmp_path):
    result = run("train", data, "-o", "out.leaven")
    assert result.exit_code == 0, result.stderr
    assert "method auto: " in result.stdout
    assert "60 documents, 12 labeled in 3 classes" in result.stdout
    assert "leaven predict out.leaven" in result.stderr
    assert "leaven explain out.leaven" in result.stderr
    assert load_model(tmp_path / "out.leaven").classes.tolist() == ["baking", "space", "sport"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.leaven"]


def test_train_writes_to_model_leaven_by_default(run, data, tmp_path):
    assert run("train", data).exit_code == 0
    assert load_model(tmp_path / "model.leaven").report.n_documents == 60


def test_train_prints_one_json_object(run, data):
    result = run("train", data, "-o", "out.leaven", "--method", "nb", "--json")
    report = json.loads(result.stdout)
    assert report["model"] == "out.leaven"
    assert report["method"] == "nb"
    assert report["class_counts"] == {"baking": 4, "space": 4, "sport": 4}
    assert report["warnings"] == []


def test_train_options_reach_the_model(run, data, tmp_path):
    result = run(
        "train", data, "-o", "out.leaven", "--alpha", "0.5", "--unlabeled-weight", "0.3",
        "--max-iter", "50", "--tol", "0.001", "--stop-words", "english", "--min-df", "2",
        "--max-df", "0.9", "--ngrams", "2", "--vocabulary-size", "20", "--rank-by",
        "mutual_information", "--numbers-as-one", "--length", "100", "--threads", "1",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    fitted = load_model(tmp_path / "out.leaven")
    model = fitted.mixture.model
    assert (model.alpha, model.unlabeled_weight) == (0.5, 0.3)
    method = fitted.report.options["method"]
    assert (method["max_iter"], method["tol"]) == (50, 0.001)
    text = fitted.counter.options
    assert text.stop_words is not None
    assert "the" in text.stop_words
    assert (text.min_df, text.max_df, text.ngram_range) == (2, 0.9, (1, 2))
    assert (text.max_features, text.rank_by) == (20, "mutual_information")
    assert (text.numbers, text.length) == ("one", 100.0)


def test_the_frequency_estimate_can_be_trained_and_asked(run, data, held_out):
    result = run("train", data, "-o", "out.leaven", "--method", "sfe", "--unlabeled-weight", "0.5")
    assert result.exit_code == 0, result.stderr
    assert "method sfe: " in result.stdout
    scores = json.loads(run("evaluate", "out.leaven", held_out, "--json").stdout)
    assert scores["accuracy"] > 0.9
    assert "has no option 'max_iter'" in error_of(
        run("train", data, "--method", "sfe", "--max-iter", "3")
    )


def test_length_zero_leaves_lengths_as_they_are(run, data, tmp_path):
    run("train", data, "-o", "out.leaven", "--length", "0")
    assert load_model(tmp_path / "out.leaven").counter.options.length is None


def test_stop_words_may_come_from_a_file(run, data, tmp_path):
    (tmp_path / "stop.txt").write_text("dough\nyeast\n")
    run("train", data, "-o", "out.leaven", "--stop-words", "stop.txt")
    words = load_model(tmp_path / "out.leaven").counter.vocabulary.words.to_pylist()
    assert "bread" in words
    assert "dough" not in words


def test_train_reads_standard_input_and_writes_standard_output(run, data):
    result = run("train", "-", "-o", "-", input=data.read_bytes())
    assert result.exit_code == 0, result.stderr
    about = run("info", "-", "--json", input=result.stdout_bytes)
    assert json.loads(about.stdout)["report"]["n_documents"] == 60


def test_json_and_a_model_cannot_share_standard_output(run, data):
    result = run("train", data, "-o", "-", "--json")
    assert result.exit_code == 2
    assert "--json" in result.stderr


def test_the_output_folder_is_checked_before_anything_is_read(run):
    result = run("train", "nowhere.csv", "-o", "nowhere/out.leaven")
    assert "the folder 'nowhere' does not exist" in error_of(result)


def test_a_missing_file_is_named(run):
    assert "nowhere.csv does not exist" in error_of(run("train", "nowhere.csv"))


def test_a_missing_label_column_lists_the_columns(run, make_csv):
    line = error_of(run("train", make_csv([{"id": "1", "text": "some words"}])))
    assert "'id', 'text'" in line
    assert "--label" in line


def test_an_unknown_method_is_a_usage_error(run, data):
    result = run("train", data, "--method", "magic")
    assert result.exit_code == 2
    message = " ".join(result.stderr.replace("│", " ").split())
    assert f"'magic' is not one of {', '.join(map(repr, METHODS))}." in message


def test_a_document_frequency_must_be_a_number(run, data):
    result = run("train", data, "--min-df", "few")
    assert result.exit_code == 2
    assert "--min-df" in result.stderr


def test_a_ranking_needs_the_number_of_words_to_keep(run, data, tmp_path):
    result = run("train", data, "--rank-by", "mutual_information")
    assert result.exit_code == 2
    message = " ".join(result.stderr.replace("│", " ").split())
    assert "--rank-by mutual_information needs --vocabulary-size, the number of words" in message
    assert not (tmp_path / "model.leaven").exists()


def test_a_vocabulary_is_limited_by_frequency_by_default(run, data, tmp_path):
    assert run("train", data, "--vocabulary-size", "9").exit_code == 0
    text = load_model(tmp_path / "model.leaven").counter.options
    assert (text.max_features, text.rank_by) == (9, "frequency")


def help_of(run, verb):
    """Help as one line; it may break words at their hyphens."""
    return " ".join(re.sub(r"-\n +", "-", run(verb, "--help").stdout).split())


def test_the_methods_offered_are_those_that_exist(run):
    shown = help_of(run, "train")
    assert "--method NAME Learning method, see Methods below. [default: auto]" in shown
    methods = shown.partition("Methods: ")[2]
    for name, method in METHODS.items():
        assert f"{name} {method.summary}" in methods
        assert read_method(name) == name


def defaults_of(option):
    """Default of an option in each method whose learner has it."""
    learners = {name: own.learner_type(**own.settings) for name, own in METHODS.items()}
    return {
        name: getattr(own, option)
        for name, own in learners.items()
        if option in {each.name for each in dataclasses.fields(own)}
    }


def read_default(shown):
    """What a stated default says: the usual value, and the values of methods that it names."""
    usual, _, others = shown.partition("; ")
    of_method = {}
    for value, names in re.findall(r"(\S+) for (.+?)(?=, \S+ for |$)", others):
        of_method |= dict.fromkeys(re.split(", | and ", names), value)
    return usual, of_method


def test_a_stated_default_is_read_as_it_is_written():
    assert read_default("1.0") == ("1.0", {})
    assert read_default("1.0; 0.0 for nb and knn, 0.1 for sfe and ss-cknn") == (
        "1.0",
        {"nb": "0.0", "knn": "0.0", "sfe": "0.1", "ss-cknn": "0.1"},
    )
    wanted = ("1 to 5", {"auto": "1", "sfe": "1", "two-view": "1"})
    assert read_default("1 to 5; 1 for auto, sfe and two-view") == wanted


@pytest.mark.parametrize("option", USUAL)
def test_usual_values_of_options_are_the_learners_own(option):
    types = {own.learner_type for own in METHODS.values() if option not in own.settings}
    found = [
        getattr(own(), option)
        for own in types
        if option in {each.name for each in dataclasses.fields(own)}
    ]
    assert found
    assert all(value == USUAL[option] and type(value) is type(USUAL[option]) for value in found)


def test_every_option_of_a_method_on_the_command_line_has_a_usual_value(run):
    """And so its stated default is checked here."""
    shown = run("train", "--help").stdout
    on_command_line = set(re.findall(r"^ +(--[a-z-]+)", shown, flags=re.MULTILINE))
    on_command_line |= set(re.findall(r"^ +--[a-z-]+, (--[a-z-]+)", shown, flags=re.MULTILINE))
    options = {
        each.name for own in METHODS.values() for each in dataclasses.fields(own.learner_type)
    }
    flags = {option: FLAGS.get(option, f"--{option.replace('_', '-')}") for option in options}
    assert {option for option, flag in flags.items() if flag in on_command_line} == set(USUAL)


@pytest.mark.parametrize("option", USUAL)
def test_a_stated_default_names_every_method_that_has_another(option):
    usual, of_method = read_default(default_of_option(option, USUAL[option]))
    assert usual == str(USUAL[option])
    for name, value in defaults_of(option).items():
        if value == USUAL[option]:
            assert name not in of_method
        else:
            assert (
                float(of_method[name]) == value
                if type(value) in (int, float)
                else (of_method[name] == value)
            )
    assert set(of_method) <= set(defaults_of(option))


def test_the_defaults_that_help_states_are_those_used(run):
    shown = help_of(run, "train")
    stated = {
        FLAGS.get(option, f"--{option.replace('_', '-')}"): default_of_option(option, usual)
        for option, usual in USUAL.items()
    }
    plain = TextOptions(**METHODS["em"].text)
    stated |= {
        "--min-df": fewest_documents_default(),
        "--max-df": plain.max_df,
        "--ngrams": plain.ngram_range[1],
        "--length": default_of_text_option("length"),
    }
    for option, default in stated.items():
        about = re.split(rf" {option},? (?:--[a-z-]+ )?", shown, maxsplit=1)[1].partition(" --")[0]
        assert f"[default: {default}]" in about, option
    # As people read them.
    assert stated["--alpha"] == "1.0; 0.05 for auto, two-view and fisher, auto for mcl and pcp"
    assert stated["--unlabeled-weight"] == (
        "1.0; 0.0 for nb and knn, 0.1 for sfe and multilabel, 0.2 for ss-cknn"
    )
    assert stated["--tol"] == "1e-06; 0.0001 for tsvm, 1e-05 for maxent, mcl and pcp"
    assert stated["--min-df"] == (
        "1 to 2, depending on the number of documents; 1 to 5 for nb, em, mixture and annealed"
    )
    assert stated["--length"] == (
        "10; 150 for nb, em, mixture and annealed, none for svm, tsvm, maxent, mcl, pcp and "
        "multilabel"
    )


def test_what_help_says_of_text_is_true_of_every_method():
    usual, of_method = read_default(default_of_text_option("length"))
    for name, method in METHODS.items():
        stated = of_method.get(name, usual)
        assert (None if stated == "none" else float(stated)) == TextOptions(**method.text).length
        assert method.text.get("max_df", 1.0) == 1.0
        assert method.text.get("ngram_range", (1, 1)) == (1, 1)
        assert method.text.get("max_features") is None
    usual, _, others = fewest_documents_default().partition(
        ", depending on the number of documents; "
    )
    for name, method in METHODS.items():
        fewest = method.min_df.values()
        own = f"{min(fewest)} to {max(fewest)}"
        assert (own == usual) == (re.search(rf"\b{name}\b", others) is None)
        assert own in (usual, others.partition(" for ")[0])


@pytest.mark.parametrize("name", METHODS)
def test_more_documents_leave_out_more_of_the_rare_words(name):
    numbers = (0, 1, 199, 200, 999, 1000, 5000, 10**7)
    fewest = [METHODS[name].fewest_documents(n) for n in numbers]
    assert fewest == sorted(fewest)
    assert fewest[0] == fewest[2] == 1
    assert fewest[3] == 2 or METHODS[name].learns_sets  # which use rare words too


def test_a_bad_option_is_refused_before_anything_is_read(run):
    assert "max_df must be in [0, 1]" in error_of(run("train", "nowhere.csv", "--max-df", "1.5"))


def test_a_file_without_labels_is_refused(run, make_csv, rows):
    line = error_of(run("train", make_csv(rows(12, 0))))
    assert "no document in" in line
    assert "'label'" in line


def test_one_class_is_refused(run, make_csv, rows):
    only = [{**row, "label": "baking"} for row in rows(12, 12)]
    assert "'baking'" in error_of(run("train", make_csv(only)))


def test_labels_that_are_all_different_are_refused(run, make_csv, rows):
    different = [{**row, "label": f"name{row['id']}"} for row in rows(12, 12)]
    line = error_of(run("train", make_csv(different)))
    assert "all different" in line
    assert "--label" in line


def test_a_label_minus_one_as_text_is_refused(run, make_csv, rows):
    marked = [{**row, "label": row["label"] or "-1"} for row in rows(12, 2)]
    assert '"-1"' in error_of(run("train", make_csv(marked)))


def test_an_empty_file_is_refused(run, tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    assert "empty.csv is empty" in error_of(run("train", "empty.csv"))


def test_latin_1_is_refused_with_the_remedy_which_works(run, make_csv, rows, tmp_path):
    accented = [{**row, "text": row["text"] + " café"} for row in rows(12, 2)]
    path = make_csv(accented)
    path.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
    assert "--encoding latin-1" in error_of(run("train", path, "-o", "out.leaven"))
    assert not (tmp_path / "out.leaven").exists()
    assert run("train", path, "-o", "out.leaven", "--encoding", "latin-1").exit_code == 0
    words = load_model(tmp_path / "out.leaven").counter.vocabulary.words.to_pylist()
    assert "café" in words


def test_duplicate_columns_are_refused(run, tmp_path):
    (tmp_path / "twice.csv").write_text("text,text,label\na,b,c\n")
    assert "2 columns named 'text'" in error_of(run("train", "twice.csv"))


def test_a_class_with_one_document_is_a_warning_and_not_an_error(run, make_csv, rows):
    few = rows(60, 4)
    few.append({"id": "60", "text": "violin cello orchestra", "label": "music"})
    result = run("train", make_csv(few), "--json")
    assert result.exit_code == 0
    (warning,) = json.loads(result.stdout)["warnings"]
    assert "'music'" in warning
    assert f"warning: {warning}\n" in result.stderr


def test_a_warning_is_one_line(run, data):
    result = run("train", data, "--method", "em", "--max-iter", "1", "--tol", "0")
    assert result.exit_code == 0
    lines = [line for line in result.stderr.splitlines() if "max_iter" in line]
    assert len(lines) == 1
    assert lines[0].startswith("warning: EM stopped after 1 iterations")
    assert "warning:" not in result.stdout


def test_no_progress_is_shown_without_a_terminal(run, data, monkeypatch):
    monkeypatch.setattr("leaven._base.bars.PATIENCE", 0.0)
    result = run("train", data)
    assert "reading" not in result.stderr
    assert "━" not in result.stderr


def test_an_interrupted_training_leaves_nothing_behind(run, data, tmp_path, monkeypatch):
    (tmp_path / "out.leaven").write_bytes(b"the old model")

    def interrupt(self, phase, done, total):
        if phase == "EM":
            raise KeyboardInterrupt

    monkeypatch.setattr(Bars, "__call__", interrupt)
    result = run("train", data, "-o", "out.leaven", "--force")
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1] == "interrupted"
    assert (tmp_path / "out.leaven").read_bytes() == b"the old model"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.leaven"]


def test_a_model_that_cannot_be_written_whole_is_not_written(run, data, tmp_path, monkeypatch):
    (tmp_path / "out.leaven").write_bytes(b"the old model")

    def fail(*args):
        raise OSError(28, "No space left on device", "out.leaven")

    monkeypatch.setattr("os.replace", fail)
    line = error_of(run("train", data, "-o", "out.leaven", "--force"))
    assert line == "error: No space left on device: 'out.leaven'"
    assert (tmp_path / "out.leaven").read_bytes() == b"the old model"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.leaven"]


@pytest.mark.parametrize("debug", ["1", "yes"])
def test_debugging_shows_where_an_error_came_from(run, monkeypatch, debug):
    monkeypatch.setenv("LEAVEN_DEBUG", debug)
    result = run("train", "nowhere.csv")
    assert result.exit_code == 1
    assert "does not exist" in str(result.exception)


def test_case_and_placeholders_of_labels_have_options_that_evaluate_remembers(run, make_csv, rows):
    held = rows(30, 30, seed=1)
    for i, row in enumerate(held):
        row["label"] = row["label"].upper() if i % 2 else row["label"]
    path = make_csv([*held, {"id": "x", "text": "dough", "label": "?"}])
    result = run("train", path, "-o", "a.leaven", "--method", "nb")
    assert "--ignore-case" in result.stderr
    assert "--unlabeled '?'" in result.stderr
    options = ["--ignore-case", "--unlabeled", "?", "--unlabeled", "-1"]
    result = run("train", path, "-o", "a.leaven", "--method", "nb", *options, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert list(report["class_counts"]) == ["baking", "space", "sport"]
    assert report["warnings"] == []
    new = rows(12, 12, seed=2)
    new[0]["label"], new[1]["label"] = "Baking", "?"
    scores = json.loads(run("evaluate", "a.leaven", make_csv(new, "b.csv"), "--json").stdout)
    assert (scores["n_documents"], scores["n_unlabeled"]) == (11, 1)
    assert scores["confusion"]["classes"] == ["baking", "space", "sport"]
    result = run("compare", path, "--methods", "nb", *options, "--json")
    assert json.loads(result.stdout)["warnings"] == []

"""Which label each word of a text comes from, and how the command line shows it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from leaven import TextClassifier
from leaven.classifier import Seen, save_model
from leaven.cli import app
from leaven.documents._arrow import as_text_array
from leaven.experts import Expert, register_expert
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from leaven.text._spans import text_pieces

TEXTS = [
    "wheat corn the farm", "oil crude the barrel", "wheat oil the farm barrel", "the the and",
    "corn corn farm", "crude barrel and", "corn crude", "and the",
]  # fmt: skip
SETS = [["grain"], ["oil"], ["grain", "oil"], [], ["grain"], ["oil"], ["grain", "oil"], []]
TEXT = "The WHEAT, and\ncorn: corn oil [bold] xyzzy wheat corn"


@register_expert
@dataclass(frozen=True, eq=False)
class ToldExpert(Expert):
    """Knows the log odds that a class gives to each word, and which words are of no class."""

    kind: ClassVar[str] = "told"

    name: str
    words: Any  # (n_words, n_classes + 2), shares

    def scores(self, X: Any, vectors: Any) -> Any:
        return np.asarray(X @ self.words[:, :-2]) * 4 - 2

    def pulls(self, x: Any, word_vectors: Any) -> Any:
        return 4 * x.data[:, None] * self.words[x.indices, :-2]

    def word_scores(self) -> Any:
        return self.words[:, :-2].T

    def generated(self, x: Any, has_class: Any) -> Any:
        shares = self.words[x.indices] * np.append(has_class, [True, True])
        return shares / shares.sum(axis=1, keepdims=True)

    def to_tensors(self) -> tuple[dict[str, float], Mapping[str, Any]]:
        return {}, {"words": self.words}

    @classmethod
    def from_tensors(cls, stored: Any) -> "ToldExpert":
        return cls(stored.name, stored.arrays.get("words", 2))


SHARES = {
    "grain": {"wheat": 0.9, "corn": 0.8, "farm": 0.7, "barrel": 0.05},
    "oil": {"oil": 0.9, "crude": 0.9, "barrel": 0.6, "farm": 0.05},
}
COMMON = {"the": 1.0, "and": 0.6}


@pytest.fixture(scope="module")
def fitted():
    own = (
        TextClassifier(
            "svm", calibrate=False, text_options={"idf": True, "length": 10.0, "min_df": 2}
        )
        .fit(TEXTS, SETS)
        .fitted
    )
    words = own.counter.vocabulary.words.to_pylist()
    table = np.array(
        [[*(of.get(word, 0) for of in SHARES.values()), COMMON.get(word, 0)] for word in words]
    )
    shares = np.column_stack([table, 1 - table.sum(axis=1)])
    return replace(own, experts=(ToldExpert("told", shares),), weights=np.ones(1))


@pytest.fixture
def model(fitted, tmp_path):
    path = tmp_path / "told.leaven"
    save_model(fitted, path)
    return path


def explained(model, *options, **environment):
    result = CliRunner().invoke(app, ["explain", str(model), TEXT, *options], env=environment)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_every_known_word_has_shares_of_its_labels(fitted):
    explanation = fitted.explain(TEXT)
    assert explanation.label == ("grain", "oil")
    found = {each.word: each for each in explanation.generated.words}
    assert set(found) == {"the", "wheat", "and", "corn", "oil"}
    assert {word: each.count for word, each in found.items()} == {
        "the": 1, "wheat": 2, "and": 1, "corn": 3, "oil": 1,
    }  # fmt: skip
    assert found["wheat"].shares == pytest.approx({"grain": 0.9, "oil": 0.0})
    assert (found["and"].common, found["and"].other) == pytest.approx((0.6, 0.4))
    shares = explanation.generated.shares
    assert shares == pytest.approx({"grain": (2 * 0.9 + 3 * 0.8) / 8, "oil": 0.9 / 8})
    total = sum(shares.values()) + explanation.generated.common + explanation.generated.other
    assert total == pytest.approx(1)


def test_only_the_predicted_labels_generate_words(fitted):
    explanation = fitted.explain("wheat barrel")
    assert explanation.label == ("grain", "oil")
    explanation = fitted.explain("corn farm")
    assert explanation.label == ("grain",)
    assert [list(each.shares) for each in explanation.generated.words] == [["grain"]] * 2
    explanation = fitted.explain("and the")
    assert explanation.label == ()
    assert explanation.generated.shares == {}
    assert fitted.explain("xyzzy").generated.words == []
    assert fitted.explain("xyzzy").generated.common == 0


def test_the_effect_of_a_word_is_on_the_log_odds_of_each_label(fitted):
    explanation = fitted.explain("wheat barrel")
    pulls = {entry.word: entry.pull for entry in explanation.words}
    x = fitted.counter.count(as_text_array(["wheat barrel"]), dtype=fitted.dtype)
    scores = fitted.scores(Seen(x))[0]
    total = {name: sum(pull[name] for pull in pulls.values()) - 2 for name in ("grain", "oil")}
    assert_allclose([total["grain"], total["oil"]], scores, rtol=1e-5)
    agrees = [explanation.probability[name] for name in explanation.label]
    assert explanation.confidence == pytest.approx(np.prod(agrees))
    shown = str(explanation).splitlines()
    assert shown[0].startswith("grain, oil  (")
    assert shown[1] == "  grain 100.0 %  oil 100.0 %"


def test_words_are_ranked_by_their_effect_on_the_labels_decided_on(fitted):
    shares = fitted.experts[0].words.copy()
    names = fitted.counter.vocabulary.words.to_pylist()
    shares[names.index("farm"), :2] = [0.1, -5.0]  # only against the other label
    strong = replace(fitted, experts=(ToldExpert("told", shares),))
    explanation = strong.explain("corn farm")
    assert explanation.label == ("grain",)
    assert [entry.word for entry in explanation.words] == ["corn", "farm"]
    nothing = strong.explain("the and")
    assert nothing.label == ()
    assert {entry.word for entry in nothing.words} == {"the", "and"}


def test_a_method_without_origins_has_none():
    assert TextClassifier("svm").fit(TEXTS, SETS).explain("wheat").generated is None
    assert TextClassifier("nb").fit(TEXTS[:2], ["a", "b"]).explain("wheat").generated is None


def test_shares_of_another_shape_are_refused(fitted):
    class Wrong(ToldExpert):
        def generated(self, x: Any, has_class: Any) -> Any:
            return super().generated(x, has_class)[:, 1:]

    wrong = replace(fitted, experts=(Wrong("wrong", fitted.experts[0].words),))
    with pytest.raises(ValueError, match=r"must give shares of shape \(1, 4\).*got \(1, 3\)"):
        wrong.explain("wheat")


def test_the_text_is_shown_in_colours(model):
    shown = explained(model, FORCE_COLOR="1", NO_COLOR=None, TERM="xterm")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "The WHEAT, and\ncorn: corn oil [bold] xyzzy wheat corn" in plain
    found = re.findall(r"\x1b\[([0-9;]+)m(\w+) *\x1b\[0m", shown)
    by_word = {word: code for code, word in found}
    assert by_word["WHEAT"] == by_word["corn"] == by_word["grain"]
    assert by_word["The"] == by_word["and"]
    assert len({by_word[word] for word in ("WHEAT", "oil", "The")}) == 3
    assert "xyzzy" not in by_word


def test_without_colours_the_words_of_each_label_are_listed(model):
    shown = explained(model, NO_COLOR="1")
    assert "\x1b" not in shown
    assert "[bold]" not in shown  # the text itself
    lines = [line.rstrip() for line in shown.splitlines()]
    assert any(re.fullmatch(r"grain +52\.5 % +corn ×3, wheat ×2", line) for line in lines)
    assert any(re.fullmatch(r"oil +11\.2 % +oil", line) for line in lines)
    assert any(re.fullmatch(r"common to all labels +20\.0 % +the, and", line) for line in lines)
    assert lines[0].startswith("grain, oil ")
    assert "grain " in lines[1]
    assert "oil " in lines[1]
    few = explained(model, "--words", "1", NO_COLOR="1")
    assert "corn ×3, and 1 more" in few


def test_origins_are_json_too(model):
    found = json.loads(explained(model, "--json"))
    assert found["predicted"] == ["grain", "oil"]
    assert 0 < found["confidence"] < 1
    assert found["generated"]["shares"]["grain"] == pytest.approx(0.525)
    wheat = next(each for each in found["generated"]["words"] if each["word"] == "wheat")
    assert (wheat["count"], wheat["shares"]["oil"]) == (2, 0)


@given(
    st.text("aB1 .-_éİΣſ٣\n", max_size=30),
    st.sampled_from(["words", "letters"]),
    st.booleans(),
    st.sampled_from(["keep", "one"]),
)
def test_pieces_are_the_text_and_words_are_as_they_are_counted(text, tokens, lowercase, numbers):
    options = TextOptions(tokens=tokens, lowercase=lowercase, numbers=numbers)
    pieces = text_pieces(text, options.as_tokens)
    assert "".join(piece for piece, _ in pieces) == text
    words = [word for _, word in pieces if word is not None]
    try:
        counter, X = fit_counter(as_text_array([text]), options)
    except ValueError:  # no word at all
        assert words == []
        return
    known = dict(zip(counter.vocabulary.words.to_pylist(), X.toarray()[0].tolist(), strict=True))
    assert known == {word: words.count(word) for word in set(words)}

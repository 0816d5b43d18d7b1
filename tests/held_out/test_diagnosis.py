"""Is unlabeled text helping? Corpora where it does and where it does not, and the statistics."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, vstack

from drawing import CORPORA, Drawn
from leaven._base.percent import percent
from leaven.corpora import InMemoryCorpus, Joined, TrainingSet, Unlabeled, sample_unlabeled
from leaven.documents._labels import Labels
from leaven.held_out.diagnosis import Point, _trials, diagnose_alternatives, diagnose_corpus
from leaven.held_out.diagnosis._findings import judge, paired_difference, pooled_correlation
from leaven.held_out.diagnosis._trials import MOST_HELD_OUT, Trials, split_labels
from leaven.learning import (
    Ascent,
    Climb,
    components_of,
    fit_mixture,
    run_em,
    scaled_prior,
    supervised_start,
)
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT, cooling

N_WORDS = 60


def as_drawn(X, truth, n_labeled):
    y = np.where(np.arange(len(truth)) < n_labeled, truth, -1)
    return Drawn(csr_array(X.astype(np.float64)), y, np.ones(len(y)))


def draw_topics(seed=0, n_labeled=80, n_documents=600):
    """Classes are what the words are about: four topics, documents of eight words."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n_documents) % 4)
    truth[:8] = np.arange(8) % 4
    words = rng.dirichlet(np.full(N_WORDS, 0.5), size=4)
    return as_drawn(np.stack([rng.multinomial(8, words[code]) for code in truth]), truth, n_labeled)


def draw_across(seed=0, n_labeled=80, n_documents=600):
    """Classes lie across two topics: most words tell the topic, few the class."""
    rng = np.random.default_rng(seed)
    truth, topic = rng.permutation([np.arange(n_documents) % 4 // 2, np.arange(n_documents) % 2], 1)
    topics, classes = rng.dirichlet(np.full(40, 0.3), size=2), rng.dirichlet(np.ones(20), size=2)
    counts = [
        np.concatenate([rng.multinomial(30, topics[t]), rng.multinomial(5, classes[c])])
        for t, c in zip(topic, truth, strict=True)
    ]
    return as_drawn(np.stack(counts), truth, n_labeled)


def model_of(drawn):
    return MultinomialMixture(np.arange(drawn.y.max() + 1), n_threads=1)


def training_of(drawn, corpus=None):
    if corpus is None:
        corpus = InMemoryCorpus(drawn.X, drawn.y, drawn.weight, n_threads=1)
    return TrainingSet.of(corpus, Labels(np.arange(drawn.y.max() + 1)))


def tell(drawn, corpus=None, how=diagnose_corpus, model=None, climb=None, **options):
    ascent = Ascent(model or model_of(drawn), climb or Climb())
    return how(ascent, training_of(drawn, corpus), **options)


@pytest.fixture(scope="module")
def helped():
    return tell(draw_topics(), how=diagnose_alternatives)


@pytest.fixture(scope="module")
def hurt():
    return tell(draw_across(), how=diagnose_alternatives)


def test_unlabeled_text_about_the_classes_helps(helped):
    assert helped.verdict == "helps"
    assert helped.gain.mean > 0.05
    assert helped.correlation > 0.5
    assert 0 < helped.correlation_interval[0] < helped.correlation < helped.correlation_interval[1]
    assert helped.sentence == (
        "Unlabeled text helps here: the more probable the model, the better it classifies "
        f"held-out labels (r = {helped.correlation:.2f}, {round(100 * helped.gain.mean):+d} points "
        "on 80 held-out labels)."
    )


def test_unlabeled_text_about_something_else_hurts(hurt):
    assert hurt.verdict == "hurts"
    assert hurt.gain.mean < -0.05
    assert hurt.correlation_interval[1] < 0
    assert "the more probable the model, the worse it classifies held-out labels" in hurt.sentence
    assert hurt.sentence.startswith("Unlabeled text hurts here:")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("draw", "wrong"), [(draw_topics, "hurts"), (draw_across, "helps")])
def test_no_draw_gets_the_opposite_verdict(draw, wrong, seed):
    assert tell(draw(seed), seed=seed).verdict != wrong


def test_a_handful_of_labels_leaves_it_unclear():
    found = tell(draw_across(n_labeled=6))
    assert found.verdict == "unclear"
    assert "unclear whether unlabeled text helps" in found.sentence
    assert f"{found.n_held_out} held-out label" in found.sentence


def test_classes_of_one_label_are_told_and_no_failure():
    drawn = draw_topics()
    single = replace(drawn, y=np.where(np.arange(len(drawn.y)) < 4, drawn.y, -1))
    for how in (diagnose_corpus, diagnose_alternatives):
        found = tell(single, how=how)
        assert found.verdict == "unclear"
        assert "no class has two labeled documents" in found.sentence
        assert "Label at least two documents of each class" in found.recommendation
        assert found.points == found.alternatives == []
        assert (found.n_held_out, found.n_labeled, found.n_unlabeled) == (0, 4, 596)


def test_without_unlabeled_text_there_is_nothing_to_ask():
    drawn = draw_topics(n_labeled=600)
    found = tell(drawn)
    assert found.verdict == "unclear"
    assert found.sentence == "There is no unlabeled text."
    assert "method nb" in found.recommendation


def test_much_evidence_of_no_difference_is_told_as_such():
    gains = np.zeros((10, 400))
    gains[:, :2] = [1, -1]
    points = [Point(s, i, s + i, 0.8 + 0.001 * i, 400) for s in range(10) for i in range(3)]
    found = judge(points, gains, np.random.default_rng(0), 500, 5000)
    assert found.verdict == "unclear"
    assert "makes little difference here: +0.0 ± 0." in found.sentence


def test_a_gain_against_the_correlation_is_no_verdict():
    gains = np.ones((10, 50))
    falling = [Point(s, i, float(i), 0.8 - 0.1 * i, 50) for s in range(10) for i in range(3)]
    rising = [Point(s, i, float(i), 0.6 + 0.1 * i, 50) for s in range(10) for i in range(3)]
    rng = np.random.default_rng
    assert judge(rising, gains, rng(0), 50, 100).verdict == "helps"
    assert judge(falling, -gains, rng(0), 50, 100).verdict == "hurts"
    assert judge(falling, gains, rng(0), 50, 100).verdict == "unclear"
    assert judge(rising, -gains, rng(0), 50, 100).verdict == "unclear"


def test_points_go_from_the_supervised_start_to_what_em_makes_of_it(helped):
    for start in range(10):
        own = [point for point in helped.points if point.start == start]
        iterations = [point.iteration for point in own]
        assert iterations[:3] == [0, 1, 2]
        assert iterations == sorted(iterations)
        assert own[-1].log_probability > own[0].log_probability
        assert len({point.n_held_out for point in own}) == 1
        assert all(0 <= point.accuracy <= 1 for point in own)
    n_held_out = [point.n_held_out for point in helped.points if not point.iteration]
    assert n_held_out[0] > 2 * n_held_out[-1]  # the last start has most of the labels


def test_the_first_and_last_points_are_those_of_training():
    drawn, model, climb = (
        draw_topics(),
        MultinomialMixture(np.arange(4), n_threads=1),
        Climb(tol=1e-4),
    )
    found = tell(drawn, climb=climb)
    # The unlabeled documents are all in the sample, so training itself can be repeated.
    corpus = InMemoryCorpus(drawn.X, drawn.y, n_threads=1)
    trials = Trials(training_of(drawn, corpus), 10, 3000, 0, 1, None)
    labeled = trials.labeled
    for start in (0, 9):
        part, held = trials.splits[start]
        own = InMemoryCorpus(csr_array(labeled.X[part]), labeled.y[part], n_threads=1)
        rest = Joined([own, Unlabeled(corpus)])
        at_start = supervised_start(model, rest)[0]
        at_end = fit_mixture(model, rest, climb).result.params
        points = [point for point in found.points if point.start == start]
        for params, point in ((at_start, points[0]), (at_end, points[-1])):
            best = model.class_log_joint(params, labeled.X[held]).argmax(axis=1)
            assert point.accuracy == (best == labeled.y[held]).mean()
            assert point.n_held_out == len(held)
        mine = InMemoryCorpus(drawn.X, np.full(600, -1), (drawn.y < 0).astype(float), n_threads=1)
        value = mine.reduce(partial(model.expect, at_end, SOFT)).objective
        assert points[-1].log_probability == pytest.approx(
            (value + model.log_prior(at_end)) / 520, rel=1e-6
        )


def test_alternatives_are_scored_on_the_same_documents(helped):
    by_name = {own.name: own for own in helped.alternatives}
    assert list(by_name) == [
        "supervised", "plain EM", "unlabeled weight 0.1", "5 components per class", "annealed",
    ]  # fmt: skip
    firsts = [point.accuracy for point in helped.points if not point.iteration]
    lasts = [[p for p in helped.points if p.start == start][-1].accuracy for start in range(10)]
    assert by_name["supervised"].accuracy == pytest.approx(np.mean(firsts))
    assert by_name["plain EM"].accuracy == pytest.approx(np.mean(lasts))
    em, nb = by_name["plain EM"], by_name["supervised"]
    assert em.versus_supervised.mean == pytest.approx(helped.gain.mean)
    assert nb.versus_em.mean == pytest.approx(-helped.gain.mean)
    assert (em.versus_em.mean, em.versus_em.error) == (0, 0)
    for own in helped.alternatives:
        assert own.versus_em.mean == pytest.approx(own.accuracy - em.accuracy)
        assert own.versus_supervised.mean == pytest.approx(own.accuracy - nb.accuracy)


def test_what_is_recommended_was_tried_and_is_no_worse(helped, hurt):
    for found in (helped, hurt):
        taken = next(own for own in found.alternatives if own.name == found.recommended)
        assert found.recommendation.startswith(taken.advice)
        assert taken.versus_em.mean >= 0
        assert taken.versus_supervised.mean >= 0
        assert f"{percent(taken.accuracy)} accuracy on held-out labels" in found.recommendation
    assert hurt.recommended != "plain EM"
    assert helped.recommended != "supervised"


@pytest.mark.parametrize(
    ("winner", "n_more", "wanted"),
    [
        ("annealed", 1, "plain EM"),
        ("annealed", 1000, "annealed"),
        ("supervised", 1, "supervised"),
        ("supervised", 1000, "supervised"),
    ],
)
def test_what_is_not_simple_is_recommended_only_beyond_chance(monkeypatch, winner, n_more, wanted):
    follow, em = Trials.follow, {}

    def keep(trials, ascent):
        points, first, em["right"] = follow(trials, ascent)
        return points, first, em["right"]

    def pretend(trials, ascent):
        """The winner gets so many documents right that EM gets wrong; others get none right."""
        right, climb = em["right"].copy(), ascent.climb
        name = "annealed" if climb.warm_up else "other" if climb.max_iter else "supervised"
        if name == winner:
            right[tuple(np.argwhere(right == 0)[:n_more].T)] = 1
        else:
            right[right == 1] = 0
        return right

    monkeypatch.setattr(Trials, "follow", keep)
    monkeypatch.setattr(Trials, "score", pretend)
    found = tell(draw_across(), how=diagnose_alternatives)
    assert max(found.alternatives, key=lambda own: own.accuracy).name == winner
    assert found.recommended == wanted
    is_named = "annealed with" in found.recommendation
    assert is_named == (winner != wanted)


def test_the_yardstick_is_the_same_whatever_unlabeled_documents_weigh():
    drawn = draw_topics()
    training = training_of(drawn)
    corpus, trials = training.corpus, Trials(training, 2, 1000, 0, 1, None)
    params, _ = supervised_start(model_of(drawn), corpus)
    values = []
    for weight in (1.0, 0.3):
        model = replace(model_of(drawn), unlabeled_weight=weight)
        objective = run_em(model, corpus, params, max_iter=0).objective[0]
        values.append(trials._log_probability(model, params, objective, trials.labeled))
    assert_allclose(values[1], values[0])


def test_where_unlabeled_documents_weigh_less_the_trials_climb_as_a_fit_does():
    drawn = draw_topics()
    model = replace(model_of(drawn), unlabeled_weight=0.3)
    trials = Trials(training_of(drawn), 2, 1000, 0, 1, None)
    own = trials.labeled.rows(trials.splits[0][0])
    scaled = scaled_prior(model, trials._corpus(own))
    ascent = Ascent(model, Climb(max_iter=4))
    *_, (n_iter, params, _) = trials._ascent(ascent, scaled, 0, own)
    climb = Climb(max_iter=n_iter, tol=0.0)
    fitted = fit_mixture(model, trials._corpus(own), climb).result.params
    assert_allclose(params.log_word, fitted.log_word)


def test_a_model_of_ones_own_is_among_the_alternatives():
    drawn = draw_across()
    model = replace(model_of(drawn), component_class=components_of([2, 3]))
    found = tell(drawn, how=diagnose_alternatives, model=model)
    assert found.alternatives[-1].name == "as configured"
    lasts = [[p for p in found.points if p.start == start][-1].accuracy for start in range(10)]
    assert found.alternatives[-1].accuracy == pytest.approx(np.mean(lasts))


def test_annealing_has_a_point_before_and_one_after():
    found = tell(draw_topics(), climb=Climb(warm_up=cooling(), correspondence="labels"), n_starts=3)
    for start in range(3):
        own = [point for point in found.points if point.start == start]
        assert len(own) == 2
        assert own[0].iteration == 0
        assert 40 < own[1].iteration <= 110  # fewer temperatures than in training


def test_the_same_seed_gives_the_same_diagnosis():
    drawn = draw_topics()
    assert tell(drawn, seed=3) == tell(drawn, seed=3)
    assert tell(drawn, seed=3).points != tell(drawn, seed=4).points


@pytest.mark.parametrize("where", CORPORA)
def test_it_does_not_matter_where_the_corpus_lives(where):
    drawn = draw_topics()
    here, there = tell(drawn), tell(drawn, CORPORA[where](drawn))
    assert there.verdict == here.verdict
    assert [p.accuracy for p in there.points] == [p.accuracy for p in here.points]
    assert_allclose(
        [p.log_probability for p in there.points], [p.log_probability for p in here.points]
    )


def test_a_sample_of_the_unlabeled_documents_will_do():
    drawn = draw_topics(n_documents=3000)
    whole, part = tell(drawn), tell(drawn, most_unlabeled=500)
    assert part.verdict == whole.verdict == "helps"
    assert part.n_unlabeled == whole.n_unlabeled == 2920
    assert part.points != whole.points


def test_every_fit_is_reported():
    seen = []
    tell(draw_topics(), how=diagnose_alternatives, n_starts=2, on_fit=lambda *now: seen.append(now))
    assert seen == [(done, 10) for done in range(1, 11)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"climb": Climb(max_iter=0)}, r"max_iter must be in \[1, inf\), got 0"),
        (
            {"model": MultinomialMixture(np.arange(4), unlabeled_weight=0.0)},
            r"unlabeled_weight must be in \(0, 1\], got 0.0",
        ),
        ({"n_starts": 1}, r"n_starts must be in \[2, inf\), got 1"),
        ({"most_unlabeled": 0}, r"most_unlabeled must be in \[1, inf\), got 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tell(draw_topics(), **options)


def test_a_diagnosis_can_be_read_by_machines_and_by_people(hurt):
    written = json.loads(json.dumps(hurt.to_json(), allow_nan=False))
    assert written["verdict"] == "hurts"
    assert written["gain"] == {"mean": hurt.gain.mean, "error": hurt.gain.error}
    assert written["points"][0].keys() == {
        "start", "iteration", "log_probability", "accuracy", "n_held_out",
    }  # fmt: skip
    assert written["alternatives"][0]["versus_em"]["error"] > 0
    lines = str(hurt).splitlines()
    assert lines[:2] == [hurt.sentence, hurt.recommendation]
    assert [line.split("  ")[1] for line in lines[2:]] == [own.name for own in hurt.alternatives]


# The statistics.


def as_points(log_probability, accuracy):
    """One point per entry, a row per start."""
    return [
        Point(start, i, float(x), float(y), 10)
        for start, pairs in enumerate(zip(log_probability, accuracy, strict=True))
        for i, (x, y) in enumerate(zip(*pairs, strict=True))
    ]


def test_the_correlation_is_that_of_all_points():
    rng = np.random.default_rng(0)
    x = rng.normal(-1400, 20, size=(10, 6))
    y = 0.5 + 0.001 * (x + 1400) + rng.normal(0, 0.02, size=x.shape)
    r, (low, high) = pooled_correlation(as_points(x, y), rng)
    assert r == pytest.approx(np.corrcoef(x.ravel(), y.ravel())[0, 1])
    assert low < r < high
    # Fisher's interval for 60 independent points, which these are.
    half = 1.645 / np.sqrt(57)
    assert_allclose([low, high], np.tanh([np.arctanh(r) - half, np.arctanh(r) + half]), atol=0.1)


def test_more_points_on_a_start_do_not_make_the_correlation_surer():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(10, 3)), rng.normal(size=(10, 3))
    few = pooled_correlation(as_points(x, y), np.random.default_rng(2))
    many = pooled_correlation(as_points(np.tile(x, 8), np.tile(y, 8)), np.random.default_rng(2))
    assert_allclose(many[1], few[1])
    assert many[0] == pytest.approx(few[0])


def test_there_is_no_correlation_where_accuracy_never_changes():
    x = np.arange(12.0).reshape(4, 3)
    assert pooled_correlation(as_points(x, np.full_like(x, 0.7)), np.random.default_rng(0)) == (
        None,
        None,
    )
    found = judge(
        as_points(x, np.full_like(x, 0.7)), np.zeros((4, 9)), np.random.default_rng(0), 9, 9
    )
    assert found.verdict == "unclear"
    assert found.correlation is None


def test_the_error_of_a_difference_counts_documents_however_often_they_are_held_out():
    rng = np.random.default_rng(0)
    own = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.6, 0.3], size=200)
    once = np.where(rng.random((1, 200)) < 2, own, np.nan)
    often = np.repeat(once, 10, axis=0)
    by_hand = own.std() / np.sqrt(200)
    assert paired_difference(often, rng).error == pytest.approx(by_hand, rel=0.15)
    assert paired_difference(often, rng).mean == pytest.approx(own.mean())


def test_the_error_of_a_difference_counts_starts_that_disagree():
    rng = np.random.default_rng(0)
    of_start = rng.normal(0, 0.2, size=10)
    alike = np.repeat(of_start[:, None], 300, axis=1)
    by_hand = of_start.std() / np.sqrt(10)
    assert paired_difference(alike, rng).error == pytest.approx(by_hand, rel=0.15)


def test_starts_count_the_same_however_many_documents_they_hold_out():
    differences = np.full((2, 10), np.nan)
    differences[0, :9], differences[1, 9] = 1.0, 0.0
    assert paired_difference(differences, np.random.default_rng(0)).mean == pytest.approx(0.5)


def test_no_error_is_below_one_document():
    found = paired_difference(np.ones((10, 4)), np.random.default_rng(0))
    assert (found.mean, found.error) == (1.0, 0.25)


# Parts and samples.


@pytest.mark.parametrize("seed", range(5))
def test_parts_grow_and_every_class_keeps_a_label(seed):
    codes = np.repeat(np.arange(4), [1, 2, 20, 40])
    splits = split_labels(codes, 10, np.random.default_rng(seed))
    assert len(splits) == 10
    for part, held in splits:
        assert_array_equal(np.sort(np.concatenate([part, held])), np.arange(63))
        assert set(codes[part]) == {0, 1, 2, 3}
        assert 0 not in codes[held]  # its only label
        assert {1, 2, 3} <= set(codes[held])
    shares = [(codes[part] == 3).mean() * len(part) / 40 for part, _ in splits]
    assert shares == sorted(shares)
    assert 0.2 <= shares[0] <= 0.3
    assert 0.75 <= shares[-1] <= 0.85


def test_very_many_labels_are_not_all_scored():
    codes = np.arange(4000) % 2
    for part, held in split_labels(codes, 5, np.random.default_rng(0)):
        assert len(held) == MOST_HELD_OUT
        assert not set(part) & set(held)


def test_single_labels_give_no_parts():
    assert split_labels(np.arange(5), 10, np.random.default_rng(0)) == []


@pytest.mark.parametrize("where", CORPORA)
def test_a_sample_is_the_same_wherever_the_corpus_lives(where):
    drawn = replace(draw_topics(), weight=np.random.default_rng(0).uniform(0, 2, 600))
    drawn.weight[-50:] = 0
    expected, n = sample_unlabeled(CORPORA["memory"](drawn), 100, np.random.default_rng(1))
    sample, n_unlabeled = sample_unlabeled(CORPORA[where](drawn), 100, np.random.default_rng(1))
    assert n == n_unlabeled == 470
    assert sample.X.shape == (100, N_WORDS)
    assert_array_equal(sample.X.toarray(), expected.X.toarray())
    assert_array_equal(sample.y, -1)
    assert sample.weight.sum() == pytest.approx(drawn.weight[80:].sum())
    unlabeled = {tuple(row) for row in drawn.X.toarray()[80:-50]}
    assert {tuple(row) for row in sample.X.toarray()} <= unlabeled


def test_samples_of_other_seeds_are_others_and_all_documents_have_a_chance():
    drawn = draw_topics()
    corpus = CORPORA["memory"](drawn)
    rows = {tuple(row): i for i, row in enumerate(drawn.X.toarray())}
    seen = np.zeros(600)
    for seed in range(60):
        sample, _ = sample_unlabeled(corpus, 100, np.random.default_rng(seed))
        for row in sample.X.toarray():
            seen[rows[tuple(row)]] += 1
    assert seen[:80].sum() == 0
    assert seen.sum() == 6000
    # Drawn 11.5 times on average; a binomial count leaves 1 to 30 once in ten thousand times.
    assert seen[80:].min() >= 1
    assert seen.max() <= 30


def test_few_unlabeled_documents_are_all_taken():
    sample, n_unlabeled = sample_unlabeled(
        CORPORA["memory"](draw_topics()), 3000, np.random.default_rng(0)
    )
    assert n_unlabeled == len(sample.weight) == 520
    assert_array_equal(sample.weight, 1)


def test_documents_without_words_are_not_in_the_sample():
    drawn = draw_topics()
    empty = csr_array((4000, N_WORDS))
    more = Drawn(
        csr_array(vstack([drawn.X, empty], format="csr")),
        np.concatenate([drawn.y, np.full(4000, -1)]),
        np.ones(4600),
    )
    sample, n_unlabeled = sample_unlabeled(CORPORA["memory"](more), 3000, np.random.default_rng(0))
    assert n_unlabeled == 4520
    assert sample.X.shape[0] == sample.weight.sum() == 520
    assert tell(more).points == tell(drawn).points


def test_unlabeled_documents_without_words_are_no_text():
    drawn = draw_topics(n_documents=200, n_labeled=80)
    X = drawn.X.toarray() * (drawn.y >= 0)[:, None]
    found = tell(Drawn(csr_array(X), drawn.y, drawn.weight))
    assert found.sentence == "There is no unlabeled text."


def test_a_start_gets_no_more_than_so_many_labels(monkeypatch):
    monkeypatch.setattr(_trials, "MOST_TO_START", 100)
    codes = np.repeat(np.arange(3), [1, 20, 1000])
    for part, held in split_labels(codes, 5, np.random.default_rng(0)):
        assert 50 <= len(part) <= 103
        assert set(codes[part]) == {0, 1, 2}
        assert not set(part) & set(held)


# Real text.


@pytest.mark.slow
def test_reuters_filters_are_hurt_by_one_component(real_data):
    from leaven import diagnose
    from leaven.datasets import load_corpus

    table = load_corpus("reuters21578", ["title", "text", "labels", "split"]).to_pylist()
    rows = [row for row in table if row["split"] == "train"][:5000]
    truth = np.array(["ship" if "ship" in (row["labels"] or []) else "no" for row in rows])
    rng = np.random.default_rng(0)
    labels = np.full(len(rows), "", dtype=object)
    for name, size in (("ship", 20), ("no", 80)):
        chosen = rng.choice(np.flatnonzero(truth == name), size, replace=False)
        labels[chosen] = name
    texts = [f"{row['title'] or ''} {row['text'] or ''}" for row in rows]
    assert diagnose(texts, labels, alternatives=False).verdict == "hurts"

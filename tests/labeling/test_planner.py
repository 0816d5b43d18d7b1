"""The order of questions: typical ones first, then doubtful ones, every fifth an audit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaven.labeling._planner import EVERY, QUEUE, Asked, Plan, Planner

N, GROUPS = 60, 3


def make_planner(n=N, seed=0, sample=None):
    rng = np.random.default_rng(0)
    vectors = np.eye(4)[np.arange(n) % GROUPS] + rng.normal(0, 0.05, (n, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    numbers = np.arange(n) if sample is None else np.asarray(sample)
    return Planner(numbers, vectors[: len(numbers)], seed)


def answers(n, n_classes=GROUPS, why="typical", step=1):
    return [Asked(step * i, (i % n_classes,), why) for i in range(n)]


def doubtful(n=N, which=()):
    probability = np.tile([0.9, 0.06, 0.04], (n, 1))
    probability[list(which)] = [0.35, 0.33, 0.32]
    return probability


@pytest.fixture(scope="module")
def planner():
    return make_planner()


def test_the_first_questions_are_typical_of_different_groups(planner):
    plan = planner.plan([])
    assert not plan.has_audits
    assert len(plan.documents) == QUEUE
    assert {why for _, why in plan.documents} == {"typical"}
    asked = planner.questions(plan, 3, [], [])
    assert len({document % GROUPS for document, _ in asked}) == GROUPS


@pytest.mark.parametrize("n", [0, 1, 9])
def test_few_answers_lead_to_typical_documents_and_no_audits_even_with_a_model(planner, n):
    plan = planner.plan(answers(n), probability=doubtful())
    assert not plan.has_audits
    assert {why for _, why in plan.documents} == {"typical"}


def test_later_the_doubtful_documents_of_different_groups_come_first(planner):
    which = [30, 31, 32, 33, 34, 35]
    plan = planner.plan(answers(30), probability=doubtful(which=which))
    assert plan.has_audits
    assert {why for _, why in plan.documents} == {"uncertain"}
    numbers = [document for document, _ in plan.documents]
    assert min(numbers) >= 30
    assert set(which) & set(numbers[:3])


def test_without_a_model_there_are_neither_doubts_nor_audits(planner):
    plan = planner.plan(answers(30, n_classes=1))
    assert not plan.has_audits
    assert {why for _, why in plan.documents} == {"typical"}


def test_every_fifth_question_is_an_audit(planner):
    plan = planner.plan(answers(20), probability=doubtful())
    asked = planner.questions(plan, 20, ["typical"] * 20, range(20))
    places = [place for place, (_, why) in enumerate(asked) if why == "audit"]
    assert places == [0, 5, 10, 15]
    later = planner.questions(plan, 6, ["audit", "typical", "uncertain"], range(20))
    assert [why == "audit" for _, why in later] == [False, False, True, False, False, False]


def test_held_questions_count_as_asked(planner):
    plan = planner.plan(answers(20), probability=doubtful())
    held = planner.questions(plan, 3, [], range(20))
    more = planner.questions(
        plan, 4, [why for _, why in held], [*range(20), *(document for document, _ in held)]
    )
    assert {document for document, _ in held}.isdisjoint(document for document, _ in more)
    together = [why for _, why in [*held, *more]]
    assert [place for place, why in enumerate(together) if why == "audit"] == [0, EVERY]


def test_audits_do_not_depend_on_labels_models_or_the_plan():
    planner = make_planner()

    def audits(plan):
        asked = planner.questions(plan, 40, [], range(10))
        return [document for document, why in asked if why == "audit"]

    # Documents that come before an audit are asked about for other reasons: none here.
    first = audits(Plan((), True))
    same = make_planner()
    same.plan(answers(20), probability=doubtful(which=range(20, 40)))
    assert [
        d for d, why in same.questions(Plan((), True), 40, [], range(10)) if why == "audit"
    ] == first
    order = [each for each in planner._audits.tolist() if each >= 10]
    assert order[0] == first[0]
    for which in ([], range(10, 30)):
        plan = planner.plan(answers(10, step=1), probability=doubtful(which=which))
        forced = Plan(plan.documents, True)
        assert planner.questions(forced, 1, [], range(10)) == [(order[0], "audit")]
    assert make_planner(seed=1)._audits.tolist() != planner._audits.tolist()


def test_audits_are_drawn_from_all_documents():
    planner = make_planner()
    assert sorted(planner._audits.tolist()) == list(range(N))
    sampled = make_planner(sample=[3, 5, 8, 90, 1000])
    assert sorted(sampled._audits.tolist()) == [3, 5, 8, 90, 1000]


def test_a_class_found_late_changes_nothing_but_the_doubts(planner):
    settled = [Asked(i, (i % 2,), "typical") for i in range(16)]
    plan = planner.plan([*settled, Asked(16, (9,), "audit")], probability=doubtful())
    assert {why for _, why in plan.documents} == {"uncertain"}
    assert plan.has_audits


def test_closed_documents_are_not_planned(planner):
    closed = set(range(0, N, 2))
    plan = planner.plan(answers(3, step=2), closed, n=40)
    assert all(document % 2 for document, _ in plan.documents)
    assert len(plan.documents) == N // 2


@pytest.mark.parametrize("has_audits", [False, True])
def test_all_documents_are_asked_about_once_and_then_none(has_audits):
    planner = make_planner()
    plan = Plan(tuple((i, "typical") for i in range(8)), has_audits)
    asked = planner.questions(plan, 500, [], [1, 2, 3])
    assert sorted(document for document, _ in asked) == [0, *range(4, N)]
    assert planner.questions(plan, 5, [], range(N)) == []


@given(
    st.sets(st.integers(0, N - 1)),
    st.lists(st.sampled_from(["typical", "uncertain", "audit", "random", ""]), max_size=9),
    st.integers(1, 50),
    st.booleans(),
)
def test_questions_are_new_and_open_and_as_many_as_there_are(closed, before, n, has_audits):
    planner = PLANNER
    asked = planner.questions(Plan(PLAN.documents, has_audits), n, before, closed)
    numbers = [document for document, _ in asked]
    assert closed.isdisjoint(numbers)
    assert len(set(numbers)) == len(numbers) == min(n, N - len(closed))
    assert has_audits or "audit" not in {why for _, why in asked}
    reasons = [*before, *(why for _, why in asked)]
    for place in range(len(before), len(reasons)):
        lately = reasons[max(place - EVERY + 1, 0) : place]
        assert (reasons[place] == "audit") == (has_audits and "audit" not in lately)


PLANNER = make_planner()
PLAN = PLANNER.plan(answers(30), probability=doubtful())

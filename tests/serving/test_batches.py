"""Requests that wait are computed together, in bounded number and in turn."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from leaven.serving import _batches
from leaven.serving._batches import Batcher, Work
from leaven.serving._models import ModelShelf
from leaven.serving._service import Limits, Service
from leaven.web._asgi import Refused


class Slow(Work):
    """Work that takes a while, and remembers the batches it was given."""

    def __init__(self, seconds=0.0, in_thread=True):
        self.seconds = seconds
        self.seconds_per_character = float("inf") if in_thread else 0.0
        self.batches = []
        self.threads = set()

    def __call__(self, jobs):
        self.batches.append([len(job.texts) for job in jobs])
        self.threads.add(threading.current_thread().name)
        time.sleep(self.seconds)
        return [[text.upper() for text in job.texts] for job in jobs]


def run(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 10))


@pytest.mark.parametrize("in_thread", [True, False])
def test_what_arrives_meanwhile_is_one_batch(in_thread):
    async def scenario():
        work, batcher = Slow(0.02, in_thread), Batcher(8, 1000, 60)
        futures = [batcher.submit(work, ["a"], None) for _ in range(3)]
        futures += [batcher.submit(work, ["b", "c"], None) for _ in range(6)]
        found = await asyncio.gather(*futures)
        batcher.close()
        assert found == [["A"]] * 3 + [["B", "C"]] * 6
        assert work.batches == [[1, 1, 1, 2, 2], [2, 2, 2, 2]]
        assert batcher.n_waiting == 0
        assert ("MainThread" in work.threads) != in_thread

    run(scenario())


def test_a_batch_of_one_is_a_request():
    async def scenario():
        work, batcher = Slow(), Batcher(1, 1000, 60)
        await asyncio.gather(*[batcher.submit(work, ["a", "b"], None) for _ in range(3)])
        batcher.close()
        assert work.batches == [[2], [2], [2]]

    run(scenario())


def test_different_work_is_not_mixed():
    async def scenario():
        first, second, batcher = Slow(), Slow(), Batcher(8, 1000, 60)
        given = [first, first, second, first]
        await asyncio.gather(*[batcher.submit(work, ["a"], None) for work in given])
        batcher.close()
        assert (first.batches, second.batches) == ([[1, 1], [1]], [[1]])

    run(scenario())


def test_a_request_of_many_texts_lets_others_pass(monkeypatch):
    monkeypatch.setattr(_batches, "PART", 10)

    async def scenario():
        work, batcher = Slow(0.001), Batcher(4, 1000, 60)
        order = []
        many = batcher.submit(work, [f"t{i}" for i in range(35)], None)
        few = batcher.submit(work, ["x"], None)
        many.add_done_callback(lambda _: order.append("many"))
        few.add_done_callback(lambda _: order.append("few"))
        assert await many == [f"T{i}" for i in range(35)]
        assert await few == ["X"]
        batcher.close()
        assert order == ["few", "many"]
        assert work.batches == [[10], [1], [10], [10], [5]]
        assert batcher.n_waiting == 0

    run(scenario())


def test_too_many_are_refused_and_the_accepted_are_answered():
    async def scenario():
        work, batcher = Slow(0.05), Batcher(4, 10, 60)
        accepted = [batcher.submit(work, ["a"] * 5, None) for _ in range(2)]
        with pytest.raises(Refused, match="10 texts are waiting, and at most 10 may") as refused:
            batcher.submit(work, ["b"], None)
        assert refused.value.status == 503
        assert dict(refused.value.headers)[b"retry-after"]
        await asyncio.gather(*accepted)
        # A request longer than the queue is accepted when nothing waits.
        assert await batcher.submit(work, ["c"] * 20, None) == ["C"] * 20
        batcher.close()

    run(scenario())


def test_a_request_that_waited_too_long_is_refused():
    async def scenario():
        work, batcher = Slow(0.1), Batcher(1, 10, 0.05)
        first, second = (batcher.submit(work, ["a"], None) for _ in range(2))
        assert await first == ["A"]
        with pytest.raises(Refused, match=r"waited for 0\.05 seconds") as refused:
            await second
        assert refused.value.status == 503
        batcher.close()
        assert work.batches == [[1]]
        assert batcher.n_waiting == 0

    run(scenario())


def test_one_that_nobody_waits_for_is_not_computed():
    async def scenario():
        work, batcher = Slow(0.02), Batcher(1, 10, 60)
        futures = [batcher.submit(work, ["a"], None) for _ in range(3)]
        futures[1].cancel()
        assert await futures[0] == await futures[2] == ["A"]
        batcher.close()
        assert len(work.batches) == 2
        assert batcher.n_waiting == 0

    run(scenario())


@pytest.mark.parametrize("max_batch", [1, 8])
def test_a_request_that_fails_does_not_fail_those_computed_with_it(caplog, max_batch):
    class Failing(Slow):
        def __call__(self, jobs):
            if any("bad" in job.texts for job in jobs):
                raise ZeroDivisionError("it cannot be")
            return super().__call__(jobs)

    async def scenario():
        work, batcher = Failing(), Batcher(max_batch, 10, 60)
        texts = (["a"], ["bad"], ["b", "c"])
        first, bad, last = (batcher.submit(work, each, None) for each in texts)
        with pytest.raises(Refused) as refused:
            await bad
        assert refused.value.status == 500
        assert (await first, await last) == (["A"], ["B", "C"])
        batcher.close()
        assert batcher.n_waiting == 0

    run(scenario())
    assert caplog.text.count("a request failed: ZeroDivisionError: it cannot be") == 1


@pytest.mark.parametrize("max_batch", [1, 5, 16])
def test_answers_do_not_depend_on_what_is_computed_together(models, texts, max_batch):
    every = [*texts, "", "zzz", "İstanbul ΣΑΣ yeast"]
    bodies = [json.dumps({"text": text, "top": 3}).encode() for text in every]

    async def scenario():
        shelf = ModelShelf({"m": str(models["auto"])}, lambda *_: {})
        service = Service(shelf, lambda _: {}, Limits(max_batch=max_batch))
        alone = [await service.predict(body) for body in bodies]
        together = await asyncio.gather(*map(service.predict, bodies))
        service.batcher.close()
        assert together == alone
        n_batches = len(every) + -(-len(every) // max_batch)
        assert sum(service.metrics.batches.counts) == n_batches
        assert service.metrics.batches.total == 2 * len(every)

    run(scenario())


def test_overload_is_answered_with_503_and_retry_after(serve, models, monkeypatch):
    monkeypatch.setattr(_batches, "SHORT", -1.0)  # everything in the thread
    served = serve(models["em"], max_batch=1, max_waiting=4)
    many = {"texts": ["dough yeast " * 50] * 500}
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: served.ask("POST", "/predict", many), range(24)))
    statuses = {status for status, _, _ in found}
    assert statuses == {200, 503}
    for status, headers, reply in found:
        if status == 200:
            assert len(reply["predictions"]) == 500
        else:
            assert headers["retry-after"] == "1"
            assert reply["error"]["code"] == "overloaded"
    n_refused = sum(status == 503 for status, _, _ in found)
    assert served.metric('leaven_rejected_total{reason="overloaded"}') == n_refused
    assert served.metric("leaven_queue_texts") == 0

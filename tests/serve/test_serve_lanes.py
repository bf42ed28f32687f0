"""The threads that predict: none waits for a long one, none spoils another, and none is waited for without end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.processes import wait_for
from textsieve import load
from textsieve.prediction import Model, Predictions
from textsieve.serve.api_errors import ApiError
from textsieve.serve.limits import Limits
from textsieve.serve.served_model import ServedModel
from textsieve.serve.workers import (
    PART,
    SHORT,
    Abandoned,
    IsWanted,
    Job,
    PredictionWorkers,
    Work,
    run_batch,
    split_texts,
)

LONG = ["wind goal bank " * (2 * SHORT // 15)]


class Watched:
    """A model that can be held up, and that can't read some texts."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.may_go_on = threading.Event()
        self.inside = threading.Event()
        self.calls: list[int] = []

    def predict(self, texts: list[str]) -> Predictions:
        if any(len(text) > SHORT for text in texts):
            self.inside.set()
            assert self.may_go_on.wait(60)
        if "poison" in texts:
            raise ValueError("a text that can't be read")
        self.calls.append(len(texts))
        return self._model.predict(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


@pytest.fixture
def watched(models: dict[str, Path]) -> Watched:
    return Watched(load(models["one"]).model_)


def loaded(watched: Any) -> ServedModel:
    return ServedModel(watched, "id", 1, "name", "when", lambda *_: None)


def run(work: Callable[[PredictionWorkers], Any], limits: Limits | None = None, threads: int = 1) -> Any:
    async def inside() -> Any:
        lanes = PredictionWorkers(limits or Limits(), threads)
        try:
            return await work(lanes)
        finally:
            lanes.close()

    return asyncio.run(inside())


def test_a_short_request_does_not_wait_for_a_long_one(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> tuple[bytes, bytes]:
        own = loaded(watched)
        long = asyncio.ensure_future(lanes.predict(own, LONG, None))
        await asyncio.to_thread(watched.inside.wait, 60)
        short = await lanes.predict(own, ["a late goal"], None)
        assert not long.done()
        assert lanes.n_waiting == 1
        watched.may_go_on.set()
        return short, await long

    short, long = run(work)
    assert b"sport" in short
    assert long.startswith(b'{"predictions":[{"label":')


def test_short_requests_that_come_together_are_predicted_together(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> list[bytes]:
        own = loaded(watched)
        return await asyncio.gather(*(lanes.predict(own, [f"goal {at}", "bank"], 1 + at % 2) for at in range(40)))

    answers = run(work)
    assert len(watched.calls) < 40
    assert sum(watched.calls) == 80

    def alone(at: int) -> Any:
        return run(lambda lanes: lanes.predict(loaded(watched), [f"goal {at}", "bank"], 1 + at % 2))

    assert answers == list(map(alone, range(40)))


def test_one_that_fails_does_not_spoil_others(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> list[Any]:
        own = loaded(watched)
        texts = ["goal", "poison", "bank", "rain"]
        return await asyncio.gather(*(lanes.predict(own, [text], None) for text in texts), return_exceptions=True)

    found = run(work)
    assert [isinstance(each, ValueError) for each in found] == [False, True, False, False]


def test_other_work_that_fails_says_so(watched: Watched) -> None:
    def broken(_: IsWanted) -> bytes:
        raise ZeroDivisionError

    for effort in (1, SHORT + 1):
        with pytest.raises(ZeroDivisionError):
            run(partial(_worked, loaded(watched), effort, broken))
        assert run(partial(_worked, loaded(watched), effort, lambda _: b"done")) == b"done"


async def _worked(own: ServedModel, effort: int, work: Work, lanes: PredictionWorkers) -> bytes:
    return await lanes.work("explain", own, effort, work)


def test_each_model_answers_its_own(models: dict[str, Path]) -> None:
    async def work(lanes: PredictionWorkers) -> list[bytes]:
        own = {kind: loaded(load(models[kind]).model_) for kind in ("one", "numbers")}
        kinds = ["one", "numbers"] * 10
        return await asyncio.gather(*(lanes.predict(own[kind], ["a late goal"], None) for kind in kinds))

    found = run(work)
    assert all(b'"label":"sport"' in each for each in found[::2])
    assert all(b'"label":1,' in each for each in found[1::2])


def test_nobody_waits_without_end(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> str:
        with pytest.raises(ApiError, match=r"No response within 0\.2 seconds") as problem:
            await lanes.predict(loaded(watched), LONG, None)
        assert lanes.n_waiting == 0
        watched.may_go_on.set()
        assert b"sport" in await lanes.predict(loaded(watched), ["a late goal"], None)
        return problem.value.code

    assert run(work, Limits(seconds=0.2)) == "timeout"


def test_more_than_can_wait_are_told_to_come_again(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> str:
        own = loaded(watched)
        long = [asyncio.ensure_future(lanes.predict(own, LONG, None)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="2 requests are waiting already") as problem:
            await lanes.predict(own, ["goal"], None)
        watched.may_go_on.set()
        await asyncio.gather(*long)
        return problem.value.code

    assert run(work, Limits(requests=2)) == "busy"


def test_long_work_is_given_up_when_its_caller_goes(watched: Watched) -> None:
    async def work(lanes: PredictionWorkers) -> None:
        texts = ["wind " * (PART // 4)] * 3
        task = asyncio.ensure_future(lanes.predict(loaded(watched), texts, None))
        await asyncio.to_thread(watched.inside.wait, 60)
        task.cancel()
        await asyncio.wait({task})
        watched.may_go_on.set()
        await lanes.predict(loaded(watched), LONG, None)  # goes to the same thread, after it

    run(work)
    assert watched.calls == [1, 1]  # of three parts only the one that had begun


def test_other_work_can_see_that_nobody_waits(watched: Watched) -> None:
    seen: list[bool] = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(is_wanted: IsWanted) -> bytes:
        seen.append(is_wanted())
        begun.set()
        assert go_on.wait(60)
        seen.append(is_wanted())
        raise Abandoned

    async def work(lanes: PredictionWorkers) -> None:
        task = asyncio.ensure_future(lanes.work("explain", loaded(watched), SHORT + 1, slow))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        await asyncio.wait({task})
        go_on.set()
        assert await lanes.work("explain", loaded(watched), SHORT + 1, lambda _: b"next") == b"next"

    run(work)
    assert seen == [True, False]


def test_corrections_and_searches_do_not_wait_for_explanations(watched: Watched) -> None:
    may_end = threading.Event()

    def slow(_: IsWanted) -> bytes:
        assert may_end.wait(60)
        return b"explained"

    async def work(lanes: PredictionWorkers) -> list[bytes]:
        own = loaded(watched)
        explained = asyncio.ensure_future(lanes.work("explain", own, SHORT + 1, slow))
        found = [
            await asyncio.wait_for(lanes.work("correct", own, 1, lambda _: b"corrected"), 60),
            await asyncio.wait_for(lanes.work("search", own, SHORT + 1, lambda _: b"searched"), 60),
        ]
        may_end.set()
        return [*found, await explained]

    assert run(work) == [b"corrected", b"searched", b"explained"]


def test_a_slow_disk_holds_up_no_prediction(watched: Watched) -> None:
    is_written = threading.Event()

    def write(_: IsWanted) -> bytes:
        assert is_written.wait(60)
        return b"corrected"

    async def work(lanes: PredictionWorkers) -> bytes:
        own = loaded(watched)
        corrected = asyncio.ensure_future(lanes.work("correct", own, 1, write))
        await asyncio.wait_for(lanes.predict(own, ["goal"], None), 60)
        is_written.set()
        return await corrected

    assert run(work) == b"corrected"


def test_short_requests_that_nobody_waits_for_are_passed_over(watched: Watched) -> None:
    async def work(_: PredictionWorkers) -> list[bytes]:
        loop = asyncio.get_running_loop()
        jobs = [
            Job(loop.create_future(), loaded(watched), 1, [text], is_abandoned=text == "bank")
            for text in ("goal", "bank")
        ]
        return [job.texts[0].encode() for job, _ in run_batch(jobs)]

    assert run(work) == [b"goal"]
    assert watched.calls == [1]


def test_threads_end(watched: Watched) -> None:
    def own() -> set[str]:
        return {thread.name for thread in threading.enumerate() if thread.name.startswith("textsieve-")}

    async def work(lanes: PredictionWorkers) -> set[str]:
        await lanes.predict(loaded(watched), ["goal"], None)
        return own()

    assert run(work) == {"textsieve-short"}
    wait_for(lambda: not own() or None, lambda: f"the end of {own()}")


def test_texts_in_split_texts() -> None:
    rng = np.random.default_rng(0)
    texts = ["x" * int(length) for length in rng.integers(0, PART, 100)] + [""] * 10_000
    found = list(split_texts(texts))
    assert [text for part in found for text in part] == texts
    assert all(sum(map(len, part[:-1])) < PART for part in found)
    assert all(sum(map(len, part)) + 64 * len(part) >= PART for part in found[:-1])
    assert list(split_texts([])) == []

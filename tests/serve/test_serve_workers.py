"""The worker threads: batches of short requests, long requests in parts, time limits."""

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
from tests.serve.model_kinds import KINDS, LABELS, TEXTS
from textsieve import Categorizer, load
from textsieve.modelfile.sources import UpdateMethod
from textsieve.prediction import Model, Predictions
from textsieve.prediction.records import Records
from textsieve.serve import served_model
from textsieve.serve import workers as workers_module
from textsieve.serve.api_errors import ApiError
from textsieve.serve.limits import Limits
from textsieve.serve.served_model import ServedModel, predictions_json
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


class BlockingModel:
    """A model whose long predictions wait for the test, and that raises an error for some texts."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.may_go_on = threading.Event()
        self.inside = threading.Event()
        self.calls: list[int] = []
        self.threads: set[str] = set()
        self.n_calibrations = 0

    def probabilities(self, scores: Any, is_unknown: Any) -> Any:
        self.n_calibrations += 1
        return self._model.probabilities(scores, is_unknown)

    def predict(self, texts: list[str]) -> Predictions:
        if any(len(text) > SHORT for text in texts):
            self.inside.set()
            assert self.may_go_on.wait(60)
        if "poison" in texts:
            raise ValueError("a text that can't be read")
        self.calls.append(len(texts))
        self.threads.add(threading.current_thread().name)
        return self._model.predict(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


@pytest.fixture
def model(models: dict[str, Path]) -> BlockingModel:
    return BlockingModel(load(models["single"]).model_)


def served(model: Any) -> ServedModel:
    return ServedModel(model, "id", 1, "name", "when", UpdateMethod("add"), lambda *_: None)


def run(work: Callable[[PredictionWorkers], Any], limits: Limits | None = None, threads: int = 1) -> Any:
    async def inside() -> Any:
        workers = PredictionWorkers(limits or Limits(), threads)
        try:
            return await work(workers)
        finally:
            workers.close()

    return asyncio.run(inside())


def test_a_short_request_does_not_wait_for_a_long_one(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> tuple[bytes, bytes]:
        served_model = served(model)
        long = asyncio.ensure_future(workers.predict(served_model, LONG, None))
        await asyncio.to_thread(model.inside.wait, 60)
        short = await workers.predict(served_model, ["a late goal"], None)
        assert not long.done()
        assert workers.n_waiting == 1
        model.may_go_on.set()
        return short, await long

    short, long = run(work)
    assert b"sport" in short
    assert long.startswith(b'{"predictions":[{"label":')


def test_short_requests_are_predicted_together(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> list[bytes]:
        served_model = served(model)
        return await asyncio.gather(
            *(workers.predict(served_model, [f"goal {at}", "bank"], 1 + at % 2) for at in range(40))
        )

    responses = run(work)
    assert len(model.calls) < 40
    assert sum(model.calls) == 80

    def alone(at: int) -> Any:
        return run(lambda workers: workers.predict(served(model), [f"goal {at}", "bank"], 1 + at % 2))

    assert responses == list(map(alone, range(40)))


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("settings", "is_light"),
    [
        ({"classifier": "svm"}, True),
        ({"classifier": "nb", "ngram_range": (1, 2)}, True),
        ({"classifier": "nb", "ngram_range": (1, 3)}, False),
        ({"classifier": "svm", "char_ngram_range": (2, 3)}, False),
        ({"classifier": "svm", "analyzer": "char"}, False),
        ({"classifier": "svm", "names": True, "analyzer": "word"}, False),
        ({"classifier": "tcfp"}, True),
        ({"classifier": "knn", "classifier_options": {"k": 3}}, False),
    ],
)
def test_only_light_models_predict_in_the_thread_of_the_event_loop(settings: dict[str, Any], is_light: bool) -> None:
    model = BlockingModel(Categorizer(n_terms=20, probabilities=None, **settings).fit(TEXTS, LABELS).model_)
    texts = ["a late goal", "bank", "unknown"]

    async def work(workers: PredictionWorkers) -> list[bytes]:
        return await asyncio.gather(*(workers.predict(served(model), [text], None) for text in texts))

    responses = run(work)
    assert model.threads == {threading.current_thread().name if is_light else "textsieve-short"}
    assert responses == [predictions_json(Records(model._model).of(model._model.predict([text]))) for text in texts]


def test_a_model_with_many_classes_is_not_light(model: BlockingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    assert served(model).is_light
    monkeypatch.setattr(served_model, "MAX_LIGHT_CLASSES", len(model.classes) - 1)
    assert not served(model).is_light


@pytest.mark.parametrize(
    ("n_texts", "top", "is_light"), [(6, None, True), (7, None, False), (3, 2, True), (4, 2, False), (2, 99, True)]
)
def test_requests_for_many_scores_do_not_predict_in_the_thread_of_the_event_loop(
    n_texts: int, top: int | None, is_light: bool, model: BlockingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(model.classes) == 3
    monkeypatch.setattr(workers_module, "MAX_LIGHT_SCORES", 6)
    run(lambda workers: workers.predict(served(model), ["goal"] * n_texts, top))
    assert model.threads == {threading.current_thread().name if is_light else "textsieve-short"}


def test_a_batch_ends_when_it_has_many_scores(model: BlockingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "MAX_LIGHT_SCORES", 6)

    async def work(workers: PredictionWorkers) -> None:
        served_model = served(model)
        await asyncio.gather(*(workers.predict(served_model, ["goal", "bank"], 2) for _ in range(5)))

    run(work)
    assert model.calls == [4, 4, 2], "requests of four scores each"


def test_the_event_loop_has_a_turn_between_batches(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> list[int]:
        served_model = served(model)
        predicting = asyncio.gather(*(workers.predict(served_model, [f"goal {at}"], None) for at in range(200)))
        seen: list[int] = []
        while not predicting.done():
            seen.append(sum(model.calls))
            await asyncio.sleep(0)
        await predicting
        return seen

    seen = run(work)
    assert model.calls == [64, 64, 64, 8]
    assert {64, 128, 192} <= set(seen)


@pytest.mark.parametrize("kind", KINDS)
def test_responses_of_a_batch_are_those_of_each_request_alone(models: dict[str, Path], kind: str) -> None:
    requests = [(["a late goal"], None), (["bank rates", "rain"], None), ([], None), (["unknown"], 2), (["wind"], 2)]
    model = BlockingModel(load(models[kind]).model_)

    async def responses(_: PredictionWorkers) -> tuple[list[Any], list[Any]]:
        loop, served_model = asyncio.get_running_loop(), served(model)
        jobs = [Job(loop.create_future(), served_model, 1, texts, top) for texts, top in requests]
        together = [response for _, response in run_batch(jobs)]
        n_calibrations = model.n_calibrations
        alone = [response for job in jobs for _, response in run_batch([job])]
        # Requests with the same settings are predicted together, and so are the probabilities of all their documents.
        assert model.calls[:2] == [3, 2]
        assert n_calibrations == (0 if model.calibration is None else 2)
        return together, alone

    together, alone = run(responses)
    assert together == alone


def test_a_failing_request_does_not_affect_others(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> list[Any]:
        served_model = served(model)
        texts = ["goal", "poison", "bank", "rain"]
        return await asyncio.gather(
            *(workers.predict(served_model, [text], None) for text in texts), return_exceptions=True
        )

    results = run(work)
    assert [isinstance(result, ValueError) for result in results] == [False, True, False, False]


def test_exceptions_of_other_work_are_raised(model: BlockingModel) -> None:
    def broken(_: IsWanted) -> bytes:
        raise ZeroDivisionError

    for effort in (1, SHORT + 1):
        with pytest.raises(ZeroDivisionError):
            run(partial(_worked, served(model), effort, broken))
        assert run(partial(_worked, served(model), effort, lambda _: b"done")) == b"done"


async def _worked(served_model: ServedModel, effort: int, work: Work, workers: PredictionWorkers) -> bytes:
    return await workers.work("explain", served_model, effort, work)


def test_requests_for_two_models_are_not_mixed(models: dict[str, Path]) -> None:
    async def work(workers: PredictionWorkers) -> list[bytes]:
        own = {kind: served(load(models[kind]).model_) for kind in ("single", "numbers")}
        kinds = ["single", "numbers"] * 10
        return await asyncio.gather(*(workers.predict(own[kind], ["a late goal"], None) for kind in kinds))

    results = run(work)
    assert all(b'"label":"sport"' in result for result in results[::2])
    assert all(b'"label":1,' in result for result in results[1::2])


def test_a_request_ends_after_the_time_limit(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> str:
        with pytest.raises(ApiError, match=r"No response within 0\.2 seconds") as problem:
            await workers.predict(served(model), LONG, None)
        assert workers.n_waiting == 0
        model.may_go_on.set()
        assert b"sport" in await workers.predict(served(model), ["a late goal"], None)
        return problem.value.code

    assert run(work, Limits(seconds=0.2)) == "timeout"


def test_too_many_waiting_requests_are_an_error(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> str:
        served_model = served(model)
        long = [asyncio.ensure_future(workers.predict(served_model, LONG, None)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="2 requests are waiting already") as problem:
            await workers.predict(served_model, ["goal"], None)
        model.may_go_on.set()
        await asyncio.gather(*long)
        return problem.value.code

    assert run(work, Limits(requests=2)) == "busy"


def test_a_long_request_is_abandoned_when_its_client_disconnects(model: BlockingModel) -> None:
    async def work(workers: PredictionWorkers) -> None:
        texts = ["wind " * (PART // 4)] * 3
        task = asyncio.ensure_future(workers.predict(served(model), texts, None))
        await asyncio.to_thread(model.inside.wait, 60)
        task.cancel()
        await asyncio.wait({task})
        model.may_go_on.set()
        await workers.predict(served(model), LONG, None)  # goes to the same thread, after it

    run(work)
    assert model.calls == [1, 1]  # of three parts only the one that had begun


def test_other_work_can_check_whether_it_is_wanted(model: BlockingModel) -> None:
    seen: list[bool] = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(is_wanted: IsWanted) -> bytes:
        seen.append(is_wanted())
        begun.set()
        assert go_on.wait(60)
        seen.append(is_wanted())
        raise Abandoned

    async def work(workers: PredictionWorkers) -> None:
        task = asyncio.ensure_future(workers.work("explain", served(model), SHORT + 1, slow))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        await asyncio.wait({task})
        go_on.set()
        assert await workers.work("explain", served(model), SHORT + 1, lambda _: b"next") == b"next"

    run(work)
    assert seen == [True, False]


def test_corrections_and_searches_do_not_wait_for_explanations(model: BlockingModel) -> None:
    may_end = threading.Event()

    def slow(_: IsWanted) -> bytes:
        assert may_end.wait(60)
        return b"explained"

    async def work(workers: PredictionWorkers) -> list[bytes]:
        served_model = served(model)
        explained = asyncio.ensure_future(workers.work("explain", served_model, SHORT + 1, slow))
        results = [
            await asyncio.wait_for(workers.work("correct", served_model, 1, lambda _: b"corrected"), 60),
            await asyncio.wait_for(workers.work("search", served_model, SHORT + 1, lambda _: b"searched"), 60),
        ]
        may_end.set()
        return [*results, await explained]

    assert run(work) == [b"corrected", b"searched", b"explained"]


def test_predictions_do_not_wait_for_a_slow_disk(model: BlockingModel) -> None:
    is_written = threading.Event()

    def write(_: IsWanted) -> bytes:
        assert is_written.wait(60)
        return b"corrected"

    async def work(workers: PredictionWorkers) -> bytes:
        served_model = served(model)
        corrected = asyncio.ensure_future(workers.work("correct", served_model, 1, write))
        await asyncio.wait_for(workers.predict(served_model, ["goal"], None), 60)
        is_written.set()
        return await corrected

    assert run(work) == b"corrected"


def test_abandoned_short_requests_are_skipped(model: BlockingModel) -> None:
    async def work(_: PredictionWorkers) -> list[bytes]:
        loop = asyncio.get_running_loop()
        jobs = [
            Job(loop.create_future(), served(model), 1, [text], is_abandoned=text == "bank")
            for text in ("goal", "bank")
        ]
        return [job.texts[0].encode() for job, _ in run_batch(jobs)]

    assert run(work) == [b"goal"]
    assert model.calls == [1]


def test_threads_end_when_the_workers_are_closed(model: BlockingModel) -> None:
    def thread_names() -> set[str]:
        return {thread.name for thread in threading.enumerate() if thread.name.startswith("textsieve-")}

    async def work(workers: PredictionWorkers) -> set[str]:
        await workers.predict(served(model), ["goal"], None)
        return thread_names()

    assert run(work) == {"textsieve-short"}
    wait_for(lambda: not thread_names() or None, lambda: f"the end of {thread_names()}")


def test_texts_are_split_into_parts_of_limited_size() -> None:
    rng = np.random.default_rng(0)
    texts = ["x" * int(length) for length in rng.integers(0, PART, 100)] + [""] * 10_000
    results = list(split_texts(texts))
    assert [text for part in results for text in part] == texts
    assert all(sum(map(len, part[:-1])) < PART for part in results)
    assert all(sum(map(len, part)) + 64 * len(part) >= PART for part in results[:-1])
    assert list(split_texts([])) == []

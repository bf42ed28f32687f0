"""The threads that do the work. Short and long requests have different threads, so that none waits for a long one.

*Short predictions.* One thread takes all short requests that have arrived, and predicts all their texts at once. That
takes little longer than a single request, and one call of the event loop delivers all responses. So the higher the
load, the less each request costs.

*Long predictions* go to a few threads, which process them in parts; between two parts they check whether the client
still waits. Python runs one thread at a time and switches every few milliseconds, so short requests take turns with
long ones.

*Other long work* can't be done in parts: explaining a long text, searching many terms, writing a correction to the
disk. Each of these three kinds has one thread, so that a correction does not wait for explanations, and at most one
task of each kind takes turns with all others.

A request that takes too long is given up, and so is one whose client has disconnected.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Literal, get_args

from ..prediction import Predictions
from ..text.reading import FEW_CHARACTERS
from .answers import predictions_json
from .api_errors import ApiError
from .limits import Limits
from .loaded import ServedModel

MOST_TOGETHER = 64
"""The most short requests that are predicted together."""
SHORT = FEW_CHARACTERS // 4
"""The largest effort of a short request, in characters; a few of them together are counted in plain Python."""
A_DOCUMENT = 64
"""Characters that take as much effort as the overhead of one document."""
PART = 1 << 18
"""Effort of a part of a long request, in characters."""


Kind = Literal["explain", "search", "correct"]
"""Kinds of work other than predictions."""
Wanted = Callable[[], bool]
"""Function that returns whether the client still waits."""
Work = Callable[[Wanted], bytes]
"""Function that returns the response; it may check whether that is still wanted, and raise `GivenUp` if not."""


class GivenUp(Exception):
    """Raised when nobody waits for the result any more."""


@dataclass(eq=False, slots=True)
class Job:
    """A request that waits for its response."""

    answered: asyncio.Future[bytes]
    loaded: ServedModel
    effort: int  # number of characters, plus `A_DOCUMENT` for each document
    texts: list[str]
    top: int | None = None
    other: Work | None = None  # the work, if it is not a prediction
    given_up: bool = False

    def is_wanted(self) -> bool:
        """Return whether the client still waits."""
        return not self.given_up


class PredictionWorkers:
    """Processes requests in threads; belongs to the event loop in which it was created."""

    def __init__(self, limits: Limits, n_threads: int) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._short: SimpleQueue[Job | None] = SimpleQueue()
        self._long = ThreadPoolExecutor(n_threads, thread_name_prefix="textsieve-long")
        self._others = {kind: ThreadPoolExecutor(1, thread_name_prefix=f"textsieve-{kind}") for kind in get_args(Kind)}
        self._thread = threading.Thread(target=self._answer_short, name="textsieve-short", daemon=True)
        self._thread.start()
        self._open: dict[Job, float] = {}
        self._is_watched = False

    @property
    def waiting(self) -> int:
        """Return the number of requests without a response."""
        return len(self._open)

    async def predict(self, loaded: ServedModel, texts: list[str], top: int | None) -> bytes:
        """Return the response to a request for predictions."""
        effort = sum(map(len, texts)) + A_DOCUMENT * len(texts)
        job = Job(self._loop.create_future(), loaded, effort, texts, top)
        return await self._done(job, self._long if effort > SHORT else None)

    async def work(self, kind: Kind, loaded: ServedModel, effort: int, work: Work) -> bytes:
        """Return the response to a request for other work; `effort` is its number of characters.

        A correction is always long, even if its text is short: it waits for the disk, and predictions must not wait
        with it.
        """
        is_long = kind == "correct" or effort > SHORT
        job = Job(self._loop.create_future(), loaded, effort, [], other=work)
        return await self._done(job, self._others[kind] if is_long else None)

    def close(self) -> None:
        """End the threads as soon as they have finished their current work."""
        self._short.put(None)
        for threads in (self._long, *self._others.values()):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _done(self, job: Job, threads: ThreadPoolExecutor | None) -> bytes:
        """Run a job in `threads` (None: in the thread for short requests) and return its result."""
        if self.waiting >= self._limits.requests:
            raise ApiError("busy", f"{self.waiting:,} requests are being answered already; try again in a second.")
        if not self._is_watched:
            self._is_watched = True
            self._loop.call_later(self._limits.seconds, self._check_deadlines)
        self._open[job] = self._loop.time() + self._limits.seconds
        try:
            if threads is None:
                self._short.put(job)
            else:
                threads.submit(self._answer_long, job)
            return await job.answered
        finally:
            del self._open[job]
            job.given_up = True

    def _check_deadlines(self) -> None:
        """Give up the jobs that are too late, and schedule the next check for the next deadline."""
        now = self._loop.time()
        for job, deadline in self._open.items():  # in the order of arrival, so the earliest deadlines come first
            if deadline > now:
                self._loop.call_at(deadline, self._check_deadlines)
                return
            self._give_up(job)
        self._is_watched = False

    def _give_up(self, job: Job) -> None:
        if not job.answered.done():
            seconds = f"{self._limits.seconds:g} seconds"
            problem = ApiError("timeout", f"No answer within {seconds}; send fewer or shorter documents, or try again.")
            job.answered.set_exception(problem)

    # -- run in threads ------------------------------------------------------------------------------------------

    def _answer_short(self) -> None:
        while jobs := self._next_jobs():
            self._send(outcomes(jobs))

    def _next_jobs(self) -> list[Job]:
        """Wait for short jobs, and return those that have arrived; return an empty list when the service is closed."""
        jobs: list[Job] = []
        effort = 0
        while len(jobs) < MOST_TOGETHER and effort < FEW_CHARACTERS - SHORT:
            try:
                job = self._short.get(block=not jobs)
            except Empty:
                break
            if job is None:
                self._short.put(None)
                break
            jobs.append(job)
            effort += job.effort
        return jobs

    def _answer_long(self, job: Job) -> None:
        try:
            response = None if job.given_up else _run_in_parts(job)
        except GivenUp:
            return
        except Exception as problem:
            self._send([(job, problem)])
        else:
            if response is not None:
                self._send([(job, response)])

    def _send(self, results: list[tuple[Job, bytes | Exception]]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_deliver, results)


def _deliver(results: list[tuple[Job, bytes | Exception]]) -> None:
    for job, outcome in results:
        if job.answered.done():
            continue
        if isinstance(outcome, Exception):
            job.answered.set_exception(outcome)
        else:
            job.answered.set_result(outcome)


def outcomes(jobs: list[Job]) -> list[tuple[Job, bytes | Exception]]:
    """Return each short job with its response or its exception; jobs for the same model are predicted together."""
    results: list[tuple[Job, bytes | Exception]] = []
    together: dict[int, list[Job]] = {}
    for job in jobs:
        if job.given_up:
            continue
        if job.other is None:
            together.setdefault(id(job.loaded), []).append(job)
        else:
            results.append((job, _run(job)))
    for group in together.values():
        try:
            results += zip(group, _predict_together(group), strict=True)
        except Exception as problem:
            if len(group) == 1:
                results.append((group[0], problem))
            else:  # one of them caused the error; the others get their responses
                results += [result for job in group for result in outcomes([job])]
    return results


def _predict_together(jobs: list[Job]) -> list[bytes]:
    loaded = jobs[0].loaded
    predictions = loaded.model.predict([text for job in jobs for text in job.texts])
    loaded.count(predictions)
    responses, begin = [], 0
    for job in jobs:
        end = begin + len(job.texts)
        own_predictions = Predictions(
            predictions.labels[begin:end], predictions.scores[begin:end], predictions.is_unknown[begin:end]
        )
        responses.append(predictions_json(loaded.records(job.top).of(own_predictions)))
        begin = end
    return responses


def _run_in_parts(job: Job) -> bytes | None:
    """Return the response to a long request, or None if nobody waits for it any more."""
    if job.other is not None:
        return job.other(job.is_wanted)
    records: list[dict[str, Any]] = []
    for part in parts(job.texts):
        if job.given_up:
            return None
        predictions = job.loaded.model.predict(part)
        job.loaded.count(predictions)
        records += job.loaded.records(job.top).of(predictions)
    return predictions_json(records)


def parts(texts: list[str]) -> Iterator[list[str]]:
    """Yield the texts in parts of about `PART` characters, with at least one text in each."""
    part: list[str] = []
    effort = 0
    for text in texts:
        part.append(text)
        effort += len(text) + A_DOCUMENT
        if effort >= PART:
            yield part
            part, effort = [], 0
    if part:
        yield part


def _run(job: Job) -> bytes | Exception:
    assert job.other is not None
    try:
        return job.other(job.is_wanted)
    except Exception as problem:
        return problem

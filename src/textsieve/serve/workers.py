"""The threads that do the work. Short and long requests have different threads, so no short one waits for a long one.

*Short predictions.* All short requests that have arrived are predicted at once. That takes little longer than a single
request, so the higher the load, the less each request costs. Models whose terms are words predict such a batch in a few
milliseconds (`ServedModel.is_light`). Then the thread of the event loop does it, after it has read all requests that
have arrived: with two threads, which would move from core to core, a request takes 1.15 times the processor time. Other
models, such as the default model of short texts, which has n-grams of characters, predict in a thread of their own. So
do all models for a request for many scores (`MAX_LIGHT_SCORES`). One call of the event loop delivers all responses.

*Long predictions* go to a few threads, which process them in parts; between two parts they check whether the client
still waits. Python runs one thread at a time and switches every few milliseconds, so short requests take turns with
long ones.

*Other long work* can't be done in parts: explaining a long text, searching many terms, writing a correction to the
disk. Each of these three kinds has one thread. So a correction does not wait for explanations, and at most three such
tasks compete with predictions for processor time.

A request is abandoned if it takes too long, or if its client has disconnected. The latter is noticed only for large
requests (`api.LARGE_BODY`).
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Literal, get_args

from ..errors import counted
from ..text.reading import FEW_CHARACTERS
from .api_errors import ApiError
from .limits import Limits
from .served_model import ServedModel, predictions_json

MAX_BATCH = 64
"""The most short requests that are predicted together."""
SHORT = FEW_CHARACTERS // 4
"""The largest effort of a short request, in characters (see `Job.effort`).

A batch of short requests stays below `FEW_CHARACTERS`, up to which words are counted in plain Python. Longer texts may
need compiled code, which is slow to load.
"""
DOCUMENT_EFFORT = 64
"""The overhead of a document takes about as much time as this many characters."""
MAX_LIGHT_SCORES = 500
"""The most scores in the response to a request that is predicted in the thread of the event loop.

It is also the number of scores after which no further request is added to a batch.
"""
PART = 1 << 18
"""Effort of each part in which a long request is predicted, in characters."""


WorkKind = Literal["explain", "search", "correct"]
"""Kinds of work other than predictions."""
IsWanted = Callable[[], bool]
"""Function that returns whether the client still waits."""
Work = Callable[[IsWanted], bytes]
"""Function that returns the response; it may check whether that is still wanted, and raise `Abandoned` if not."""


class Abandoned(Exception):
    """Raised when nobody waits for the result any more."""


@dataclass(eq=False, slots=True)
class Job:
    """A request that waits for its response."""

    response: asyncio.Future[bytes]
    served: ServedModel
    effort: int
    """For predictions, the number of characters, plus `DOCUMENT_EFFORT` for each document; see `work` for others."""
    texts: list[str]
    top: int | None = None
    min_probability: float | None = None
    work: Work | None = None  # None for a prediction
    is_abandoned: bool = False

    @property
    def n_scores(self) -> int:
        """Return the number of scores in the response to predictions; a document without `top` counts as one."""
        return len(self.texts) * min(self.top or 1, len(self.served.model.classes))

    def is_wanted(self) -> bool:
        """Return whether the client still waits."""
        return not self.is_abandoned


Outcome = tuple[Job, bytes | Exception]
"""A job with its response or its exception."""


class PredictionWorkers:
    """Processes requests in threads; belongs to the event loop in which it was created."""

    def __init__(self, limits: Limits, n_threads: int) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._light_jobs: deque[Job] = deque()  # for the thread of the event loop
        self._short_jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._long_pool = ThreadPoolExecutor(n_threads, thread_name_prefix="textsieve-long")
        self._work_pools = {
            kind: ThreadPoolExecutor(1, thread_name_prefix=f"textsieve-{kind}") for kind in get_args(WorkKind)
        }
        self._short_thread = threading.Thread(target=self._run_short_jobs, name="textsieve-short", daemon=True)
        self._short_thread.start()
        self._deadlines: dict[Job, float] = {}  # in the order of arrival, so the earliest deadlines come first
        self._is_check_scheduled = False

    @property
    def n_waiting(self) -> int:
        """Return the number of requests without a response."""
        return len(self._deadlines)

    async def predict(
        self, served: ServedModel, texts: list[str], top: int | None, min_probability: float | None = None
    ) -> bytes:
        """Return the response to a request for predictions."""
        effort = sum(map(len, texts)) + DOCUMENT_EFFORT * len(texts)
        job = Job(self._loop.create_future(), served, effort, texts, top, min_probability)
        if effort > SHORT:
            return await self._result(job, self._start_in(self._long_pool))
        is_light = served.is_light and job.n_scores <= MAX_LIGHT_SCORES
        return await self._result(job, self._predict_soon if is_light else self._short_jobs.put)

    async def work(self, kind: WorkKind, served: ServedModel, effort: int, work: Work) -> bytes:
        """Return the response to a request for other work; `effort` is its number of characters, or of terms to search.

        A correction counts as long even if its text is short: it waits for the disk, and short predictions must not
        wait for it.
        """
        is_long = kind == "correct" or effort > SHORT
        job = Job(self._loop.create_future(), served, effort, [], work=work)
        return await self._result(job, self._start_in(self._work_pools[kind]) if is_long else self._short_jobs.put)

    def close(self) -> None:
        """End the threads as soon as they have finished their current work."""
        self._short_jobs.put(None)
        for pool in (self._long_pool, *self._work_pools.values()):
            pool.shutdown(wait=False, cancel_futures=True)

    def _start_in(self, pool: ThreadPoolExecutor) -> Callable[[Job], object]:
        """Return a function that runs a job in a pool."""
        return lambda job: pool.submit(self._run_long_job, job)

    async def _result(self, job: Job, start: Callable[[Job], object]) -> bytes:
        """Start a job, and return its result."""
        if self.n_waiting >= self._limits.requests:
            problem = f"{counted(self.n_waiting, 'request is', 'requests are')} waiting already."
            raise ApiError("busy", problem, hint="Try again in a second.")
        if not self._is_check_scheduled:
            self._is_check_scheduled = True
            self._loop.call_later(self._limits.seconds, self._check_deadlines)
        self._deadlines[job] = self._loop.time() + self._limits.seconds
        try:
            start(job)
            return await job.response
        finally:  # also if the request was cancelled, because the client disconnected
            del self._deadlines[job]
            job.is_abandoned = True

    def _check_deadlines(self) -> None:
        """Give the jobs that are too late an error as their outcome, and schedule a check for the next deadline.

        `_result` then removes these jobs and marks them as abandoned.
        """
        now = self._loop.time()
        for job, deadline in self._deadlines.items():
            if deadline > now:
                self._loop.call_at(deadline, self._check_deadlines)
                return
            if not job.response.done():
                problem = f"No response within {self._limits.seconds:g} seconds."
                hint = "Send fewer or shorter documents, or try again."
                job.response.set_exception(ApiError("timeout", problem, hint=hint))
        self._is_check_scheduled = False

    # -- run in the thread of the event loop ---------------------------------------------------------------------

    def _predict_soon(self, job: Job) -> None:
        """Predict for a short job, after the event loop has read all requests that have arrived, together with them."""
        if not self._light_jobs:
            self._loop.call_soon(self._predict_light_jobs)
        self._light_jobs.append(job)

    def _predict_light_jobs(self) -> None:
        """Predict for a batch of the waiting jobs; if some are left, the event loop first has a turn."""
        _deliver(run_batch(_take_batch(lambda: self._light_jobs.popleft() if self._light_jobs else None)))
        if self._light_jobs:
            self._loop.call_soon(self._predict_light_jobs)

    # -- run in threads ------------------------------------------------------------------------------------------

    def _run_short_jobs(self) -> None:
        """Process short jobs in batches until the service is closed."""
        while jobs := self._next_short_jobs():
            self._send(run_batch(jobs))

    def _next_short_jobs(self) -> list[Job]:
        """Wait for short jobs, and return those that have arrived; return an empty list when the service is closed."""
        is_first = True

        def next_job() -> Job | None:
            nonlocal is_first
            try:
                job = self._short_jobs.get(block=is_first)  # wait only for the first job
            except Empty:
                return None
            is_first = False
            if job is None:  # `close` was called; put it back, so that the next call finds it and returns no jobs
                self._short_jobs.put(None)
            return job

        return _take_batch(next_job)

    def _run_long_job(self, job: Job) -> None:
        """Process a job and send its outcome, or nothing if it was abandoned."""
        try:
            outcome: bytes | Exception = _run_in_parts(job)
        except Abandoned:
            return
        except Exception as problem:
            outcome = problem
        self._send([(job, outcome)])

    def _send(self, outcomes: list[Outcome]) -> None:
        """Let the event loop deliver outcomes; futures may be resolved only in its own thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_deliver, outcomes)


def _take_batch(next_job: Callable[[], Job | None]) -> list[Job]:
    """Return the next short jobs, at most as many as should be predicted together; `next_job` returns None at the end.

    A job is taken only if it can't bring the batch above `FEW_CHARACTERS`, even with the effort `SHORT`, and if the
    responses of those before it have less than `MAX_LIGHT_SCORES` scores.
    """
    jobs: list[Job] = []
    effort = n_scores = 0
    while (
        len(jobs) < MAX_BATCH
        and effort < FEW_CHARACTERS - SHORT
        and n_scores < MAX_LIGHT_SCORES
        and (job := next_job()) is not None
    ):
        jobs.append(job)
        effort += job.effort
        n_scores += job.n_scores
    return jobs


def _deliver(outcomes: list[Outcome]) -> None:
    """Resolve the futures of jobs, except those that were cancelled or timed out."""
    for job, outcome in outcomes:
        if job.response.done():
            continue
        if isinstance(outcome, Exception):
            job.response.set_exception(outcome)
        else:
            job.response.set_result(outcome)


def run_batch(jobs: list[Job]) -> list[Outcome]:
    """Return the outcome of each short job that is not abandoned.

    Predictions with the same model and settings are made together.
    """
    outcomes: list[Outcome] = []
    groups: dict[tuple[int, int | None, float | None], list[Job]] = {}
    for job in jobs:
        if job.is_abandoned:
            continue
        if job.work is None:
            groups.setdefault((id(job.served), job.top, job.min_probability), []).append(job)
        else:
            outcomes.append((job, _run_work(job, job.work)))
    for group in groups.values():
        try:
            outcomes += zip(group, _predict_together(group), strict=True)
        except Exception as problem:
            if len(group) == 1:
                outcomes.append((group[0], problem))
            else:  # one of them caused the error; run each alone, so that the others get their responses
                outcomes += [outcome for job in group for outcome in run_batch([job])]
    return outcomes


def _run_work(job: Job, work: Work) -> bytes | Exception:
    """Return the response of a job that is no prediction, or the exception that it raises."""
    try:
        return work(job.is_wanted)
    except Exception as problem:
        return problem


def _predict_together(jobs: list[Job]) -> list[bytes]:
    """Return the responses of jobs for the same model and settings, from one call of `predict` with all their texts."""
    served, top, min_probability = jobs[0].served, jobs[0].top, jobs[0].min_probability
    predictions = served.model.predict([text for job in jobs for text in job.texts])
    served.count(predictions, min_probability)
    records = iter(served.records(predictions, top, min_probability))
    return [predictions_json(islice(records, len(job.texts))) for job in jobs]


def _run_in_parts(job: Job) -> bytes:
    """Return the response to a long request, or raise `Abandoned` if nobody waits for it any more."""
    if job.is_abandoned:
        raise Abandoned
    if job.work is not None:
        return job.work(job.is_wanted)
    records: list[dict[str, Any]] = []
    for part in split_texts(job.texts):
        if job.is_abandoned:
            raise Abandoned
        predictions = job.served.model.predict(part)
        job.served.count(predictions, job.min_probability)
        records += job.served.records(predictions, job.top, job.min_probability)
    return predictions_json(records)


def split_texts(texts: list[str]) -> Iterator[list[str]]:
    """Yield the texts in parts, each of the fewest texts whose effort reaches `PART`; the last part may be smaller."""
    part: list[str] = []
    effort = 0
    for text in texts:
        part.append(text)
        effort += len(text) + DOCUMENT_EFFORT
        if effort >= PART:
            yield part
            part, effort = [], 0
    if part:
        yield part
